"""What is known of a scenario once it has run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from orchestrator.truth import Verdict


class Outcome(Enum):
    """How a scenario ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class Evidence(NamedTuple):
    """The reply that decides a scenario, beside the hardware; words for people."""

    tool: str = "-"
    fault: str = "-"
    stage: str = "-"
    truth: str = "-"
    verdict: Verdict | None = None
    """The worst verdict of the scenario's replies; None if no tool was called."""
    sentence: str = ""


NO_EVIDENCE = Evidence()


NO_EVIDENCE = Evidence()


@dataclass(frozen=True)
class Scenario:
    """One scenario's result."""

    suite: str
    name: str
    outcome: Outcome
    message: str = ""
    """Why it did not pass; the first line is the sentence that matters."""
    evidence: Evidence = NO_EVIDENCE

    @property
    def reason(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0]
