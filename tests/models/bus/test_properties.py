"""Whatever is done to the bus, transcript and chip tell the same story, and the bus recovers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from renode.peripherals.bus.i2c import SCL, SDA, BusTiming, I2CBus
from renode.peripherals.bus.policies import (
    BusPolicy,
    ClampRegister,
    IgnoreWrites,
    Occasions,
    RefuseByte,
)
from renode.peripherals.bus.rival import RivalMaster
from renode.peripherals.chips.es8388 import ES8388
from renode.peripherals.registers import Interposer, Register, RegisterBank
from renode.peripherals.transcript import Event, Kind, Transcript
from tests.models.bus.bench import MS, US, Chip, ScriptedMaster, Stretch, Symbol, read, write
from tests.models.fake_host import FakeHost

CHIP, NOBODY = 0x10, 0x3C
GIVE_UP = 20 * MS
"""After this long a master resets itself and clears the bus, as drivers do."""

times = st.integers(0, 15_000).map(lambda us: us * US)
registers = st.integers(0, 15)
values = st.integers(0, 255)
transfers = st.one_of(
    st.builds(lambda r, data: write(CHIP, r, *data), registers, st.lists(values, max_size=3)),
    st.builds(lambda r, count: read(CHIP, r, count), registers, st.integers(1, 3)),
    st.builds(lambda r: write(NOBODY, r), registers),
)
occasions = st.builds(
    Occasions,
    times=st.none() | st.integers(0, 3),
    skip=st.integers(0, 3),
    from_ns=times,
    until_ns=st.none() | times,
)
policies: st.SearchStrategy[BusPolicy] = st.one_of(
    st.builds(
        RefuseByte,
        address=st.sampled_from([CHIP, NOBODY]),
        occasions=occasions,
        index=st.none() | st.integers(0, 3),
        register=st.none() | registers,
    ),
    st.builds(
        Stretch,
        ns=st.integers(1, 3_000).map(lambda us: us * US),
        occasions=occasions,
        index=st.integers(0, 3),
    ),
)
holds = st.tuples(
    st.sampled_from([SCL, SDA]),
    st.sampled_from(["thumb", "short"]),
    times,
    st.none() | st.integers(1, 5_000).map(lambda us: us * US),
)
rivals = st.one_of(
    st.tuples(
        st.just("load"),
        times,
        st.tuples(st.integers(200, 4_000).map(lambda us: us * US), st.floats(0, 1)),
    ),
    st.tuples(st.just("take"), times, st.tuples(st.integers(0, 4_000).map(lambda us: us * US))),
    st.tuples(st.just("quiet"), times, st.just(())),
)
clamps = st.tuples(registers, values, values).map(lambda item: (item[0], *sorted(item[1:])))


def interposers(
    bank: type[RegisterBank], clamped: Iterable[tuple[int, ...]], ignored: Iterable[int]
) -> list[Interposer]:
    return [
        *(ClampRegister(bank.register(r), low, high) for r, low, high in clamped),
        *(IgnoreWrites(bank.register(r)) for r in ignored),
    ]


class Rig:
    """A chip at 0x10, a master, a rival, and everything that disturbs them."""

    def __init__(self, chip_class: type[Chip] | type[ES8388], rival_hz: int) -> None:
        self.host = FakeHost()
        self.transcript = Transcript()
        self.bus = I2CBus(self.host, "bus", self.transcript)
        self.chip = chip_class(self.host, "chip", CHIP)
        self.bus.attach(self.chip)
        self.master = ScriptedMaster(self.bus)
        self.rival = RivalMaster(self.host, "rival", self.bus, rival_hz)

    def play(self, script: list[Symbol]) -> None:
        """One transfer, given up when it takes too long."""
        heard = len(self.master.heard)
        deadline = self.host.now + GIVE_UP
        self.master.play(script)
        while not {("stopped",), ("lost",)} & set(self.master.heard[heard:]):
            due = self.host.next_event_ns()
            if due is None or due > deadline:
                self.host.run_until(deadline)
                self.give_up()
                return
            self.host.run_until(due)

    def give_up(self) -> None:
        self.master.abandon()
        self.bus.clear(self.master, 9, BusTiming.at(100_000))
        self.host.run_for(MS)
        self.bus.cancel_clear(self.master)

    def end(self) -> None:
        """Every disturbance goes, and the master recovers the bus if it must."""
        self.host.run_until(max(self.host.now, 20 * MS))  # all that was planned has begun
        self.bus.policies.clear()
        self.rival.quiet()
        for line in (SCL, SDA):
            for holder in ("thumb", "short"):
                self.bus.release(line, holder)
        self.host.run_all()
        if self.bus.busy:
            self.give_up()


def bytes_taken(events: Iterable[Event]) -> list[list[int]]:
    """The acknowledged bytes of each write to the chip; lock-step masters count once."""
    writes: list[list[int]] = []
    last = -1
    for event in events:
        if event.kind is Kind.ADDRESS and event.t_ns != last:
            address, reading, acked = event.data
            writes.append([])
            addressed = address == CHIP and not reading and acked
            last = event.t_ns
        elif event.kind is Kind.WRITE and event.t_ns != last:
            _, value, acked = event.data
            last = event.t_ns
            if addressed and acked:
                writes[-1].append(value)
    return writes


def interposed(bad: Iterable[Interposer], register: Register, value: int) -> int | None:
    taken: int | None = value
    for interposer in bad:
        if taken is not None:
            taken = interposer.written(register, taken)
    return taken


def replayed_chip(writes: list[list[int]], bad: list[Interposer]) -> dict[str, int]:
    """What `Chip` holds after these writes: a pointer, then data at rising registers."""
    stored = [0xA5] * 16
    for pointer, *data in filter(None, writes):
        for i, value in enumerate(data):
            number = pointer + i & 15
            taken = interposed(bad, Chip.r(number), value)
            if taken is not None:
                stored[number] = taken
    return {f"R{number}": value for number, value in enumerate(stored)}


def replayed_codec(writes: list[list[int]], bad: list[Interposer]) -> dict[str, int]:
    """What the ES8388 holds: one register a write; SCPReset (0x00 bit 7) resets them all."""
    resets = {register.offset: register.reset for register in ES8388.registers}
    stored = dict(resets)
    for write_ in writes:
        if len(write_) < 2 or write_[0] not in stored:
            continue
        taken = interposed(bad, ES8388.register(write_[0]), write_[1])
        if taken is not None and write_[0] == 0 and taken & 0x80:
            stored = dict(resets)
        elif taken is not None:
            stored[write_[0]] = taken
    return {register.name: stored[register.offset] for register in ES8388.registers}


FOLLOWS = {
    None: {Kind.START, Kind.ABANDONED},
    Kind.START: {Kind.ADDRESS, Kind.ARBITRATION_LOST, Kind.ABANDONED},
    Kind.ADDRESS: {
        *(Kind.WRITE, Kind.READ, Kind.RESTART, Kind.STOP),
        *(Kind.ARBITRATION_LOST, Kind.ABANDONED),
    },
}
FOLLOWS[Kind.RESTART] = FOLLOWS[Kind.START]
FOLLOWS[Kind.WRITE] = FOLLOWS[Kind.READ] = FOLLOWS[Kind.ADDRESS]
FOLLOWS[Kind.STOP] = FOLLOWS[Kind.ARBITRATION_LOST] = FOLLOWS[Kind.ABANDONED] = FOLLOWS[None]


def check_grammar(rig: Rig) -> None:
    """Each master's events by the grammar of a transfer, ended, and no faster than its clock."""
    events = rig.transcript.events
    assert [event.t_ns for event in events] == sorted(event.t_ns for event in events)
    # The high time may be cut short by the faster of the two.
    high = min(rig.master.timing.high_ns, rig.rival.timing.high_ns)
    for master in (rig.master, rig.rival):
        byte_ns = 9 * (master.timing.low_ns + high)
        last: Kind | None = None
        since = 0
        for event in events:
            if event.source != master.name or event.kind in (Kind.HOLD, Kind.RELEASE, Kind.CLEAR):
                continue
            assert event.kind in FOLLOWS[last], f"{event} after {last}"
            if event.kind in (Kind.ADDRESS, Kind.WRITE, Kind.READ):
                assert event.t_ns - since >= byte_ns
            last, since = event.kind, event.t_ns
        assert Kind.START in FOLLOWS[last]


