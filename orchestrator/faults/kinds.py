"""The faults, each with its physics."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from orchestrator.errors import FaultError
from orchestrator.faults.base import (
    Fault,
    Injection,
    Milliseconds,
    Occurrence,
    find_chip,
    find_register,
)
from orchestrator.hardware import Hardware
from renode.peripherals.bus import BusPolicy, policies
from renode.peripherals.bus.rival import RivalMaster
from renode.peripherals.registers import Interposer, RegisterBank

Byte = Annotated[int, Field(ge=0, le=0xFF)]


class NackAddress(Occurrence):
    """The chip leaves SDA high at the ninth clock of its address: absent, busy or in reset.

    It is not addressed and takes nothing of the transfer.
    """

    kind: ClassVar[str] = "nack-address"
    positional: ClassVar[tuple[str, ...]] = ("chip",)
    chip: str

    def inject(self, hardware: Hardware) -> Injection:
        (address,) = find_chip(hardware, self.chip).addresses
        return _onto_bus(hardware, policies.RefuseByte(address, self.occasions(hardware)))


class NackWrite(Occurrence):
    """The chip refuses the data byte of a write to one register and keeps the old value."""

    kind: ClassVar[str] = "nack"
    positional: ClassVar[tuple[str, ...]] = ("chip", "register_")
    chip: str
    register_: str

    def inject(self, hardware: Hardware) -> Injection:
        _, register = find_register(hardware, self.chip, self.register_)
        (address,) = find_chip(hardware, self.chip).addresses
        policy = policies.RefuseByte(
            address, self.occasions(hardware), index=None, register=register.offset
        )
        return _onto_bus(hardware, policy)


class NackByte(Occurrence):
    """The chip refuses the n-th byte of a transfer to it; 0 is the address, 1 the first data."""

    kind: ClassVar[str] = "nack-byte"
    positional: ClassVar[tuple[str, ...]] = ("chip", "index")
    chip: str
    index: Annotated[int, Field(ge=0)]

    def inject(self, hardware: Hardware) -> Injection:
        (address,) = find_chip(hardware, self.chip).addresses
        policy = policies.RefuseByte(address, self.occasions(hardware), index=self.index)
        return _onto_bus(hardware, policy)


class ClampRegister(Fault):
    """The chip acknowledges any value and stores the nearest within `minimum` and `maximum`."""

    kind: ClassVar[str] = "clamp"
    positional: ClassVar[tuple[str, ...]] = ("chip", "register_")
    on_the_wire: ClassVar[tuple[str, ...]] = ("minimum", "maximum")
    chip: str
    register_: str
    minimum: Byte = 0
    maximum: Byte = 0xFF

    @model_validator(mode="after")
    def _ordered(self) -> ClampRegister:
        if self.minimum > self.maximum:
            raise ValueError(f"minimum {self.minimum} is above maximum {self.maximum}")
        return self

    def inject(self, hardware: Hardware) -> Injection:
        bank, register = find_register(hardware, self.chip, self.register_)
        return _into_chip(bank, policies.ClampRegister(register, self.minimum, self.maximum))


class IgnoreWrites(Fault):
    """The chip acknowledges writes to a register and keeps the old value."""

    kind: ClassVar[str] = "ignore"
    positional: ClassVar[tuple[str, ...]] = ("chip", "register_")
    chip: str
    register_: str

    def inject(self, hardware: Hardware) -> Injection:
        bank, register = find_register(hardware, self.chip, self.register_)
        return _into_chip(bank, policies.IgnoreWrites(register))


class HoldBus(Fault):
    """The bus is taken for `for_ms`.

    `by` `rival`: another master wins the next free bus, addresses a chip and keeps SCL low.
    `SCL` or `SDA`: that line is shorted low, from `after_ms` after the injection, wherever the
    transfer under way is.
    """

    kind: ClassVar[str] = "hold-bus"
    positional: ClassVar[tuple[str, ...]] = ("for_ms",)
    for_ms: Annotated[float, Field(gt=0)]
    by: Literal["rival", "SCL", "SDA"] = "rival"
    after_ms: Milliseconds = 0.0

    def inject(self, hardware: Hardware) -> Injection:
        begin = hardware.host.now_ns() + round(self.after_ms * 1e6)
        length = round(self.for_ms * 1e6)
        bus = hardware.bus
        if self.by == "rival":
            rival = _rival(hardware)
            event = hardware.host.call_at(begin, rival, "take", length, UNUSED_ADDRESS)

            def remove() -> None:
                hardware.host.cancel(event)
                bus.release("SCL", rival.name)

            return remove
        line = self.by
        event = hardware.host.call_at(begin, bus, "hold", line, "short", begin + length)

        def undo() -> None:
            hardware.host.cancel(event)
            bus.release(line, "short")

        return undo


class LoadBus(Fault):
    """Another master talks for `duty` (0-1) of every `period_ms`, to the 7-bit `address`."""

    kind: ClassVar[str] = "load-bus"
    on_the_wire: ClassVar[tuple[str, ...]] = ("address",)
    period_ms: Annotated[float, Field(gt=0)] = 10.0
    duty: Annotated[float, Field(gt=0, le=1)] = 0.5
    address: Annotated[int, Field(gt=0, lt=0x80)] = 0x50

    def inject(self, hardware: Hardware) -> Injection:
        rival = _rival(hardware)
        rival.load(round(self.period_ms * 1e6), self.duty, self.address)
        return rival.quiet


UNUSED_ADDRESS = 0x7F
"""Reserved by UM10204 table 3, so that no chip answers the rival that only holds the bus."""


def _rival(hardware: Hardware) -> RivalMaster:
    for rival in hardware.rivals.values():
        return rival
    raise FaultError("the board has no rival master: add a [[rival]] section to its file")


def _onto_bus(hardware: Hardware, policy: BusPolicy) -> Injection:
    hardware.bus.policies.append(policy)
    return lambda: hardware.bus.policies.remove(policy)


def _into_chip(bank: RegisterBank, interposer: Interposer) -> Injection:
    bank.interposers.append(interposer)
    return lambda: bank.interposers.remove(interposer)
