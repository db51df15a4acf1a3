"""The command `truestage`."""

from orchestrator.cli.main import main

__all__ = ["main"]
