"""The firmware's call slots: every call ends once, and nobody ends another one's call."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.host.conftest import Compile

SLOTS = 24  # tool_call.h
TIMEOUT_MS = 450  # stubs/sdkconfig.h
DETACHED = f"{SLOTS} 0"


class Calls:
    """The C code behind a pipe; see tool_call_harness.c for the requests."""

    def __init__(self, executable: Path) -> None:
        self._process = subprocess.Popen(
            [executable], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, request: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(request + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait() == 0


@pytest.fixture
def calls(tool_call_harness: Path) -> Iterator[Calls]:
    started = Calls(tool_call_harness)
    yield started
    started.close()


@pytest.fixture(scope="module")
def tool_call_harness(compile_harness: Compile) -> Path:
    return compile_harness("tool_call_harness", "tool_call", "tool_result", "json_io")


def _out_of_time(identity: str, target: str = "-") -> set[str]:
    """The task is woken by a 1 ms tick, so at most one tick after the deadline."""
    return {
        f"{identity} failed timeout {target} - {elapsed}"
        for elapsed in (TIMEOUT_MS, TIMEOUT_MS + 1)
    }


def test_a_finished_call_ends_with_its_result_and_its_time(calls: Calls) -> None:
    call = calls.ask("open 7")
    calls.ask("sleep 4")
    calls.ask(f"finish {call} 60")
    assert calls.ask("wait") == "7 confirmed - 60 60 4"


def test_calls_may_end_in_another_order_than_they_began(calls: Calls) -> None:
    first = calls.ask("open first")
    second = calls.ask("open second")
    calls.ask(f"finish {second} 2")
    assert calls.ask("wait").startswith("second confirmed")
    calls.ask(f"finish {first} 1")
    assert calls.ask("wait").startswith("first confirmed")


def test_a_call_out_of_time_fails_at_its_deadline_and_is_cancelled(calls: Calls) -> None:
    call = calls.ask("open 7")
    calls.ask(f"target {call} 60")
    assert calls.ask(f"wanted {call}") == "yes"
    assert calls.ask("wait") in _out_of_time("7", target="60")
    assert calls.ask(f"wanted {call}") == "no"


def test_the_earliest_deadline_comes_first(calls: Calls) -> None:
    calls.ask("open early")
    calls.ask("sleep 100")
    calls.ask("open late")
    for identity in ("early", "late"):
        assert calls.ask("wait") in _out_of_time(identity)


def test_a_result_that_comes_too_late_ends_no_other_call(calls: Calls) -> None:
    stale = calls.ask("open old")
    calls.ask("wait")
    fresh = calls.ask("open new")
    assert fresh.split()[0] == stale.split()[0]  # the same slot
    calls.ask(f"finish {stale} 1")
    calls.ask(f"target {stale} 1")
    calls.ask(f"close {stale}")
    calls.ask(f"finish {fresh} 2")
    assert calls.ask("wait") == "new confirmed - 2 2 0"


def test_a_second_result_is_ignored(calls: Calls) -> None:
    call = calls.ask("open 7")
    calls.ask(f"finish {call} 1")
    calls.ask(f"finish {call} 2")
    assert calls.ask("wait") == "7 confirmed - 1 1 0"


def test_a_wake_up_left_over_from_an_ended_call_ends_nothing(calls: Calls) -> None:
    call = calls.ask("open old")
    calls.ask(f"finish {call} 1")
    calls.ask("wait")  # taken over without waiting: the event bit is still set
    calls.ask("open new")
    assert calls.ask("wait").startswith("new failed timeout")


def test_a_result_at_the_last_moment_counts(calls: Calls) -> None:
    call = calls.ask("open 7")
    calls.ask(f"sleep {TIMEOUT_MS}")
    calls.ask(f"finish {call} 60")
    assert calls.ask("wait") == f"7 confirmed - 60 60 {TIMEOUT_MS}"


def test_there_are_24_slots_and_each_can_be_had_again(calls: Calls) -> None:
    opened = [calls.ask(f"open {number}") for number in range(SLOTS)]
    assert len({call.split()[0] for call in opened}) == SLOTS
    assert calls.ask("open one_too_many") == "none"
    calls.ask(f"close {opened[5]}")
    assert calls.ask("open 24").split()[0] == opened[5].split()[0]


def test_nobody_waits_for_a_detached_call_yet_it_is_wanted(calls: Calls) -> None:
    assert calls.ask(f"wanted {DETACHED}") == "yes"
    calls.ask(f"finish {DETACHED} 1")
    calls.ask("open 7")
    assert calls.ask("wait").startswith("7 failed timeout")
