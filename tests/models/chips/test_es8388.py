"""The ES8388 is as loud as its registers, its clocks and its soft ramp make it, and says why not.

Values are from the ES8388 datasheet, rev. 5.0; register numbers and bits stand in section 6.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renode.peripherals.bus.target import I2CTarget
from renode.peripherals.chips.es8388 import ES8388, OUTPUTS, SILENT, gain_from, silence_from
from renode.peripherals.registers import Register, RegisterBank
from tests.models.fake_host import FakeHost

MS = 1_000_000

# All that stands between power-on and sound at 0 dB on every output.
PLAYING = {
    0x08: 0x00,  # MASTERMODE: slave
    0x01: 0x50,  # CONTROL2: analogue part, bias, reference buffer on
    0x00: 0x12,  # CONTROL1: Vmid from 500 kOhm, no EnRef, as ESP-ADF sets it
    0x02: 0x00,  # CHIPPOWER: everything on
    0x19: 0x00,  # DACCONTROL3: unmuted, no soft ramp
    0x1A: 0x00,  # DACCONTROL4: left 0 dB
    0x1B: 0x00,  # DACCONTROL5: right 0 dB
    0x27: 0x90,  # DACCONTROL17: left DAC to left mixer
    0x2A: 0x90,  # DACCONTROL20: right DAC to right mixer
    0x2B: 0x80,  # DACCONTROL21: one LRCK
    0x2E: 0x1E,  # DACCONTROL24: LOUT1 0 dB
    0x2F: 0x1E,
    0x30: 0x1E,
    0x31: 0x1E,
    0x04: 0x3C,  # DACPOWER: both DACs and all outputs on
}


def send(target: I2CTarget, *data: int) -> None:
    assert target.start(target.addresses[0], False)
    for byte in data:
        assert target.write_byte(byte)
    target.stop()


def fetch(target: I2CTarget, count: int = 1) -> list[int]:
    assert target.start(target.addresses[0], True)
    values = []
    for left in reversed(range(count)):
        values.append(target.read_byte())
        target.read_acknowledged(left > 0)
    target.stop()
    return values


def read_register(target: I2CTarget, number: int) -> int:
    send(target, number)
    return fetch(target)[0]


def load(codec: ES8388, registers: dict[int, int]) -> None:
    for number, value in registers.items():
        send(codec, number, value)


def gains(codec: ES8388) -> list[float]:
    return [codec.output_gain_db(output) for output in OUTPUTS]


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def codec(host: FakeHost) -> ES8388:
    """A codec that plays at 0 dB on every output."""
    codec = ES8388(host)
    load(codec, PLAYING)
    return codec


# The binary defaults in the headings of sections 6.1 to 6.3, in order from register 0;
# the reserved 40, 41 and 50 as in Apache NuttX's drivers/audio/es8388.h.
RESETS = (
    "06 5C C3 FC C0 00 00 7C 80"  # 0-8: chip control and power
    "00 00 02 00 06 30 20 C0 C0 38 B0 32 06 00"  # 9-22: ADC
    "00 06 22 C0 C0 08 00 1F F7 FD FF 1F F7 FD FF"  # 23-37: DAC, shelving filter
    "00 38 28 28 38 00 00 00 00 00 00 00 00 AA AA"  # 38-52: mixers, outputs
)


def test_reset_values_are_the_datasheets(host: FakeHost) -> None:
    codec = ES8388(host)
    expected = list(bytes.fromhex(RESETS))
    assert len(expected) == 0x35
    assert [read_register(codec, number) for number in range(0x35)] == expected


def test_address_follows_pin_ad0(host: FakeHost) -> None:
    assert ES8388(host).addresses == (0x10,)
    assert ES8388(host, address=0x11).addresses == (0x11,)
    with pytest.raises(ValueError, match="0x18"):
        ES8388(host, address=0x18)


class TestRegisterPort:
    """Section 5.2, tables 3 and 4: a pointer, then one byte of data."""

    def test_a_read_follows_a_stop_or_a_repeated_start(self, codec: ES8388) -> None:
        send(codec, 0x1A, 0x28)
        assert read_register(codec, 0x1A) == 0x28
        codec.start(0x10, False)
        codec.write_byte(0x1A)
        assert fetch(codec) == [0x28]

    def test_a_pointer_alone_writes_nothing(self, codec: ES8388) -> None:
        before = codec.dump()
        send(codec, 0x1A)
        send(codec)
        assert codec.dump() == before

    def test_a_burst_writes_its_first_byte_only_and_is_reported(
        self, host: FakeHost, codec: ES8388
    ) -> None:
        send(codec, 0x1A, 0x28, 0x30)
        assert read_register(codec, 0x1A) == 0x28
        assert read_register(codec, 0x1B) == 0x00
        assert host.unmodelled_accesses == [("es8388", "write burst past register 0x1a")]

    def test_a_read_burst_repeats_the_register_and_is_reported(
        self, host: FakeHost, codec: ES8388
    ) -> None:
        send(codec, 0x1A, 0x28)
        send(codec, 0x1A)
        assert fetch(codec, 2) == [0x28, 0x28]
        assert host.unmodelled_accesses == [("es8388", "read burst past register 0x1a")]

    def test_an_unknown_register_is_acknowledged_and_reported(
        self, host: FakeHost, codec: ES8388
    ) -> None:
        before = codec.dump()
        send(codec, 0x36, 0x55)
        assert codec.dump() == before
        assert len(host.unmodelled_accesses) == 1

    @pytest.mark.parametrize("number", [0x35, 0x37, 0x39])
    def test_undocumented_registers_that_drivers_write_are_storage(
        self, host: FakeHost, codec: ES8388, number: int
    ) -> None:
        send(codec, number, 0xD0)
        assert read_register(codec, number) == 0xD0
        assert host.unmodelled_accesses == []

    def test_a_clamp_in_the_chip_acts_on_the_bus(self, codec: ES8388) -> None:
        class Clamp:
            def written(self, register: Register, value: int) -> int | None:
                return max(value, 0x50) if register is ES8388.DACCONTROL4 else value

            def read(self, register: Register, value: int) -> int:
                return value

        codec.interposers.append(Clamp())
        send(codec, 0x1A, 0x10)
        assert read_register(codec, 0x1A) == 0x50
        assert codec.output_gain_db("LOUT1") == -40.0  # 0x50 = 80 steps of 0.5 dB


class TestVolume:
    @pytest.mark.parametrize(
        ("code", "db"), [(0x00, 0.0), (0x01, -0.5), (0x50, -40.0), (0xC0, -96.0)]
    )
    def test_digital_volume_is_half_a_db_per_step(
        self, host: FakeHost, codec: ES8388, code: int, db: float
    ) -> None:
        send(codec, 0x1A, code)
        assert gains(codec) == [db, 0.0, db, 0.0]
        send(codec, 0x1B, code)
        assert gains(codec) == [db, db, db, db]
        assert host.unmodelled_accesses == []

    @pytest.mark.parametrize(
        ("code", "db"),
        [(0x00, -45.0), (0x01, -43.5), (0x02, -42.0), (0x1E, 0.0), (0x1F, 1.5), (0x21, 4.5)],
    )
    @pytest.mark.parametrize("output", OUTPUTS)
    def test_output_volume_is_one_and_a_half_db_per_step(
        self, host: FakeHost, codec: ES8388, output: str, code: int, db: float
    ) -> None:
        send(codec, 0x2E + OUTPUTS.index(output), code)
        assert codec.output_gain_db(output) == db
        assert sorted(gains(codec)) == sorted([db, 0.0, 0.0, 0.0])
        assert host.unmodelled_accesses == []

    @pytest.mark.parametrize(
        ("number", "code", "db"), [(0x1A, 0xC1, -96.0), (0x1A, 0xFF, -96.0), (0x2E, 0x22, 4.5)]
    )
    def test_codes_beyond_the_table_count_as_its_end_and_are_reported(
        self, host: FakeHost, codec: ES8388, number: int, code: int, db: float
    ) -> None:
        send(codec, number, code)
        assert codec.output_gain_db("LOUT1") == db
        assert read_register(codec, number) == code
        assert len(host.unmodelled_accesses) == 1

    @pytest.mark.parametrize(("scale", "volts"), [(0, 3.5), (1, 4.0), (2, 3.0), (3, 2.5)])
    def test_vpp_scale_changes_the_full_scale(
        self, codec: ES8388, scale: int, volts: float
    ) -> None:
        send(codec, 0x1D, scale)
        ratio = 10 ** (codec.output_gain_db("ROUT1") / 20)
        assert ratio == pytest.approx(volts / 3.5)

    def test_the_left_volume_may_govern_both_channels(self, codec: ES8388) -> None:
        send(codec, 0x1B, 0x08)
        send(codec, 0x1A, 0x14)
        assert gains(codec) == [-10.0, -4.0, -10.0, -4.0]
        send(codec, 0x19, 0x08)  # DACLeR
        assert gains(codec) == [-10.0, -10.0, -10.0, -10.0]

    def test_stages_add_up(self, codec: ES8388) -> None:
        send(codec, 0x1A, 0x28)  # -20 dB
        send(codec, 0x30, 0x14)  # 20 steps above -45 dB: -15 dB
        assert codec.output_gain_db("LOUT2") == -35.0

    def test_no_such_output(self, codec: ES8388) -> None:
        with pytest.raises(ValueError, match="LOUT3"):
            codec.output_gain_db("LOUT3")


BOTH = OUTPUTS
LEFT = ("LOUT1", "LOUT2")
RIGHT = ("ROUT1", "ROUT2")


class TestSilence:
    def test_after_power_on_there_is_none_but_silence(self, host: FakeHost) -> None:
        codec = ES8388(host)
        assert gains(codec) == [SILENT] * 4

    def test_no_cause_is_named_for_an_audible_output(self, codec: ES8388) -> None:
        assert gains(codec) == [0.0] * 4
        assert [codec.silent_because(output) for output in OUTPUTS] == [[]] * 4

    @pytest.mark.parametrize(
        ("number", "value", "cause", "outputs"),
        [
            (0x00, 0x10, "CONTROL1.VMIDSEL", BOTH),
            (0x01, 0x58, "CONTROL2.PDN_ANA", BOTH),
            (0x01, 0x54, "CONTROL2.PDN_IBIASGEN", BOTH),
            (0x01, 0x51, "CONTROL2.PDN_VREFBUF", BOTH),
            (0x02, 0x40, "CHIPPOWER.DAC_DIG_PDN", BOTH),
            (0x02, 0x10, "CHIPPOWER.DAC_STM_RST", BOTH),
            (0x02, 0x04, "CHIPPOWER.DACDLL_PDN", BOTH),
            (0x02, 0x01, "CHIPPOWER.DACVREF_PDN", BOTH),
            (0x04, 0xBC, "DACPOWER.PDN_DACL", LEFT),
            (0x04, 0x7C, "DACPOWER.PDN_DACR", RIGHT),
            (0x04, 0x1C, "DACPOWER.LOUT1", ("LOUT1",)),
            (0x04, 0x2C, "DACPOWER.ROUT1", ("ROUT1",)),
            (0x04, 0x34, "DACPOWER.LOUT2", ("LOUT2",)),
            (0x04, 0x38, "DACPOWER.ROUT2", ("ROUT2",)),
            (0x08, 0x80, "MASTERMODE.MSC", BOTH),
            (0x19, 0x04, "DACCONTROL3.DAC_MUTE", BOTH),
            (0x1D, 0x80, "DACCONTROL7.ZERO_L", LEFT),
            (0x1D, 0x40, "DACCONTROL7.ZERO_R", RIGHT),
            (0x27, 0x10, "DACCONTROL17.LD2LO", LEFT),
            (0x2A, 0x10, "DACCONTROL20.RD2RO", RIGHT),
            (0x2B, 0x90, "DACCONTROL21.MCLK_DIS", BOTH),
            (0x2B, 0x84, "DACCONTROL21.DAC_DLL_PWD", BOTH),
        ],
    )
    def test_each_cause_alone_silences_its_outputs_and_is_named(
        self, codec: ES8388, number: int, value: int, cause: str, outputs: tuple[str, ...]
    ) -> None:
        send(codec, number, value)
        for output in OUTPUTS:
            named = codec.silent_because(output)
            if output in outputs:
                assert len(named) == 1
                assert f"({cause} = " in named[0]
                assert codec.output_gain_db(output) == SILENT
                assert codec.settled_gain_db(output) == SILENT
            else:
                assert named == []
                assert codec.output_gain_db(output) == 0.0
        send(codec, number, PLAYING.get(number, 0x00))
        assert [codec.settled_gain_db(output) for output in OUTPUTS] == [0.0] * 4

    def test_line_inputs_bring_no_sound(self, codec: ES8388) -> None:
        send(codec, 0x27, 0x50)  # LI2LO at 0 dB instead of LD2LO
        assert codec.output_gain_db("LOUT1") == SILENT

    def test_causes_add_up(self, codec: ES8388) -> None:
        send(codec, 0x19, 0x04)
        send(codec, 0x04, 0x00)
        codec.set_clocks(0, 0)
        assert [cause.split(" (")[0] for cause in codec.silent_because("LOUT1")] == [
            "no MCLK from the board",
            "no LRCK from the board",
            "muted",
            "output LOUT1 disabled",
        ]


class TestClocks:
    """Section 4, table 1: MCLK is 256-1024 times LRCK up to 50 kHz, 128-512 times above."""

    @pytest.mark.parametrize(
        ("lrck_hz", "ratios"),
        [
            (8_000, (256, 384, 512, 768, 1024)),
            (44_100, (256, 384, 512, 768, 1024)),
            (48_000, (256, 384, 512, 768, 1024)),
            (96_000, (128, 192, 256, 384, 512)),
        ],
    )
    def test_supported_ratios_play(
        self, codec: ES8388, lrck_hz: int, ratios: tuple[int, ...]
    ) -> None:
        for ratio in ratios:
            codec.set_clocks(ratio * lrck_hz, lrck_hz)
            assert gains(codec) == [0.0] * 4

    @pytest.mark.parametrize(
        ("mclk_hz", "lrck_hz", "words"),
        [
            (0, 48_000, "no MCLK"),
            (12_288_000, 0, "no LRCK"),
            (6_144_000, 48_000, "no supported multiple"),  # 128 times is for double speed only
            (12_288_000, 44_100, "no supported multiple"),
        ],
    )
    def test_without_a_usable_clock_it_is_silent(
        self, codec: ES8388, mclk_hz: int, lrck_hz: int, words: str
    ) -> None:
        codec.set_clocks(mclk_hz, lrck_hz)
        assert gains(codec) == [SILENT] * 4
        (cause,) = codec.silent_because("LOUT1")
        assert words in cause

    def test_mclk_may_be_halved_in_the_chip(self, codec: ES8388) -> None:
        codec.set_clocks(24_576_000 * 4, 48_000)  # 2048 times LRCK
        assert gains(codec) == [SILENT] * 4
        send(codec, 0x08, 0x40)  # MCLKDIV2: 1024 times
        assert gains(codec) == [0.0] * 4


class TestSoftRamp:
    """Register 25: 0.5 dB per 4, 32, 64 or 128 LRCK."""

    @pytest.mark.parametrize(
        ("rate", "done_ns"),
        [
            # 40 dB = 80 steps; 80 * 4 LRCK / 48 kHz = 6.667 ms, and 8, 16, 32 times that.
            (0x20, 6_666_667),
            (0x60, 53_333_334),
            (0xA0, 106_666_667),
            (0xE0, 213_333_334),
        ],
    )
    @pytest.mark.parametrize("origin", [0x00, 0x50])
    def test_40_db_take_80_steps(
        self, host: FakeHost, codec: ES8388, rate: int, done_ns: int, origin: int
    ) -> None:
        target = 0x50 - origin
        send(codec, 0x1A, origin)
        send(codec, 0x19, rate)
        send(codec, 0x1A, target)
        step = 0.5 if origin > target else -0.5
        assert codec.output_gain_db("LOUT1") == -0.5 * origin
        assert codec.settled_gain_db("LOUT1") == -0.5 * target
        host.run_until(done_ns // 2 + 1)
        assert codec.output_gain_db("LOUT1") == -20.0
        host.run_until(done_ns - 1)
        assert codec.output_gain_db("LOUT1") == -0.5 * target - step
        host.run_until(done_ns)
        assert codec.output_gain_db("LOUT1") == -0.5 * target
        host.run_for(1000 * MS)
        assert codec.output_gain_db("LOUT1") == -0.5 * target
        assert host.events_run == 0

    def test_without_it_a_volume_acts_at_once(self, codec: ES8388) -> None:
        send(codec, 0x1B, 0xC0)
        assert codec.output_gain_db("ROUT2") == -96.0

    def test_channels_ramp_for_themselves(self, host: FakeHost, codec: ES8388) -> None:
        send(codec, 0x19, 0x20)
        send(codec, 0x1B, 0x50)
        host.run_for(1 * MS)  # 48 LRCK = 12 steps = 6 dB
        send(codec, 0x1A, 0x50)
        host.run_for(1 * MS)
        assert gains(codec) == [-6.0, -12.0, -6.0, -12.0]

    def test_a_new_target_turns_the_ramp_where_it_is(self, host: FakeHost, codec: ES8388) -> None:
        send(codec, 0x19, 0x20)
        send(codec, 0x1A, 0x50)
        host.run_until(2 * MS)
        assert codec.output_gain_db("LOUT1") == -12.0
        send(codec, 0x1A, 0x00)
        host.run_until(3 * MS)
        assert codec.output_gain_db("LOUT1") == -6.0

    def test_new_targets_faster_than_a_step_do_not_hold_the_ramp_up(
        self, host: FakeHost, codec: ES8388
    ) -> None:
        send(codec, 0x19, 0xE0)  # a step takes 128 / 48 kHz = 2.667 ms
        for i in range(1, 17):
            send(codec, 0x1A, 0x60 + i % 2)
            host.run_until(i * MS)
        assert codec.output_gain_db("LOUT1") == -3.0  # 16 ms / 2.667 ms = 6 steps

    def test_unrelated_writes_leave_it_alone(self, host: FakeHost, codec: ES8388) -> None:
        send(codec, 0x19, 0xE0)
        send(codec, 0x1A, 0x50)
        for i in range(1, 17):
            send(codec, 0x1B, i)
            host.run_until(i * MS)
        assert codec.output_gain_db("LOUT1") == -3.0

    @pytest.mark.parametrize(
        ("off", "on"), [((0, 0), (12_288_000, 48_000)), ((12_288_000, 0), (12_288_000, 48_000))]
    )
    def test_it_stands_still_without_clocks(
        self, host: FakeHost, codec: ES8388, off: tuple[int, int], on: tuple[int, int]
    ) -> None:
        send(codec, 0x19, 0x20)
        send(codec, 0x1A, 0x50)
        host.run_for(2 * MS)
        codec.set_clocks(*off)
        host.run_for(50 * MS)
        codec.set_clocks(*on)
        assert codec.output_gain_db("LOUT1") == -12.0
        host.run_for(1 * MS)
        assert codec.output_gain_db("LOUT1") == -18.0

    def test_it_stands_still_while_the_dac_clock_is_stopped(
        self, host: FakeHost, codec: ES8388
    ) -> None:
        send(codec, 0x19, 0x20)
        send(codec, 0x1A, 0x50)
        host.run_for(2 * MS)
        send(codec, 0x02, 0x04)
        host.run_for(50 * MS)
        send(codec, 0x02, 0x00)
        assert codec.output_gain_db("LOUT1") == -12.0

    def test_it_follows_the_sampling_frequency(self, host: FakeHost, codec: ES8388) -> None:
        codec.set_clocks(4_096_000, 16_000)
        send(codec, 0x19, 0x20)
        send(codec, 0x1A, 0x50)
        host.run_for(1 * MS)  # 16 LRCK = 4 steps = 2 dB
        assert codec.output_gain_db("LOUT1") == -2.0

    def test_it_starts_from_minus_96_db_once_the_digital_part_is_released(
        self, host: FakeHost, codec: ES8388
    ) -> None:
        send(codec, 0x19, 0x20)
        send(codec, 0x02, 0x40)
        host.run_for(5 * MS)
        send(codec, 0x02, 0x00)
        assert codec.output_gain_db("LOUT1") == -96.0
        host.run_for(1 * MS)
        assert codec.output_gain_db("LOUT1") == -90.0

    def test_a_snapshot_in_mid_ramp_is_exact(self, host: FakeHost, codec: ES8388) -> None:
        send(codec, 0x19, 0x60)
        send(codec, 0x1A, 0x50)
        host.run_until(7_123_457)
        states = host.snapshot(), codec.snapshot()

        def onwards() -> list[list[float]]:
            seen = []
            for _ in range(40):
                host.run_for(333_333)
                seen.append(gains(codec))
            return seen

        first = onwards()
        send(codec, 0x19, 0x04)
        codec.set_clocks(0, 0)
        for _ in range(2):
            host.restore(states[0])
            codec.restore(states[1])
            assert onwards() == first
        assert len({left for left, *_ in first}) > 10


class TestSoftwareReset:
    def test_it_loads_every_reset_value(self, codec: ES8388) -> None:
        send(codec, 0x00, 0x80)
        assert [read_register(codec, n) for n in range(0x35)] == list(bytes.fromhex(RESETS))
        assert gains(codec) == [SILENT] * 4

    def test_the_ramp_starts_from_minus_96_db_again(self, host: FakeHost, codec: ES8388) -> None:
        send(codec, 0x00, 0x80)
        send(codec, 0x02, 0x00)
        load(codec, PLAYING | {0x19: 0x20})
        assert codec.output_gain_db("LOUT1") == -96.0

    def test_observers_hear_of_every_register_it_changes(self, codec: ES8388) -> None:
        heard: dict[str, tuple[int, int]] = {}

        def observe(bank: RegisterBank, register: Register, old: int, new: int) -> None:
            heard[register.name] = (old, new)

        codec.observers.append(observe)
        send(codec, 0x00, 0x80)
        assert heard["DACCONTROL24"] == (0x1E, 0x00)
        assert heard["DACPOWER"] == (0x3C, 0xC0)
        assert heard["CONTROL1"] == (0x12, 0x06)
        assert "ADCCONTROL1" not in heard

    def test_a_power_cut_keeps_the_boards_clocks(self, host: FakeHost, codec: ES8388) -> None:
        codec.set_clocks(0, 0)
        codec.reset()
        load(codec, PLAYING)
        assert codec.silent_because("LOUT1") == ["no MCLK from the board", "no LRCK from the board"]


class TestPastInstants:
    """`gain_from` judges register contents that are no longer in the chip."""

    def test_by_name_and_by_number_agree_with_the_chip(self, codec: ES8388) -> None:
        send(codec, 0x19, 0x20)
        send(codec, 0x1A, 0x28)
        by_number = bytes(read_register(codec, number) for number in range(0x35))
        assert gain_from(codec.dump(), "LOUT1") == -20.0
        assert gain_from(by_number, "LOUT1") == -20.0
        assert gain_from(by_number, "ROUT1") == 0.0

    def test_silence_is_explained(self, codec: ES8388) -> None:
        values = codec.dump()
        values["DACPOWER"] = 0xBC
        assert gain_from(values, "LOUT2") == SILENT
        assert silence_from(values, "LOUT2") == ["DAC left powered down (DACPOWER.PDN_DACL = 1)"]
        assert silence_from(values, "ROUT2") == []


byte = st.integers(0x00, 0xFF)
transfers = st.lists(st.lists(byte, max_size=4), max_size=60)


def stored(sent: Iterable[list[int]]) -> dict[int, int]:
    """What tables 3 and 5 make of acknowledged transfers: the second byte goes to the first."""
    documented = [*range(0x35), 0x35, 0x37, 0x39]
    resets = dict.fromkeys(documented, 0x00) | dict(enumerate(bytes.fromhex(RESETS)))
    contents = dict(resets)
    for number, value, *_ in (transfer for transfer in sent if len(transfer) > 1):
        if number == 0x00 and value & 0x80:  # SCPReset
            contents = dict(resets)
        elif number in contents:
            contents[number] = value
    return contents


@given(transfers)
def test_the_last_acknowledged_write_is_what_is_stored(sent: list[list[int]]) -> None:
    codec = ES8388(FakeHost())
    for transfer in sent:
        send(codec, *transfer)
    expected = stored(sent)
    assert {number: read_register(codec, number) for number in expected} == expected
    for output in OUTPUTS:
        assert (codec.silent_because(output) == []) == (codec.output_gain_db(output) > -math.inf)


ramp_writes = st.tuples(
    st.sampled_from([0x19, 0x1A, 0x1B, 0x02, 0x2B]), byte, st.integers(0, 20 * MS)
)


@given(st.lists(ramp_writes, max_size=20))
def test_whatever_happened_the_ramp_settles_where_the_registers_say(
    writes: list[tuple[int, int, int]],
) -> None:
    host = FakeHost()
    codec = ES8388(host)
    load(codec, PLAYING)
    for number, value, wait_ns in writes:
        send(codec, number, value)
        host.run_for(wait_ns)
    load(codec, {0x02: 0x00, 0x2B: 0x80})
    last = gains(codec)
    for _ in range(60):
        host.run_for(10 * MS)  # 600 ms in all: 192 steps of 128 LRCK are 512 ms at 48 kHz
        now = gains(codec)
        settled = [codec.settled_gain_db(output) for output in OUTPUTS]
        for then, gain, end in zip(last, now, settled, strict=True):
            assert min(then, end) <= gain <= max(then, end)
        last = now
    assert last == settled
