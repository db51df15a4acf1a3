"""One call from the shell: reply, truth and verdict."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape

from orchestrator.device import Device
from orchestrator.faults import Fault
from orchestrator.reports import narrate
from orchestrator.tool_arguments import ArgumentError
from orchestrator.truth import Call, Judgement, Verdict


@dataclass(frozen=True)
class OneCall:
    """A call, its judgement, and what happened on the wires meanwhile."""

    call: Call
    judgement: Judgement
    faults: Sequence[Fault]
    lines: Sequence[str]
    console_tail: str

    @property
    def honest(self) -> bool:
        """Whether the reply claims what the hardware shows."""
        return self.judgement.verdict is Verdict.HONEST

    def as_data(self) -> dict[str, Any]:
        """Everything as plain data for `--json`; times in virtual ms."""
        call, judgement = self.call, self.judgement
        return {
            "tool": call.tool,
            "arguments": call.arguments,
            "faults": [str(fault) for fault in self.faults],
            "reply": call.structured,
            "error": call.error,
            "elapsed_ms": call.elapsed_ms,
            "stage": judgement.stage,
            "truth": judgement.truth,
            "verdict": judgement.verdict.value,
            "sentence": judgement.sentence,
            "transcript": list(self.lines),
        }

    def show(self, console: Console, *, transcript: bool) -> None:
        """Print it for a person: verdict last, where the eye rests."""
        call, judgement = self.call, self.judgement
        rows = [("fault", "; ".join(str(fault) for fault in self.faults) or "-")]
        if call.structured:
            rows.append(("reply", json.dumps(call.structured)))
        elif call.error:
            rows.append(("reply", call.error))
        rows.append(("elapsed", f"{call.elapsed_ms:.1f} ms (virtual)"))
        rows.append(("truth", judgement.truth))
        for name, text in rows:
            console.print(f"[bold]{name:<9}[/]{escape(text)}", highlight=False, soft_wrap=True)
        if call.panic is not None:
            for frame in call.panic.backtrace:
                console.print(f"           {escape(frame)}", highlight=False)
            console.print(escape(self.console_tail), highlight=False, style="dim")
        if transcript:
            for line in self.lines:
                console.print(escape(line), highlight=False, soft_wrap=True)
        style = "green" if self.honest else "bold red"
        console.print(
            f"[bold]{'verdict':<9}[/][{style}]{judgement.verdict.value}[/]: "
            f"{escape(judgement.sentence)}",
            highlight=False,
            soft_wrap=True,
        )


def make(device: Device, tool: str, arguments: dict[str, Any], faults: Sequence[Fault]) -> OneCall:
    """Inject the faults, call the tool, judge the reply."""
    for fault in faults:
        device.inject(fault)
    before = len(device.transcript)
    call = device.call(tool, arguments)
    judgement = device.judge(call)
    lines = narrate(device.transcript.events[before:], device.hardware.bus.names)
    tail = "\n".join(device.console.decode("utf-8", "replace").splitlines()[-12:])
    return OneCall(call, judgement, faults, lines, tail)


def split_arguments(words: Iterable[str]) -> dict[str, str]:
    """`name=value` words as a mapping; ArgumentError for anything else."""
    given = {}
    for word in words:
        name, separator, value = word.partition("=")
        if not separator or not name:
            raise ArgumentError(f"'{word}': write arguments as name=value")
        given[name] = value
    return given
