"""One device over a whole Robot run, and what was asked of it in the current test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.board import Board
from orchestrator.device import Device
from orchestrator.errors import TruestageError
from orchestrator.faults import Fault
from orchestrator.reports import Evidence
from orchestrator.tool_arguments import find_tool, tool_arguments
from orchestrator.truth import Call, Judgement, Probe, Verdict

_WORST_FIRST = (
    Verdict.CRASH,
    Verdict.WEDGED,
    Verdict.FALSE_SUCCESS,
    Verdict.FALSE_FAILURE,
    Verdict.SILENT,
    Verdict.INTERRUPTED,
    Verdict.HONEST,
)
_SHOWN = 3


class Setup(NamedTuple):
    """What a device is made of."""

    board: Path
    firmware: Path
    engine: str


@dataclass(eq=False)
class Reply:
    """A call that was made in this test, with the latest judgement of it."""

    call: Call
    together: Sequence[Call]
    judgement: Judgement
    judged: bool = False
    """A keyword of the test has looked at the verdict."""
    checkup: bool = False
    """Made to see whether the device still works."""

    @property
    def label(self) -> str:
        """The call in words, e.g. `SetOutputVolume volume=60`."""
        words = [f"{name}={value}" for name, value in self.call.arguments.items()]
        return " ".join([self.call.tool, *words])

    @property
    def finding(self) -> str:
        """Verdict, call and sentence, e.g. for a test's message."""
        return f"{self.judgement.verdict.value}: {self.label}: {self.judgement.sentence}"


class Session:
    """Boots once, restores for every test, remembers the test's replies and faults."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.faults: list[str] = []
        self._device: Device | None = None
        self._setup: Setup | None = None
        self._fresh: Any = None

    @property
    def device(self) -> Device:
        """The booted device; TruestageError without one."""
        if self._device is None:
            raise TruestageError("no device has been booted: begin with `Boot Device`")
        return self._device

    @property
    def booted(self) -> bool:
        """Whether there is a device to restore."""
        return self._device is not None

    def boot(self, setup: Setup) -> None:
        """Boot a device, or restore the one there is if it is made of the same things."""
        if setup == self._setup:
            self.restore()
            return
        self.close()
        device = Device(Board.load(setup.board), setup.firmware, setup.engine)
        try:
            device.boot()
            self._fresh = device.snapshot()
        except TruestageError:
            device.close()
            raise
        self._device, self._setup = device, setup
        self.restore()

    def restore(self) -> None:
        """Return the device to the moment after its boot; replies and faults are forgotten."""
        self.device.restore(self._fresh)
        self.begin_test()

    def begin_test(self) -> None:
        """Forget what the test before did."""
        self.replies.clear()
        self.faults.clear()

    def close(self) -> None:
        """Let the device go."""
        if self._device is not None:
            self._device.close()
        self._device = self._setup = self._fresh = None

    # -- doing -------------------------------------------------------------------------------

    def call(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Reply]:
        """Make one call, or several back to back."""
        made = self.device.burst(calls)
        replies = [Reply(call, made, self.device.judge(call, made)) for call in made]
        self.replies += replies
        return replies

    def inject(self, fault: Fault) -> None:
        """Break something from now on."""
        self.device.inject(fault)
        self.faults.append(str(fault))

    def check_up(self, tool: str, arguments: dict[str, Any]) -> Reply:
        """Take out all faults, give the device one heartbeat to recover, and call a tool."""
        self.device.clear_faults()
        self.device.run_for(self.device.board.mcp.heartbeat_ms)
        call, judgement = self.device.check_alive(tool, arguments)
        reply = Reply(call, [call], judgement, judged=True, checkup=True)
        self.replies.append(reply)
        return reply

    def checked(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments of a tool, typed by its schema."""
        return tool_arguments(find_tool(self.device.tools, tool), arguments)

    def clean_call(self) -> tuple[str, dict[str, Any]]:
        """A call whose honest success changes the hardware; TruestageError if no claim sets any.

        A third or two thirds of the claim's scale, whichever the hardware is not at.
        """
        for claim in self.device.board.claim:
            if claim.argument is None or claim.tool not in self.device.tools:
                continue
            found = self.device.board.claim_for(claim.tool)
            assert found is not None
            (low, _), *_, (high, _) = found.truth[0].scale
            values = [round(low + (high - low) * part / 3) for part in (1, 2)]
            now = self.device.now_ns()
            ((_, (actual,)), *_) = self.device.hardware.truth.between(
                (Probe.of(found.device, found.truth[0]),), now, now
            )
            value = values[found.truth[0].expected(values[0]) == actual]
            return claim.tool, {claim.argument: value}
        raise TruestageError("the board claims nothing that a tool sets: name a tool to call")

    # -- judging -----------------------------------------------------------------------------

    @property
    def last(self) -> Reply:
        """The latest reply; TruestageError if the test has made no call."""
        if not self.replies:
            raise TruestageError("no tool has been called in this test")
        return self.replies[-1]

    def judge(self, reply: Reply) -> Judgement:
        """Judge a reply with all that is known now, on behalf of the test."""
        if not reply.checkup:
            reply.judgement = self.device.judge(reply.call, reply.together)
        reply.judged = True
        return reply.judgement

    def forgotten(self) -> list[Reply]:
        """Judge the replies that the test did not; those that are not honest."""
        unjudged = [reply for reply in self.replies if not reply.judged]
        return [reply for reply in unjudged if self.judge(reply).verdict is not Verdict.HONEST]

    def evidence(self) -> Evidence:
        """The reply that decides the test: the worst, else the last before the check-up."""
        fault = "; ".join(self.faults) or "-"
        if not self.replies:
            return Evidence(fault=fault)
        asked = [reply for reply in self.replies if not reply.checkup] or self.replies
        worst = min(_WORST_FIRST.index(reply.judgement.verdict) for reply in self.replies)
        verdict = _WORST_FIRST[worst]
        candidates = [reply for reply in self.replies if reply.judgement.verdict is verdict]
        latest = max(asked, key=lambda reply: reply.call.end_ns)
        deciding = latest if verdict is Verdict.HONEST else candidates[0]
        return Evidence(
            tool=_together([reply.label for reply in asked], [r.call.tool for r in asked]),
            fault=fault,
            stage=_counted([reply.judgement.stage for reply in asked]),
            truth=deciding.judgement.truth,
            verdict=verdict,
            sentence=deciding.judgement.sentence,
        )


def findings(lies: Sequence[Reply]) -> str:
    """The findings of some replies, a line each; what is more than three is counted."""
    lines = [reply.finding for reply in lies[:_SHOWN]]
    if len(lies) > _SHOWN:
        lines.append(f"... and {len(lies) - _SHOWN} replies more like these")
    return "\n".join(lines)


def _together(labels: list[str], tools: list[str]) -> str:
    return labels[0] if len(labels) == 1 else _counted(tools)


def _counted(words: list[str]) -> str:
    counts = Counter(words)
    return ", ".join(word if count == 1 else f"{word} ×{count}" for word, count in counts.items())
