"""The ESP32-C3's peripherals at register level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from renode.peripherals.host import Host
from renode.peripherals.registers import Field, RegisterBank
from renode.peripherals.soc.esp32c3.efuse import Efuse
from renode.peripherals.soc.esp32c3.extmem import Extmem
from renode.peripherals.soc.esp32c3.gpio import Gpio
from renode.peripherals.soc.esp32c3.interrupt_matrix import InterruptMatrix
from renode.peripherals.soc.esp32c3.rtc_cntl import RESET_CAUSES, RtcCntl
from renode.peripherals.soc.esp32c3.stubs import STUBS, IoMux
from renode.peripherals.soc.esp32c3.system import System
from renode.peripherals.soc.esp32c3.systimer import Systimer
from renode.peripherals.soc.esp32c3.timg import Timg, Timg0, Timg1
from renode.peripherals.soc.esp32c3.uart import Uart, Uart0, Uart1

__all__ = ["RESET_CAUSES", "Soc", "build"]


@dataclass
class Soc:
    """The blocks of one ESP32-C3; each has `BASE`, `SIZE`, `read` and `write`.

    The host's `set_irq` belongs to `intmtx.set_source`; `intmtx.on_line` tells the core.
    """

    uart0: Uart
    uart1: Uart
    systimer: Systimer
    intmtx: InterruptMatrix
    system: System
    timg0: Timg
    timg1: Timg
    rtc_cntl: RtcCntl
    io_mux: IoMux
    gpio: Gpio
    efuse: Efuse
    extmem: Extmem
    stubs: list[RegisterBank]
    blocks: list[RegisterBank] = field(init=False)
    """All blocks, in the order in which they are reset."""

    def __post_init__(self) -> None:
        self.blocks = [value for value in vars(self).values() if isinstance(value, RegisterBank)]
        self.blocks += self.stubs

    def add(self, block: RegisterBank, reset_bit: Field | None = None) -> None:
        """Add a block, and reset it when the PERIP_RST_EN0 bit `reset_bit` rises."""
        self.blocks.append(block)
        if reset_bit is not None:
            self.system.reset_lines[reset_bit.lsb] = block.reset

    def on_reset(self, callback: Callable[[str], None] | None) -> None:
        """Call `callback(cause)`, a key of `RESET_CAUSES`, when software or a watchdog resets."""
        self.timg0.on_reset = self.timg1.on_reset = self.rtc_cntl.on_reset = callback

    def reset(self, cause: str = "power-on") -> None:
        """Reset the blocks that a reset for `cause` reaches: none but its cause for "...-cpu"."""
        self.rtc_cntl.set_reset_cause(cause)
        if not cause.endswith("-cpu"):
            for block in self.blocks:
                block.reset()


def build(host: Host) -> Soc:
    """Make the blocks of an ESP32-C3 in the state after power-on, all but those with a bus.

    The I2C controller needs its bus and is added with
    `soc.add(I2CController(host, "i2c0", bus), System.I2C_EXT0_RST)`.
    """
    io_mux = IoMux(host, "io_mux")
    uart0, uart1 = Uart0(host, "uart0"), Uart1(host, "uart1")
    timg0, timg1 = Timg0(host, "timg0"), Timg1(host, "timg1")
    systimer = Systimer(host, "systimer")
    return Soc(
        uart0=uart0,
        uart1=uart1,
        systimer=systimer,
        intmtx=InterruptMatrix(host, "intmtx"),
        system=System(
            host,
            "system",
            {
                System.UART_RST.lsb: uart0.reset,
                System.UART1_RST.lsb: uart1.reset,
                System.SYSTIMER_RST.lsb: systimer.reset,
                System.TIMERGROUP_RST.lsb: timg0.reset,
                System.TIMERGROUP1_RST.lsb: timg1.reset,
            },
        ),
        timg0=timg0,
        timg1=timg1,
        rtc_cntl=RtcCntl(host, "rtc_cntl"),
        io_mux=io_mux,
        gpio=Gpio(host, "gpio", io_mux),
        efuse=Efuse(host, "efuse"),
        extmem=Extmem(host, "extmem"),
        stubs=[stub(host, name) for name, stub in STUBS.items()],
    )
