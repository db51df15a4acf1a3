"""Where a project keeps its board and its firmware, unless somebody says otherwise."""

from __future__ import annotations

import os
from pathlib import Path

from orchestrator.errors import TruestageError

_BOARD = Path("boards", "voice-terminal.toml")
_SUITES = Path("robot", "suites")


def find_root() -> Path:
    """The project's directory: `TRUESTAGE_ROOT`, or the nearest one upwards that has the board.

    TruestageError if there is none.
    """
    chosen = os.environ.get("TRUESTAGE_ROOT")
    if chosen:
        return Path(chosen)
    here = Path.cwd()
    for directory in (here, *here.parents):
        if (directory / _BOARD).is_file():
            return directory
    raise TruestageError(
        f"no {_BOARD} in {here} or above it: run inside a project, or set TRUESTAGE_ROOT"
    )


def default_board() -> Path:
    """The project's voice terminal."""
    return near(find_root() / _BOARD)


def default_suites() -> Path:
    """The project's Robot suites."""
    return near(find_root() / _SUITES)


def default_firmware(variant: str = "good") -> Path:
    """The project's own firmware of one variant; TruestageError if it has not been built."""
    firmware = near(find_root() / "firmware" / "build" / variant / "truestage.elf")
    if not firmware.is_file():
        how = "make firmware" if variant == "good" else f"make firmware VARIANT={variant}"
        raise TruestageError(f"{firmware}: no such firmware; build it with {how}")
    return firmware


def near(path: Path) -> Path:
    """The path as seen from the current directory, where it lies below that."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
