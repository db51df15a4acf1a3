"""The bus says what UM10204 says, when it says it; times are sums of SCL periods."""

from __future__ import annotations

import pytest

from renode.peripherals.bus.i2c import SCL, SDA, BusTiming
from renode.peripherals.bus.policies import BusPolicy, ByteOnWire, Occasions, RefuseByte
from renode.peripherals.transcript import Kind
from tests.models.bus.bench import (
    BIT,
    BYTE,
    HALF,
    MS,
    READ_ACK,
    START,
    STOP,
    US,
    Bench,
    Chip,
    ScriptedMaster,
    Stretch,
    read,
    write,
)


class TestTiming:
    @pytest.mark.parametrize(
        ("hz", "half", "bit"),
        [(100_000, 5_000, 10_000), (400_000, 1_250, 2_500)],
    )
    def test_a_register_write_is_start_hold_27_bits_and_stop_setup(
        self, hz: int, half: int, bit: int
    ) -> None:
        bench = Bench(hz)
        bench.master.play(write(0x20, 0x03, 0x55))
        bench.host.run_all()
        assert bench.at(Kind.START) == [half]
        assert bench.at(Kind.ADDRESS) == [half + 9 * bit]
        assert bench.at(Kind.WRITE) == [half + 18 * bit, half + 27 * bit]
        # 100 kHz: 5 + 270 + 5 = 280 us; 400 kHz: 1.25 + 67.5 + 1.25 = 70 us
        assert bench.at(Kind.STOP) == [half + 27 * bit + half]

    def test_a_repeated_start_takes_its_setup_and_hold(self) -> None:
        bench = Bench()
        bench.master.play(read(0x20, 0x00))
        bench.host.run_all()
        # S hold, two bytes, Sr set-up and hold
        assert bench.at(Kind.RESTART) == [HALF + 2 * BYTE + 2 * HALF]

    def test_the_next_start_keeps_the_bus_free_time(self) -> None:
        bench = Bench()
        bench.master.play(write(0x20, 0x03) + write(0x20, 0x03))
        bench.host.run_all()
        stop, _ = bench.at(Kind.STOP)
        # 5 us free, then SDA low for 5 us
        assert bench.at(Kind.START)[1] == stop + HALF + HALF


class TestProtocol:
    def test_write_and_read_back(self) -> None:
        bench = Bench()
        bench.master.play(write(0x20, 0x03, 0x55, 0x66) + read(0x20, 0x03, 3))
        bench.host.run_all()
        assert bench.master.received == [0x55, 0x66, 0xA5]
        assert bench.said() == [
            *("S", "a20+", "w03+", "w55+", "w66+", "P"),
            *("S", "a20+", "w03+", "Sr", "a20r+", "r55+", "r66+", "rA5-", "P"),
        ]

    def test_nobody_answers_a_free_address(self) -> None:
        bench = Bench()
        bench.master.play(write(0x21, 0x03, 0x55))
        bench.host.run_all()
        assert bench.said() == ["S", "a21-", "P"]
        assert bench.chip.calls == []

    def test_a_read_of_a_missing_chip_gives_ff(self) -> None:
        bench = Bench(polite=False)
        bench.master.play([START, ("send", 0x43), READ_ACK, STOP])
        bench.host.run_all()
        assert bench.master.received == [0xFF]

    def test_the_target_hears_of_repeated_start_and_stop(self) -> None:
        bench = Bench()
        bench.master.play(read(0x20, 0x03))
        bench.host.run_all()
        assert bench.chip.calls == [
            *(("start", False), ("write", 0x03), ("stop", None)),
            *(("start", True), ("read", 0xA5), ("acked", False), ("stop", None)),
        ]

    def test_two_chips_cannot_share_an_address(self) -> None:
        bench = Bench()
        with pytest.raises(ValueError, match="0x20 is chip's"):
            bench.bus.attach(Chip(bench.host, "other"))

    def test_a_master_without_a_start_is_a_model_error(self) -> None:
        bench = Bench()
        with pytest.raises(RuntimeError, match="without a START"):
            bench.bus.send(bench.master, 0)

    def test_a_master_that_speaks_twice_at_once_is_a_model_error(self) -> None:
        bench = Bench()
        bench.master.play([START, ("send", 0x40)])
        bench.host.run_for(HALF + BIT)
        with pytest.raises(RuntimeError, match="before its last symbol"):
            bench.bus.stop(bench.master)


