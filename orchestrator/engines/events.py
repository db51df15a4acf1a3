"""Pending events in virtual time, as plain data that can be copied and put back."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, TypeAlias

from renode.peripherals import Handle, Model

EventState: TypeAlias = tuple[
    list[tuple[int, int]], dict[int, tuple[str, str, tuple[Any, ...]]], int
]


class EventQueue:
    """Events ordered by time, then by when they were asked for."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int]] = []
        self._pending: dict[int, tuple[str, str, tuple[Any, ...]]] = {}
        self._serial = 0

    def add(self, t_ns: int, model: Model, method: str, args: tuple[Any, ...]) -> Handle:
        """Ask for `model.method(*args)` at `t_ns`."""
        self._serial += 1
        self._pending[self._serial] = (model.name, method, args)
        heappush(self._heap, (t_ns, self._serial))
        return self._serial

    def cancel(self, handle: Handle) -> None:
        """Forget one event."""
        self._pending.pop(handle, None)

    def next_ns(self) -> int | None:
        """When the earliest event is due; None if nothing is pending."""
        heap, pending = self._heap, self._pending
        while heap:
            if heap[0][1] in pending:
                return heap[0][0]
            heappop(heap)
        return None

    def pop(self, models: dict[str, Model]) -> tuple[int, Callable[..., None], tuple[Any, ...]]:
        """Take the earliest event out: its time, the bound method and its arguments."""
        t_ns, serial = heappop(self._heap)
        name, method, args = self._pending.pop(serial)
        return t_ns, getattr(models[name], method), args

    def clear(self) -> None:
        """Forget all events; handles given before stay unused for ever."""
        self._heap.clear()
        self._pending.clear()

    def snapshot(self) -> EventState:
        """Copy all pending events."""
        return self._heap.copy(), self._pending.copy(), self._serial

    def restore(self, state: EventState) -> None:
        """Put the events of a snapshot back, and forget all others."""
        heap, pending, self._serial = state
        self._heap, self._pending = heap.copy(), pending.copy()
