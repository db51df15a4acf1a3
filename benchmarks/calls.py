"""Boot time, and faulted tool calls a second from a snapshot, on one core.

Prints wall times; nothing here is a test. Usage: python benchmarks/calls.py FIRMWARE.elf
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from orchestrator.board import Board
from orchestrator.device import Device
from orchestrator.faults import parse_fault

BOARD = Path(__file__).parents[1] / "boards" / "voice-terminal.toml"
FAULTS = (
    "nack es8388 DACCONTROL4 times=1",
    "nack-address es8388 times=1",
    "nack-byte es8388 1 times=1",
    "clamp es8388 DACCONTROL4 minimum=0x60",
    "ignore es8388 DACCONTROL5",
    "hold-bus 5",
)
ROUNDS = 40


def timed(work: Callable[[], object]) -> float:
    """Wall seconds that `work` takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> None:
    """Measure and print."""
    board, firmware = Board.load(BOARD), Path(sys.argv[1])
    boots = []
    for _ in range(5):
        device = Device(board, firmware)
        boots.append(timed(device.boot))
        device.close()
    print(f"boot to an initialised MCP session   {statistics.median(boots) * 1e3:8.1f} ms")

    device = Device(board, firmware)
    device.boot()
    state = device.snapshot()
    restores = [timed(lambda: device.restore(state)) for _ in range(200)]
    print(f"restore a snapshot                   {statistics.median(restores) * 1e3:8.3f} ms")

    def call(fault: str | None) -> None:
        device.restore(state)
        if fault is not None:
            device.inject(parse_fault(fault))
        device.judge(device.call("SetOutputVolume", {"volume": 60}))

    for fault in (None, *FAULTS):
        seconds = statistics.median(timed(lambda fault=fault: call(fault)) for _ in range(ROUNDS))
        print(f"{fault or 'no fault':36} {1 / seconds:8.0f} judged calls/s")
    total = timed(lambda: [call(fault) for fault in FAULTS for _ in range(ROUNDS)])
    print(f"{'all faults together':36} {ROUNDS * len(FAULTS) / total:8.0f} judged calls/s")


if __name__ == "__main__":
    main()