def check(
    chip_class: type[Chip] | type[ES8388],
    script: list[list[Symbol]],
    disturbances: tuple[list[BusPolicy], list[Any], list[Any], int],
    bad: list[Interposer],
) -> Rig:
    bus_policies, line_holds, rival_acts, rival_hz = disturbances
    rig = Rig(chip_class, rival_hz)
    rig.chip.interposers.extend(bad)
    rig.bus.policies.extend(bus_policies)
    for line, holder, t_ns, ns in line_holds:
        rig.host.call_at(t_ns, rig.bus, "hold", line, holder, None if ns is None else t_ns + ns)
    for act, t_ns, arguments in rival_acts:
        address = () if act == "quiet" else (CHIP if t_ns % (2 * US) else NOBODY,)
        rig.host.call_at(t_ns, rig.rival, act, *arguments, *address)
    for transfer in script:
        rig.play(transfer)
    rig.end()
    assert not rig.bus.busy
    check_grammar(rig)
    writes = bytes_taken(rig.transcript)
    replay = replayed_chip if chip_class is Chip else replayed_codec
    assert rig.chip.dump() == replay(writes, bad)
    return rig


disturbances = st.tuples(
    st.lists(policies, max_size=3),
    st.lists(holds, max_size=3),
    st.lists(rivals, max_size=3),
    st.sampled_from([100_000, 400_000]),
)
scripts = st.lists(transfers, min_size=1, max_size=6)


@settings(max_examples=300, deadline=None)
@given(scripts, disturbances, st.lists(clamps, max_size=2), st.lists(registers, max_size=2))
def test_transcript_and_registers_agree(
    script: list[list[Symbol]],
    disturbances: tuple[list[BusPolicy], list[Any], list[Any], int],
    clamped: list[tuple[int, ...]],
    ignored: list[int],
) -> None:
    rig = check(Chip, script, disturbances, interposers(Chip, clamped, ignored))
    rig.chip.interposers.clear()
    before = len(rig.transcript)
    rig.play(write(CHIP, 0x07, 0x77))
    assert rig.transcript.events[-1].kind is Kind.STOP, rig.transcript.events[before:]
    assert rig.chip.dump()["R7"] == 0x77


@settings(max_examples=150, deadline=None)
@given(scripts, disturbances, st.lists(clamps, max_size=2), st.lists(registers, max_size=2))
def test_transcript_and_codec_agree(
    script: list[list[Symbol]],
    disturbances: tuple[list[BusPolicy], list[Any], list[Any], int],
    clamped: list[tuple[int, ...]],
    ignored: list[int],
) -> None:
    check(ES8388, script, disturbances, interposers(ES8388, clamped, ignored))
