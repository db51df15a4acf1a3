"""What an engine is: it runs a CPU against the hardware models, and nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from renode.peripherals import Host, Model

Snapshot: TypeAlias = Any
"""Opaque: CPU, memory, every model and the pending events of one engine."""


class StopReason(Enum):
    """Why `run_until` came back."""

    TIME = "time"
    STOPPED = "stopped"
    RESET = "reset"
    HALTED = "halted"


class Panic(NamedTuple):
    """A CPU exception that the firmware did not expect."""

    t_ns: int
    cause: str
    pc: int
    address: int
    registers: dict[str, int]
    backtrace: list[str]

    def __str__(self) -> str:
        where = self.backtrace[0] if self.backtrace else f"{self.pc:#010x}"
        return f"{self.cause} in {where}"


class Engine(Host, ABC):
    """Runs firmware in virtual time. Also the `Host` of every model."""

    name: str
    panic: Panic | None
    """The latest unexpected exception since power-on."""

    @abstractmethod
    def attach(self, soc: Any, models: Iterable[Model]) -> None:
        """Connect the SoC's blocks to the CPU, and make all models known for events and resets.

        A block is mapped at `BASE` for `SIZE` bytes; accesses are 32 bits wide.
        """

    @abstractmethod
    def power_on(self) -> None:
        """Cold start: RAM zeroed, every model reset, segments loaded, PC at the entry."""

    @abstractmethod
    def power_off(self) -> None:
        """Cut the power: nothing runs until `power_on`, pending events are gone."""

    @abstractmethod
    def run_until(self, t_ns: int) -> StopReason:
        """Run to virtual time `t_ns`, or until `stop` is called or the chip resets or halts."""

    @abstractmethod
    def stop(self) -> None:
        """Called by a model or listener while the engine runs: come back after this instruction."""

    @abstractmethod
    def read_memory(self, address: int, size: int) -> bytes:
        """Read RAM, ROM or flash as the CPU sees it; EngineError if nothing is there."""

    @abstractmethod
    def write_memory(self, address: int, data: bytes) -> None:
        """Write memory, past any protection; EngineError if nothing is there."""

    @abstractmethod
    def registers(self) -> dict[str, int]:
        """The CPU's registers by ABI name, and `pc`."""

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """Copy the whole machine."""

    @abstractmethod
    def restore(self, snapshot: Snapshot) -> None:
        """Return to a snapshot of this engine."""

    @abstractmethod
    def unmodelled_accesses(self) -> list[str]:
        """What the firmware touched that no model covers, once each, with PC and symbol."""
