"""Tool arguments written as text, checked against the device's own schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from mcp_types import Tool

from orchestrator.errors import TruestageError, nearest


class ArgumentError(TruestageError):
    """A tool or an argument that the device does not have, or a value of another type."""


def find_tool(tools: Mapping[str, Tool], name: str) -> Tool:
    """A device's tool by its name; ArgumentError names the nearest."""
    try:
        return tools[name]
    except KeyError:
        hint = nearest(name, tools) or f" (it has {', '.join(tools) or 'none'})"
        raise ArgumentError(f"the device has no tool '{name}'{hint}") from None


def tool_arguments(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the tool's schema types them; values outside its limits are let through.

    ArgumentError for an unknown or missing argument, or one of another type: those never reach
    the device.
    """
    properties: dict[str, Any] = tool.input_schema.get("properties", {})
    for name in given:
        if name not in properties:
            hint = nearest(name, properties) or f" (it has {', '.join(properties) or 'none'})"
            raise ArgumentError(f"{tool.name} has no argument '{name}'{hint}")
    for name in tool.input_schema.get("required", ()):
        if name not in given:
            kind = properties.get(name, {}).get("type", "value")
            raise ArgumentError(f"{tool.name} needs {name}=... ({kind})")
    return {
        name: _convert(f"{tool.name}: '{name}'", properties[name].get("type"), value)
        for name, value in given.items()
    }


def from_text(value: Any) -> Any:
    """Text as JSON where it is JSON (`60`, `true`, `"x"`) or hexadecimal, else as it stands."""
    if not isinstance(value, str):
        return value
    if value[:2].casefold() == "0x":
        with suppress(ValueError):
            return int(value, 16)
    try:
        return json.loads(value)
    except ValueError:
        return value


_TYPES: dict[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}


def _convert(where: str, kind: Any, value: Any) -> Any:
    if kind == "string":
        return str(value)
    parsed = from_text(value)
    expected = _TYPES.get(kind) if isinstance(kind, str) else None
    if expected is None:
        return parsed
    fits = isinstance(parsed, expected) and (kind == "boolean" or not isinstance(parsed, bool))
    if not fits:
        raise ArgumentError(f"{where} is of type {kind}, not '{value}'")
    return parsed