class Listener(BusPolicy):
    def __init__(self) -> None:
        self.bytes: list[ByteOnWire] = []

        self.before_the_ninth_clock: list[ByteOnWire] = []

    def refuses(self, byte: ByteOnWire) -> bool:
        self.bytes.append(byte)
        return False

    def stretch_ns(self, byte: ByteOnWire) -> int:
        self.before_the_ninth_clock.append(byte)
        return 0


class TestPolicies:
    def test_they_see_address_index_and_pointer(self) -> None:
        bench = Bench()
        listener = Listener()
        bench.bus.policies.append(listener)
        bench.master.play(write(0x20, 0x03, 0x55, 0x66))
        bench.host.run_all()
        ends = [HALF + (i + 1) * BYTE for i in range(4)]
        assert listener.bytes == [
            ByteOnWire(ends[0], "master", 0x20, False, 0, 0x40, None),
            ByteOnWire(ends[1], "master", 0x20, False, 1, 0x03, 0x03),
            ByteOnWire(ends[2], "master", 0x20, False, 2, 0x55, 0x03),
            ByteOnWire(ends[3], "master", 0x20, False, 3, 0x66, 0x03),
        ]
        seen = [(byte.index, byte.value, byte.pointer) for byte in listener.before_the_ninth_clock]
        assert seen == [(0, 0x40, None), (1, 0x03, 0x03), (2, 0x55, 0x03), (3, 0x66, 0x03)]

    def test_a_refused_address_leaves_the_chip_out(self) -> None:
        bench = Bench()
        bench.bus.policies.append(RefuseByte(0x20, Occasions(times=1)))
        bench.master.play(write(0x20, 0x03, 0x55) + write(0x20, 0x04, 0x66))
        bench.host.run_all()
        assert bench.said() == ["S", "a20-", "P", "S", "a20+", "w04+", "w66+", "P"]
        assert bench.chip.dump()["R3"] == 0xA5

    def test_a_refused_byte_has_no_effect_nor_has_what_follows_it(self) -> None:
        bench = Bench(polite=False)
        bench.bus.policies.append(RefuseByte(0x20, Occasions(times=1), index=1))
        bench.master.play(write(0x20, 0x03, 0x04, 0x66))
        bench.host.run_all()
        assert bench.said() == ["S", "a20+", "w03-", "w04-", "w66-", "P"]
        assert bench.chip.calls == [("start", False), ("stop", None)]

    def test_a_register_is_meant_by_its_pointer(self) -> None:
        bench = Bench()
        bench.bus.policies.append(RefuseByte(0x20, Occasions(), register=0x04))
        bench.master.play(write(0x20, 0x03, 0x55) + write(0x20, 0x04, 0x66))
        bench.host.run_all()
        assert bench.said()[5:] == ["S", "a20+", "w04+", "w66-", "P"]
        assert bench.chip.dump()["R4"] == 0xA5

    def test_every_policy_counts_every_byte(self) -> None:
        bench = Bench()
        bench.bus.policies.append(RefuseByte(0x20, Occasions(times=1)))
        second = RefuseByte(0x20, Occasions(skip=1, times=1))
        bench.bus.policies.append(second)
        bench.master.play(write(0x20, 0x03) * 3)
        bench.host.run_all()
        assert [word for word in bench.said() if word[0] == "a"] == ["a20-", "a20-", "a20+"]

    def test_a_stretch_delays_the_ninth_clock(self) -> None:
        bench = Bench()
        bench.bus.policies.append(Stretch(100 * US, Occasions(), index=1))
        bench.master.play(write(0x20, 0x03, 0x55))
        bench.host.run_all()
        low = HALF + BYTE + 8 * BIT
        assert bench.at(Kind.HOLD) == [low]
        assert bench.at(Kind.RELEASE) == [low + 100 * US]
        assert bench.at(Kind.WRITE)[0] == low + 100 * US + BIT

    def test_a_stretch_comes_at_its_clock_though_scl_was_held_before(self) -> None:
        bench = Bench()
        bench.bus.policies.append(Stretch(100 * US, Occasions(), index=0))
        bench.master.play(write(0x20, 0x03))
        bench.host.run_for(HALF + BIT)
        bench.bus.hold(SCL, "thumb", bench.host.now + MS)
        bench.host.run_all()
        # 8 bits, 1 ms held, 100 us stretched, the ninth clock
        assert bench.at(Kind.ADDRESS) == [HALF + BYTE + MS + 100 * US]

    def test_a_stretch_that_was_to_come_does_not_outlive_the_transfer(self) -> None:
        bench = Bench()
        bench.bus.policies.append(Stretch(100 * US, Occasions(), index=0))
        bench.master.play(write(0x20, 0x03))
        bench.host.run_for(HALF + 2 * BIT)
        bench.master.abandon()
        bench.host.run_all()
        assert bench.events(Kind.HOLD) == []


