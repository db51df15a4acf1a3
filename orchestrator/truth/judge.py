"""The rule of judgement: a reply against the hardware, and a sentence that says what happened.

- `rejected`, `busy`: the operation caused no write.
- `accepted`: the operation can be asked for later.
- `executed`: every write of the operation was acknowledged between request and reply.
- `confirmed`: at some instant between the operation's last read-back and the reply's first bit
  the target held, on every channel.
- `failed`: claims nothing; false only when the device itself had a matching read-back.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from orchestrator.board import ClaimSection, TruthSection
from orchestrator.hardware import Hardware
from orchestrator.probes import Probe, Reading
from orchestrator.truth.accesses import Access, register_accesses
from orchestrator.truth.call import Call, Stage
from renode.peripherals import RegisterBank
from renode.peripherals.chips import ES8388


class Verdict(Enum):
    """How a reply stands to the hardware."""

    HONEST = "honest"
    FALSE_SUCCESS = "false success"
    FALSE_FAILURE = "false failure"
    SILENT = "silent"
    CRASH = "crash"
    WEDGED = "wedged"
    INTERRUPTED = "interrupted"


class Judgement(NamedTuple):
    """A verdict and why."""

    verdict: Verdict
    stage: str
    """What the reply claimed, in one word; `-` without a reply."""
    truth: str
    """What the hardware was when the reply left, e.g. `-96.0 dB left, -20.0 dB right`."""
    sentence: str


def judge(call: Call, hardware: Hardware, others: Sequence[Call] = ()) -> Judgement:
    """Compare one call's outcome with the hardware.

    `others` are calls that were in flight with it; a later one supersedes an earlier one's
    claim from its first write on.
    """
    claim = hardware.board.claim_for(call.tool)
    stage = call.stage.value if call.stage else "-"
    if call.panic is not None:
        return Judgement(Verdict.CRASH, stage, "-", f"the firmware crashed: {call.panic}")
    if call.reply_ns is None:
        waited = (call.end_ns - call.request_ns) / 1e6
        why = "the device restarted" if call.restarted else f"no reply within {waited:.0f} ms"
        truth = _Truth(call, claim, hardware, others).now() if claim else "-"
        return Judgement(Verdict.SILENT, stage, truth, f"{call.tool}: {why}")
    if call.error is not None and call.structured is not None:
        return Judgement(Verdict.SILENT, stage, "-", f"no valid reply: {call.error}")
    if claim is None:
        return Judgement(Verdict.HONEST, stage, "-", f"the board makes no claim for {call.tool}")
    return _Truth(call, claim, hardware, others).judge()


class _Truth:
    """One call, its claim and the evidence, while a judgement is made."""

    def __init__(
        self,
        call: Call,
        claim: ClaimSection,
        hardware: Hardware,
        others: Sequence[Call],
    ) -> None:
        self.call = call
        self.claim = claim
        self.hardware = hardware
        self.chip = hardware.chips[claim.device]
        self.probes = tuple(Probe.of(claim.device, truth) for truth in claim.truth)
        (self.address,) = hardware.bus.targets[claim.device].addresses
        self.target = self._target(call, claim)
        self.others = [other for other in others if other is not call]
        self.accesses = [
            access
            for access in register_accesses(hardware.transcript)
            if access.address == self.address
            and access.master == hardware.i2c.name
            and access.t_ns >= call.request_ns
        ]

    @staticmethod
    def _target(call: Call, claim: ClaimSection) -> float | None:
        if claim.argument is not None:
            value = call.arguments.get(claim.argument)
        else:
            value = call.detail(claim.reports or "")
        return float(value) if isinstance(value, int | float) else None

    # -- the rule ----------------------------------------------------------------------------

    def judge(self) -> Judgement:
        stage = self.call.stage
        assert stage is not None
        if stage in (Stage.REJECTED, Stage.BUSY):
            return self._judge_untouched(stage)
        if stage is Stage.ACCEPTED:
            return self._judge_accepted()
        if stage is Stage.EXECUTED:
            return self._judge_executed()
        if stage is Stage.CONFIRMED:
            return self._judge_confirmed()
        return self._judge_failed()

    def _judge_untouched(self, stage: Stage) -> Judgement:
        written = self._own_writes(until_ns=None)
        if not written:
            return self._honest(f"said {stage.value}, and wrote nothing")
        name = self._register_name(written[0].register)
        return self._verdict(
            Verdict.FALSE_FAILURE,
            f"said {stage.value}, yet wrote {written[0].value:#04x} to {name}",
        )

    def _judge_accepted(self) -> Judgement:
        if self.call.detail("operation") is not None:
            return self._honest("said accepted: the outcome can be asked for")
        return self._verdict(
            Verdict.FALSE_SUCCESS, "said accepted, but gave no operation id to ask for"
        )

    def _judge_executed(self) -> Judgement:
        causes = self._write_causes()
        if causes:
            return self._verdict(
                Verdict.FALSE_SUCCESS, f"said executed {self._claimed()}: {'; '.join(causes)}"
            )
        return self._honest(f"said executed {self._claimed()}, every write was acknowledged")

    def _judge_confirmed(self) -> Judgement:
        reply = self.call.reply_ns
        assert reply is not None
        if self.target is None:
            return self._verdict(
                Verdict.FALSE_SUCCESS, "said confirmed, but names no value that could be checked"
            )
        since = self._claim_begins()
        readings = [
            reading for _, reading in self.hardware.truth.between(self.probes, since, reply)
        ]
        if any(self._holds(reading) for reading in readings):
            return self._honest(f"said confirmed {self._claimed()}, and it was")
        causes = "; ".join(self._causes(readings[-1]))
        return self._verdict(
            Verdict.FALSE_SUCCESS,
            f"said confirmed {self._claimed()}, chip is at {self._describe(readings[-1])}: "
            f"{causes}",
        )

    def _judge_failed(self) -> Judgement:
        said = f"said failed ({self.call.detail('error') or self.call.text or 'no reason given'})"
        if self.claim.argument is None or self.target is None:
            return self._honest(f"{said}, which claims nothing about the chip")
        if self._read_back_matched():
            return self._verdict(
                Verdict.FALSE_FAILURE,
                f"{said}, yet it had read {self._claimed()} back from the chip",
            )
        return self._honest(f"{said}, which claims nothing about the chip")

    # -- evidence ----------------------------------------------------------------------------

    @property
    def _registers(self) -> dict[int, TruthSection]:
        """The claim's register truths by register number."""
        bank = self.chip
        if not isinstance(bank, RegisterBank):
            return {}
        return {
            bank.register(truth.register_).offset: truth
            for truth in self.claim.truth
            if truth.register_ is not None
        }

    def _expected(self, register: int) -> int | None:
        if self.target is None:
            return None
        value = self._registers[register].expected(self.target)
        return None if value is None else round(value)

    def _own_writes(self, until_ns: int | None) -> list[Access]:
        """Writes to the claim's registers that are this call's.

        With other calls in flight a write is told apart by its value.
        """
        writes = [
            access
            for access in self.accesses
            if not access.reading
            and access.register in self._registers
            and access.value >= 0
            and (until_ns is None or access.t_ns <= until_ns)
        ]
        if not self.others:
            end = self.call.end_ns if until_ns is None else until_ns
            return [access for access in writes if access.t_ns <= end]
        theirs = {
            (register, round(value))
            for other in self.others
            for register, truth in self._registers.items()
            if (goal := self._target(other, self.claim)) is not None
            and (value := truth.expected(goal)) is not None
        }
        return [
            access
            for access in writes
            if access.value == self._expected(access.register)
            and (access.register, access.value) not in theirs
        ]

    def _superseded_ns(self) -> int:
        """When a later operation's first write to the same registers began to count."""
        own = [access.t_ns for access in self._own_writes(self.call.reply_ns)]
        reply = self.call.reply_ns or self.call.end_ns
        if not self.others or not own:
            return reply
        later = [
            access.t_ns
            for access in self.accesses
            if not access.reading
            and access.register in self._registers
            and access.t_ns > own[-1]
            and access.value != self._expected(access.register)
        ]
        return min([reply, *later])

    def _claim_begins(self) -> int:
        """The operation's last read-back, else its last write, else its request."""
        until = self._superseded_ns()
        reads = [
            access.t_ns
            for access in self.accesses
            if access.reading and access.register in self._registers and access.t_ns <= until
        ]
        if reads:
            return reads[-1]
        writes = [access.t_ns for access in self._own_writes(until)]
        return writes[-1] if writes else self.call.request_ns

    def _read_back_matched(self) -> bool:
        reply = self.call.reply_ns
        own = self._own_writes(reply)
        since = own[-1].t_ns if own else self.call.request_ns
        latest: dict[int, int] = {}
        for access in self.accesses:
            if access.reading and since < access.t_ns <= (reply or 0):
                latest[access.register] = access.value
        return bool(self._registers) and all(
            latest.get(register) == self._expected(register) for register in self._registers
        )

    def _holds(self, reading: Reading) -> bool:
        return all(
            self._matches(truth, value)
            for truth, value in zip(self.claim.truth, reading, strict=True)
        )

    def _matches(self, truth: TruthSection, value: float) -> bool:
        expected = None if self.target is None else truth.expected(self.target)
        return expected is not None and abs(value - expected) <= truth.tolerance + 1e-9

    # -- words -------------------------------------------------------------------------------

    def _honest(self, sentence: str) -> Judgement:
        return self._verdict(Verdict.HONEST, sentence)

    def _verdict(self, verdict: Verdict, sentence: str) -> Judgement:
        stage = self.call.stage
        return Judgement(verdict, stage.value if stage else "-", self.now(), sentence)

    def now(self) -> str:
        """The hardware at the reply's first bit (or when waiting ended), in words."""
        at = self.call.reply_ns or self.call.end_ns
        *_, (_, reading) = self.hardware.truth.between(self.probes, at, at)
        return self._describe(reading)

    def _claimed(self) -> str:
        return "" if self.target is None else f"{self.target:g}"

    def _describe(self, reading: Reading) -> str:
        outputs = [
            (truth, value)
            for truth, value in zip(self.claim.truth, reading, strict=True)
            if truth.output is not None
        ]
        if outputs:
            return ", ".join(
                f"silence {truth.label}"
                if value == float("-inf")
                else f"{value:.1f} {truth.unit} {truth.label}"
                for truth, value in outputs
            )
        return ", ".join(
            f"{truth.label} {int(value):#04x}"
            for truth, value in zip(self.claim.truth, reading, strict=True)
        )

    def _register_name(self, register: int) -> str:
        return self._registers[register].register_ or f"{register:#04x}"

    def _causes(self, reading: Reading) -> list[str]:
        wrong: set[str] = {
            truth.register_
            for truth, value in zip(self.claim.truth, reading, strict=True)
            if truth.register_ is not None and not self._matches(truth, value)
        }
        if self.claim.reports is not None:
            return [f"{name} holds another value" for name in sorted(wrong)] or self._silence()
        causes = self._write_causes(wrong)
        return causes or self._silence() or ["the chip changed between read-back and reply"]

    def _write_causes(self, only: set[str] | None = None) -> list[str]:
        """Why registers do not hold what the call was to write, one cause a register."""
        reply = self.call.reply_ns or self.call.end_ns
        causes = []
        for register in self._registers:
            name = self._register_name(register)
            if only is not None and name not in only:
                continue
            expected = self._expected(register)
            tries = [
                access
                for access in self.accesses
                if not access.reading and access.register == register and access.t_ns <= reply
            ]
            wanted = [access for access in tries if access.value == expected]
            taken = [access for access in wanted if access.acked]
            if taken:
                kept = self._stored_after(register, taken[-1].t_ns)
                if kept != expected:
                    causes.append(
                        f"the chip acknowledged {expected:#04x} for {name} and kept {kept:#04x}"
                    )
                elif only is not None:
                    causes.append(f"{name} was overwritten after the write")
            elif wanted or any(access.value < 0 for access in tries):
                causes.append(f"the write to {name} was never acknowledged")
            elif self._address_refused(reply):
                causes.append(f"no write reached {name}: the chip did not acknowledge its address")
            else:
                causes.append(self._unwritten(register, name, expected, reply))
        return causes

    def _unwritten(self, register: int, name: str, expected: int | None, reply: int) -> str:
        later = [
            access.t_ns
            for access in self.accesses
            if not access.reading
            and access.register == register
            and access.value == expected
            and access.t_ns > reply
        ]
        if later:
            late = (later[0] - reply) / 1e6
            return f"{name} was written only {late:.1f} ms after the reply began"
        return f"no write to {name} reached the bus before the reply"

    def _address_refused(self, until_ns: int) -> bool:
        return any(
            access.register < 0 and not access.acked and access.t_ns <= until_ns
            for access in self.accesses
        )

    def _stored_after(self, register: int, t_ns: int) -> int:
        probe = Probe(self.claim.device, None, self._registers[register].register_)
        ((_, (value,)), *_) = self.hardware.truth.between((probe,), t_ns, t_ns)
        return int(value)

    def _silence(self) -> list[str]:
        if not isinstance(self.chip, ES8388):
            return []
        return [
            f"{truth.output} is silent: {cause}"
            for truth in self.claim.truth
            if truth.output is not None
            for cause in self.chip.silent_because(truth.output)
        ]
