"""An asyncio event loop whose clock is the device's: waiting means letting the device run.

When every task is blocked, asyncio asks its selector to wait. Here the selector runs the
engine instead, up to the loop's next deadline or until the device has said something. So
time-outs are virtual, nothing depends on the wall clock and no thread races another.
"""

from __future__ import annotations

import asyncio
import math
import selectors
from typing import Any, Protocol


class World(Protocol):
    """What has a clock and can be run."""

    def now_ns(self) -> int:
        """Virtual time."""

    def advance(self, until_ns: int | None) -> None:
        """Run to `until_ns` (None: no deadline), or until something happened for the loop."""


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Runs coroutines in the virtual time of a `World`."""

    def __init__(self, world: World) -> None:
        self._world = world
        super().__init__(_WorldSelector(world))
        self._clock_resolution = 1e-9

    def time(self) -> float:
        """Virtual seconds since power-on."""
        return self._world.now_ns() / 1e9


class _WorldSelector(selectors.SelectSelector):
    """Waits by letting the world run."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            self._world.advance(None)
        elif timeout > 0:
            self._world.advance(self._world.now_ns() + math.ceil(timeout * 1e9))
        return []
