"""The ESP32-C3's system timer: two 52-bit counters at 16 MHz and three comparators."""

from __future__ import annotations

from typing import ClassVar

from renode.peripherals.host import Handle, Host
from renode.peripherals.registers import Register, RegisterBank

TICK_HZ = 16_000_000
"""Counting rate: the 40 MHz crystal divided by 2.5 (ESP32-C3 TRM, "System Timer")."""

_MASK = (1 << 52) - 1
_HALF = 1 << 51


class Systimer(RegisterBank):
    """Two counting units and three alarms, each alarm one pending event.

    In target mode an alarm fires once when its unit reaches the loaded target, and at once when
    the target lies in the past (less than 2^51 ticks behind); a unit that does not work compares
    nothing. In period mode it fires at start +
    n * period, where start is the unit's value at the latest COMPn_LOAD, or at the moment period
    mode was selected if that came later, as ESP-IDF does. Stalling with the CPU is not modelled.
    Registers: ESP-IDF soc/esp32c3/register/soc/systimer_reg.h.
    """

    BASE: ClassVar[int] = 0x60023000
    SIZE: ClassVar[int] = 0x1000
    SOURCE: ClassVar[int] = 37
    """Interrupt source of comparator 0; 1 and 2 follow (soc/interrupts.h)."""

    CONF = Register(0x00, reset=0x46000000)
    SYSTIMER_CLK_FO = CONF.bit(0, tagged=True)
    TARGET2_WORK_EN = CONF.bit(22)
    TARGET1_WORK_EN = CONF.bit(23)
    TARGET0_WORK_EN = CONF.bit(24)
    STALL_EN = CONF.field(25, 4, tagged=True)
    TIMER_UNIT1_WORK_EN = CONF.bit(29)
    TIMER_UNIT0_WORK_EN = CONF.bit(30)
    CLK_EN = CONF.bit(31, tagged=True)
    UNIT0_OP = Register(0x04, doc="VALUE_VALID 29, UPDATE 30")
    UNIT1_OP = Register(0x08, doc="VALUE_VALID 29, UPDATE 30")
    UNIT0_LOAD_HI = Register(0x0C)
    UNIT0_LOAD_LO = Register(0x10)
    UNIT1_LOAD_HI = Register(0x14)
    UNIT1_LOAD_LO = Register(0x18)
    TARGET0_HI = Register(0x1C)
    TARGET0_LO = Register(0x20)
    TARGET1_HI = Register(0x24)
    TARGET1_LO = Register(0x28)
    TARGET2_HI = Register(0x2C)
    TARGET2_LO = Register(0x30)
    TARGET0_CONF = Register(0x34, doc="PERIOD 0-25, PERIOD_MODE 30, TIMER_UNIT_SEL 31")
    TARGET1_CONF = Register(0x38)
    TARGET2_CONF = Register(0x3C)
    UNIT0_VALUE_HI = Register(0x40, access="ro")
    UNIT0_VALUE_LO = Register(0x44, access="ro")
    UNIT1_VALUE_HI = Register(0x48, access="ro")
    UNIT1_VALUE_LO = Register(0x4C, access="ro")
    COMP0_LOAD = Register(0x50, access="sc")
    COMP1_LOAD = Register(0x54, access="sc")
    COMP2_LOAD = Register(0x58, access="sc")
    UNIT0_LOAD = Register(0x5C, access="sc")
    UNIT1_LOAD = Register(0x60, access="sc")
    INT_ENA = Register(0x64)
    INT_RAW = Register(0x68, access="w1c")
    INT_CLR = Register(0x6C, access="wo")
    INT_ST = Register(0x70, access="ro")
    DATE = Register(0xFC, reset=0x02006171)

    STATE = ("_epoch_ns", "_counts", "_since", "_alarms", "_periods", "_handles", "_irqs")

    _HI: ClassVar[tuple[Register, ...]] = (TARGET0_HI, TARGET1_HI, TARGET2_HI)
    _LO: ClassVar[tuple[Register, ...]] = (TARGET0_LO, TARGET1_LO, TARGET2_LO)
    _CONF: ClassVar[tuple[Register, ...]] = (TARGET0_CONF, TARGET1_CONF, TARGET2_CONF)
    _PERIOD_MODE: ClassVar[int] = 1 << 30
    _VALUE_VALID: ClassVar[int] = 1 << 29
    _UPDATE: ClassVar[int] = 1 << 30

    def __init__(self, host: Host, name: str) -> None:
        super().__init__(host, name)
        self._handles: list[Handle | None] = [None] * 3
        self._clear()

    def _clear(self) -> None:
        self._epoch_ns = self.host.now_ns()
        self._counts = [0, 0]
        self._since = [0, 0]
        self._alarms: list[int | None] = [None] * 3
        self._periods = [0] * 3
        self._irqs = 0

    def reset(self) -> None:
        """Start counting from 0 with no alarm."""
        super().reset()
        for i in range(3):
            self._disarm(i)
            self.host.set_irq(self.SOURCE + i, False)
        self._clear()

    def value(self, unit: int) -> int:
        """The present count of a unit (0 or 1), in ticks of 62.5 ns."""
        running = self._since[unit]
        elapsed = self._ticks() - running if self._works(unit) else 0
        return self._counts[unit] + elapsed & _MASK

    def _ticks(self) -> int:
        return (self.host.now_ns() - self._epoch_ns) * 2 // 125

    def _works(self, unit: int) -> int:
        return self.CONF >> 30 - unit & 1

    def _configuration(self, i: int) -> tuple[int, int, int]:
        """Unit, period mode and period of comparator `i`."""
        conf = self.peek(self._CONF[i])
        return conf >> 31, conf & self._PERIOD_MODE, conf & 0x3FFFFFF

    def _load(self, i: int) -> None:
        """Take over target or period, as a write to COMPn_LOAD does."""
        unit, periodic, period = self._configuration(i)
        if periodic:
            self._periods[i] = period
            self._alarms[i] = self.value(unit) + period & _MASK if period else None
        else:
            target = self.peek(self._HI[i]) << 32 | self.peek(self._LO[i])
            self._alarms[i] = target & _MASK
        self._arm(i)

    def _disarm(self, i: int) -> None:
        handle = self._handles[i]
        if handle is not None:
            self.host.cancel(handle)
            self._handles[i] = None

    def _arm(self, i: int) -> None:
        """Schedule the alarm of comparator `i`, or fire it if it has passed."""
        self._disarm(i)
        alarm = self._alarms[i]
        unit = self._configuration(i)[0]
        if alarm is None or not self.CONF >> 24 - i & 1 or not self._works(unit):
            return
        ahead = alarm - self.value(unit) & _MASK
        if ahead == 0 or ahead > _HALF:
            self._fire(i)
        else:
            tick = self._ticks() + ahead
            due = self._epoch_ns + (tick * 125 + 1) // 2
            self._handles[i] = self.host.call_at(due, self, "_due", i)

    def _due(self, i: int) -> None:
        self._handles[i] = None
        self._fire(i)

    def _fire(self, i: int) -> None:
        alarm = self._alarms[i]
        unit, periodic, _ = self._configuration(i)
        period = self._periods[i]
        self._alarms[i] = None
        if periodic and period and alarm is not None:
            late = self.value(unit) - alarm & _MASK
            self._alarms[i] = alarm + period * (late // period + 1) & _MASK
            self._arm(i)
        if not self.INT_RAW >> i & 1:
            self.INT_RAW |= 1 << i
            self._update_irqs()

    def _update_irqs(self) -> None:
        status = self.INT_RAW & self.INT_ENA
        changed, self._irqs = status ^ self._irqs, status
        for i in range(3):
            if changed >> i & 1:
                self.host.set_irq(self.SOURCE + i, bool(status >> i & 1))

    @CONF.on_write
    def _conf_written(self, old: int, written: int) -> None:
        for unit in range(2):
            if (old ^ written) >> 30 - unit & 1:
                if old >> 30 - unit & 1:
                    stopped = self._counts[unit] + self._ticks() - self._since[unit]
                    self._counts[unit] = stopped & _MASK
                self._since[unit] = self._ticks()
        for i in range(3):
            unit = self._configuration(i)[0]
            if (old ^ written) & (1 << 24 - i | 1 << 30 - unit):
                self._arm(i)

    def _op(self, unit: int, operation: Register, written: int) -> None:
        """Latch a unit's value on UPDATE; VALUE_VALID clears when written and then comes up."""
        if written & self._UPDATE:
            value = self.value(unit)
            hi, lo = self._VALUES[unit]
            self._values[hi.index] = value >> 32
            self._values[lo.index] = value & 0xFFFFFFFF
        self._values[operation.index] = self._VALUE_VALID

    _VALUES: ClassVar[tuple[tuple[Register, Register], ...]] = (
        (UNIT0_VALUE_HI, UNIT0_VALUE_LO),
        (UNIT1_VALUE_HI, UNIT1_VALUE_LO),
    )

    @UNIT0_OP.on_write
    def _unit0_op(self, old: int, written: int) -> None:
        self._op(0, Systimer.UNIT0_OP, written)

    @UNIT1_OP.on_write
    def _unit1_op(self, old: int, written: int) -> None:
        self._op(1, Systimer.UNIT1_OP, written)

    def _load_unit(self, unit: int, hi: int, lo: int) -> None:
        self._counts[unit] = (hi << 32 | lo) & _MASK
        self._since[unit] = self._ticks()
        for i in range(3):
            if self._configuration(i)[0] == unit:
                self._arm(i)

    @UNIT0_LOAD.on_write
    def _unit0_load(self, old: int, written: int) -> None:
        self._load_unit(0, self.UNIT0_LOAD_HI, self.UNIT0_LOAD_LO)

    @UNIT1_LOAD.on_write
    def _unit1_load(self, old: int, written: int) -> None:
        self._load_unit(1, self.UNIT1_LOAD_HI, self.UNIT1_LOAD_LO)

    def _target_conf_written(self, i: int, old: int, written: int) -> None:
        if written & ~old & self._PERIOD_MODE:
            self._load(i)
        elif (old ^ written) >> 31:
            self._arm(i)

    @TARGET0_CONF.on_write
    def _target0_conf(self, old: int, written: int) -> None:
        self._target_conf_written(0, old, written)

    @TARGET1_CONF.on_write
    def _target1_conf(self, old: int, written: int) -> None:
        self._target_conf_written(1, old, written)

    @TARGET2_CONF.on_write
    def _target2_conf(self, old: int, written: int) -> None:
        self._target_conf_written(2, old, written)

    @COMP0_LOAD.on_write
    def _comp0_load(self, old: int, written: int) -> None:
        self._load(0)

    @COMP1_LOAD.on_write
    def _comp1_load(self, old: int, written: int) -> None:
        self._load(1)

    @COMP2_LOAD.on_write
    def _comp2_load(self, old: int, written: int) -> None:
        self._load(2)

    @INT_ENA.on_write
    def _int_ena_written(self, old: int, written: int) -> None:
        self._update_irqs()

    @INT_RAW.on_write
    def _int_raw_written(self, old: int, written: int) -> None:
        self._update_irqs()

    @INT_CLR.on_write
    def _int_clr_written(self, old: int, written: int) -> None:
        self.INT_RAW &= ~written
        self._update_irqs()

    @INT_ST.on_read
    def _int_st(self) -> int:
        return self.INT_RAW & self.INT_ENA
