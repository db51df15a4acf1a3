"""Keywords for scenarios in Robot syntax; thin: they parse, and call the orchestrator."""

from orchestrator.robot_library.library import Truestage

__all__ = ["Truestage"]
