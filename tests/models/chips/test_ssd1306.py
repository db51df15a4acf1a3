"""The SSD1306 obeys its datasheet: control bytes, commands with arguments, GDDRAM addressing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renode.peripherals.bus.target import I2CTarget
from renode.peripherals.chips.ssd1306 import COLUMNS, PAGES, SSD1306
from tests.models.fake_host import FakeHost

COMMANDS = 0x00  # Co = 0, D/C# = 0: only commands until STOP (section 8.1.5.2)
DATA = 0x40  # Co = 0, D/C# = 1: only GDDRAM data until STOP
ONE_COMMAND = 0x80  # Co = 1, D/C# = 0
ONE_DATA = 0xC0  # Co = 1, D/C# = 1


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def display(host: FakeHost) -> SSD1306:
    return SSD1306(host)


def send(target: I2CTarget, *data: int) -> None:
    assert target.start(target.addresses[0], False)
    for byte in data:
        assert target.write_byte(byte)
    target.stop()


def status(target: I2CTarget) -> int:
    assert target.start(target.addresses[0], True)
    value = target.read_byte()
    target.read_acknowledged(False)
    target.stop()
    return value


def cell(page: int, column: int) -> int:
    return page * 128 + column


def test_reset_values_are_those_of_table_9_1(display: SSD1306) -> None:
    assert not display.is_on
    assert display.contrast == 0x7F
    assert display.multiplex_ratio == 64
    assert display.start_line == 0
    assert display.setting(0x20) == (2,)  # page addressing
    assert display.setting(0x21) == (0, 127)
    assert display.setting(0x22) == (0, 7)
    assert display.setting(0xD5) == (0x80,)
    assert display.setting(0xD9) == (0x22,)
    assert display.setting(0xDA) == (0x12,)
    assert display.setting(0xDB) == (0x20,)
    assert display.setting(0xD3) == (0x00,)
    assert display.setting(0xA3) == (0, 64)
    assert not display.charge_pump_on  # application note, section 2.1
    assert display.frame() == bytes(1024)


def test_addresses_follow_pin_sa0(host: FakeHost) -> None:
    assert SSD1306(host).addresses == (0x3C,)
    assert SSD1306(host, address=0x3D).addresses == (0x3D,)
    with pytest.raises(ValueError, match="0x3e"):
        SSD1306(host, address=0x3E)


def test_status_bit_6_tells_that_the_display_is_off(display: SSD1306) -> None:
    assert status(display) == 0x40
    send(display, COMMANDS, 0xAF)
    assert display.is_on
    assert status(display) == 0x00


def test_usual_start_up_sequence_is_all_known(host: FakeHost, display: SSD1306) -> None:
    send(display, COMMANDS, 0xAE, 0xD5, 0x80, 0xA8, 0x3F, 0xD3, 0x00, 0x40, 0x8D, 0x14, 0x20, 0x00)
    send(display, COMMANDS, 0xA1, 0xC8, 0xDA, 0x12, 0x81, 0xCF, 0xD9, 0xF1, 0xDB, 0x40, 0xA4, 0xA6)
    send(display, COMMANDS, 0x2E, 0xE3, 0xAF)
    assert host.unmodelled_accesses == []
    assert display.is_on
    assert display.charge_pump_on
    assert display.contrast == 0xCF
    assert display.segments_remapped
    assert display.scan_reversed
    assert not display.is_inverse
    assert not display.is_entirely_on


def test_co_bit_mixes_commands_and_data_in_one_transfer(display: SSD1306) -> None:
    send(display, ONE_COMMAND, 0xB3, ONE_DATA, 0x11, ONE_COMMAND, 0xAF, DATA, 0x22, 0xAE)
    assert display.frame()[cell(3, 0) : cell(3, 3)] == b"\x11\x22\xae"
    assert display.is_on


def test_arguments_may_come_in_transfers_of_their_own(display: SSD1306) -> None:
    send(display, COMMANDS, 0x81)
    send(display, COMMANDS, 0xAE)
    assert display.contrast == 0xAE
    assert not display.is_on
    send(display, COMMANDS, 0xAF)
    assert display.is_on


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (0x20, 1),
        (0x21, 2),
        (0x22, 2),
        (0x26, 6),
        (0x27, 6),
        (0x29, 5),
        (0x2A, 5),
        (0x81, 1),
        (0x8D, 1),
        (0xA3, 2),
        (0xA8, 1),
        (0xD3, 1),
        (0xD5, 1),
        (0xD9, 1),
        (0xDA, 1),
        (0xDB, 1),
    ],
)
def test_argument_counts_are_those_of_the_command_tables(
    display: SSD1306, command: int, arguments: int
) -> None:
    send(display, COMMANDS, command, *[0x00] * (arguments - 1))
    send(display, COMMANDS, 0x00)
    send(display, COMMANDS, 0xAF)
    assert display.is_on
    display.reset()
    send(display, COMMANDS, command, *[0x00] * (arguments - 1))
    send(display, COMMANDS, 0xAF)
    assert not display.is_on


def test_page_mode_wraps_within_the_page_to_its_start_column(display: SSD1306) -> None:
    # 0x0C and 0x17: column start 0x7C = 124; four columns are left in the page.
    send(display, COMMANDS, 0x20, 0x00, 0x20, 0x02, 0xB2, 0x0C, 0x17)
    send(display, DATA, 1, 2, 3, 4, 5)
    assert display.frame()[cell(2, 124) : cell(3, 0)] == b"\x05\x02\x03\x04"
    assert display.frame()[cell(3, 0)] == 0


def test_horizontal_mode_goes_on_to_the_next_page_of_its_window(display: SSD1306) -> None:
    # Window of columns 10-11 in pages 6-7, four cells: the fifth byte overwrites the first.
    send(display, COMMANDS, 0x20, 0x00, 0x21, 10, 11, 0x22, 6, 7)
    send(display, DATA, 1, 2, 3, 4, 5)
    frame = display.frame()
    assert frame[cell(6, 10) : cell(6, 12)] == b"\x05\x02"
    assert frame[cell(7, 10) : cell(7, 12)] == b"\x03\x04"


def test_vertical_mode_goes_down_before_it_goes_right(display: SSD1306) -> None:
    send(display, COMMANDS, 0x20, 0x01, 0x21, 10, 11, 0x22, 6, 7)
    send(display, DATA, 1, 2, 3, 4, 5)
    frame = display.frame()
    assert (frame[cell(6, 10)], frame[cell(7, 10)]) == (5, 2)
    assert (frame[cell(6, 11)], frame[cell(7, 11)]) == (3, 4)


def test_an_open_window_wraps_at_the_edges_of_the_ram(display: SSD1306) -> None:
    send(display, COMMANDS, 0x20, 0x00, 0x21, 126, 1)  # section 10.1.4 gives the end last
    send(display, DATA, 1, 2, 3, 4, 5)
    frame = display.frame()
    assert frame[cell(0, 126) : cell(1, 0)] == b"\x01\x02"
    assert frame[cell(0, 0) : cell(0, 2)] == b"\x03\x04"
    assert frame[cell(1, 126)] == 5


def test_bits_outside_the_address_fields_do_not_count(display: SSD1306) -> None:
    # A[6:0] is the column, A[2:0] the page, A[1:0] the mode, A[5:0] the multiplex ratio.
    send(display, COMMANDS, 0x20, 0xFC, 0x21, 0x8A, 0xFF, 0x22, 0xFB, 0xFF, 0xA8, 0xDF)
    send(display, DATA, 0x5A)
    assert display.frame()[cell(3, 10)] == 0x5A
    assert display.setting(0x21) == (10, 127)
    assert display.setting(0x22) == (3, 7)
    assert display.multiplex_ratio == 32


@pytest.mark.parametrize("column", [0x00, 0x05, 0x50, 0x7F])
@pytest.mark.parametrize("page", range(8))
def test_page_mode_is_addressed_by_nibbles(
    host: FakeHost, display: SSD1306, page: int, column: int
) -> None:
    send(display, COMMANDS, 0x0F, 0x17)
    send(display, COMMANDS, 0xB0 + page, column & 0x0F, 0x10 + (column >> 4))
    send(display, DATA, 0x5A)
    assert display.frame()[cell(page, column)] == 0x5A
    assert host.unmodelled_accesses == []


@pytest.mark.parametrize(
    ("set_command", "reset_command", "name"),
    [
        (0xAF, 0xAE, "is_on"),
        (0xA5, 0xA4, "is_entirely_on"),
        (0xA7, 0xA6, "is_inverse"),
        (0xA1, 0xA0, "segments_remapped"),
        (0xC8, 0xC0, "scan_reversed"),
    ],
)
def test_switches_go_both_ways(
    host: FakeHost, display: SSD1306, set_command: int, reset_command: int, name: str
) -> None:
    assert getattr(display, name) is False
    send(display, COMMANDS, set_command)
    assert getattr(display, name) is True
    send(display, COMMANDS, reset_command)
    assert getattr(display, name) is False
    assert host.unmodelled_accesses == []


@pytest.mark.parametrize("line", [0, 1, 63])
def test_start_line_is_part_of_its_command(display: SSD1306, line: int) -> None:
    send(display, COMMANDS, 0x40 + line)
    assert display.start_line == line


@pytest.mark.parametrize("control", [0x01, 0x20, 0xC4])
def test_control_bits_that_must_be_0_are_reported(
    host: FakeHost, display: SSD1306, control: int
) -> None:
    send(display, control)
    assert host.unmodelled_accesses == [("ssd1306", f"control byte {control:#04x}")]


def test_full_frame_in_horizontal_mode_lands_in_order(display: SSD1306) -> None:
    picture = bytes(i * 7 & 0xFF for i in range(COLUMNS * PAGES))
    send(display, COMMANDS, 0x20, 0x00)
    for page in range(PAGES):
        send(display, DATA, *picture[page * COLUMNS : (page + 1) * COLUMNS])
    assert display.frame() == picture


@pytest.mark.parametrize(
    "commands",
    [
        pytest.param((0xFF,), id="no such command"),
        pytest.param((0x20, 0x03), id="addressing mode 3 is invalid"),
        pytest.param((0x80,), id="0x80 is just past the start lines"),
        pytest.param((0xB8,), id="there is no page 8"),
        pytest.param((0xA8, 0x0E), id="multiplex ratio 15 is invalid"),
        pytest.param((0x2F,), id="scrolling is not modelled"),
        pytest.param((0x20, 0x00, 0xB0), id="0xB0 is for page addressing only"),
    ],
)
def test_what_it_does_not_know_is_reported_and_changes_nothing(
    host: FakeHost, display: SSD1306, commands: tuple[int, ...]
) -> None:
    send(display, COMMANDS, *commands, 0xAF)
    assert len(host.unmodelled_accesses) == 1
    assert display.is_on
    assert display.multiplex_ratio == 64


def test_snapshot_in_the_middle_of_a_transfer_is_exact(display: SSD1306) -> None:
    send(display, COMMANDS, 0x20, 0x00)
    display.start(0x3C, False)
    for byte in (DATA, 1, 2):
        display.write_byte(byte)
    middle = display.snapshot()
    display.write_byte(3)
    display.stop()
    after = display.snapshot()
    display.reset()
    display.restore(middle)
    assert display.frame()[:4] == b"\x01\x02\x00\x00"
    display.write_byte(3)
    display.stop()
    assert display.snapshot() == after


@given(st.lists(st.lists(st.integers(0, 255), max_size=40), max_size=20))
def test_any_bytes_are_acknowledged_and_a_data_byte_lands_in_one_cell(
    transfers: list[list[int]],
) -> None:
    display = SSD1306(FakeHost())
    for transfer in transfers:
        send(display, *transfer)
    before = display.frame()
    send(display, DATA, 0xA5)
    after = display.frame()
    assert len(after) == 1024
    assert 0xA5 in after
    assert sum(old != new for old, new in zip(before, after, strict=True)) <= 1
