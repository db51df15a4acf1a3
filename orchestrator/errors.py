"""Errors that reach a person: what is wrong, where, and what to do, in one line."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class TruestageError(Exception):
    """Something the user can act on; shown as one line without a traceback."""

    ROBOT_SUPPRESS_NAME = True
    """Robot Framework shows the message without the class's name, too."""


class FirmwareError(TruestageError):
    """The firmware file cannot be used."""


class BoardError(TruestageError):
    """The board file is wrong; the message begins with FILE:LINE."""


class FaultError(TruestageError):
    """A fault's text or parameters are wrong."""


class EngineError(TruestageError):
    """The engine cannot run, or cannot go on."""


def nearest(name: str, known: Iterable[str]) -> str:
    """` (did you mean X?)`, or nothing."""
    names = {other.casefold(): other for other in known}
    close = get_close_matches(name.casefold(), names, n=1)
    return f" (did you mean {names[close[0]]}?)" if close else ""
