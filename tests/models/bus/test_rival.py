"""A second master takes its share of the bus, or the whole of it, and gives it back."""

from __future__ import annotations

import pytest

from renode.peripherals.bus.i2c import SCL
from renode.peripherals.bus.rival import RivalMaster
from renode.peripherals.transcript import Kind
from tests.models.bus.bench import BYTE, HALF, MS, US, Bench, Chip, write


def loaded() -> tuple[Bench, RivalMaster]:
    bench = Bench()
    bench.bus.attach(Chip(bench.host, "display", 0x3C))
    return bench, RivalMaster(bench.host, "rival", bench.bus)


def busy_share(bench: Bench, until_ns: int) -> float:
    """The part of the time between START and STOP, up to `until_ns`."""
    starts, stops = bench.at(Kind.START, "rival"), bench.at(Kind.STOP, "rival")
    stops += [until_ns] * (len(starts) - len(stops))
    return sum(stop - start for start, stop in zip(starts, stops, strict=True)) / until_ns


@pytest.mark.parametrize("duty", [0.25, 0.5, 0.9])
def test_a_load_takes_its_share(duty: float) -> None:
    bench, rival = loaded()
    rival.load(period_ns=10 * MS, duty=duty, address=0x3C)
    bench.host.run_until(100 * MS)
    assert len(bench.at(Kind.START)) == 10
    # A burst ends with the byte that is under way: at most 90 us of 10 ms more, 10 us less.
    assert duty - 0.001 <= busy_share(bench, 100 * MS) <= duty + 0.009


def test_a_full_load_leaves_nothing() -> None:
    bench, rival = loaded()
    rival.load(period_ns=MS, duty=1.0, address=0x3C)
    bench.host.run_for(2 * HALF)  # past the start hold, within which it could still join
    bench.master.play(write(0x20, 0x03))
    bench.host.run_until(100 * MS)
    assert bench.at(Kind.START, "master") == []
    assert busy_share(bench, 100 * MS) > 0.999


def test_a_load_of_an_address_that_nobody_has_goes_on() -> None:
    bench, rival = loaded()
    rival.load(period_ns=10 * MS, duty=0.5, address=0x7A)
    bench.host.run_until(10 * MS)
    # One address takes S 5 + 90 + P 5 + 5 free = 105 us; 5 ms hold 48 of them.
    assert len(bench.at(Kind.STOP)) == 5 * MS // (BYTE + 3 * HALF) + 1


def test_a_new_load_replaces_the_old_one() -> None:
    bench, rival = loaded()
    rival.load(period_ns=MS, duty=0.2, address=0x3C)
    bench.host.run_for(MS // 2)
    rival.load(period_ns=10 * MS, duty=0.01, address=0x3C)
    bench.host.run_until(30 * MS)
    # at 0 and then at 0.5, 10.5 and 20.5 ms
    assert len(bench.at(Kind.START)) == 4


def test_taking_the_bus_holds_scl_after_the_address() -> None:
    bench, rival = loaded()
    rival.take(hold_ns=20 * MS, address=0x3C)
    bench.host.run_for(2 * HALF)  # past the start hold, within which it could still join
    bench.master.play(write(0x20, 0x03, 0x55))
    bench.host.run_all()
    begun = HALF + BYTE
    assert bench.at(Kind.HOLD) == [begun]
    assert bench.at(Kind.RELEASE) == [begun + 20 * MS]
    assert bench.at(Kind.STOP, "rival") == [begun + 20 * MS + HALF]
    assert bench.at(Kind.START, "master") == [begun + 20 * MS + 3 * HALF]
    assert bench.chip.dump()["R3"] == 0x55


def test_taking_the_bus_waits_for_the_transfer_under_way() -> None:
    bench, rival = loaded()
    bench.master.play(write(0x20, 0x03, 0x55))
    bench.host.run_for(US * 100)
    rival.take(hold_ns=MS, address=0x3C)
    bench.host.run_all()
    assert bench.at(Kind.START, "rival") == [290 * US]


def test_taking_the_bus_again_after_losing_it() -> None:
    bench, rival = loaded()
    bench.master.play(write(0x20, 0x03, 0x55))  # 0x20 beats 0x3C
    rival.take(hold_ns=MS, address=0x3C)
    bench.host.run_all()
    assert len(bench.at(Kind.ARBITRATION_LOST, "rival")) == 1
    assert bench.at(Kind.ADDRESS, "rival") == [290 * US + BYTE]


def test_taking_the_bus_in_the_middle_of_a_load() -> None:
    bench, rival = loaded()
    rival.load(period_ns=10 * MS, duty=0.5, address=0x3C)
    bench.host.run_for(MS)
    rival.take(hold_ns=MS, address=0x20)
    bench.host.run_until(9 * MS)
    addresses = [event.data[0] for event in bench.events(Kind.ADDRESS)]
    # the burst gives way to the hold, and takes the rest of its share afterwards
    assert addresses == [0x3C, 0x20, 0x3C]
    assert len(bench.at(Kind.HOLD)) == 1


def test_quiet_finishes_the_transfer_and_starts_no_other() -> None:
    bench, rival = loaded()
    rival.load(period_ns=MS, duty=0.5, address=0x3C)
    bench.host.run_for(US * 200)
    rival.quiet()
    bench.host.run_all()
    assert bench.said()[-1] == "P"
    assert len(bench.at(Kind.START)) == 1
    assert not bench.bus.busy


def test_quiet_withdraws_a_start_that_waits() -> None:
    bench, rival = loaded()
    bench.bus.hold(SCL, "thumb", MS)
    rival.load(period_ns=10 * MS, duty=0.5, address=0x3C)
    rival.take(hold_ns=MS, address=0x3C)
    rival.quiet()
    bench.host.run_all()
    assert bench.at(Kind.START) == []


def test_a_reset_lets_go_of_the_bus() -> None:
    bench, rival = loaded()
    rival.load(period_ns=MS, duty=0.5, address=0x3C)
    bench.host.run_for(US * 200)
    rival.reset()
    assert not bench.bus.busy
    bench.host.run_all()
    assert len(bench.at(Kind.START)) == 1
