"""The C3's I2C controller does what its command list says, on the wires and in its interrupts.

Register numbers, bits and resets: esp-idf soc/esp32c3/register/soc/i2c_reg.h. What a driver
programs for a frequency: i2c_ll_master_cal_bus_clk and i2c_ll_master_set_bus_timing in esp-idf
esp_hal_i2c/esp32c3/include/hal/i2c_ll.h.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from renode.peripherals.bus.i2c import SCL, SDA
from renode.peripherals.bus.policies import Occasions, RefuseByte
from renode.peripherals.bus.rival import RivalMaster
from renode.peripherals.soc.esp32c3.i2c import I2CController, Interrupt
from renode.peripherals.transcript import Kind
from tests.models.bus.bench import BIT, BYTE, HALF, MS, US, Bench, Chip, Stretch, write

CTR, SR, TO, FIFO_CONF, DATA = 0x04, 0x08, 0x0C, 0x18, 0x1C
INT_RAW, INT_CLR, INT_ENA, INT_ST = 0x20, 0x24, 0x28, 0x2C
COMD0, SCL_SP_CONF = 0x58, 0x80
MASTER, TRANS_START, FSM_RST, CONF_UPGATE = 1 << 4, 1 << 5, 1 << 10, 1 << 11
RSTART, WRITE, READ, STOP, END = 6 << 11, 1 << 11, 3 << 11, 2 << 11, 4 << 11
ACK_CHECK, NACK_EXPECTED, SEND_NACK = 1 << 8, 1 << 9, 1 << 10
DONE = 1 << 31
CLOCK_NS = 25
"""One period of the 40 MHz crystal."""


def bit(which: Interrupt) -> int:
    return 1 << which


class Port:
    """The controller on a bench, and the few things that a driver does with it."""

    def __init__(self, hz: int = 100_000) -> None:
        self.bench = Bench()
        self.host = self.bench.host
        self.bus = self.bench.bus
        self.chip = self.bench.chip
        self.i2c = I2CController(self.host, "i2c0", self.bus)
        self.set_timing(hz)
        self.i2c.write(INT_CLR, 0xFFFFFFFF)

    def set_timing(self, hz: int) -> None:
        """Divider 40 MHz / (hz * 1024) + 1 = 1, half = 40 MHz / hz / 2, and what follows."""
        half = 40_000_000 // hz // 2
        wait = half // 2 - 2
        self.i2c.write(0x54, 1 << 21)
        self.i2c.write(0x00, half - 1)
        self.i2c.write(0x38, half - wait | wait << 9)
        for hold_or_setup in (0x40, 0x44, 0x48, 0x4C):
            self.i2c.write(hold_or_setup, half - 1)
        self.i2c.write(CTR, MASTER | CONF_UPGATE)

    def fill(self, *data: int) -> None:
        for value in data:
            self.i2c.write(DATA, value)

    def go(self, *commands: int) -> None:
        for i, command in enumerate(commands):
            self.i2c.write(COMD0 + 4 * i, command)
        self.i2c.write(CTR, MASTER | TRANS_START)

    def run(self, *commands: int) -> None:
        self.go(*commands)
        self.host.run_all()

    def raised(self, which: Interrupt) -> bool:
        return bool(self.i2c.read(INT_RAW) & bit(which))

    def drain(self) -> list[int]:
        return [self.i2c.read(DATA) for _ in range(self.i2c.read(SR) >> 8 & 0x3F)]

    def register_write(self, register: int, *data: int) -> None:
        self.fill(0x20 << 1, register, *data)
        self.go(RSTART, WRITE | ACK_CHECK | 2 + len(data), STOP)


@pytest.fixture
def port() -> Port:
    return Port()


def test_resets_are_the_headers() -> None:
    bench = Bench()
    i2c = I2CController(bench.host, "i2c0", bench.bus)
    resets = {
        **{0x00: 0, CTR: 0x20B, SR: 0xC000, TO: 0x10, FIFO_CONF: 0x408B, INT_RAW: 0x2},
        **{INT_ENA: 0, INT_ST: 0, 0x30: 0, 0x34: 0, 0x38: 0, 0x40: 8, 0x44: 8, 0x48: 8},
        **{0x4C: 8, 0x50: 0x300, 0x54: 0x200000, 0x58: 0, 0x74: 0, 0x78: 0x10, 0x7C: 0x10},
        **{SCL_SP_CONF: 0, 0x84: 0, 0xF8: 0x2007_0201},
    }
    assert {offset: i2c.read(offset) for offset in resets} == resets
    assert bench.host.unmodelled_accesses == []
    assert (i2c.BASE, i2c.SOURCE) == (0x6001_3000, 29)  # soc/reg_base.h, soc/interrupts.h


class TestTiming:
    @pytest.mark.parametrize(
        ("hz", "half_ns", "bit_ns"),
        # 100 kHz: half 200; low 200, wait 98, high 102: 400 clocks of 25 ns = 10 us.
        # 400 kHz: half 50; low 50, wait 23, high 27: 100 clocks = 2.5 us.
        [(100_000, 5_000, 10_000), (400_000, 1_250, 2_500)],
    )
    def test_what_a_driver_programs_is_what_is_on_the_wire(
        self, hz: int, half_ns: int, bit_ns: int
    ) -> None:
        port = Port(hz)
        port.register_write(0x03, 0x55)
        port.host.run_all()
        assert port.bench.at(Kind.START) == [half_ns]
        assert port.bench.at(Kind.WRITE) == [half_ns + 18 * bit_ns, half_ns + 27 * bit_ns]
        assert port.bench.at(Kind.STOP) == [half_ns + 27 * bit_ns + half_ns]

    def test_timing_changes_at_conf_upgate(self, port: Port) -> None:
        port.i2c.write(0x00, 399)  # low 400 clocks = 10 us, so that a bit takes 15 us
        port.register_write(0x03, 0x55)
        port.host.run_all()
        assert port.bench.at(Kind.ADDRESS) == [HALF + BYTE]
        port.i2c.write(CTR, MASTER | CONF_UPGATE)
        begun = port.host.now + HALF  # bus-free time
        port.register_write(0x03, 0x55)
        port.host.run_all()
        assert port.bench.at(Kind.ADDRESS)[1] == begun + HALF + 9 * 15 * US

    @pytest.mark.parametrize(
        ("clk_conf", "hz"),
        [
            (0, 40_000_000),
            (1 << 20, 17_500_000),
            (3, 10_000_000),  # 40 MHz / (3 + 1)
            (1 | 2 << 8 | 1 << 14, 16_000_000),  # 40 MHz / (1 + 1 + 1/2)
        ],
    )
    def test_clock_source_and_divider(self, port: Port, clk_conf: int, hz: int) -> None:
        port.i2c.write(0x54, clk_conf)
        assert port.i2c.clock_hz == hz


class TestCommandList:
    def test_a_register_write(self, port: Port) -> None:
        port.register_write(0x03, 0x55)
        port.host.run_all()
        assert port.bench.said() == ["S", "a20+", "w03+", "w55+", "P"]
        assert port.chip.dump()["R3"] == 0x55
        for which in (Interrupt.TRANS_START, Interrupt.BYTE_TRANS_DONE, Interrupt.TRANS_COMPLETE):
            assert port.raised(which)
        for which in (Interrupt.NACK, Interrupt.END_DETECT, Interrupt.ARBITRATION_LOST):
            assert not port.raised(which)
        assert [port.i2c.read(COMD0 + 4 * i) >> 31 for i in range(4)] == [1, 1, 1, 0]

    def test_a_register_read_acknowledges_all_but_the_last_byte(self, port: Port) -> None:
        port.chip.R[4] = 0x44
        port.fill(0x40, 0x03, 0x41)
        port.run(
            *(RSTART, WRITE | ACK_CHECK | 2, RSTART, WRITE | ACK_CHECK | 1),
            *(READ | 1, READ | SEND_NACK | 1, STOP),
        )
        assert port.bench.said()[3:] == ["Sr", "a20r+", "rA5+", "r44-", "P"]
        assert port.i2c.read(SR) >> 8 & 0x3F == 2
        assert port.drain() == [0xA5, 0x44]

    @pytest.mark.parametrize("refused", [0, 1, 2])
    def test_a_nack_stops_the_list_and_the_transfer(self, port: Port, refused: int) -> None:
        port.bus.policies.append(RefuseByte(0x20, Occasions(), index=refused))
        port.register_write(0x03, 0x55)
        port.host.run_all()
        taken = ["a20+", "w03+", "w55+"][:refused]
        assert port.bench.said() == ["S", *taken, ["a20-", "w03-", "w55-"][refused], "P"]
        assert port.raised(Interrupt.NACK)
        assert port.raised(Interrupt.TRANS_COMPLETE)
        assert port.i2c.read(SR) & 1  # RESP_REC: the level of the ninth clock
        assert not port.i2c.read(COMD0 + 4) & DONE
        assert port.chip.dump()["R3"] == 0xA5

    @pytest.mark.parametrize(
        ("address", "flags", "nack"),
        [
            (0x20, ACK_CHECK, False),
            (0x21, ACK_CHECK, True),
            (0x20, ACK_CHECK | NACK_EXPECTED, True),
            (0x21, ACK_CHECK | NACK_EXPECTED, False),
            (0x21, 0, False),
        ],
    )
    def test_the_acknowledge_is_checked_against_its_expected_level(
        self, port: Port, address: int, flags: int, nack: bool
    ) -> None:
        port.fill(address << 1)
        port.run(RSTART, WRITE | flags | 1, STOP)
        assert port.raised(Interrupt.NACK) is nack
        assert len(port.bench.at(Kind.STOP)) == 1

    def test_a_list_begun_during_the_stop_after_a_nack_follows_it(self, port: Port) -> None:
        port.bus.policies.append(RefuseByte(0x20, Occasions(times=1)))
        port.register_write(0x03, 0x55)
        port.host.run_until(HALF + BYTE + 1)
        assert port.raised(Interrupt.NACK)
        port.i2c.write(FIFO_CONF, 0x608B)
        port.register_write(0x04, 0x66)
        port.host.run_all()
        assert port.bench.said() == ["S", "a20-", "P", "S", "a20+", "w04+", "w66+", "P"]

    def test_a_stop_asked_for_after_a_nack_is_the_one_under_way(self, port: Port) -> None:
        port.bus.policies.append(RefuseByte(0x20, Occasions(times=1)))
        port.register_write(0x03, 0x55)
        port.host.run_until(HALF + BYTE + 1)
        port.go(STOP)
        port.host.run_all()
        assert port.bench.said() == ["S", "a20-", "P"]
        assert port.i2c.read(COMD0) & DONE

    def test_a_stop_on_an_idle_bus_completes(self, port: Port) -> None:
        port.run(STOP)
        assert port.host.now == HALF
        assert port.raised(Interrupt.TRANS_COMPLETE)
        assert port.i2c.read(COMD0) & DONE
        assert port.bench.said() == []

    def test_a_list_begun_during_a_stop_on_an_idle_bus_follows_it(self, port: Port) -> None:
        port.go(STOP)
        port.register_write(0x04, 0x66)
        port.host.run_all()
        assert port.chip.dump()["R4"] == 0x66

    def test_end_keeps_the_bus_and_a_new_list_goes_on(self, port: Port) -> None:
        port.fill(0x40, 0x03)
        port.run(RSTART, WRITE | ACK_CHECK | 2, END)
        assert port.raised(Interrupt.END_DETECT)
        assert not port.raised(Interrupt.TRANS_COMPLETE)
        assert port.i2c.read(SR) & 1 << 4
        port.host.run_for(MS)
        port.fill(0x55)
        port.run(WRITE | ACK_CHECK | 1, STOP)
        assert port.bench.said() == ["S", "a20+", "w03+", "w55+", "P"]
        assert port.bench.at(Kind.WRITE)[1] == HALF + 2 * BYTE + MS + BYTE
        assert not port.i2c.read(SR) & 1 << 4

    def test_130_bytes_pass_through_a_fifo_of_32(self, port: Port) -> None:
        data = [0x40, 0x00, *(i & 0xFF for i in range(130))]
        first = True
        while data:
            part, data = data[:32], data[32:]
            port.i2c.write(INT_CLR, 0xFFFFFFFF)
            port.fill(*part)
            commands = [RSTART] if first else []
            port.run(*commands, WRITE | ACK_CHECK | len(part), END if data else STOP)
            assert port.raised(Interrupt.END_DETECT) is bool(data)
            first = False
        sent = [event.data[1] for event in port.bench.events(Kind.WRITE)]
        assert sent == [0, *range(130)]
        assert port.bench.said()[-1] == "P"
        # sixteen registers, the pointer wraps: byte i is in register i mod 16, the last one last
        assert list(port.chip.R) == [128, 129, *range(114, 128)]
        # S, 132 bytes and P, with no gap as the host did not let time pass
        assert port.host.now == HALF + 132 * BYTE + HALF

    def test_bits_can_be_sent_and_received_in_reverse(self, port: Port) -> None:
        port.chip.R[3] = 0x0F
        port.fill(0x02, 0xC0, 0x82)  # 0x40, 0x03, 0x41 with the least significant bit first
        port.i2c.write(CTR, MASTER | 1 << 6 | 1 << 7)
        commands = (RSTART, WRITE | 2, RSTART, WRITE | 1, READ | SEND_NACK | 1, STOP)
        for i, command in enumerate(commands):
            port.i2c.write(COMD0 + 4 * i, command)
        port.i2c.write(CTR, MASTER | 1 << 6 | 1 << 7 | TRANS_START)
        port.host.run_all()
        assert port.bench.said()[-2] == "r0F-"
        assert port.drain() == [0xF0]

    @pytest.mark.parametrize(
        ("mode", "commands", "words"),
        [
            (0, (RSTART,), "slave mode"),
            (MASTER, (WRITE | 1,), "without a START"),
            (MASTER, (RSTART, 7 << 11), "opcode 7"),
        ],
    )
    def test_what_is_not_modelled_is_reported(
        self, port: Port, mode: int, commands: tuple[int, ...], words: str
    ) -> None:
        for i, command in enumerate(commands):
            port.i2c.write(COMD0 + 4 * i, command)
        port.i2c.write(CTR, mode | TRANS_START)
        port.host.run_all()
        ((_, access),) = port.host.unmodelled_accesses
        assert words in access

    def test_a_list_without_end_or_stop_keeps_the_bus(self, port: Port) -> None:
        port.fill(0x40, *range(7))
        port.run(RSTART, *[WRITE | 1] * 7)
        assert port.bus.busy
        assert port.bench.said()[-1] == "w05+"


class TestFifos:
    def test_counts(self, port: Port) -> None:
        port.fill(1, 2, 3)
        assert port.i2c.read(SR) >> 18 & 0x3F == 3

    def test_the_33rd_byte_overflows_and_is_lost(self, port: Port) -> None:
        port.fill(*range(32))
        assert not port.raised(Interrupt.TXFIFO_OVF)
        port.fill(32)
        assert port.raised(Interrupt.TXFIFO_OVF)
        assert port.i2c.read(SR) >> 18 & 0x3F == 32

    def test_reading_an_empty_fifo_underflows(self, port: Port) -> None:
        assert port.i2c.read(DATA) == 0
        assert port.raised(Interrupt.RXFIFO_UDF)

    def test_the_33rd_received_byte_overflows_and_is_lost(self, port: Port) -> None:
        port.fill(0x41)
        port.run(RSTART, WRITE | 1, READ | 33, STOP)
        assert port.raised(Interrupt.RXFIFO_OVF)
        assert port.drain() == [0xA5] * 32

    def test_an_empty_fifo_stretches_until_a_byte_comes(self, port: Port) -> None:
        port.fill(0x40, 0x03)
        port.run(RSTART, WRITE | ACK_CHECK | 3, STOP)
        assert port.raised(Interrupt.MST_TXFIFO_UDF)
        port.host.run_for(MS)
        port.fill(0x55)
        port.host.run_all()
        assert port.bench.at(Kind.WRITE)[1] == HALF + 2 * BYTE + MS + BYTE
        assert port.chip.dump()["R3"] == 0x55

    def test_resets_empty_them(self, port: Port) -> None:
        port.fill(0x41)
        port.run(RSTART, WRITE | 1, READ | 2, STOP)
        port.fill(1, 2, 3)
        port.i2c.write(FIFO_CONF, 0x408B | 1 << 12)
        assert (port.i2c.read(SR) >> 8 & 0x3F, port.i2c.read(SR) >> 18 & 0x3F) == (0, 3)
        port.i2c.write(FIFO_CONF, 0x408B | 1 << 13)
        assert port.i2c.read(SR) >> 18 & 0x3F == 0


class TestInterrupts:
    def test_status_is_raw_and_enabled_and_drives_source_29(self, port: Port) -> None:
        port.i2c.write(INT_ENA, bit(Interrupt.TRANS_COMPLETE))
        port.register_write(0x03, 0x55)
        port.host.run_for(HALF + 3 * BYTE)
        assert port.i2c.read(INT_RAW) & bit(Interrupt.BYTE_TRANS_DONE)
        assert port.i2c.read(INT_ST) == 0
        assert not port.host.irqs.get(29)
        port.host.run_all()
        assert port.i2c.read(INT_ST) == bit(Interrupt.TRANS_COMPLETE)
        assert port.host.irq_edges == [(280 * US, 29, True)]
        port.i2c.write(INT_CLR, bit(Interrupt.TRANS_COMPLETE))
        assert port.i2c.read(INT_ST) == 0
        assert not port.host.irqs[29]

    def test_clearing_one_leaves_the_others(self, port: Port) -> None:
        port.register_write(0x03, 0x55)
        port.host.run_all()
        before = port.i2c.read(INT_RAW)
        port.i2c.write(INT_CLR, bit(Interrupt.TRANS_START))
        assert port.i2c.read(INT_RAW) == before & ~bit(Interrupt.TRANS_START)

    def test_the_tx_watermark_holds_below_its_threshold(self, port: Port) -> None:
        # i2c_reg.h: TXFIFO_WM_THRHD resets to 4
        port.fill(1, 2, 3)
        port.i2c.write(INT_CLR, 0xFFFFFFFF)
        assert port.raised(Interrupt.TXFIFO_WM)
        port.fill(4)
        port.i2c.write(INT_CLR, 0xFFFFFFFF)
        assert not port.raised(Interrupt.TXFIFO_WM)

    def test_the_rx_watermark_holds_above_its_threshold(self, port: Port) -> None:
        port.i2c.write(FIFO_CONF, 0x4000 | 4 << 5 | 2)
        port.fill(0x41)
        port.run(RSTART, WRITE | 1, READ | 2, END)
        assert not port.raised(Interrupt.RXFIFO_WM)
        port.run(READ | SEND_NACK | 1, STOP)
        assert port.raised(Interrupt.RXFIFO_WM)
        port.i2c.write(INT_CLR, 0xFFFFFFFF)
        assert port.raised(Interrupt.RXFIFO_WM)
        port.i2c.read(DATA)
        port.i2c.write(INT_CLR, 0xFFFFFFFF)
        assert not port.raised(Interrupt.RXFIFO_WM)


class TestTimeOuts:
    def held_in_mid_byte(self, port: Port, until_ns: int | None) -> int:
        port.i2c.write(TO, 1 << 5 | 12)
        port.i2c.write(0x78, 13)
        port.i2c.write(0x7C, 14)
        port.register_write(0x03, 0x55)
        port.host.run_for(HALF + BYTE + BIT)
        port.bus.hold(SCL, "thumb", until_ns)
        return port.host.now

    @pytest.mark.parametrize(
        ("which", "log2"),
        [(Interrupt.TIME_OUT, 12), (Interrupt.SCL_ST_TO, 13), (Interrupt.SCL_MAIN_ST_TO, 14)],
    )
    def test_they_come_after_a_power_of_two_clocks(
        self, port: Port, which: Interrupt, log2: int
    ) -> None:
        held = self.held_in_mid_byte(port, None)
        port.host.run_until(held + (CLOCK_NS << log2) - 1)
        assert not port.raised(which)
        port.host.run_until(held + (CLOCK_NS << log2))
        assert port.raised(which)

    def test_a_short_stretch_causes_none(self, port: Port) -> None:
        # 2^12 clocks of 25 ns are 102.4 us
        self.held_in_mid_byte(port, HALF + BYTE + BIT + 100 * US)
        port.host.run_all()
        assert not port.i2c.read(INT_RAW) & (
            bit(Interrupt.TIME_OUT) | bit(Interrupt.SCL_ST_TO) | bit(Interrupt.SCL_MAIN_ST_TO)
        )
        assert port.chip.dump()["R3"] == 0x55

    def test_many_short_stretches_cause_none(self, port: Port) -> None:
        port.i2c.write(TO, 1 << 5 | 12)
        port.bus.policies += [Stretch(100 * US, Occasions(), index) for index in range(3)]
        port.register_write(0x03, 0x55)
        port.host.run_all()
        assert not port.raised(Interrupt.TIME_OUT)
        assert len(port.bench.at(Kind.HOLD)) == 3

    def test_time_out_en_off_means_off(self, port: Port) -> None:
        port.i2c.write(TO, 12)
        port.bus.hold(SCL, "thumb", MS)
        port.register_write(0x03, 0x55)
        port.host.run_all()
        assert not port.raised(Interrupt.TIME_OUT)
        assert port.bench.at(Kind.STOP) == [MS + 280 * US]

    def test_scl_held_before_the_start_counts(self, port: Port) -> None:
        port.bus.hold(SCL, "thumb")
        port.i2c.write(TO, 1 << 5 | 12)
        port.register_write(0x03, 0x55)
        port.host.run_for(CLOCK_NS << 12)
        assert port.raised(Interrupt.TIME_OUT)


def waiting(port: Port) -> None:
    port.bus.hold(SDA, "short", 10 * MS)
    port.register_write(0x03, 0x55)


def in_start(port: Port) -> None:
    port.register_write(0x03, 0x55)
    port.host.run_for(HALF // 2)


def in_byte(port: Port) -> None:
    port.register_write(0x03, 0x55)
    port.host.run_for(HALF + BYTE + BIT)


def in_read(port: Port) -> None:
    port.chip.R[0] = 0x00
    port.fill(0x41)
    port.go(RSTART, WRITE | 1, READ | SEND_NACK | 1, STOP)
    port.host.run_for(HALF + BYTE + BIT)


def starved(port: Port) -> None:
    port.fill(0x40)
    port.go(RSTART, WRITE | 3, STOP)
    port.host.run_for(MS)


def after_end(port: Port) -> None:
    port.fill(0x40)
    port.go(RSTART, WRITE | 1, END)
    port.host.run_for(MS)


def in_stop(port: Port) -> None:
    port.register_write(0x03, 0x55)
    port.host.run_for(HALF + 3 * BYTE + 1)


def in_stop_after_nack(port: Port) -> None:
    port.fill(0x42)
    port.go(RSTART, WRITE | ACK_CHECK | 1, STOP)
    port.host.run_for(HALF + BYTE + 1)
    port.go(RSTART, WRITE | 1, STOP)


def in_lone_stop(port: Port) -> None:
    port.go(STOP)


def stalled(port: Port) -> None:
    in_byte(port)
    port.i2c.write(TO, 1 << 5 | 12)
    port.bus.hold(SCL, "thumb", port.host.now + 10 * MS)
    port.host.run_for(MS)


def clearing(port: Port) -> None:
    port.i2c.write(SCL_SP_CONF, 9 << 1 | 1)
    port.i2c.write(CTR, MASTER | CONF_UPGATE)
    port.host.run_for(BIT)


def idle(port: Port) -> None:
    port.host.run_for(BIT)


def lost(port: Port) -> None:
    in_byte(port)
    port.bus.hold(SDA, "short", port.host.now + MS)
    port.host.run_for(2 * BYTE)


STATES = [
    *(idle, waiting, in_start, in_byte, in_read, starved, after_end, in_stop),
    *(in_stop_after_nack, in_lone_stop, stalled, clearing, lost),
]


def fsm_reset(port: Port) -> None:
    port.i2c.write(CTR, MASTER | FSM_RST)


def module_reset(port: Port) -> None:
    port.i2c.reset()
    port.set_timing(100_000)


class TestRecovery:
    @pytest.mark.parametrize("reset", [fsm_reset, module_reset])
    @pytest.mark.parametrize("state", STATES)
    def test_after_a_reset_in_any_state_the_next_transfer_works(
        self, port: Port, state: Callable[[Port], None], reset: Callable[[Port], None]
    ) -> None:
        state(port)
        reset(port)
        port.i2c.write(FIFO_CONF, 0x408B | 3 << 12)
        port.i2c.write(FIFO_CONF, 0x408B)
        port.i2c.write(SCL_SP_CONF, 9 << 1 | 1)
        port.i2c.write(CTR, MASTER | CONF_UPGATE)
        port.host.run_all()
        assert port.i2c.read(SCL_SP_CONF) & 1 == 0
        port.i2c.write(INT_CLR, 0xFFFFFFFF)
        port.register_write(0x07, 0x77)
        port.host.run_all()
        assert port.bench.said()[-5:] == ["S", "a20+", "w07+", "w77+", "P"]
        assert port.raised(Interrupt.TRANS_COMPLETE)
        assert not port.i2c.read(INT_RAW) & (bit(Interrupt.TIME_OUT) | bit(Interrupt.NACK))

    @pytest.mark.parametrize("state", STATES)
    def test_a_module_reset_leaves_no_event_and_no_interrupt(
        self, port: Port, state: Callable[[Port], None]
    ) -> None:
        port.i2c.write(INT_ENA, 0x1FFFF)
        state(port)
        port.i2c.reset()
        assert not port.host.irqs.get(29)
        port.host.run_all()
        assert port.i2c.read(INT_RAW) == 0x2
        assert port.i2c.read(CTR) == 0x20B

    def test_pulses_begin_at_conf_upgate_and_en_reads_1_until_they_are_done(
        self, port: Port
    ) -> None:
        port.i2c.write(SCL_SP_CONF, 9 << 1 | 1)
        port.host.run_for(MS)
        assert port.bench.at(Kind.CLEAR) == []
        port.i2c.write(CTR, MASTER | CONF_UPGATE)
        port.host.run_for(9 * BIT + HALF - 1)
        assert port.i2c.read(SCL_SP_CONF) & 1
        port.host.run_for(1)
        assert not port.i2c.read(SCL_SP_CONF) & 1
        (clear,) = port.bench.events(Kind.CLEAR)
        assert (clear.t_ns, clear.data) == (MS, (9,))

    def test_pulses_free_a_target_left_in_mid_read(self, port: Port) -> None:
        in_read(port)
        fsm_reset(port)
        assert port.i2c.read(SR) & 1 << 4
        clearing(port)
        port.host.run_all()
        assert not port.i2c.read(SR) & 1 << 4

    def test_pulses_on_held_scl_can_be_given_up(self, port: Port) -> None:
        port.bus.hold(SCL, "thumb")
        clearing(port)
        port.host.run_for(50 * MS)
        assert port.i2c.read(SCL_SP_CONF) & 1
        port.i2c.write(SCL_SP_CONF, 0)
        port.i2c.write(CTR, MASTER | CONF_UPGATE)
        port.bus.release(SCL, "thumb")
        port.register_write(0x03, 0x55)
        port.host.run_all()
        assert port.chip.dump()["R3"] == 0x55

    def test_arbitration_lost_to_a_rival(self, port: Port) -> None:
        port.bus.attach(Chip(port.host, "display", 0x10))
        rival = RivalMaster(port.host, "rival", port.bus)
        port.i2c.write(INT_ENA, bit(Interrupt.ARBITRATION_LOST))
        port.register_write(0x03, 0x55)
        rival.take(MS, 0x10)
        port.host.run_until(HALF + BYTE)
        assert port.host.irqs[29]
        assert port.i2c.read(SR) & 1 << 3
        port.host.run_all()
        assert port.chip.dump()["R3"] == 0xA5
        port.i2c.write(FIFO_CONF, 0x608B)
        port.i2c.write(FIFO_CONF, 0x408B)
        port.register_write(0x03, 0x55)
        port.host.run_all()
        assert not port.i2c.read(SR) & 1 << 3
        assert port.chip.dump()["R3"] == 0x55

    def test_a_stop_after_a_nack_that_sda_prevents_is_an_arbitration_lost(self, port: Port) -> None:
        port.fill(0x42)
        port.go(RSTART, WRITE | ACK_CHECK | 1, STOP)
        port.host.run_for(HALF + BYTE + 1)
        port.bus.hold(SDA, "short", port.host.now + MS)
        port.register_write(0x04, 0x66)
        port.host.run_all()
        assert port.raised(Interrupt.ARBITRATION_LOST)
        assert not port.raised(Interrupt.TRANS_COMPLETE)
        # The list that was to follow the STOP is gone; a new one works.
        assert port.chip.dump()["R4"] == 0xA5
        port.i2c.write(FIFO_CONF, 0x608B)
        port.i2c.write(FIFO_CONF, 0x408B)
        port.register_write(0x03, 0x55)
        port.host.run_all()
        assert port.bench.said()[-5:] == ["S", "a20+", "w03+", "w55+", "P"]

    def test_a_busy_bus_shows_and_is_waited_for(self, port: Port) -> None:
        port.bench.master.play(write(0x20, 0x03, 0x55))
        port.host.run_for(BIT)
        assert port.i2c.read(SR) & 1 << 4
        port.register_write(0x04, 0x66)
        port.host.run_all()
        assert port.bench.at(Kind.START, "i2c0") == [290 * US]
        assert not port.i2c.read(SR) & 1 << 4
