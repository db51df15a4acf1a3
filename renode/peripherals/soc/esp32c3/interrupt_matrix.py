"""The ESP32-C3's interrupt matrix: 62 peripheral sources, 31 CPU lines, one winner."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from renode.peripherals.host import Host
from renode.peripherals.registers import Register, RegisterArray, RegisterBank

SOURCES = 62
"""Peripheral interrupt sources (ETS_MAX_INTR_SOURCE, soc/interrupts.h)."""

_LINES = 0xFFFFFFFE


class InterruptMatrix(RegisterBank):
    """Routes sources to lines and shows the core the most urgent pending one.

    A line is taken when it is enabled, its priority is at least 1 and not below the threshold;
    the highest priority wins, then the lowest line number. Level lines follow their sources;
    edge lines stay pending until CPU_INT_CLEAR. Registers: ESP-IDF
    soc/esp32c3/register/soc/interrupt_core0_reg.h; rules: ESP32-C3 TRM, "Interrupt Matrix".

    `on_line(line)` hears every change of `line`; after a restore, read `line` itself.
    """

    BASE: ClassVar[int] = 0x600C2000
    SIZE: ClassVar[int] = 0x800

    INT_MAP = RegisterArray(0x000, SOURCES, doc="line of source n (soc/interrupts.h), 0: none")
    INTR_STATUS_0 = Register(0x0F8, access="ro", doc="sources 0-31")
    INTR_STATUS_1 = Register(0x0FC, access="ro", doc="sources 32-61")
    CLOCK_GATE = Register(0x100, reset=1, tagged=True)
    CPU_INT_ENABLE = Register(0x104)
    CPU_INT_TYPE = Register(0x108, doc="bit n: line n is edge-triggered")
    CPU_INT_CLEAR = Register(0x10C, doc="a 1 forgets the edge latched on line n")
    CPU_INT_EIP_STATUS = Register(0x110, access="ro", doc="enabled lines that are pending")
    CPU_INT_PRI = RegisterArray(0x114, 32)
    CPU_INT_THRESH = Register(0x194)
    INTERRUPT_DATE = Register(0x7FC, reset=0x02007210)

    STATE = ("line", "_sources", "_levels", "_latched", "_members")

    def __init__(self, host: Host, name: str) -> None:
        super().__init__(host, name)
        self.on_line: Callable[[int], None] | None = None
        self.line = 0
        """The line the core sees asserted, 0 if none."""
        self._sources = 0
        self._clear()

    def _clear(self) -> None:
        self._levels = 0
        self._latched = 0
        self._members = [0] * 32

    def reset(self) -> None:
        """Forget the configuration; the sources keep their levels, which others drive."""
        super().reset()
        self._clear()
        self._choose()

    def set_source(self, source: int, level: bool) -> None:
        """Drive a peripheral source (0-61)."""
        bit = 1 << source
        if bool(self._sources & bit) == level:
            return
        self._sources ^= bit
        line = self.INT_MAP[source] & 31
        if line:
            self._follow(line)
            self._choose()

    def _follow(self, line: int) -> None:
        bit = 1 << line
        if self._sources & self._members[line]:
            if not self._levels & bit and self.CPU_INT_TYPE & bit:
                self._latched |= bit
            self._levels |= bit
        else:
            self._levels &= ~bit

    def _pending(self) -> int:
        edge = self.CPU_INT_TYPE
        return (self._levels & ~edge | self._latched & edge) & self.CPU_INT_ENABLE & _LINES

    def _choose(self) -> None:
        pending = self._pending()
        chosen, best = 0, max(self.CPU_INT_THRESH & 15, 1) - 1
        while pending:
            line = (pending & -pending).bit_length() - 1
            pending &= pending - 1
            priority = self.CPU_INT_PRI[line] & 15
            if priority > best:
                chosen, best = line, priority
        if chosen != self.line:
            self.line = chosen
            if self.on_line is not None:
                self.on_line(chosen)

    @INT_MAP.on_write
    def _map_written(self, source: int, old: int, written: int) -> None:
        self._members[old & 31] &= ~(1 << source)
        self._members[written & 31] |= 1 << source
        self._follow(old & 31)
        self._follow(written & 31)
        self._choose()

    @INTR_STATUS_0.on_read
    def _status_0(self) -> int:
        return self._sources & 0xFFFFFFFF

    @INTR_STATUS_1.on_read
    def _status_1(self) -> int:
        return self._sources >> 32

    @CPU_INT_EIP_STATUS.on_read
    def _eip_status(self) -> int:
        return self._pending()

    @CPU_INT_CLEAR.on_write
    def _clear_written(self, old: int, written: int) -> None:
        self._latched &= ~written
        self._choose()

    def _selection_written(self, old: int, written: int) -> None:
        self._choose()

    CPU_INT_ENABLE.on_write(_selection_written)
    CPU_INT_TYPE.on_write(_selection_written)
    CPU_INT_THRESH.on_write(_selection_written)

    @CPU_INT_PRI.on_write
    def _priority_written(self, line: int, old: int, written: int) -> None:
        self._choose()
