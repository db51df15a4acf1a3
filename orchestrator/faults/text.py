"""Faults written as text: `nack es8388 DACCONTROL4 times=1`."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from orchestrator.errors import FaultError
from orchestrator.faults import kinds
from orchestrator.faults.base import Fault

FAULTS: dict[str, type[Fault]] = {
    fault.kind: fault
    for fault in (
        kinds.NackAddress,
        kinds.NackWrite,
        kinds.NackByte,
        kinds.ClampRegister,
        kinds.IgnoreWrites,
        kinds.HoldBus,
        kinds.LoadBus,
    )
}
_SHORT = {"min": "minimum", "max": "maximum", "for": "for_ms", "register": "register_"}


def parse_fault(text: str) -> Fault:
    """Read one fault; FaultError says which word is wrong and what would be right."""
    words = text.split()
    if not words:
        raise FaultError(f"an empty fault; known kinds: {', '.join(FAULTS)}")
    kind = FAULTS.get(words[0])
    if kind is None:
        close = get_close_matches(words[0], FAULTS, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"known kinds: {', '.join(FAULTS)}"
        raise FaultError(f"fault '{text}': no kind is called '{words[0]}'; {hint}")
    values: dict[str, Any] = {}
    positional = list(kind.positional)
    for word in words[1:]:
        key, separator, value = word.partition("=")
        if separator:
            key = _SHORT.get(key, key)
        elif positional:
            key, value = positional.pop(0), word
        else:
            raise FaultError(f"fault '{text}': '{word}' is one word too many; {usage(kind)}")
        if key not in kind.model_fields:
            raise FaultError(f"fault '{text}': no setting is called '{key}'; {usage(kind)}")
        values[key] = value if kind.model_fields[key].annotation is str else _number(value)
    return make_fault(kind, values, f"fault '{text}'")


def make_fault(kind: type[Fault], values: dict[str, Any], where: str) -> Fault:
    """Build a fault from field values; FaultError `where: what is wrong; usage`."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]).rstrip("_") if first["loc"] else kind.kind
        message = first["msg"].removeprefix("Value error, ")
        raise FaultError(
            f"{where}: '{name}': {message[0].lower()}{message[1:]}; {usage(kind)}"
        ) from None


def usage(kind: type[Fault]) -> str:
    """How a fault is written, on one line."""
    required = [name.rstrip("_").upper() for name in kind.positional]
    optional = [
        f"[{name.rstrip('_')}={'...' if field.default is None else field.default}]"
        for name, field in kind.model_fields.items()
        if name not in kind.positional
    ]
    return f"usage: {' '.join([kind.kind, *required, *optional])}"


def describe_faults() -> list[tuple[str, str]]:
    """Every kind: its usage line and its physics."""
    return [(usage(kind), (kind.__doc__ or "").strip()) for kind in FAULTS.values()]


def _number(value: str) -> str | int:
    try:
        return int(value, 0)
    except ValueError:
        return value
