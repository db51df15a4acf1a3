"""A deterministic `Host` for model tests: a clock, a heap of events and interrupt levels."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

from renode.peripherals.host import Handle, Model

_Event = tuple[int, Handle, Model, str, tuple[Any, ...]]


class FakeHost:
    """Virtual time in ns that moves only in `run_until` and `run_for`.

    `irqs` maps an interrupt source to its last level, `irq_edges` holds every change as
    (ns, source, level), `unmodelled_accesses` every reported access as (model name, access).
    Set `on_irq` to hear of changes at once, for instance to connect an interrupt matrix.
    """

    def __init__(self) -> None:
        self.now = 0
        self.irqs: dict[int, bool] = {}
        self.irq_edges: list[tuple[int, int, bool]] = []
        self.unmodelled_accesses: list[tuple[str, str]] = []
        self.on_irq: Callable[[int, bool], None] | None = None
        self.events_run = 0
        self._heap: list[_Event] = []
        self._live: set[Handle] = set()
        self._last_handle = 0

    def now_ns(self) -> int:
        return self.now

    def call_at(self, t_ns: int, model: Model, method: str, *args: Any) -> Handle:
        self._last_handle += 1
        self._live.add(self._last_handle)
        heapq.heappush(self._heap, (max(t_ns, self.now), self._last_handle, model, method, args))
        return self._last_handle

    def cancel(self, handle: Handle) -> None:
        self._live.discard(handle)

    def set_irq(self, source: int, level: bool) -> None:
        if self.irqs.get(source, False) != level:
            self.irqs[source] = level
            self.irq_edges.append((self.now, source, level))
            if self.on_irq is not None:
                self.on_irq(source, level)

    def unmodelled(self, model: Model, access: str) -> None:
        self.unmodelled_accesses.append((model.name, access))

    @property
    def pending(self) -> int:
        """How many events are waiting."""
        return len(self._live)

    def next_event_ns(self) -> int | None:
        """When the earliest waiting event is due."""
        while self._heap and self._heap[0][1] not in self._live:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def run_until(self, t_ns: int) -> None:
        """Run every event due up to and including `t_ns`, then set the clock to `t_ns`."""
        while (due := self.next_event_ns()) is not None and due <= t_ns:
            _, handle, model, method, args = heapq.heappop(self._heap)
            self._live.discard(handle)
            self.now = due
            self.events_run += 1
            getattr(model, method)(*args)
        self.now = max(self.now, t_ns)

    def run_for(self, ns: int) -> None:
        """Run the events of the next `ns` nanoseconds."""
        self.run_until(self.now + ns)

    def run_all(self, limit: int = 100_000) -> None:
        """Run until nothing is waiting; RuntimeError after `limit` events."""
        for _ in range(limit):
            due = self.next_event_ns()
            if due is None:
                return
            self.run_until(due)
        raise RuntimeError(f"still busy after {limit} events")

    def snapshot(self) -> tuple[Any, ...]:
        """Copy clock, events and interrupt levels; a test adds the snapshots of its models."""
        return self.now, list(self._heap), set(self._live), self._last_handle, dict(self.irqs)

    def restore(self, state: tuple[Any, ...]) -> None:
        """Return to a state that `snapshot` gave."""
        self.now, heap, live, self._last_handle, irqs = state
        self._heap, self._live, self.irqs = list(heap), set(live), dict(irqs)
