"""What a call leaves in Robot's log: verdict and truth first, then the reply, then the wires."""

from __future__ import annotations

import json
from html import escape

from robot.api import logger

from orchestrator.device import Device
from orchestrator.reports import narrate
from orchestrator.robot_library.session import Reply
from orchestrator.truth import Verdict

_LINES = 120
"""Of a transcript; what is more is counted."""


def log_reply(device: Device, reply: Reply) -> None:
    """Reply, truth and verdict of one call, and the wires' story if it is not honest."""
    call, judgement = reply.call, reply.judgement
    honest = judgement.verdict is Verdict.HONEST
    colour = "#2e7d32" if honest else "#c62828"
    badge = (
        f'<span style="background:{colour};color:white;padding:1px 6px;border-radius:3px">'
        f"{escape(judgement.verdict.value)}</span>"
    )
    took = f"{call.elapsed_ms:.1f} ms"
    rows = [
        ("verdict", f"{badge} {escape(judgement.sentence)}"),
        ("truth", escape(judgement.truth)),
        ("call", f"{escape(reply.label)} &rarr; {escape(judgement.stage)} after {took}"),
        ("reply", f"<code>{escape(_reply_text(reply))}</code>"),
    ]
    cells = "".join(
        f'<tr><td style="padding-right:1em;color:#777;vertical-align:top">{name}</td>'
        f"<td>{text}</td></tr>"
        for name, text in rows
    )
    logger.write(f"<table>{cells}</table>", html=True)
    if not honest:
        log_transcript(device, call.request_ns)


def log_transcript(device: Device, since_ns: int) -> None:
    """The transcript from an instant on, one line a transfer."""
    lines = narrate(device.transcript.since(since_ns), device.hardware.bus.names)
    if len(lines) > _LINES:
        lines = [*lines[:_LINES], f"... and {len(lines) - _LINES} lines more"]
    text = "\n".join(lines)
    logger.write(f"<pre>{escape(text)}</pre>", html=True)


def _reply_text(reply: Reply) -> str:
    call = reply.call
    if call.panic is not None:
        return f"crash: {call.panic}"
    if call.error is not None:
        return call.error
    if call.structured is not None:
        return json.dumps(call.structured)
    return call.text or "none"
