"""Small programs for the core, assembled as they are needed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.board import Board
from orchestrator.engines import EmbeddedEngine, FirmwareImage
from orchestrator.hardware import Hardware
from tests.conftest import BOARD, COMPILER, need_compiler

Assemble = Callable[[str], Path]


class Machine:
    """An engine with the board's hardware, switched on."""

    def __init__(self, firmware: Path, *, hang_s: float = 60.0) -> None:
        self.engine = EmbeddedEngine(FirmwareImage(firmware), hang_s=hang_s)
        self.hardware = Hardware(Board.load(BOARD), self.engine)
        self.engine.attach(self.hardware.soc, self.hardware.models)
        self.engine.power_on()
        self.hardware.begin()

    def word(self, address: int) -> int:
        return int.from_bytes(self.engine.read_memory(address, 4), "little")


@pytest.fixture
def assemble(tmp_path: Path) -> Assemble:
    """Assemble RV32IMC source whose entry is `_start`; data goes to the C3's SRAM."""
    need_compiler()

    def build(source: str) -> Path:
        code, elf = tmp_path / "program.S", tmp_path / "program.elf"
        code.write_text(f".option arch, +zicsr\n.globl _start\n.text\n{source}\n")
        subprocess.run(
            [
                *(COMPILER, "-march=rv32imc", "-mabi=ilp32", "-g", "-nostdlib", "-nostartfiles"),
                "-Wl,-n,-Ttext=0x42000000,-Tdata=0x3FC80000,-e,_start",
                *(str(code), "-o", str(elf)),
            ],
            check=True,
        )
        return elf

    return build
