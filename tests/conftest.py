"""The firmware of each variant, built once, and a booted device for every test that wants one."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.board import Board
from orchestrator.device import Device

ROOT = Path(__file__).parents[1]
BOARD = ROOT / "boards" / "voice-terminal.toml"
COMPILER = "riscv64-unknown-elf-gcc"


def need_compiler() -> None:
    """Skip, with the reason, where the cross compiler is not installed."""
    if shutil.which(COMPILER) is None:
        pytest.skip(f"{COMPILER} is not installed (Debian: gcc-riscv64-unknown-elf)")


def make_firmware(*arguments: str) -> Path:
    """Run firmware/'s make and give its build directory; one test process at a time."""
    need_compiler()
    build = ROOT / "firmware" / "build"
    build.mkdir(exist_ok=True)
    make = ["make", "-s", "-C", str(ROOT / "firmware"), *arguments]
    subprocess.run(["flock", str(build / ".lock"), *make], check=True)
    return build


@pytest.fixture(scope="session")
def firmware() -> Callable[[str], Path]:
    """`firmware("queued")` is the ELF of that variant."""
    need_compiler()
    return lambda variant: make_firmware(f"VARIANT={variant}") / variant / "truestage.elf"


@pytest.fixture(scope="session")
def booted(firmware: Callable[[str], Path]) -> Iterator[tuple[Device, Any]]:
    device = Device(Board.load(BOARD), firmware("good"))
    device.boot()
    yield device, device.snapshot()
    device.close()


@pytest.fixture
def device(booted: tuple[Device, Any]) -> Device:
    """The good firmware, as it was when its boot had ended."""
    device, state = booted
    device.restore(state)
    return device
