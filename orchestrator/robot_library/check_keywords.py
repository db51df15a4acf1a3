"""Keywords that judge replies and look at the hardware."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NoReturn

from robot.api.deco import keyword

from orchestrator.errors import TruestageError, nearest
from orchestrator.faults.base import find_register
from orchestrator.robot_library.log import log_reply, log_transcript
from orchestrator.robot_library.session import Reply, Session, findings
from orchestrator.robot_library.values import Decibels, milliseconds
from orchestrator.tool_arguments import from_text
from orchestrator.truth import Stage, Verdict
from renode.peripherals.chips import ES8388
from renode.peripherals.chips.es8388 import OUTPUTS

_STEP_MS = 0.1
_TOLERANCE = Decibels(0.25)
"""Half a step of the codec's digital volume."""


class CheckKeywords:
    """What the last reply claimed, what the hardware is, and whether the two agree."""

    session: Session

    # -- replies -----------------------------------------------------------------------------

    @keyword("Stage Should Be")
    def stage_should_be(self, stage: Stage) -> None:
        """The last reply claims this stage: how far the operation got, in its own words."""
        reply = self.session.last
        if reply.call.stage is not stage:
            self._fail(reply, f"the stage is {_stage(reply)}, not {stage.value}")

    @keyword("Detail Should Be")
    def detail_should_be(self, key: str, expected: Any) -> None:
        """The last reply's detail has this value under a key; ``null`` for none.

        | Detail Should Be | readback | 60 |
        | Detail Should Be | error | nack |
        """
        actual, wanted = self._detail(key), from_text(expected)
        if actual != wanted:
            self._fail(self.session.last, f"detail '{key}' is {actual}, not {wanted}")

    @keyword("Detail Should Be At Most")
    def detail_should_be_at_most(self, key: str, limit: float) -> None:
        """The last reply's detail has a number under a key, and it is not above the limit."""
        actual = self._detail(key)
        if not isinstance(actual, int | float) or actual > limit:
            self._fail(self.session.last, f"detail '{key}' is {actual}, not at most {limit:g}")

    @keyword("Reply Should Come Within")
    def reply_should_come_within(self, time: timedelta) -> None:
        """The last reply is complete within this time from the request's first bit."""
        self._must_come_within(milliseconds(time), [self.session.last])

    @keyword("All Replies Should Come Within")
    def all_replies_should_come_within(self, time: timedelta) -> None:
        """Every reply of this test was complete within this time from its request's first bit."""
        self._must_come_within(milliseconds(time), self._replies())

    @keyword("Replies With Stage Should Be")
    def replies_with_stage_should_be(self, stage: Stage, count: int) -> None:
        """Exactly so many replies of this test claim the stage."""
        actual = self._count(stage)
        if actual != count:
            raise AssertionError(f"{actual} replies say {stage.value}, not {count}")

    @keyword("Replies With Stage Should Be At Least")
    def replies_with_stage_should_be_at_least(self, stage: Stage, count: int) -> None:
        """At least so many replies of this test claim the stage."""
        actual = self._count(stage)
        if actual < count:
            raise AssertionError(f"{actual} replies say {stage.value}, not at least {count}")

    # -- verdicts ----------------------------------------------------------------------------

    @keyword("Reply Should Match Hardware")
    def reply_should_match_hardware(self) -> None:
        """The last reply claims no more and no less than the hardware shows."""
        self._must_be_honest([self.session.last])

    @keyword("All Replies Should Match Hardware")
    def all_replies_should_match_hardware(self) -> None:
        """Every reply of this test claims no more and no less than the hardware shows."""
        self._must_be_honest(self._replies())

    @keyword("Verdict Should Be")
    def verdict_should_be(self, verdict: Verdict) -> None:
        """The last reply's verdict is this one, e.g. ``honest`` or ``false success``.

        For a test that shows a known lie: the reply then no longer fails the test by itself.
        """
        reply = self.session.last
        judgement = self.session.judge(reply)
        if judgement.verdict is not verdict:
            log_reply(self.session.device, reply)
            raise AssertionError(f"{reply.finding} (expected: {verdict.value})")

    @keyword("Device Should Still Work")
    def device_should_still_work(self, tool: str | None = None, **arguments: Any) -> None:
        """Without faults and after one heartbeat, a clean call succeeds honestly.

        Unless a tool is given, it is the board's first one that sets something, with a value
        that the hardware does not have yet.
        """
        if tool is None:
            tool, arguments = self.session.clean_call()
        else:
            arguments = self.session.checked(tool, arguments)
        reply = self.session.check_up(tool, arguments)
        log_reply(self.session.device, reply)
        if reply.judgement.verdict is not Verdict.HONEST:
            raise AssertionError(reply.finding)

    # -- hardware ----------------------------------------------------------------------------

    @keyword("Output Gain Should Be")
    def output_gain_should_be(
        self,
        output: str,
        gain: Decibels,
        tolerance: Decibels = _TOLERANCE,
        chip: str | None = None,
    ) -> None:
        """An analogue output has this gain once its soft ramp has ended, whatever was replied.

        | Output Gain Should Be | LOUT1 | -20 dB |
        | Output Gain Should Be | ROUT1 | silent |
        """
        codec = self._codec(chip, output)
        _compare_gain(codec, output, codec.settled_gain_db(output), gain, tolerance)

    @keyword("Output Gain Now Should Be")
    def output_gain_now_should_be(
        self,
        output: str,
        gain: Decibels,
        tolerance: Decibels = _TOLERANCE,
        chip: str | None = None,
    ) -> None:
        """An analogue output has this gain at this instant, also in the middle of a soft ramp."""
        codec = self._codec(chip, output)
        _compare_gain(codec, output, codec.output_gain_db(output), gain, tolerance)

    @keyword("Register Should Be")
    def register_should_be(self, chip: str, register: str, value: int) -> None:
        """A chip's register holds this value. It is read from the chip, not by the firmware.

        | Register Should Be | es8388 | DACCONTROL4 | 0x28 |
        """
        bank, found = find_register(self.session.device.hardware, chip, register)
        actual = bank.peek(found)
        if actual != value:
            raise AssertionError(f"{chip} {found.name} is {actual:#04x}, not {value:#04x}")

    @keyword("Bus Should Be Idle")
    def bus_should_be_idle(self, within: timedelta = timedelta(milliseconds=20)) -> None:
        """The I2C bus comes to rest: both lines high and nobody on it.

        A transfer under way may end; a display page takes 12 ms at 100 kHz.
        """
        device = self.session.device
        bus = device.hardware.bus
        end_ns = device.now_ns() + round(milliseconds(within) * 1e6)
        while bus.busy and device.now_ns() < end_ns:
            device.run_for(_STEP_MS)
        if bus.busy:
            log_transcript(device, end_ns - 100_000_000)
            lines = [("SCL", bus.scl_held), ("SDA", bus.sda_held)]
            held = [name for name, low in lines if low]
            why = f"{' and '.join(held)} held low" if held else "a transfer does not end"
            raise AssertionError(f"the bus is not idle: {why}")

    @keyword("Console Should Contain")
    def console_should_contain(self, text: str) -> None:
        """The firmware has logged this text on its console since the test began."""
        if text not in self._console():
            raise AssertionError(f"the console does not contain '{text}'{self._last_words()}")

    @keyword("Console Should Not Contain")
    def console_should_not_contain(self, text: str) -> None:
        """The firmware has not logged this text on its console since the test began."""
        for line in self._console().splitlines():
            if text in line:
                raise AssertionError(f"the console contains '{text}': {line.strip()}")

    # -- helpers -----------------------------------------------------------------------------

    def _replies(self) -> list[Reply]:
        assert self.session.last
        return list(self.session.replies)

    def _count(self, stage: Stage) -> int:
        return sum(reply.call.stage is stage for reply in self._replies())

    def _detail(self, key: str) -> Any:
        call = self.session.last.call
        details = (call.structured or {}).get("detail")
        if not isinstance(details, dict):
            raise AssertionError(f"{self.session.last.label}: the reply has no detail")
        if key not in details:
            hint = nearest(key, details) or f" (it has {', '.join(details)})"
            raise AssertionError(f"the reply's detail has no '{key}'{hint}")
        return details[key]

    def _must_come_within(self, limit_ms: float, replies: list[Reply]) -> None:
        for reply in replies:
            took = reply.call.elapsed_ms
            if reply.call.reply_ns is None:
                self._fail(reply, f"no reply within {took:g} ms")
            if took > limit_ms:
                self._fail(reply, f"the reply took {took:.1f} ms, not {limit_ms:g} ms")

    def _must_be_honest(self, replies: list[Reply]) -> None:
        lies = [
            reply for reply in replies if self.session.judge(reply).verdict is not Verdict.HONEST
        ]
        if lies:
            log_reply(self.session.device, lies[0])
            raise AssertionError(findings(lies))

    def _fail(self, reply: Reply, why: str) -> NoReturn:
        """Fail with the reply and its truth in sight: Robot's log opens at what failed."""
        log_reply(self.session.device, reply)
        raise AssertionError(f"{reply.label}: {why}")

    def _codec(self, chip: str | None, output: str) -> ES8388:
        chips = self.session.device.hardware.chips
        codecs = {name: model for name, model in chips.items() if isinstance(model, ES8388)}
        if output not in OUTPUTS:
            hint = nearest(output, OUTPUTS) or f" (it has {', '.join(OUTPUTS)})"
            raise TruestageError(f"the codec has no output '{output}'{hint}")
        for name, codec in codecs.items():
            if chip in (None, name):
                return codec
        known = ", ".join(codecs) or "none"
        raise TruestageError(f"the board has no codec '{chip or ''}' (it has {known})")

    def _last_words(self) -> str:
        words = self.session.device.last_words()
        return f"; its last words: {words}" if words else "; it is silent"

    def _console(self) -> str:
        return self.session.device.console.decode("utf-8", "replace")


def _stage(reply: Reply) -> str:
    return reply.call.stage.value if reply.call.stage else "missing (no reply)"


def _compare_gain(
    codec: ES8388, output: str, actual: float, wanted: float, tolerance: float
) -> None:
    if actual == wanted or abs(actual - wanted) <= tolerance + 1e-9:
        return
    causes = codec.silent_because(output)
    why = f" ({'; '.join(causes)})" if causes else ""
    raise AssertionError(f"{output} is {_db(actual)}{why}, not {_db(wanted)}")


def _db(gain: float) -> str:
    return "silent" if gain == float("-inf") else f"at {gain:.1f} dB"
