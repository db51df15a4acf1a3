"""A report directory that changes all at once, or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.errors import TruestageError

_ENDINGS = {".xml": (b"</robot>", b"</testsuites>"), ".html": (b"</html>",)}


@contextmanager
def report_directory(target: Path) -> Iterator[Path]:
    """Give a fresh directory to write reports into; its files replace those in `target` at the end.

    The fresh one lies inside `target`, so that both are on one file system even where `target`
    is a mounted volume, and foreign files beside the reports survive. TruestageError, and
    earlier reports untouched, if something cannot be written or was cut short.
    """
    created = not target.exists()
    try:
        target.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=target))
    except OSError as error:
        raise _failure(target, error) from None
    try:
        yield fresh
        files = sorted(fresh.iterdir())
        for file in files:
            _check_complete(target, file)
        for file in files:
            file.replace(target / file.name)
    except OSError as error:
        raise _failure(target, error) from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        if created and not any(target.iterdir()):
            target.rmdir()


def _check_complete(target: Path, file: Path) -> None:
    """Robot Framework survives a full disk and leaves a stump: tell by the closing tag."""
    endings = _ENDINGS.get(file.suffix)
    if endings and not file.read_bytes().rstrip().endswith(endings):
        raise TruestageError(f"{target}: {file.name} could not be written completely (disk full?)")


def _failure(target: Path, error: OSError) -> TruestageError:
    return TruestageError(f"{target}: reports cannot be written: {error.strerror or error}")
