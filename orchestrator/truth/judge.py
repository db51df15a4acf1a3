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
from orchestrator.truth.window import Pair, Rivals, claim_windows
from renode.peripherals import RegisterBank
from renode.peripherals.chips import ES8388
from renode.peripherals.transcript import Kind


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
        waited = f"no reply within {call.elapsed_ms:.0f} ms"
        why = "the device restarted" if call.restarted else waited
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
        later = [other for other in self.others if other.request_ns >= call.request_ns]
        earlier = [other for other in self.others if other.request_ns < call.request_ns]
        # What a tool reports is no operation: whoever writes, before or after, supersedes it.
        self.rivals = Rivals(
            alone=not self.others,
            earlier=self._written_by(earlier if claim.argument is not None else ()),
            later=self._written_by(later if claim.argument is not None else self.others),
        )
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
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value)

    def _written_by(self, calls: Sequence[Call]) -> frozenset[Pair]:
        """The registers and values that other operations on the same chip are to write."""
        pairs: set[Pair] = set()
        for call in calls:
            claim = self.hardware.board.claim_for(call.tool)
            if claim is None or claim.argument is None or claim.device != self.claim.device:
                continue
            goal = self._target(call, claim)
            if goal is None or call.stage in (Stage.REJECTED, Stage.BUSY):
                continue
            for register, truth in self._registers_of(claim).items():
                value = truth.expected(goal)
                if value is not None:
                    pairs.add((register, round(value)))
        return frozenset(pairs)

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
        end = self.call.end_ns
        written = [
            access
            for access in self._own_writes(self._next_request_ns())
            if access.t_ns <= end or self._is_ours(access)
        ]
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
        reply = self._heard_ns
        causes = [
            cause for register in self._registers if (cause := self._refusal(register, reply))
        ]
        if causes:
            return self._verdict(
                Verdict.FALSE_SUCCESS, f"said executed {self._claimed()}: {'; '.join(causes)}"
            )
        return self._honest(f"said executed {self._claimed()}, every write was acknowledged")

    def _judge_confirmed(self) -> Judgement:
        reply = self._heard_ns
        if self.target is None:
            return self._verdict(
                Verdict.FALSE_SUCCESS, "said confirmed, but names no value that could be checked"
            )
        truth = self.hardware.truth
        windows = claim_windows(
            self.accesses,
            self._registers,
            self._is_ours,
            self.rivals,
            self._decided_ns,
            reply,
        )
        for since, until in windows:
            if any(self._holds(reading) for _, reading in truth.between(self.probes, since, until)):
                return self._honest(f"said confirmed {self._claimed()}, and it was")
        *_, (_, reading) = truth.between(self.probes, reply, reply)
        causes = "; ".join(self._causes(reading))
        return self._verdict(
            Verdict.FALSE_SUCCESS,
            f"said confirmed {self._claimed()}, chip is at {self._describe(reading)}: {causes}",
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
        return self._registers_of(self.claim)

    def _registers_of(self, claim: ClaimSection) -> dict[int, TruthSection]:
        bank = self.chip
        if not isinstance(bank, RegisterBank):
            return {}
        return {
            bank.register(truth.register_).offset: truth
            for truth in claim.truth
            if truth.register_ is not None
        }

    @property
    def _heard_ns(self) -> int:
        """The reply's first bit, or when the caller stopped waiting."""
        return self.call.reply_ns if self.call.reply_ns is not None else self.call.end_ns

    @property
    def _decided_ns(self) -> int:
        """The request, or if outputs are all that the claim names, the last write to the chip."""
        if self._registers:
            return self.call.request_ns
        writes = [
            access.t_ns
            for access in self.accesses
            if not access.reading and access.t_ns <= self._heard_ns
        ]
        return writes[-1] if writes else self.call.request_ns

    def _next_request_ns(self) -> int:
        """When the host asked for something else, after this call and those in flight with it."""
        end = max(call.end_ns for call in (self.call, *self.others))
        later = self.hardware.transcript.since(end + 1)
        requests = [event.t_ns for event in later if event.kind is Kind.REQUEST]
        return min([self.hardware.host.now_ns(), *requests])

    def _expected(self, register: int) -> int | None:
        if self.target is None:
            return None
        value = self._registers[register].expected(self.target)
        return None if value is None else round(value)

    def _is_ours(self, access: Access) -> bool:
        """The access carries the value that this call is about."""
        return access.value >= 0 and self._matches(self._registers[access.register], access.value)

    def _writes_to(self, register: int, until_ns: int) -> list[Access]:
        return [
            access
            for access in self.accesses
            if not access.reading and access.register == register and access.t_ns <= until_ns
        ]

    def _own_writes(self, until_ns: int) -> list[Access]:
        """Writes to the claim's registers that are this call's.

        With other calls in flight a write is told apart by its value.
        """
        theirs = self.rivals.earlier | self.rivals.later
        return [
            access
            for access in self.accesses
            if not access.reading
            and access.register in self._registers
            and access.value >= 0
            and access.t_ns <= until_ns
            and (
                self.rivals.alone
                or (self._is_ours(access) and (access.register, access.value) not in theirs)
            )
        ]

    def _read_back_matched(self) -> bool:
        """The firmware read the target back from every register after its last write.

        With other calls in flight, only if none of them can have written or read it.
        """
        reply = self._heard_ns
        own = self._own_writes(reply)
        if not self.rivals.alone and (not own or self._somebody_else_reads()):
            return False
        since = own[-1].t_ns if own else self.call.request_ns
        latest = {
            access.register: self._is_ours(access)
            for access in self.accesses
            if access.reading
            and access.register in self._registers
            and since < access.t_ns <= reply
        }
        return bool(self._registers) and all(
            latest.get(register, False) for register in self._registers
        )

    def _somebody_else_reads(self) -> bool:
        claims = [self.hardware.board.claim_for(other.tool) for other in self.others]
        return any(
            claim is not None and claim.reports is not None and claim.device == self.claim.device
            for claim in claims
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
        at = self._heard_ns
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
            causes = [f"{name} holds another value" for name in sorted(wrong)]
        else:
            causes = [
                cause
                for register, truth in self._registers.items()
                if truth.register_ in wrong
                for cause in [self._difference(register, self._heard_ns)]
            ]
        return causes or self._silence() or self._misrouted(reading)

    def _refusal(self, register: int, until_ns: int) -> str | None:
        """Why a register cannot have got what the call was to write; None if it was taken."""
        name, expected = self._register_name(register), self._expected(register)
        tries = self._writes_to(register, until_ns)
        wanted = [access for access in tries if self._is_ours(access)]
        if wanted and wanted[-1].acked:
            return None
        if wanted or any(access.value < 0 for access in tries):
            return f"the write to {name} was never acknowledged"
        if tries and expected is not None:
            return f"{name} was written {tries[-1].value:#04x}, not {expected:#04x}"
        if self._address_refused(until_ns):
            return f"no write reached {name}: the chip did not acknowledge its address"
        return self._unwritten(register, name, until_ns)

    def _difference(self, register: int, until_ns: int) -> str:
        """Why a register does not hold what the call was to write."""
        taken = [
            access
            for access in self._writes_to(register, until_ns)
            if access.acked and self._is_ours(access)
        ]
        if not taken:
            return self._refusal(register, until_ns) or ""
        name, last = self._register_name(register), taken[-1]
        kept = self._stored_after(register, last.t_ns)
        if not self._matches(self._registers[register], kept):
            return f"the chip acknowledged {last.value:#04x} for {name} and kept {kept:#04x}"
        return f"{name} was overwritten after the write"

    def _unwritten(self, register: int, name: str, reply: int) -> str:
        later = [
            access.t_ns
            for access in self.accesses
            if not access.reading
            and access.register == register
            and access.t_ns > reply
            and self._is_ours(access)
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

    def _misrouted(self, reading: Reading) -> list[str]:
        """Outputs that are wrong although every register of the claim is right."""
        wrong = [
            f"{truth.output} is at {value:.1f} {truth.unit}, whatever the registers say"
            for truth, value in zip(self.claim.truth, reading, strict=True)
            if truth.output is not None and not self._matches(truth, value)
        ]
        return wrong or ["the chip changed after the claim had ended"]