class TestSeveralMasters:
    def test_a_start_waits_for_the_stop_and_the_bus_free_time(self) -> None:
        bench = Bench()
        other = bench.add_master("other")
        bench.master.play(write(0x20, 0x03, 0x55))
        bench.host.run_for(100 * US)
        other.play(write(0x20, 0x04, 0x66))
        bench.host.run_all()
        # 280 us the first transfer (above), 5 us free, 5 us start hold
        assert bench.at(Kind.START, "other") == [290 * US]
        assert bench.chip.dump()["R3"] == 0x55
        assert bench.chip.dump()["R4"] == 0x66

    @pytest.mark.parametrize(
        ("mine", "others", "winner"),
        [
            # Most significant bit first, and a 0 wins: 0x20 = 0100000, 0x10 = 0010000, so 0x10
            # wins at the second bit although both ANDed are 0x00.
            ([0x20, 0x10], [0x10, 0x20], 0x10),
            ([0x20, 0x60], [0x60, 0x20], 0x20),
            # Three values of which each has a 0 where another has a 1.
            ([0x66, 0x55, 0x33], [0x33, 0x55, 0x66], 0x33),
        ],
    )
    def test_the_lowest_address_wins_the_arbitration(
        self, mine: list[int], others: list[int], winner: int
    ) -> None:
        for addresses in (mine, others):
            bench = Bench()
            for address in set(addresses) - {0x20}:
                bench.bus.attach(Chip(bench.host, f"chip{address:02x}", address))
            masters = [bench.add_master(f"m{address:02x}") for address in addresses]
            for master, address in zip(masters, addresses, strict=True):
                master.play(write(address, 0x03, address))
            bench.host.run_all()
            for master, address in zip(masters, addresses, strict=True):
                if address == winner:
                    assert master.heard[-1] == ("stopped",)
                    assert bench.at(Kind.STOP, master.name) == [280 * US]
                else:
                    assert master.heard == [("started",), ("lost",)]
                    (lost,) = bench.events(Kind.ARBITRATION_LOST, master.name)
                    assert lost.t_ns == HALF + BYTE
                    assert lost.data == (address << 1,)

    def test_the_winner_writes_what_it_meant(self) -> None:
        bench = Bench()
        other = bench.add_master("other")
        bench.master.play(write(0x20, 0x03, 0xF0))
        other.play(write(0x20, 0x03, 0x0F))
        bench.host.run_all()
        # They differ in the third byte: 0x0F starts with a 0.
        assert bench.chip.dump()["R3"] == 0x0F
        assert bench.at(Kind.ARBITRATION_LOST, "master") == [HALF + 3 * BYTE]

    def test_equal_transfers_do_not_collide(self) -> None:
        bench = Bench()
        other = bench.add_master("other")
        bench.master.play(write(0x20, 0x03, 0xF0))
        other.play(write(0x20, 0x03, 0xF0))
        bench.host.run_all()
        assert bench.at(Kind.STOP) == [280 * US, 280 * US]
        assert bench.chip.calls.count(("write", 0xF0)) == 1

    def test_a_start_within_the_others_start_hold_arbitrates(self) -> None:
        bench = Bench()
        other = bench.add_master("other")
        bench.master.play(write(0x20, 0x03, 0xF0))
        bench.host.run_for(HALF - 1)
        other.play(write(0x10, 0x03, 0xF0))
        bench.host.run_all()
        assert bench.at(Kind.START) == [HALF, HALF]
        assert bench.master.heard == [("started",), ("lost",)]

    def test_clocks_synchronise_to_the_longest_low_and_the_shortest_high(self) -> None:
        bench = Bench()
        fast = bench.add_master("fast", 400_000)
        bench.master.play(write(0x20, 0x03))
        fast.play(write(0x20, 0x03))
        bench.host.run_all()
        # UM10204 3.1.7. Start hold 1.25 us (the first to pull SCL low), then 5 + 1.25 us a bit.
        assert bench.at(Kind.ADDRESS) == [1_250 + 9 * 6_250] * 2
        # The STOP's set-up is the slower one's.
        assert bench.at(Kind.STOP) == [1_250 + 18 * 6_250 + HALF] * 2

    def test_a_byte_beats_a_stop(self) -> None:
        bench = Bench()
        other = bench.add_master("other")
        bench.master.play(write(0x20, 0x03))
        other.play(write(0x20, 0x03, 0xF0))
        bench.host.run_all()
        assert bench.master.heard[-1] == ("lost",)
        assert bench.chip.dump()["R3"] == 0xF0

    def test_a_master_that_thinks_keeps_the_clock_low(self) -> None:
        bench = Bench()
        other = bench.add_master("other")
        bench.master.play(write(0x20, 0x03, 0xF0))
        other.play([START, ("send", 0x40)])
        bench.host.run_for(MS)
        assert bench.at(Kind.WRITE) == []
        other.abandon()
        bench.host.run_all()
        assert bench.at(Kind.WRITE, "master") == [MS + BYTE, MS + 2 * BYTE]


