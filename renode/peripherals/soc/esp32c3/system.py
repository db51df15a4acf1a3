"""The ESP32-C3's SYSTEM block: software interrupts, clock gates and peripheral resets."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from renode.peripherals.host import Host
from renode.peripherals.registers import Register, RegisterArray, RegisterBank


class System(RegisterBank):
    """System registers; the clock tree is stored, not obeyed: the core always runs at 160 MHz.

    `reset_lines` maps a bit of PERIP_RST_EN0 to what to call when it rises, for instance
    `System.UART1_RST.lsb: uart1.reset`. Registers: ESP-IDF soc/esp32c3/register/soc/system_reg.h.
    """

    BASE: ClassVar[int] = 0x600C0000
    SIZE: ClassVar[int] = 0x1000
    SOURCE: ClassVar[int] = 50
    """Interrupt source of CPU_INTR_FROM_CPU_0; 1 to 3 follow (soc/interrupts.h)."""

    CPU_PERI_CLK_EN = Register(0x000, tagged=True)
    CPU_PERI_RST_EN = Register(0x004, reset=0xC0, tagged=True)
    CPU_PER_CONF = Register(0x008, reset=0x0C)
    CPUPERIOD_SEL = CPU_PER_CONF.field(0, 2, tagged=True, doc="0: 80 MHz, 1: 160 MHz")
    PLL_FREQ_SEL = CPU_PER_CONF.bit(2, tagged=True)
    CPU_WAIT = CPU_PER_CONF.field(3, 5, tagged=True)
    MEM_PD_MASK = Register(0x00C, reset=1, tagged=True)
    PERIP_CLK_EN0 = Register(0x010, reset=0xF9C1E06F, tagged=True)
    PERIP_CLK_EN1 = Register(0x014, tagged=True)
    PERIP_RST_EN0 = Register(0x018)
    UART_RST = PERIP_RST_EN0.bit(2)
    UART1_RST = PERIP_RST_EN0.bit(5)
    I2C_EXT0_RST = PERIP_RST_EN0.bit(7)
    TIMERGROUP_RST = PERIP_RST_EN0.bit(13)
    TIMERGROUP1_RST = PERIP_RST_EN0.bit(15)
    SYSTIMER_RST = PERIP_RST_EN0.bit(29)
    PERIP_RST_EN1 = Register(0x01C, reset=0x1FE, tagged=True)
    BT_LPCK_DIV_INT = Register(0x020, reset=255, tagged=True)
    BT_LPCK_DIV_FRAC = Register(0x024, reset=0x02001001, tagged=True)
    CPU_INTR_FROM_CPU_ = RegisterArray(0x028, 4, doc="bit 0 drives interrupt source 50 + n")
    RSA_PD_CTRL = Register(0x038, reset=1, tagged=True)
    EDMA_CTRL = Register(0x03C, reset=1, tagged=True)
    CACHE_CONTROL = Register(0x040, reset=5, tagged=True)
    EXTERNAL_DEVICE_ENCRYPT_DECRYPT_CONTROL = Register(0x044, tagged=True)
    RTC_FASTMEM_CONFIG = Register(0x048, reset=0x7FF00000, tagged=True)
    RTC_FASTMEM_CRC = Register(0x04C, access="ro", tagged=True)
    REDUNDANT_ECO_CTRL = Register(0x050, tagged=True)
    CLOCK_GATE = Register(0x054, reset=1, tagged=True)
    SYSCLK_CONF = Register(0x058, reset=0x00028001)
    PRE_DIV_CNT = SYSCLK_CONF.field(0, 10, tagged=True)
    SOC_CLK_SEL = SYSCLK_CONF.field(10, 2, tagged=True, doc="0: XTAL, 1: PLL, 2: RC_FAST")
    CLK_XTAL_FREQ = SYSCLK_CONF.field(12, 7, access="ro", doc="MHz")
    CLK_DIV_EN = SYSCLK_CONF.bit(19, access="ro")
    MEM_PVT = Register(0x05C, reset=3, tagged=True)
    COMB_PVT_CONF = RegisterArray(0x060, 3, reset=3, tagged=True)
    COMB_PVT_ERR = RegisterArray(0x06C, 12, access="ro", tagged=True)
    DATE = Register(0xFFC, reset=0x02007150)

    def __init__(
        self, host: Host, name: str, reset_lines: dict[int, Callable[[], None]] | None = None
    ) -> None:
        super().__init__(host, name)
        self.reset_lines = dict(reset_lines or {})

    def reset(self) -> None:
        super().reset()
        for n in range(4):
            self.host.set_irq(self.SOURCE + n, False)

    @CPU_INTR_FROM_CPU_.on_write
    def _from_cpu_written(self, n: int, old: int, written: int) -> None:
        self.host.set_irq(self.SOURCE + n, bool(written & 1))

    @PERIP_RST_EN0.on_write
    def _reset_written(self, old: int, written: int) -> None:
        risen = written & ~old
        for bit, reset in self.reset_lines.items():
            if risen >> bit & 1:
                reset()
