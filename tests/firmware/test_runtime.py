"""The runtime's self-tests, run on the emulated chip: kernel, heap, timers, UART, I2C, panics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator.board import Board
from orchestrator.engines import EmbeddedEngine, FirmwareImage, StopReason
from orchestrator.hardware import Hardware
from tests.conftest import BOARD, ROOT, make_firmware

SOURCES = ROOT / "firmware" / "runtime" / "test"
APPLICATIONS = sorted(path.stem for path in SOURCES.glob("*.c") if path.stem != "check")
LIMIT_NS = 120_000_000_000


@pytest.fixture(scope="session")
def applications() -> Path:
    return make_firmware("runtime-tests") / "runtime-tests"


@pytest.mark.parametrize("name", APPLICATIONS)
def test_the_self_test_passes_every_check(applications: Path, name: str) -> None:
    engine = EmbeddedEngine(FirmwareImage(applications / f"{name}.elf"))
    hardware = Hardware(Board.load(BOARD), engine)
    engine.attach(hardware.soc, hardware.models)
    console = bytearray()

    def output(data: bytes) -> None:
        console.extend(data)
        if re.search(rb"RESULT .*\n", console):
            engine.stop()

    hardware.uart(0).on_output = output
    engine.power_on()
    hardware.begin()
    while engine.run_until(LIMIT_NS) is StopReason.RESET:
        pass
    text = console.decode()
    result = re.search(r"RESULT (\d+) passed, (\d+) failed", text)
    assert result is not None, text[-2000:]
    failures = re.findall(r"^FAIL.*$", text, re.MULTILINE)
    assert (failures, int(result[2])) == ([], 0)
    assert int(result[1]) > 0
