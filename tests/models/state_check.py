"""Finds what a model changes while it runs and forgets to list in its STATE."""

from __future__ import annotations

from typing import Any

from renode.peripherals.host import Model


def attributes(model: Model) -> dict[str, str]:
    """Every attribute of a model with what it looks like now."""
    return {name: repr(value) for name, value in vars(model).items()}


def unlisted_changes(model: Model, before: dict[str, Any]) -> set[str]:
    """Attributes that differ from `attributes(model)` taken before, and are not in STATE."""
    now = attributes(model)
    changed = {name for name in now.keys() | before.keys() if now.get(name) != before.get(name)}
    return changed - set(model._all_state)
