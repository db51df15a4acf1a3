"""Disturbances of a bus or a chip, as the physics has them; `orchestrator.faults` names them.

A policy sits on the bus (`I2CBus.policies`) or between a chip's register port and its storage
(`RegisterBank.interposers`). The models themselves know nothing of faults: they ask the
policies at the points where a real board could go wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from renode.peripherals.registers import Register


@dataclass(frozen=True, slots=True)
class ByteOnWire:
    """One byte as the policies see it, before the addressed chip has taken it."""

    t_ns: int
    master: str
    address: int
    reading: bool
    index: int
    """0 is the address byte, 1 the first data byte after it."""
    value: int
    pointer: int | None
    """The first data byte written since the (repeated) START: a register number on most chips."""


class BusPolicy:
    """Does nothing; a disturbance overrides the moments it concerns."""

    def refuses(self, byte: ByteOnWire) -> bool:
        """True: the chip does not take this byte, and SDA stays high at the ninth clock (NACK)."""
        return False

    def stretch_ns(self, byte: ByteOnWire) -> int:
        """How long SCL is kept low before the ninth clock of this byte."""
        return 0


@dataclass
class Occasions:
    """Counts the matching moments and says which of them are meant.

    The first `skip` matches pass, the next `times` are hit (None: all that follow), and only
    between `from_ns` and `until_ns` of virtual time.
    """

    times: int | None = None
    skip: int = 0
    from_ns: int = 0
    until_ns: int | None = None
    seen: int = field(default=0, init=False)
    hits: int = field(default=0, init=False)

    def hit(self, t_ns: int) -> bool:
        """Note one matching moment; True when it is meant."""
        if t_ns < self.from_ns or (self.until_ns is not None and t_ns >= self.until_ns):
            return False
        self.seen += 1
        if self.seen <= self.skip:
            return False
        if self.times is not None and self.hits >= self.times:
            return False
        self.hits += 1
        return True


@dataclass
class RefuseByte(BusPolicy):
    """A chip leaves SDA high at the ninth clock of chosen bytes: it did not take them.

    Nor does it take any later byte before the next START. `index` 0 is the address; None any
    byte after it. With `register` only writes whose register pointer has that value count, and
    then their data bytes (index 2 and later).
    """

    address: int
    occasions: Occasions
    index: int | None = 0
    register: int | None = None

    def refuses(self, byte: ByteOnWire) -> bool:
        if byte.address != self.address:
            return False
        if self.register is not None:
            if byte.reading or byte.pointer != self.register or byte.index < 2:
                return False
        elif self.index is None:
            if byte.index == 0:
                return False
        elif byte.index != self.index:
            return False
        if byte.reading and byte.index > 0:
            return False
        return self.occasions.hit(byte.t_ns)


@dataclass
class ClampRegister:
    """The chip acknowledges any value and stores the nearest one within `[minimum, maximum]`."""

    register: Register
    minimum: int
    maximum: int

    def written(self, register: Register, value: int) -> int | None:
        if register is not self.register:
            return value
        return min(max(value, self.minimum), self.maximum)

    def read(self, register: Register, value: int) -> int:
        return value


@dataclass
class IgnoreWrites:
    """The chip acknowledges writes to a register and keeps the old value."""

    register: Register

    def written(self, register: Register, value: int) -> int | None:
        return None if register is self.register else value

    def read(self, register: Register, value: int) -> int:
        return value