class TestHeldLines:
    def test_scl_held_before_the_start_delays_it(self) -> None:
        bench = Bench()
        bench.bus.hold(SCL, "thumb", MS)
        bench.master.play(write(0x20, 0x03, 0x55))
        assert bench.master.heard == [("stalled",)]
        bench.host.run_all()
        assert bench.at(Kind.START) == [MS + HALF]
        assert bench.chip.dump()["R3"] == 0x55

    def test_scl_held_in_the_middle_adds_its_time(self) -> None:
        bench = Bench()
        bench.master.play(write(0x20, 0x03, 0x55))
        bench.host.run_for(HALF + BYTE + BIT)
        bench.bus.hold(SCL, "thumb", bench.host.now + MS)
        bench.host.run_all()
        assert bench.at(Kind.WRITE) == [HALF + 2 * BYTE + MS, HALF + 3 * BYTE + MS]
        assert bench.master.heard.count(("stalled",)) == 1
        assert bench.master.heard.count(("resumed",)) == 1

    def test_scl_held_for_ever_stops_everything(self) -> None:
        bench = Bench()
        bench.master.play(write(0x20, 0x03, 0x55))
        bench.host.run_for(HALF + BYTE + BIT)
        bench.bus.hold(SCL, "thumb")
        bench.host.run_for(1_000 * MS)
        assert bench.said() == ["S", "a20+", "HOLD"]
        assert bench.host.pending == 0
        assert bench.bus.busy

    def test_two_holders_must_both_let_go(self) -> None:
        bench = Bench()
        bench.bus.hold(SCL, "a", MS)
        bench.bus.hold(SCL, "b", 2 * MS)
        bench.master.play(write(0x20, 0x03))
        bench.host.run_all()
        assert bench.at(Kind.START) == [2 * MS + HALF]

    def test_an_old_time_does_not_end_a_new_hold(self) -> None:
        bench = Bench()
        bench.bus.hold(SCL, "thumb", MS)
        bench.bus.release(SCL, "thumb")
        bench.bus.hold(SCL, "thumb", 3 * MS)
        bench.host.run_until(2 * MS)
        assert bench.bus.scl_held
        bench.bus.hold(SCL, "thumb", 4 * MS)
        bench.host.run_all()
        assert bench.at(Kind.RELEASE) == [0, 4 * MS]

    def test_a_master_that_sends_a_one_on_held_sda_loses(self) -> None:
        bench = Bench()
        bench.master.play(write(0x20, 0x03, 0x55))
        bench.host.run_for(HALF + BIT)
        bench.bus.hold(SDA, "short", MS)
        bench.host.run_all()
        assert bench.master.heard == [("started",), ("lost",)]
        assert not bench.bus.busy

    def test_zeros_pass_on_held_sda_and_look_acknowledged(self) -> None:
        bench = Bench()
        bench.master.play([START, ("send", 0x00)])
        bench.host.run_for(HALF + BIT)
        bench.bus.hold(SDA, "short")
        bench.host.run_all()
        assert bench.master.acks == [True]
        assert bench.said()[-1] == "a00-"
        assert bench.chip.calls == []

    def test_sda_held_makes_a_stop_impossible(self) -> None:
        bench = Bench()
        bench.master.play(write(0x20, 0x03, 0x55))
        bench.host.run_for(HALF + 3 * BYTE + 1)
        bench.bus.hold(SDA, "short", MS)
        bench.host.run_all()
        assert bench.at(Kind.STOP) == []
        assert bench.at(Kind.ARBITRATION_LOST) == [280 * US]
        assert bench.chip.calls[-1] == ("stop", None)

    def test_sda_held_keeps_a_start_waiting(self) -> None:
        bench = Bench()
        bench.bus.hold(SDA, "short", MS)
        bench.master.play(write(0x20, 0x03))
        bench.host.run_all()
        assert bench.at(Kind.START) == [MS + HALF]
        assert ("stalled",) not in bench.master.heard

    def test_a_read_on_held_sda_is_zero(self) -> None:
        bench = Bench()
        bench.master.play([START, ("send", 0x41), READ_ACK, READ_ACK])
        bench.host.run_for(HALF + BYTE + BIT)
        bench.bus.hold(SDA, "short")
        bench.host.run_all()
        assert bench.master.received == [0, 0]


