"""Engines run a CPU against the hardware models: `embedded` now, Renode beside it."""

from orchestrator.engines.base import Engine, Panic, Snapshot, StopReason
from orchestrator.engines.elf import FirmwareImage
from orchestrator.engines.embedded import EmbeddedEngine
from orchestrator.errors import EngineError

ENGINES: dict[str, type[EmbeddedEngine]] = {EmbeddedEngine.name: EmbeddedEngine}


def make_engine(name: str, image: FirmwareImage) -> Engine:
    """An engine by its name; EngineError names the known ones."""
    try:
        return ENGINES[name](image)
    except KeyError:
        raise EngineError(f"no engine is called '{name}'; known: {', '.join(ENGINES)}") from None


__all__ = [
    "ENGINES",
    "Engine",
    "FirmwareImage",
    "Panic",
    "Snapshot",
    "StopReason",
    "make_engine",
]
