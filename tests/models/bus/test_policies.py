"""Which moments a disturbance means, and what a bad register does with a value."""

from __future__ import annotations

import pytest

from renode.peripherals.bus.policies import (
    BusPolicy,
    ByteOnWire,
    ClampRegister,
    IgnoreWrites,
    Occasions,
    RefuseByte,
)
from renode.peripherals.registers import Register, RegisterBank
from tests.models.bus.bench import Chip
from tests.models.fake_host import FakeHost


def hits(occasions: Occasions, times: list[int]) -> list[int]:
    return [t for t in times if occasions.hit(t)]


@pytest.mark.parametrize(
    ("occasions", "meant"),
    [
        (Occasions(), [0, 1, 2, 3, 4, 5]),
        (Occasions(times=2), [0, 1]),
        (Occasions(skip=2), [2, 3, 4, 5]),
        (Occasions(times=1, skip=3), [3]),
        (Occasions(times=0), []),
        (Occasions(from_ns=2, until_ns=5), [2, 3, 4]),
        # what happens outside the window is not counted
        (Occasions(times=1, skip=1, from_ns=2), [3]),
    ],
)
def test_occasions(occasions: Occasions, meant: list[int]) -> None:
    assert hits(occasions, [0, 1, 2, 3, 4, 5]) == meant


def byte(index: int, *, address: int = 0x20, reading: bool = False) -> ByteOnWire:
    pointer = None if index == 0 else 0x07
    return ByteOnWire(0, "master", address, reading, index, 0x07, pointer)


@pytest.mark.parametrize(
    ("policy", "refused"),
    [
        (RefuseByte(0x20, Occasions()), [0]),
        (RefuseByte(0x20, Occasions(), index=2), [2]),
        (RefuseByte(0x20, Occasions(), index=None), [1, 2, 3]),
        (RefuseByte(0x20, Occasions(), register=0x07), [2, 3]),
        (RefuseByte(0x20, Occasions(), register=0x08), []),
        (RefuseByte(0x21, Occasions(), index=None), []),
    ],
)
def test_which_bytes_are_refused(policy: RefuseByte, refused: list[int]) -> None:
    assert [index for index in range(4) if policy.refuses(byte(index))] == refused


def test_the_address_of_a_read_can_be_refused_its_data_is_the_masters_to_acknowledge() -> None:
    assert RefuseByte(0x20, Occasions()).refuses(byte(0, reading=True))
    assert not RefuseByte(0x20, Occasions(), index=None).refuses(byte(1, reading=True))


def test_a_plain_policy_disturbs_nothing() -> None:
    assert not BusPolicy().refuses(byte(0))
    assert BusPolicy().stretch_ns(byte(0)) == 0


def test_a_clamp_stores_the_nearest_value() -> None:
    chip = Chip(FakeHost())
    chip.interposers.append(ClampRegister(Chip.r(3), 0x10, 0x20))
    stored = []
    for value in (0x00, 0x10, 0x18, 0x20, 0xFF):
        chip.write(3, value)
        chip.write(4, value)
        stored.append(chip.read(3))
        assert chip.read(4) == value
    assert stored == [0x10, 0x10, 0x18, 0x20, 0x20]


def test_ignored_writes_leave_the_value_and_tell_nobody() -> None:
    chip = Chip(FakeHost())
    seen: list[str] = []

    def observe(bank: RegisterBank, register: Register, old: int, new: int) -> None:
        seen.append(register.name)

    chip.observers.append(observe)
    chip.interposers.append(IgnoreWrites(Chip.r(3)))
    chip.write(3, 0x11)
    chip.write(4, 0x22)
    assert (chip.read(3), chip.read(4)) == (0xA5, 0x22)
    assert seen == ["R4"]