def stuck(byte: int, clocks: int) -> Bench:
    """A bench whose master vanished in mid-read of `byte`, `clocks` SCL periods into it."""
    bench = Bench()
    bench.chip.pointer = 3
    bench.chip.R[3] = byte
    bench.master.play([START, ("send", 0x41), READ_ACK])
    bench.host.run_for(HALF + BYTE + clocks * BIT + 1)
    bench.master.abandon()
    return bench


class TestAbandonAndClear:
    def test_a_master_that_vanishes_in_a_write_frees_the_bus(self) -> None:
        bench = Bench()
        bench.master.play(write(0x20, 0x03, 0x55))
        bench.host.run_for(HALF + 2 * BYTE + BIT)
        bench.master.abandon()
        assert not bench.bus.busy
        assert bench.said()[-1] == "ABANDONED"
        assert bench.chip.calls[-1] == ("stop", None)
        bench.host.run_all()
        assert bench.chip.dump()["R3"] == 0xA5

    @pytest.mark.parametrize(
        ("byte", "clocks", "held"),
        [
            (0x00, 0, True),
            (0x00, 7, True),
            (0x00, 8, False),  # the acknowledge is the master's to drive
            (0xFF, 3, False),
            (0xEF, 2, False),
            (0xEF, 3, True),  # 1110: the fourth bit is on the wire
            (0xEF, 4, False),
        ],
    )
    def test_a_master_that_vanishes_in_a_read_leaves_the_bit_on_sda(
        self, byte: int, clocks: int, held: bool
    ) -> None:
        assert stuck(byte, clocks).bus.sda_held is held

    def test_a_master_that_vanishes_between_bytes_leaves_the_next_bit(self) -> None:
        bench = Bench()
        bench.chip.pointer = 3
        bench.chip.R[4] = 0x7F
        bench.master.play([START, ("send", 0x41), READ_ACK])
        bench.host.run_all()
        bench.master.abandon()
        assert bench.bus.sda_held

    def test_a_read_without_a_nack_cannot_be_stopped_on_a_zero(self) -> None:
        lost = Kind.ARBITRATION_LOST
        for symbol, next_byte, kind in (
            *((STOP, 0x7F, lost), (STOP, 0x80, Kind.STOP)),
            *((START, 0x7F, lost), (START, 0x80, Kind.RESTART)),
        ):
            bench = Bench()
            bench.chip.pointer = 3
            bench.chip.R[4] = next_byte
            bench.master.play([START, ("send", 0x41), READ_ACK, symbol])
            bench.host.run_all()
            assert bench.transcript.events[-1].kind is kind

    def test_a_master_that_vanishes_in_a_stretched_read_leaves_the_bit_on_sda(self) -> None:
        bench = Bench()
        bench.bus.policies.append(Stretch(MS, Occasions(), index=1))
        bench.chip.R[0] = 0xFE  # only the last of the eight bits is low
        bench.master.play([START, ("send", 0x41), READ_ACK])
        bench.host.run_for(HALF + BYTE + 7 * BIT + 1)
        bench.master.abandon()
        assert bench.bus.sda_held

    def test_no_start_while_a_target_drives_sda(self) -> None:
        bench = stuck(0x00, 3)
        bench.master.play(write(0x20, 0x03))
        bench.host.run_for(100 * MS)
        assert len(bench.at(Kind.START)) == 1

    @pytest.mark.parametrize("clocks", range(9))
    @pytest.mark.parametrize("byte", [0x00, 0x55, 0xAA, 0xEF])
    def test_nine_pulses_free_it(self, byte: int, clocks: int) -> None:
        bench = stuck(byte, clocks)
        begun = bench.host.now
        bench.bus.clear(bench.master, 9, BusTiming.at(100_000))
        bench.host.run_all()
        assert not bench.bus.busy
        # nine SCL periods and the set-up of the STOP
        assert bench.master.heard[-1] == ("pulsed", begun + 9 * BIT + HALF)
        bench.master.play(write(0x20, 0x03, 0x55))
        bench.host.run_all()
        assert bench.chip.dump()["R3"] == 0x55

    @pytest.mark.parametrize(
        ("pulses", "held"),
        # 0xAF at its second bit: 1[0]101111, then 1, 0, 1, ...
        [(1, False), (2, True), (3, False)],
    )
    def test_fewer_pulses_leave_the_bit_they_reach(self, pulses: int, held: bool) -> None:
        bench = stuck(0xAF, 1)
        bench.bus.clear(bench.master, pulses, BusTiming.at(100_000))
        bench.host.run_all()
        assert bench.bus.sda_held is held

    def test_a_start_waits_for_the_pulses_of_a_clear(self) -> None:
        bench = Bench()
        other = bench.add_master("other")
        bench.bus.clear(bench.master, 9, BusTiming.at(100_000))
        bench.host.run_for(BIT)
        other.play(write(0x20, 0x03))
        bench.host.run_all()
        # 90 us of pulses, 5 us STOP set-up, 5 us free, 5 us start hold
        assert bench.at(Kind.START) == [105 * US]

    def test_a_clear_waits_for_the_stop_of_others(self) -> None:
        bench = Bench()
        other = bench.add_master("other")
        other.play(write(0x20, 0x03, 0x55))
        bench.host.run_for(BIT)
        bench.bus.clear(bench.master, 9, BusTiming.at(100_000))
        bench.host.run_all()
        assert bench.at(Kind.CLEAR) == [280 * US]
        assert bench.chip.dump()["R3"] == 0x55

    def test_a_clear_on_held_scl_waits_for_the_release(self) -> None:
        bench = Bench()
        bench.bus.hold(SCL, "thumb", MS)
        bench.bus.clear(bench.master, 9, BusTiming.at(100_000))
        bench.host.run_until(MS - 1)
        assert not any(item[0] == "pulsed" for item in bench.master.heard)
        bench.host.run_all()
        assert ("pulsed", MS + 9 * BIT + HALF) in bench.master.heard

    @pytest.mark.parametrize("held", [False, True])
    def test_a_cancelled_clear_never_reports(self, held: bool) -> None:
        bench = Bench()
        if held:
            bench.bus.hold(SCL, "thumb", MS)
        bench.bus.clear(bench.master, 9, BusTiming.at(100_000))
        bench.host.run_for(BIT)
        bench.bus.cancel_clear(bench.master)
        bench.master.play(write(0x20, 0x03, 0x55))
        bench.host.run_all()
        assert not any(item[0] == "pulsed" for item in bench.master.heard)
        assert bench.chip.dump()["R3"] == 0x55

    def test_a_second_clear_begins_anew(self) -> None:
        bench = Bench()
        bench.bus.clear(bench.master, 9, BusTiming.at(100_000))
        bench.host.run_for(50 * US)
        bench.bus.clear(bench.master, 9, BusTiming.at(100_000))
        bench.host.run_all()
        assert bench.master.heard == [("pulsed", 50 * US + 9 * BIT + HALF)]


def test_a_reset_forgets_everything_in_mid_transfer() -> None:
    bench = Bench()
    bench.bus.hold(SDA, "short", MS)
    bench.bus.release(SDA, "short")
    bench.master.play(write(0x20, 0x03, 0x55))
    bench.host.run_for(HALF + BYTE + BIT)
    bench.bus.hold(SCL, "thumb", MS)
    bench.bus.reset()
    assert bench.host.pending == 0
    assert not bench.bus.busy
    fresh = ScriptedMaster(bench.bus, "fresh")
    fresh.play(write(0x20, 0x03, 0x77))
    bench.host.run_all()
    assert bench.chip.dump()["R3"] == 0x77
