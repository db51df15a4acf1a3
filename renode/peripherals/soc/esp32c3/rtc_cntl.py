"""The ESP32-C3's RTC controller: resets and their causes, the slow clock's time, a watchdog."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import ClassVar

from renode.peripherals.host import Host
from renode.peripherals.registers import Register
from renode.peripherals.soc.esp32c3.watchdog import WRITE_KEY, StagedWatchdog

SLOW_CLOCK_HZ = 136_000
"""The internal RC oscillator that the RTC runs on unless told otherwise."""

RESET_CAUSES = MappingProxyType(
    {
        "power-on": 0x01,
        "software": 0x03,
        "mwdt0": 0x07,
        "mwdt1": 0x08,
        "rtc-wdt": 0x09,
        "mwdt0-cpu": 0x0B,
        "software-cpu": 0x0C,
        "rtc-wdt-cpu": 0x0D,
        "brown-out": 0x0F,
        "rtc-wdt-system": 0x10,
        "mwdt1-cpu": 0x11,
    }
)
"""Codes in RESET_STATE by our names (ESP-IDF soc/esp32c3/include/soc/reset_reasons.h)."""

_FORGETTING = frozenset({"power-on", "brown-out", "rtc-wdt-system"})
_SECOND = 1_000_000_000


class RtcCntl(StagedWatchdog):
    """The RTC controller.

    `on_reset(cause)` is called for a software reset and for a watchdog stage that resets, with
    a key of `RESET_CAUSES`. Whoever carries the reset out calls `set_reset_cause` and then
    `reset`, which keeps the cause, and STORE0-7 unless the RTC itself was reset. Not counted: the
    flash-boot and super watchdogs, which the bootloader switches off or to automatic feeding;
    sleep and wake-up. Registers: ESP-IDF soc/esp32c3/register/soc/rtc_cntl_reg.h.
    """

    BASE: ClassVar[int] = 0x60008000
    SIZE: ClassVar[int] = 0x800
    SOURCE: ClassVar[int] = 27
    """Interrupt source, soc/interrupts.h."""

    OPTIONS0 = Register(0x000, reset=0x1C00A000)
    SW_STALL = OPTIONS0.field(0, 4, tagged=True)
    SW_PROCPU_RST = OPTIONS0.bit(5, access="sc")
    ANALOG_POWER = OPTIONS0.field(6, 25, tagged=True)
    SW_SYS_RST = OPTIONS0.bit(31, access="sc")
    SLP_TIMER0 = Register(0x004, tagged=True)
    SLP_TIMER1 = Register(0x008, tagged=True)
    TIME_UPDATE = Register(0x00C)
    TIMER_CONTROL = TIME_UPDATE.field(27, 3, tagged=True)
    TIME_UPDATE_NOW = TIME_UPDATE.bit(31, access="sc", doc="latch the time")
    TIME_LOW0 = Register(0x010, access="ro", doc="slow-clock cycles")
    TIME_HIGH0 = Register(0x014, access="ro")
    STATE0 = Register(0x018, tagged=True)
    TIMER1 = Register(0x01C, reset=0x28140403, tagged=True)
    TIMER2 = Register(0x020, reset=0x01000000, tagged=True)
    TIMER3 = Register(0x024, reset=0x0A080A08, tagged=True)
    TIMER4 = Register(0x028, reset=0x10200A08, tagged=True)
    TIMER5 = Register(0x02C, reset=0x00008000, tagged=True)
    TIMER6 = Register(0x030, reset=0x0A080000, tagged=True)
    ANA_CONF = Register(0x034, reset=0x00C40000, tagged=True)
    RESET_STATE = Register(0x038, reset=0x00003000)
    RESET_CAUSE_PROCPU = RESET_STATE.field(0, 6, access="ro", doc="soc/reset_reasons.h")
    RESET_CAUSE_APPCPU = RESET_STATE.field(6, 6, access="ro", tagged=True)
    RESET_FLAGS = RESET_STATE.field(12, 14, tagged=True)
    WAKEUP_STATE = Register(0x03C, reset=0x00060000, tagged=True)
    INT_ENA = Register(0x040)
    WDT_INT_ENA = INT_ENA.bit(3)
    INT_RAW = Register(0x044, access="ro")
    WDT_INT_RAW = INT_RAW.bit(3)
    INT_ST = Register(0x048, access="ro")
    INT_CLR = Register(0x04C, access="wo")
    STORE0 = Register(0x050)
    STORE1 = Register(0x054)
    STORE2 = Register(0x058)
    STORE3 = Register(0x05C)
    EXT_XTL_CONF = Register(0x060, reset=0x00066C80, tagged=True)
    EXT_WAKEUP_CONF = Register(0x064, tagged=True)
    SLP_REJECT_CONF = Register(0x068, tagged=True)
    CPU_PERIOD_CONF = Register(0x06C, tagged=True)
    CLK_CONF = Register(0x070, reset=0x11583218, tagged=True)
    SLOW_CLK_CONF = Register(0x074, reset=0x00400000, tagged=True)
    SDIO_CONF = Register(0x078, reset=0x0AB0BE0A, tagged=True)
    BIAS_CONF = Register(0x07C, reset=0x00010800, tagged=True)
    REG = Register(0x080, reset=0xA0000000, tagged=True)
    PWC = Register(0x084, tagged=True)
    DIG_PWC = Register(0x088, reset=0x00555010, tagged=True)
    DIG_ISO = Register(0x08C, reset=0xAA805080, tagged=True)
    WDTCONFIG0 = Register(0x090, reset=0x00013214)
    WDT_DETAILS = WDTCONFIG0.field(0, 19, tagged=True)
    WDT_STGS = WDTCONFIG0.field(19, 12, doc="stages 3 to 0, see `_ACTIONS`")
    WDT_EN = WDTCONFIG0.bit(31)
    WDTCONFIG1 = Register(0x094, reset=200_000, doc="stage 0, in units of two cycles")
    WDTCONFIG2 = Register(0x098, reset=80_000, doc="stage 1, in slow-clock cycles")
    WDTCONFIG3 = Register(0x09C, reset=0xFFF)
    WDTCONFIG4 = Register(0x0A0, reset=0xFFF)
    WDTFEED = Register(0x0A4)
    WDT_FEED = WDTFEED.bit(31, access="sc")
    WDTWPROTECT = Register(0x0A8, reset=WRITE_KEY)
    SWD_CONF = Register(0x0AC, reset=0x04B00000, tagged=True)
    SWD_WPROTECT = Register(0x0B0, reset=0x8F1D312A, tagged=True)
    SW_CPU_STALL = Register(0x0B4, tagged=True)
    STORE4 = Register(0x0B8)
    STORE5 = Register(0x0BC)
    STORE6 = Register(0x0C0)
    STORE7 = Register(0x0C4)
    LOW_POWER_ST = Register(0x0C8, access="ro", tagged=True)
    DIAG0 = Register(0x0CC, access="ro", tagged=True)
    PAD_HOLD = Register(0x0D0, tagged=True)
    DIG_PAD_HOLD = Register(0x0D4, tagged=True)
    BROWN_OUT = Register(0x0D8, reset=0x43FF0010, tagged=True)
    TIME_LOW1 = Register(0x0DC, access="ro", tagged=True)
    TIME_HIGH1 = Register(0x0E0, access="ro", tagged=True)
    XTAL32K_CLK_FACTOR = Register(0x0E4, tagged=True)
    XTAL32K_CONF = Register(0x0E8, reset=0x0FF00000, tagged=True)
    USB_CONF = Register(0x0EC, tagged=True)
    SLP_REJECT_CAUSE = Register(0x0F0, access="ro", tagged=True)
    OPTION1 = Register(0x0F4, tagged=True)
    SLP_WAKEUP_CAUSE = Register(0x0F8, access="ro", tagged=True)
    ULP_CP_TIMER_1 = Register(0x0FC, reset=0x0000C800, tagged=True)
    INT_ENA_W1TS = Register(0x100, access="wo")
    INT_ENA_W1TC = Register(0x104, access="wo")
    RETENTION_CTRL = Register(0x108, reset=0xA0D00000, tagged=True)
    FIB_SEL = Register(0x10C, reset=0x00000007, tagged=True)
    GPIO_WAKEUP = Register(0x110, tagged=True)
    DBG_SEL = Register(0x114, tagged=True)
    DBG_MAP = Register(0x118, tagged=True)
    SENSOR_CTRL = Register(0x11C, tagged=True)
    DBG_SAR_SEL = Register(0x120, tagged=True)
    PG_CTRL = Register(0x124, tagged=True)
    DATE = Register(0x1FC, reset=0x02007270)

    STATE = ("_epoch_ns", "_cause")

    _STORES: ClassVar[tuple[Register, ...]] = (
        STORE0,
        STORE1,
        STORE2,
        STORE3,
        STORE4,
        STORE5,
        STORE6,
        STORE7,
    )
    _ACTIONS: ClassVar[tuple[str, ...]] = (
        "off",
        "interrupt",
        "rtc-wdt-cpu",
        "rtc-wdt",
        "rtc-wdt-system",
    )

    def __init__(self, host: Host, name: str) -> None:
        super().__init__(host, name)
        self.on_reset: Callable[[str], None] | None = None
        self._epoch_ns = host.now_ns()
        self.set_reset_cause("power-on")

    def set_reset_cause(self, cause: str) -> None:
        """Show `cause`, a key of `RESET_CAUSES`, in RESET_STATE; KeyError if there is none."""
        self.RESET_CAUSE_PROCPU = RESET_CAUSES[cause]
        self._cause = cause

    def reset(self) -> None:
        """Reset as `set_reset_cause` said last."""
        kept = [self.peek(store) for store in self._STORES]
        super().reset()
        self.set_reset_cause(self._cause)
        if self._cause in _FORGETTING:
            self._epoch_ns = self.host.now_ns()
        else:
            for store, value in zip(self._STORES, kept, strict=True):
                self._values[store.index] = value
        self._update_irq()

    def write(self, offset: int, value: int) -> None:
        """A bus write; the watchdog's registers ignore it unless WDTWPROTECT holds the key."""
        if 0x90 <= offset <= 0xA4 and self.WDTWPROTECT != WRITE_KEY:
            return
        super().write(offset, value)

    def _ask_for_reset(self, cause: str) -> None:
        if self.on_reset is not None:
            self.on_reset(cause)

    @OPTIONS0.on_write
    def _options0_written(self, old: int, written: int) -> None:
        if RtcCntl.SW_SYS_RST.of(written):
            self._ask_for_reset("software")
        elif RtcCntl.SW_PROCPU_RST.of(written):
            self._ask_for_reset("software-cpu")

    @TIME_UPDATE.on_write
    def _time_update_written(self, old: int, written: int) -> None:
        if RtcCntl.TIME_UPDATE_NOW.of(written):
            cycles = (self.host.now_ns() - self._epoch_ns) * SLOW_CLOCK_HZ // _SECOND
            self.TIME_LOW0, self.TIME_HIGH0 = cycles & 0xFFFFFFFF, cycles >> 32

    def _wdt_enabled(self) -> bool:
        return bool(self.WDT_EN)

    def _wdt_hold_ns(self, stage: int) -> int:
        """A stage's length; stage 0 counts twice its register (ESP-IDF hal/rwdt_ll.h)."""
        cycles = (2 * self.WDTCONFIG1, self.WDTCONFIG2, self.WDTCONFIG3, self.WDTCONFIG4)[stage]
        return cycles * _SECOND // SLOW_CLOCK_HZ

    def _wdt_act(self, stage: int) -> None:
        action = self.WDT_STGS >> 3 * (3 - stage) & 7
        if action == 1:
            self.WDT_INT_RAW = 1
            self._update_irq()
        elif 1 < action < len(self._ACTIONS):
            self._ask_for_reset(self._ACTIONS[action])

    WDTCONFIG0.on_write(StagedWatchdog._wdt_configured)
    for _register in (WDTCONFIG1, WDTCONFIG2, WDTCONFIG3, WDTCONFIG4):
        _register.on_write(StagedWatchdog._wdt_retimed)
    del _register

    @WDTFEED.on_write
    def _wdtfeed_written(self, old: int, written: int) -> None:
        if RtcCntl.WDT_FEED.of(written):
            self._wdt_feed()

    def _update_irq(self) -> None:
        self.host.set_irq(self.SOURCE, bool(self.INT_RAW & self.INT_ENA))

    @INT_ST.on_read
    def _int_st(self) -> int:
        return self.INT_RAW & self.INT_ENA

    @INT_ENA.on_write
    def _int_ena_written(self, old: int, written: int) -> None:
        self._update_irq()

    @INT_ENA_W1TS.on_write
    def _int_ena_w1ts_written(self, old: int, written: int) -> None:
        self.INT_ENA |= written
        self._update_irq()

    @INT_ENA_W1TC.on_write
    def _int_ena_w1tc_written(self, old: int, written: int) -> None:
        self.INT_ENA &= ~written
        self._update_irq()

    @INT_CLR.on_write
    def _int_clr_written(self, old: int, written: int) -> None:
        self.INT_RAW &= ~written
        self._update_irq()
