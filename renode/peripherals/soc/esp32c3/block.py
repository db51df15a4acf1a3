"""What the address map of an SoC needs to know of a block."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from renode.peripherals.host import State
from renode.peripherals.registers import Register


@runtime_checkable
class Block(Protocol):
    """A register bank with a place in the address space; accesses are aligned words."""

    BASE: ClassVar[int]
    SIZE: ClassVar[int]
    registers: ClassVar[tuple[Register, ...]]
    name: str

    def read(self, offset: int) -> int:
        """A bus read at `BASE + offset`."""

    def write(self, offset: int, value: int) -> None:
        """A bus write at `BASE + offset`."""

    def dump(self) -> dict[str, int]:
        """Stored values by register name, without side effects."""

    def reset(self) -> None:
        """Return to the state after power-on."""

    def snapshot(self) -> State:
        """Copy everything that `restore` needs."""

    def restore(self, state: State) -> None:
        """Return to a state that `snapshot` gave."""
