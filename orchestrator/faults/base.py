"""What a fault is: validated data that knows how to disturb a board's hardware."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from orchestrator.errors import FaultError, nearest
from orchestrator.hardware import Hardware
from renode.peripherals import Register, RegisterBank
from renode.peripherals.bus import Occasions
from renode.peripherals.bus.target import I2CTarget

Injection = Callable[[], None]
"""Takes a fault out of the hardware again."""

Milliseconds = Annotated[float, Field(ge=0)]


class Fault(BaseModel):
    """Something that goes wrong in the hardware; a subclass says what, in its docstring."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: ClassVar[str]
    """Its name in text: `kind positional... key=value...`."""
    positional: ClassVar[tuple[str, ...]] = ()
    """The fields that text gives without a key, in order."""
    on_the_wire: ClassVar[tuple[str, ...]] = ()
    """The fields that are bytes or addresses, written in hexadecimal."""

    @abstractmethod
    def inject(self, hardware: Hardware) -> Injection:
        """Disturb the hardware from now on; FaultError if the board has no such place."""

    def __str__(self) -> str:
        words = [self.kind, *(self._word(name) for name in self.positional)]
        for name, field in type(self).model_fields.items():
            if name not in self.positional and getattr(self, name) != field.default:
                words.append(f"{name}={self._word(name)}")
        return " ".join(words)

    def _word(self, name: str) -> str:
        value = getattr(self, name)
        if isinstance(value, float):
            return f"{value:g}"
        return f"{value:#04x}" if name in self.on_the_wire else str(value)


class Occurrence(Fault):
    """A fault that strikes at chosen moments.

    The first `skip` matching moments pass, the next `times` are hit (all that follow, unless
    said), and only between `from_ms` and `until_ms` of virtual time after the injection.
    """

    times: Annotated[int | None, Field(gt=0)] = None
    skip: Annotated[int, Field(ge=0)] = 0
    from_ms: Milliseconds = 0.0
    until_ms: Milliseconds | None = None

    def occasions(self, hardware: Hardware) -> Occasions:
        """The moments meant, with times counted from now."""
        now = hardware.host.now_ns()
        return Occasions(
            times=self.times,
            skip=self.skip,
            from_ns=now + round(self.from_ms * 1e6),
            until_ns=None if self.until_ms is None else now + round(self.until_ms * 1e6),
        )


def find_chip(hardware: Hardware, name: str) -> I2CTarget:
    """A chip on the board's bus by its name."""
    try:
        return hardware.bus.targets[name]
    except KeyError:
        known = ", ".join(hardware.bus.targets)
        raise FaultError(f"the board has no chip '{name}' (it has {known})") from None


def find_register(hardware: Hardware, chip: str, name: str) -> tuple[RegisterBank, Register]:
    """A chip's register by name or number (`DACCONTROL4`, `0x1A`)."""
    bank = find_chip(hardware, chip)
    if not isinstance(bank, RegisterBank):
        raise FaultError(f"'{chip}' has no registers")
    try:
        return bank, bank.register(int(name, 0) if name[:1].isdigit() else name)
    except (KeyError, ValueError):
        hint = nearest(name, (register.name for register in bank.registers))
        raise FaultError(f"'{chip}' has no register '{name}'{hint}") from None
