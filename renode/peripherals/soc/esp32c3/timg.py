"""The ESP32-C3's timer groups: a 54-bit timer, the main watchdog, slow-clock calibration."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from renode.peripherals.host import Handle, Host
from renode.peripherals.registers import Register
from renode.peripherals.soc.esp32c3.watchdog import WRITE_KEY, StagedWatchdog

_SECOND = 1_000_000_000
_APB_HZ, _XTAL_HZ = 80_000_000, 40_000_000
_SLOW_HZ = {0: 136_000.0, 1: 17_500_000 / 256, 2: 32_768.0, 3: 136_000.0}
_MASK = (1 << 54) - 1
_T0_INT, _WDT_INT = 1, 2


class Timg(StagedWatchdog):
    """One timer group.

    `on_reset(cause)` is called when a watchdog stage resets: "mwdt0" or "mwdt1" for the whole
    digital core, with "-cpu" appended for the CPU alone (see `rtc_cntl.RESET_CAUSES`). The
    flash-boot watchdog, which the second-stage bootloader switches off, does not count here.
    Registers: ESP-IDF soc/esp32c3/register/soc/timer_group_reg.h.
    """

    BASE: ClassVar[int] = 0
    SIZE: ClassVar[int] = 0x1000
    SOURCE: ClassVar[int] = 0
    """Interrupt source of the timer; the watchdog's is the next (soc/interrupts.h)."""
    CAUSE: ClassVar[str] = ""

    T0CONFIG = Register(0x00, reset=0x60002000)
    T0_USE_XTAL = T0CONFIG.bit(9, doc="0: APB 80 MHz, 1: XTAL 40 MHz")
    T0_ALARM_EN = T0CONFIG.bit(10)
    T0_DIVCNT_RST = T0CONFIG.bit(12, access="sc", tagged=True)
    T0_DIVIDER = T0CONFIG.field(13, 16, doc="0: 65536, 1 and 2: 2")
    T0_AUTORELOAD = T0CONFIG.bit(29)
    T0_INCREASE = T0CONFIG.bit(30)
    T0_EN = T0CONFIG.bit(31)
    T0LO = Register(0x04, access="ro")
    T0HI = Register(0x08, access="ro")
    T0UPDATE = Register(0x0C, access="sc")
    T0ALARMLO = Register(0x10)
    T0ALARMHI = Register(0x14)
    T0LOADLO = Register(0x18)
    T0LOADHI = Register(0x1C)
    T0LOAD = Register(0x20, access="sc")
    WDTCONFIG0 = Register(0x48, reset=0x0004C000)
    WDT_RESET_EN = WDTCONFIG0.field(12, 2, tagged=True)
    WDT_FLASHBOOT_MOD_EN = WDTCONFIG0.bit(14, tagged=True)
    WDT_RESET_LENGTHS = WDTCONFIG0.field(15, 6, tagged=True)
    WDT_USE_XTAL = WDTCONFIG0.bit(21, doc="0: APB 80 MHz, 1: XTAL 40 MHz")
    WDT_CONF_UPDATE_EN = WDTCONFIG0.bit(22, access="sc", tagged=True)
    WDT_STGS = WDTCONFIG0.field(23, 8, doc="stages 3 to 0: off, interrupt, reset CPU, system")
    WDT_EN = WDTCONFIG0.bit(31)
    WDTCONFIG1 = Register(0x4C, reset=0x00010000)
    WDT_DIVCNT_RST = WDTCONFIG1.bit(0, access="sc", tagged=True)
    WDT_CLK_PRESCALE = WDTCONFIG1.field(16, 16)
    WDTCONFIG2 = Register(0x50, reset=26_000_000)
    WDTCONFIG3 = Register(0x54, reset=134_217_727)
    WDTCONFIG4 = Register(0x58, reset=1_048_575)
    WDTCONFIG5 = Register(0x5C, reset=1_048_575)
    WDTFEED = Register(0x60, access="sc")
    WDTWPROTECT = Register(0x64, reset=WRITE_KEY)
    RTCCALICFG = Register(0x68, reset=0x00013000)
    RTC_CALI_START_CYCLING = RTCCALICFG.bit(12, doc="calibrate for ever")
    RTC_CALI_CLK_SEL = RTCCALICFG.field(13, 2, doc="0: RC_SLOW, 1: RC_FAST / 256, 2: XTAL32K")
    RTC_CALI_RDY = RTCCALICFG.bit(15, access="ro")
    RTC_CALI_MAX = RTCCALICFG.field(16, 15, doc="slow-clock cycles to measure")
    RTC_CALI_START = RTCCALICFG.bit(31)
    RTCCALICFG1 = Register(0x6C, access="ro")
    RTC_CALI_CYCLING_DATA_VLD = RTCCALICFG1.bit(0)
    RTC_CALI_VALUE = RTCCALICFG1.field(7, 25, doc="XTAL cycles counted")
    INT_ENA_TIMERS = Register(0x70)
    INT_RAW_TIMERS = Register(0x74, access="w1c")
    INT_ST_TIMERS = Register(0x78, access="ro")
    INT_CLR_TIMERS = Register(0x7C, access="wo")
    RTCCALICFG2 = Register(0x80, reset=0xFFFFFF98, tagged=True)
    NTIMERS_DATE = Register(0xF8, reset=0x02006191)
    REGCLK = Register(0xFC, reset=0x60000000, tagged=True)

    STATE = ("_count", "_since_ns", "_alarm_handle", "_calibrated_ns")

    def __init__(self, host: Host, name: str) -> None:
        super().__init__(host, name)
        self.on_reset: Callable[[str], None] | None = None
        self._alarm_handle: Handle | None = None
        self._count = 0
        self._since_ns = 0
        self._calibrated_ns = 0

    def reset(self) -> None:
        super().reset()
        self._cancel_alarm()
        self._count = 0
        self._since_ns = 0
        self._calibrated_ns = 0
        self._update_irqs()

    def write(self, offset: int, value: int) -> None:
        """A bus write; the watchdog's registers ignore it unless WDTWPROTECT holds the key."""
        if 0x48 <= offset <= 0x60 and self.WDTWPROTECT != WRITE_KEY:
            return
        super().write(offset, value)

    def _clock(self) -> tuple[int, int]:
        """The timer's rate as Hz and divider."""
        divider = max(self.T0_DIVIDER, 2) if self.T0_DIVIDER else 65536
        return (_XTAL_HZ if self.T0_USE_XTAL else _APB_HZ), divider

    def count(self) -> int:
        """The timer's present count."""
        if not self.T0_EN:
            return self._count
        hz, divider = self._clock()
        ticks = (self.host.now_ns() - self._since_ns) * hz // (_SECOND * divider)
        return (self._count + ticks if self.T0_INCREASE else self._count - ticks) & _MASK

    def _set_count(self, count: int) -> None:
        self._count = count & _MASK
        self._since_ns = self.host.now_ns()

    def _cancel_alarm(self) -> None:
        if self._alarm_handle is not None:
            self.host.cancel(self._alarm_handle)
            self._alarm_handle = None

    def _arm_alarm(self) -> None:
        self._cancel_alarm()
        if not (self.T0_EN and self.T0_ALARM_EN):
            return
        alarm = (self.T0ALARMHI << 32 | self.T0ALARMLO) & _MASK
        ahead = alarm - self._count if self.T0_INCREASE else self._count - alarm
        hz, divider = self._clock()
        due = self._since_ns - (-max(ahead, 0) * _SECOND * divider // hz)
        self._alarm_handle = self.host.call_at(due, self, "_alarm")

    def _alarm(self) -> None:
        self._alarm_handle = None
        self.T0_ALARM_EN = 0
        if self.T0_AUTORELOAD:
            self._set_count(self.T0LOADHI << 32 | self.T0LOADLO)
        self.INT_RAW_TIMERS |= _T0_INT
        self._update_irqs()

    @T0CONFIG.on_write
    def _t0config_written(self, old: int, written: int) -> None:
        new = self.T0CONFIG
        self.T0CONFIG = old
        self._set_count(self.count())
        self.T0CONFIG = new
        self._arm_alarm()

    @T0UPDATE.on_write
    def _t0update_written(self, old: int, written: int) -> None:
        count = self.count()
        self.T0LO, self.T0HI = count & 0xFFFFFFFF, count >> 32

    @T0LOAD.on_write
    def _t0load_written(self, old: int, written: int) -> None:
        self._set_count(self.T0LOADHI << 32 | self.T0LOADLO)
        self._arm_alarm()

    def _t0alarm_written(self, old: int, written: int) -> None:
        self._arm_alarm()

    T0ALARMLO.on_write(_t0alarm_written)
    T0ALARMHI.on_write(_t0alarm_written)

    def _wdt_enabled(self) -> bool:
        return bool(self.WDT_EN)

    def _wdt_hold_ns(self, stage: int) -> int:
        hz = _XTAL_HZ if self.WDT_USE_XTAL else _APB_HZ
        cycles = (self.WDTCONFIG2, self.WDTCONFIG3, self.WDTCONFIG4, self.WDTCONFIG5)[stage]
        return cycles * max(self.WDT_CLK_PRESCALE, 1) * _SECOND // hz

    def _wdt_act(self, stage: int) -> None:
        action = self.WDT_STGS >> 2 * (3 - stage) & 3
        if action == 1:
            self.INT_RAW_TIMERS |= _WDT_INT
            self._update_irqs()
        elif action and self.on_reset is not None:
            self.on_reset(self.CAUSE + ("-cpu" if action == 2 else ""))

    WDTCONFIG0.on_write(StagedWatchdog._wdt_configured)
    for _register in (WDTCONFIG1, WDTCONFIG2, WDTCONFIG3, WDTCONFIG4, WDTCONFIG5):
        _register.on_write(StagedWatchdog._wdt_retimed)
    del _register

    @WDTFEED.on_write
    def _wdtfeed_written(self, old: int, written: int) -> None:
        self._wdt_feed()

    @RTCCALICFG.on_write
    def _rtccalicfg_written(self, old: int, written: int) -> None:
        """Start a measurement; it takes RTC_CALI_MAX cycles of the clock it measures."""
        if (written & ~old) >> 31:
            duration = self.RTC_CALI_MAX * _SECOND / _SLOW_HZ[self.RTC_CALI_CLK_SEL]
            self._calibrated_ns = self.host.now_ns() + int(duration)

    @RTCCALICFG.on_read
    def _rtccalicfg(self) -> int:
        started = self.RTC_CALI_START and self.host.now_ns() >= self._calibrated_ns
        self.RTC_CALI_RDY = bool(started or self.RTC_CALI_START_CYCLING)
        return self.RTCCALICFG

    @RTCCALICFG1.on_read
    def _rtccalicfg1(self) -> int:
        self.RTC_CALI_VALUE = int(self.RTC_CALI_MAX * _XTAL_HZ / _SLOW_HZ[self.RTC_CALI_CLK_SEL])
        self.RTC_CALI_CYCLING_DATA_VLD = 1
        return self.RTCCALICFG1

    def _update_irqs(self) -> None:
        status = self.INT_RAW_TIMERS & self.INT_ENA_TIMERS
        self.host.set_irq(self.SOURCE, bool(status & _T0_INT))
        self.host.set_irq(self.SOURCE + 1, bool(status & _WDT_INT))

    def _interrupts_written(self, old: int, written: int) -> None:
        self._update_irqs()

    INT_ENA_TIMERS.on_write(_interrupts_written)
    INT_RAW_TIMERS.on_write(_interrupts_written)

    @INT_CLR_TIMERS.on_write
    def _int_clr_written(self, old: int, written: int) -> None:
        self.INT_RAW_TIMERS &= ~written
        self._update_irqs()

    @INT_ST_TIMERS.on_read
    def _int_st(self) -> int:
        return self.INT_RAW_TIMERS & self.INT_ENA_TIMERS


class Timg0(Timg):
    """Timer group 0."""

    BASE = 0x6001F000
    SOURCE = 32
    CAUSE = "mwdt0"


class Timg1(Timg):
    """Timer group 1."""

    BASE = 0x60020000
    SOURCE = 34
    CAUSE = "mwdt1"
