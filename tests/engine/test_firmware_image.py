"""Firmware files: what is read from a good one, and one clear line for each bad one."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from orchestrator.engines import FirmwareImage
from orchestrator.errors import FirmwareError
from tests.engine.conftest import Assemble, Machine

PROGRAM = """
    .type main, @function
_start:
main:
    addi x0, x0, 0
    j    main
    .size main, . - main
    .data
value: .word 0x12345678
"""


def test_segments_entry_symbols_and_lines(assemble: Assemble) -> None:
    image = FirmwareImage(assemble(PROGRAM))
    assert image.entry == 0x4200_0000
    assert (0x3FC8_0000, struct.pack("<I", 0x1234_5678)) in image.segments
    assert image.symbols["value"] == 0x3FC8_0000
    assert image.function_at(0x4200_0002) == "main"
    assert image.function_at(0x4300_0000) is None
    assert image.locate(0x4200_0002).startswith("main (program.S:")
    assert image.locate(0x4300_0000) == "0x43000000"


def test_a_stripped_file_still_loads(assemble: Assemble) -> None:
    elf = assemble(PROGRAM)
    subprocess.run(["riscv64-unknown-elf-strip", str(elf)], check=True)
    image = FirmwareImage(elf)
    assert image.symbols == {}
    assert image.locate(0x4200_0000) == "0x42000000"


def refused(path: Path) -> str:
    with pytest.raises(FirmwareError) as caught:
        FirmwareImage(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


def test_a_missing_file(tmp_path: Path) -> None:
    assert "no such firmware file" in refused(tmp_path / "absent.elf")


def test_a_directory(tmp_path: Path) -> None:
    assert "cannot be read" in refused(tmp_path)


def test_a_file_that_is_no_elf(tmp_path: Path) -> None:
    (tmp_path / "app.bin").write_bytes(b"\xe9" + bytes(100))
    assert "not an ELF file" in refused(tmp_path / "app.bin")


@pytest.mark.parametrize("keep", [4, 20, 51, 60, 200])
def test_a_truncated_elf(assemble: Assemble, tmp_path: Path, keep: int) -> None:
    whole = assemble(PROGRAM).read_bytes()
    (tmp_path / "cut.elf").write_bytes(whole[:keep])
    assert "truncated or damaged" in refused(tmp_path / "cut.elf")


def test_an_elf_for_this_computer(tmp_path: Path) -> None:
    shutil.copy(shutil.which("true") or "/bin/true", tmp_path / "true")
    assert "this computer?" in refused(tmp_path / "true")


def test_an_elf_for_an_xtensa_chip_names_it(assemble: Assemble, tmp_path: Path) -> None:
    raw = bytearray(assemble(PROGRAM).read_bytes())
    raw[18:20] = struct.pack("<H", 94)  # e_machine EM_XTENSA (elf.h)
    (tmp_path / "esp32.elf").write_bytes(raw)
    message = refused(tmp_path / "esp32.elf")
    assert "Xtensa (ESP32, ESP32-S2 or ESP32-S3)" in message
    assert "ESP32-C3" in message


def test_a_segment_outside_the_chip(assemble: Assemble, tmp_path: Path) -> None:
    elf = assemble(PROGRAM)
    raw = bytearray(elf.read_bytes())
    at = raw.find(struct.pack("<I", 0x3FC8_0000), struct.unpack_from("<I", raw, 28)[0])
    raw[at : at + 4] = struct.pack("<I", 0x2000_0000)
    (tmp_path / "far.elf").write_bytes(raw)
    with pytest.raises(FirmwareError, match="0x20000000 is outside the ESP32-C3's memory"):
        Machine(tmp_path / "far.elf")
