"""The event loop whose clock is the device's."""

from __future__ import annotations

import asyncio
import time

import pytest

from orchestrator.link import VirtualTimeLoop

HOUR = 3600.0


class Clock:
    """A world in which nothing happens but time."""

    def __init__(self) -> None:
        self.t_ns = 0

    def now_ns(self) -> int:
        return self.t_ns

    def advance(self, until_ns: int | None) -> None:
        if until_ns is None:
            raise RuntimeError("every task waits for ever")
        self.t_ns = until_ns


def test_an_hour_of_sleep_takes_no_wall_time() -> None:
    clock = Clock()
    loop = VirtualTimeLoop(clock)
    begin = time.monotonic()
    loop.run_until_complete(asyncio.sleep(HOUR))
    assert clock.t_ns == pytest.approx(HOUR * 1e9, abs=10)
    assert time.monotonic() - begin < 5
    loop.close()


def test_timeouts_are_virtual_and_deadlines_come_in_order() -> None:
    loop = VirtualTimeLoop(Clock())
    order: list[str] = []

    async def wait(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        order.append(f"{name} {loop.time():.3f}")

    async def all_of_them() -> None:
        tasks = [asyncio.create_task(wait(*job)) for job in (("c", 3), ("a", 1), ("b", 2))]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.sleep(HOUR), timeout=2.5)
        order.append(f"timeout {loop.time():.3f}")
        await asyncio.gather(*tasks)

    loop.run_until_complete(all_of_them())
    assert order == ["a 1.000", "b 2.000", "timeout 2.500", "c 3.000"]
    loop.close()


def test_waiting_for_what_never_comes_is_an_error() -> None:
    loop = VirtualTimeLoop(Clock())
    with pytest.raises(RuntimeError, match="for ever"):
        loop.run_until_complete(loop.create_future())
    loop.close()
