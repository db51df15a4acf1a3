"""A declared register reads, writes, resets and reports as its declaration says."""

from __future__ import annotations

import pytest

from renode.peripherals.registers import Register, RegisterArray, RegisterBank
from tests.models.fake_host import FakeHost


class Lamp(RegisterBank):
    STATE = ("heard",)

    CTRL = Register(0x00, reset=0x0000_0101)
    EN = CTRL.bit(0)
    GO = CTRL.bit(1, access="sc")
    LEVEL = CTRL.field(8, 4)
    STATUS = Register(0x04, reset=0xFF, access="w1c")
    HOT = STATUS.bit(0)
    VERSION = Register(0x08, reset=0x1234, access="ro")
    KEY = Register(0x0C, access="wo")
    MIXED = Register(0x10, reset=0xFF)
    FIXED = MIXED.field(0, 4, access="ro")
    FLAG = MIXED.bit(4, access="w1c")
    TICKS = Register(0x14, access="ro")
    TABLE = RegisterArray(0x20, 3, reset=7)

    def __init__(self, host: FakeHost) -> None:
        super().__init__(host, "lamp")
        self.heard: list[tuple[int, ...]] = []

    @CTRL.on_write
    def _control(self, old: int, written: int) -> None:
        self.heard.append((old, written, self.CTRL))

    @TICKS.on_read
    def _ticks(self) -> int:
        return 42

    @TABLE.on_write
    def _table(self, index: int, old: int, written: int) -> None:
        self.heard.append((index, old, written))


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def lamp(host: FakeHost) -> Lamp:
    return Lamp(host)


def test_reset_values(lamp: Lamp) -> None:
    assert lamp.dump() == {
        **{"CTRL": 0x101, "STATUS": 0xFF, "VERSION": 0x1234, "KEY": 0, "MIXED": 0xFF},
        **{"TICKS": 0, "TABLE0": 7, "TABLE1": 7, "TABLE2": 7},
    }
    lamp.write(0x00, 0)
    lamp.reset()
    assert lamp.read(0x00) == 0x101


@pytest.mark.parametrize(
    ("offset", "written", "stored", "read"),
    [
        (0x00, 0x0000_0F03, 0x0F01, 0x0F01),  # GO reads back as 0
        (0x00, 0x1_0000_0001, 0x0001, 0x0001),  # 32 bits wide
        (0x04, 0x0F, 0xF0, 0xF0),  # a 1 clears
        (0x08, 0xFFFF, 0x1234, 0x1234),
        (0x0C, 0x55, 0x55, 0x00),
        (0x10, 0x10, 0x0F, 0x0F),  # FIXED stays, FLAG clears, bits 5-7 are written 0
        (0x10, 0xE0, 0xFF, 0xFF),  # FIXED and FLAG stay
    ],
)
def test_access(lamp: Lamp, offset: int, written: int, stored: int, read: int) -> None:
    lamp.write(offset, written)
    assert lamp.peek(Lamp.register(offset)) == stored
    assert lamp.read(offset) == read


def test_fields_are_shifted_integers(lamp: Lamp) -> None:
    assert (lamp.EN, lamp.LEVEL) == (1, 1)
    lamp.LEVEL = 0x1A  # four bits wide
    assert lamp.CTRL == 0x0A01
    assert Lamp.LEVEL.of(0x0F00) == 0xF


def test_a_write_hook_gets_what_was_and_what_came(lamp: Lamp) -> None:
    lamp.write(0x00, 0x0003)
    lamp.write(0x24, 9)
    assert lamp.heard == [(0x101, 0x0003, 0x0001), (1, 7, 9)]


def test_a_read_hook_gives_the_value(lamp: Lamp) -> None:
    assert lamp.read(0x14) == 42


def test_arrays_are_indexed(lamp: Lamp) -> None:
    lamp.TABLE[2] = 5
    assert list(lamp.TABLE) == [7, 7, 5]
    assert lamp.read(0x28) == 5
    assert len(lamp.TABLE) == 3


def test_an_address_between_the_registers_is_reported(host: FakeHost, lamp: Lamp) -> None:
    assert lamp.read(0x40) == 0
    lamp.write(0x44, 0x99)
    assert host.unmodelled_accesses == [("lamp", "read 0x40"), ("lamp", "write 0x44 = 0x99")]


@pytest.mark.parametrize("which", ["level", "STATUSES", 0x40])
def test_an_unknown_register_is_named_with_those_that_exist(which: str | int) -> None:
    with pytest.raises(KeyError, match=r"Lamp has no register .* CTRL, STATUS, VERSION"):
        Lamp.register(which)


@pytest.mark.parametrize("which", ["ctrl", "CTRL", 0x00])
def test_a_register_is_found_by_name_or_offset(which: str | int) -> None:
    assert Lamp.register(which) is Lamp.CTRL


def test_two_registers_cannot_share_an_offset() -> None:
    with pytest.raises(TypeError, match="B and A share an offset"):

        class Clash(RegisterBank):
            A = Register(0)
            B = Register(0)


def test_an_observer_sees_what_was_stored(lamp: Lamp) -> None:
    seen: list[tuple[str, int, int]] = []

    def observe(bank: RegisterBank, register: Register, old: int, new: int) -> None:
        seen.append((register.name, old, new))

    lamp.observers.append(observe)
    lamp.write(0x00, 0x0F03)
    lamp.write(0x08, 0)
    assert seen == [("CTRL", 0x101, 0x0F01), ("VERSION", 0x1234, 0x1234)]


class Offset:
    """Adds to what is written, and to what is read."""

    def written(self, register: Register, value: int) -> int | None:
        return value + 0x100

    def read(self, register: Register, value: int) -> int:
        return value + 1


def test_an_interposer_stands_between_port_and_storage(lamp: Lamp) -> None:
    lamp.interposers.append(Offset())
    lamp.write(0x20, 0)
    assert lamp.heard == [(0, 7, 0x100)]
    assert lamp.peek(Lamp.register("TABLE0")) == 0x100
    assert lamp.read(0x20) == 0x101


def test_snapshot_and_restore_are_whole_and_repeatable(lamp: Lamp) -> None:
    state = lamp.snapshot()
    for value in (1, 2):
        lamp.write(0x00, value)
        assert lamp.heard == [(0x101, value, value & 1)]
        lamp.restore(state)
        assert lamp.CTRL == 0x101
        assert lamp.heard == []
