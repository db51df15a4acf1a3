"""Quantities as a test engineer writes them."""

from __future__ import annotations

import re
from datetime import timedelta

from orchestrator.errors import TruestageError


class Decibels(float):
    """A gain such as `-20 dB` or `-20`; `silent` for no signal at all."""

    @classmethod
    def parse(cls, text: str) -> Decibels:
        """ValueError with the ways to write it."""
        if text.strip().casefold() == "silent":
            return cls("-inf")
        found = re.fullmatch(r"\s*([+-]?\d+(?:\.\d+)?)\s*(?:dB)?\s*", text, re.IGNORECASE)
        if not found:
            raise ValueError("write a gain like '-20 dB', or 'silent'")
        return cls(found[1])


class Share(float):
    """A part of the time such as `50%` or `0.5`, above 0 and at most 1."""

    @classmethod
    def parse(cls, text: str) -> Share:
        """ValueError with the ways to write it."""
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*", text)
        value = float(found[1]) / (100 if found[2] else 1) if found else 0.0
        if not 0 < value <= 1:
            raise ValueError("write a share like '50%' or '0.5'")
        return cls(value)


def milliseconds(time: timedelta) -> float:
    """A Robot time (`50 ms`, `2 s`) in milliseconds."""
    return time / timedelta(milliseconds=1)


def several(text: str) -> list[str]:
    """The values of a burst's argument: `1..40`, `10, 20, 30`, or one."""
    found = re.fullmatch(r"\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*", text)
    if found:
        first, last = int(found[1]), int(found[2])
        step = 1 if first <= last else -1
        return [str(value) for value in range(first, last + step, step)]
    values = [value.strip() for value in text.split(",")]
    if "" in values:
        raise TruestageError(f"'{text}': write values like '1..40' or '10, 20, 30'")
    return values
