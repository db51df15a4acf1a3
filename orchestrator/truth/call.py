"""One tool call as the host saw it: what went out, what came back, and when."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from orchestrator.engines.base import Panic


class Stage(Enum):
    """Where an operation stopped, in the reply's own words."""

    REJECTED = "rejected"
    BUSY = "busy"
    ACCEPTED = "accepted"
    EXECUTED = "executed"
    CONFIRMED = "confirmed"
    FAILED = "failed"


@dataclass
class Call:
    """A tool call and its outcome; times are virtual ns of bits on the wire."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    request_ns: int = 0
    """The first bit of the request."""
    reply_ns: int | None = None
    """The first bit of the reply; None without one."""
    end_ns: int = 0
    """When the caller stopped waiting: the reply's last bit, a crash, or the time-out."""
    structured: dict[str, Any] | None = None
    """The reply's structuredContent."""
    text: str = ""
    """The reply's text content."""
    is_error: bool = False
    error: str | None = None
    """A JSON-RPC error, or why the reply is not a valid one."""
    panic: Panic | None = None
    restarted: bool = False
    """The device restarted in mid-call without a panic."""

    @property
    def elapsed_ms(self) -> float:
        """Virtual ms from the request's first bit until the caller stopped waiting."""
        return (self.end_ns - self.request_ns) / 1e6

    @property
    def replied(self) -> bool:
        """Whether a tool result came back."""
        return self.reply_ns is not None and self.error is None

    @property
    def stage(self) -> Stage | None:
        """What the reply claims; None if there is no reply.

        A bare success without a stage counts as `confirmed`: that is what a model's host
        understands. So does a success with a stage that denies it. A reply that is neither is
        taken as `failed`, which claims nothing.
        """
        if self.reply_ns is None:
            return None
        if self.error is not None:
            return Stage.REJECTED
        record = self.record
        success = record.get("success")
        try:
            stage = Stage(record.get("stage"))
        except ValueError:
            succeeded = not self.is_error and success in (True, None)
            return Stage.CONFIRMED if succeeded else Stage.FAILED
        claims_nothing = stage in (Stage.REJECTED, Stage.BUSY, Stage.FAILED)
        return Stage.CONFIRMED if claims_nothing and success is True else stage

    @property
    def record(self) -> dict[str, Any]:
        """The reply's record; one that came as text is read as the model would read it."""
        if self.structured is not None:
            return self.structured
        try:
            said = json.loads(self.text)
        except (ValueError, RecursionError):
            return {}
        if isinstance(said, bool):
            return {"success": said}
        return said if isinstance(said, dict) else {}

    def detail(self, key: str) -> Any:
        """A value of the reply's `detail`; None if it is not there."""
        details = self.record.get("detail")
        return details.get(key) if isinstance(details, dict) else None
