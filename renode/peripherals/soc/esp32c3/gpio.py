"""The ESP32-C3's GPIO matrix and pads, with levels that both sides can drive and watch."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from renode.peripherals.host import Host
from renode.peripherals.registers import Register, RegisterArray, RegisterBank
from renode.peripherals.soc.esp32c3.stubs import IoMux

PINS = 22
"""GPIO0 to GPIO21."""

_SIMPLE_OUTPUT = 128
_ALL = (1 << PINS) - 1
_RISING, _FALLING, _ANY, _LOW, _HIGH = 1, 2, 3, 4, 5


class Gpio(RegisterBank):
    """Pads whose level is the GPIO output's, else the outside's, else the pull-up's.

    A pad routed to another peripheral's output (FUNCn_OUT_SEL other than 128) is left to the
    outside: this model does not carry peripherals' signals. Registers: ESP-IDF
    soc/esp32c3/register/soc/gpio_reg.h.
    """

    BASE: ClassVar[int] = 0x60004000
    SIZE: ClassVar[int] = 0x1000
    SOURCE: ClassVar[int] = 16
    """Interrupt source, soc/interrupts.h."""

    BT_SELECT = Register(0x00, tagged=True)
    OUT = Register(0x04)
    OUT_W1TS = Register(0x08, access="wo")
    OUT_W1TC = Register(0x0C, access="wo")
    SDIO_SELECT = Register(0x1C, tagged=True)
    ENABLE = Register(0x20)
    ENABLE_W1TS = Register(0x24, access="wo")
    ENABLE_W1TC = Register(0x28, access="wo")
    STRAP = Register(0x38, access="ro", reset=0x0C, doc="boot from SPI flash")
    IN = Register(0x3C, access="ro")
    STATUS = Register(0x44)
    STATUS_W1TS = Register(0x48, access="wo")
    STATUS_W1TC = Register(0x4C, access="wo")
    PCPU_INT = Register(0x5C, access="ro")
    PCPU_NMI_INT = Register(0x60, access="ro", tagged=True)
    CPUSDIO_INT = Register(0x64, access="ro", tagged=True)
    PIN = RegisterArray(0x74, 26, doc="PAD_DRIVER 2, INT_TYPE 7-9, INT_ENA 13-17")
    STATUS_NEXT = Register(0x14C, access="ro", tagged=True)
    FUNC_IN_SEL_CFG = RegisterArray(0x154, 128, tagged=True)
    FUNC_OUT_SEL_CFG = RegisterArray(0x554, 26, reset=_SIMPLE_OUTPUT, doc="OUT_SEL 0-7, INV 8")
    CLOCK_GATE = Register(0x62C, reset=1, tagged=True)
    DATE = Register(0x6FC, reset=0x02006130)

    STATE = ("_levels", "_driven", "_outside")

    def __init__(self, host: Host, name: str, io_mux: IoMux) -> None:
        super().__init__(host, name)
        self.on_change: list[Callable[[int, int], None]] = []
        """Called with pin and level when a pad's level has changed."""
        self._io_mux = io_mux
        self._driven = 0
        self._outside = 0
        self._levels = 0
        io_mux.observers.append(lambda *_: self._refresh())

    def reset(self) -> None:
        """Release all pads; what drives them from outside still does."""
        super().reset()
        self._refresh()

    def level(self, pin: int) -> int:
        """The level on a pad, 0 or 1."""
        return self._levels >> pin & 1

    def drive(self, pin: int, level: int | None) -> None:
        """Drive a pad from outside; None lets go of it. A driving GPIO output wins."""
        bit = 1 << pin
        self._driven &= ~bit
        self._outside &= ~bit
        if level is not None:
            self._driven |= bit
            self._outside |= bit if level else 0
        self._refresh()

    def _pad_levels(self) -> int:
        enabled, levels = self.ENABLE, 0
        for pin in range(PINS):
            bit = 1 << pin
            route = self.FUNC_OUT_SEL_CFG[pin]
            high = self.OUT >> pin & 1 ^ route >> 8 & 1
            drives = enabled & bit and route & 0xFF == _SIMPLE_OUTPUT
            if drives and not (high and self.PIN[pin] & 4):
                levels |= bit if high else 0
            elif self._driven & bit:
                levels |= self._outside & bit
            elif self._io_mux.pulled_up(pin):
                levels |= bit
        return levels

    def _refresh(self) -> None:
        before, self._levels = self._levels, self._pad_levels()
        changed = before ^ self._levels
        for pin in range(PINS):
            kind = self.PIN[pin] >> 7 & 7
            if kind and self._triggers(kind, self.level(pin), changed >> pin & 1):
                self.STATUS |= 1 << pin
        self._update_irq()
        for pin in range(PINS):
            if changed >> pin & 1:
                for hear in self.on_change:
                    hear(pin, self.level(pin))

    @staticmethod
    def _triggers(kind: int, level: int, changed: int) -> bool:
        if kind in (_LOW, _HIGH):
            return level == (kind == _HIGH)
        return bool(changed) and (kind == _ANY or level == (kind == _RISING))

    def _update_irq(self) -> None:
        self.host.set_irq(self.SOURCE, self._pcpu_int() != 0)

    @PCPU_INT.on_read
    def _pcpu_int(self) -> int:
        status, seen = self.STATUS, 0
        while status:
            pin = (status & -status).bit_length() - 1
            status &= status - 1
            if pin < PINS and self.PIN[pin] >> 13 & 1:
                seen |= 1 << pin
        return seen

    @IN.on_read
    def _in(self) -> int:
        return self._levels

    @OUT_W1TS.on_write
    def _out_w1ts_written(self, old: int, written: int) -> None:
        self.OUT |= written
        self._refresh()

    @OUT_W1TC.on_write
    def _out_w1tc_written(self, old: int, written: int) -> None:
        self.OUT &= ~written
        self._refresh()

    @ENABLE_W1TS.on_write
    def _enable_w1ts_written(self, old: int, written: int) -> None:
        self.ENABLE |= written
        self._refresh()

    @ENABLE_W1TC.on_write
    def _enable_w1tc_written(self, old: int, written: int) -> None:
        self.ENABLE &= ~written
        self._refresh()

    @STATUS_W1TS.on_write
    def _status_w1ts_written(self, old: int, written: int) -> None:
        self.STATUS |= written & _ALL
        self._refresh()

    @STATUS_W1TC.on_write
    def _status_w1tc_written(self, old: int, written: int) -> None:
        self.STATUS &= ~written
        self._refresh()

    def _pads_written(self, old: int, written: int) -> None:
        self._refresh()

    OUT.on_write(_pads_written)
    ENABLE.on_write(_pads_written)
    STATUS.on_write(_pads_written)

    def _pad_written(self, pin: int, old: int, written: int) -> None:
        self._refresh()

    PIN.on_write(_pad_written)
    FUNC_OUT_SEL_CFG.on_write(_pad_written)
