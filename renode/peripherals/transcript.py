"""What happened in the hardware, in order, with virtual timestamps."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple


class Kind(Enum):
    """What an event says; the meaning of `data` stands beside each kind."""

    START = "START"  # ()
    RESTART = "Sr"  # ()
    ADDRESS = "ADDRESS"  # (7-bit address, reading, acknowledged by a chip)
    WRITE = "WRITE"  # (address, byte, acknowledged by the chip; held SDA looks so to the master)
    READ = "READ"  # (address, byte, acknowledged by the master)
    STOP = "STOP"  # ()
    ARBITRATION_LOST = "ARBITRATION LOST"  # (byte it was sending or -1)
    ABANDONED = "ABANDONED"  # (): the master let go of the bus in mid-transfer
    HOLD = "HOLD"  # ("SCL" or "SDA",)
    RELEASE = "RELEASE"  # ("SCL" or "SDA",)
    CLEAR = "CLEAR"  # (clock pulses,)
    EFFECT = "EFFECT"  # (register name, value before, value after): a register took a value
    REQUEST = "REQUEST"  # (line to the device, without its id)
    REPLY = "REPLY"  # (line from the device without its id, ns of its first bit)
    POWER = "POWER"  # ("on" or "off",)
    RESET = "RESET"  # (cause,)
    PANIC = "PANIC"  # (cause, PC)


class Event(NamedTuple):
    """One thing that happened: at `t_ns`, by `source` (a master, a chip, the link)."""

    t_ns: int
    kind: Kind
    source: str
    data: tuple[Any, ...]

    def __str__(self) -> str:
        words = " ".join(f"{item:#04x}" if type(item) is int else str(item) for item in self.data)
        return f"{self.t_ns / 1e6:12.6f} ms  {self.source:<10} {self.kind.value} {words}".rstrip()


class Transcript:
    """An append-only list of events; the same run gives the same digest, always."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def record(self, t_ns: int, kind: Kind, source: str, *data: Any) -> None:
        """Append one event."""
        self.events.append(Event(t_ns, kind, source, data))

    def clear(self) -> None:
        """Begin anew, as after a restored snapshot."""
        self.events.clear()

    def since(self, t_ns: int) -> list[Event]:
        """The events at or after `t_ns`, in order."""
        events = self.events
        low, high = 0, len(events)
        while low < high:
            middle = (low + high) // 2
            if events[middle].t_ns < t_ns:
                low = middle + 1
            else:
                high = middle
        return events[low:]

    def digest(self) -> str:
        """SHA-256 over every event in order, as lower-case hexadecimal."""
        sha = hashlib.sha256()
        for event in self.events:
            sha.update(repr((event.t_ns, event.kind.value, event.source, event.data)).encode())
        return sha.hexdigest()
