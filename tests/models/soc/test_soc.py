"""The ESP32-C3 as a whole, and its blocks that mostly store."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import pytest

from renode.peripherals.registers import Register, RegisterBank
from renode.peripherals.soc.esp32c3 import RESET_CAUSES, Soc, build
from renode.peripherals.soc.esp32c3.efuse import Efuse
from renode.peripherals.soc.esp32c3.stubs import ApbCtrl, Rsa, RtcI2c, Spi1, UsbSerialJtag
from renode.peripherals.soc.esp32c3.system import System
from tests.models.fake_host import FakeHost


class Lamp(RegisterBank):
    """A block to be added."""

    BASE: ClassVar[int] = 0x60013000
    SIZE: ClassVar[int] = 0x1000

    CTRL = Register(0x00)


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def soc(host: FakeHost) -> Soc:
    return build(host)


# soc/esp32c3/register/soc/reg_base.h
@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("uart0", 0x60000000),
        ("uart1", 0x60010000),
        ("gpio", 0x60004000),
        ("rtc_cntl", 0x60008000),
        ("efuse", 0x60008800),
        ("io_mux", 0x60009000),
        ("timg0", 0x6001F000),
        ("timg1", 0x60020000),
        ("systimer", 0x60023000),
        ("system", 0x600C0000),
        ("intmtx", 0x600C2000),
        ("extmem", 0x600C4000),
    ],
)
def test_bases(soc: Soc, name: str, base: int) -> None:
    block = getattr(soc, name)
    assert base == block.BASE
    assert block in soc.blocks


def test_blocks_do_not_overlap_and_have_their_own_names(soc: Soc) -> None:
    blocks: list[Any] = list(soc.blocks)
    ranges = sorted((block.BASE, block.BASE + block.SIZE) for block in blocks)
    assert all(end <= start for (_, end), (start, _) in pairwise(ranges))
    assert len({block.name for block in soc.blocks}) == len(soc.blocks)


def test_registers_lie_inside_their_blocks(soc: Soc) -> None:
    blocks: list[Any] = list(soc.blocks)
    for block in blocks:
        assert all(register.offset < block.SIZE for register in block.registers), block.name


def test_nothing_is_pending_out_of_reset(host: FakeHost, soc: Soc) -> None:
    soc.reset()
    assert host.pending == 0
    assert not any(host.irqs.values())


@pytest.mark.parametrize("n", range(4))
def test_from_cpu_interrupts(host: FakeHost, soc: Soc, n: int) -> None:
    soc.system.write(0x28 + 4 * n, 1)
    assert host.irqs == {50 + n: True}
    soc.system.write(0x28 + 4 * n, 0)
    assert host.irqs == {50 + n: False}


def test_system_reset_values(soc: Soc) -> None:
    # system_reg.h: the bits whose default is 1
    assert soc.system.read(0x10) == 0xF9C1E06F
    assert soc.system.read(0x1C) == 0x1FE
    assert soc.system.read(0xFFC) == 0x2007150


def test_peripheral_reset_bits(host: FakeHost, soc: Soc) -> None:
    lamp = Lamp(host, "lamp")
    soc.add(lamp, System.I2C_EXT0_RST)
    assert lamp in soc.blocks
    for bit, block in {2: soc.uart0, 5: soc.uart1, 29: soc.systimer}.items():
        block.write(0x0C, 1)
        soc.system.write(0x18, 1 << bit)
        assert block.read(0x0C) == 0
        soc.system.write(0x18, 0)
    lamp.write(0x00, 1)
    soc.system.write(0x18, 1 << 7)
    lamp.write(0x00, 1)
    soc.system.write(0x18, 1 << 7 | 1 << 5)
    soc.system.write(0x18, 0)
    assert lamp.read(0x00) == 1, "resets when the bit rises, and only then"


def test_software_reset_reaches_the_callback_and_keeps_the_scratch(soc: Soc) -> None:
    causes: list[str] = []
    soc.on_reset(causes.append)
    soc.rtc_cntl.write(0x50, 42)
    soc.uart1.write(0x0C, 1)
    soc.rtc_cntl.write(0x00, 1 << 31)
    soc.reset(causes[0])
    assert soc.rtc_cntl.read(0x38) & 0x3F == RESET_CAUSES["software"]
    assert soc.rtc_cntl.read(0x50) == 42
    assert soc.uart1.read(0x0C) == 0


def test_cpu_reset_leaves_the_peripherals(soc: Soc) -> None:
    soc.uart1.write(0x0C, 1)
    soc.reset("software-cpu")
    assert soc.rtc_cntl.read(0x38) & 0x3F == 0x0C
    assert soc.uart1.read(0x0C) == 1


def test_whole_snapshot(host: FakeHost, soc: Soc) -> None:
    host.on_irq = soc.intmtx.set_source
    for offset, value in ((4 * 50, 7), (0x114 + 4 * 7, 1), (0x104, 1 << 7)):
        soc.intmtx.write(offset, value)
    soc.system.write(0x28, 1)
    before = [block.dump() for block in soc.blocks]
    states = [block.snapshot() for block in soc.blocks]
    soc.reset()
    assert soc.intmtx.line == 0
    for block, state in zip(soc.blocks, states, strict=True):
        block.restore(state)
    assert soc.intmtx.line == 7
    assert [block.dump() for block in soc.blocks] == before


def test_efuse_is_a_revision_0_4_with_the_given_mac(host: FakeHost) -> None:
    efuse = Efuse(host, "efuse", bytes.fromhex("0a1b2c3d4e5f"))
    efuse.reset()
    assert efuse.read(0x44) == 0x2C3D4E5F
    assert efuse.read(0x48) == 0x0A1B
    assert efuse.read(0x50) >> 18 & 7 == 4
    assert efuse.read(0x58) >> 24 & 3 == 0
    efuse.write(0x1D4, 1)
    assert efuse.read(0x1D4) == 0


@pytest.mark.parametrize(("offset", "bit"), [(0x1C, 2), (0x28, 1), (0x34, 1), (0x40, 3)])
def test_cache_operations_are_done(soc: Soc, offset: int, bit: int) -> None:
    soc.extmem.write(offset, 0)
    assert soc.extmem.read(offset) >> bit & 1


def test_cache_freeze_follows_its_enable(soc: Soc) -> None:
    for enable, answer in ((1, 5), (0, 0)):
        soc.extmem.write(0xCC, enable)
        assert soc.extmem.read(0xCC) == answer


def test_random_numbers_repeat_after_restore_and_reset(host: FakeHost) -> None:
    syscon = ApbCtrl(host, "syscon")
    state = syscon.snapshot()
    first = [syscon.read(0xB0) for _ in range(100)]
    assert len(set(first)) == 100
    syscon.restore(state)
    assert [syscon.read(0xB0) for _ in range(100)] == first
    syscon.reset()
    assert syscon.read(0xB0) == first[0]


@pytest.mark.parametrize(
    ("user2", "cmd", "answer"),
    [(0, 1 << 28, 0x1640C8), (0x9F, 1 << 18, 0x1640C8), (0x35, 1 << 18, 2), (0x05, 1 << 18, 0)],
)
def test_flash_identity(host: FakeHost, user2: int, cmd: int, answer: int) -> None:
    spi = Spi1(host, "spi1")
    spi.write(0x20, user2)
    spi.write(0x00, cmd)
    assert spi.read(0x00) == 0
    assert spi.read(0x58) == answer


def test_stubs_answer_what_is_waited_for(host: FakeHost) -> None:
    rtc_i2c = RtcI2c(host, "rtc_i2c")
    rtc_i2c.write(0x00, 1 << 25 | 0x6D)
    assert rtc_i2c.read(0x00) == 0x6D
    assert Rsa(host, "rsa").read(0x810) == 1
    assert UsbSerialJtag(host, "usb").read(0x04) == 1 << 1


def test_only_unknown_offsets_are_reported(host: FakeHost) -> None:
    syscon = ApbCtrl(host, "syscon")
    syscon.write(0x14, 5)
    assert syscon.read(0x14) == 5
    assert host.unmodelled_accesses == []
    assert syscon.read(0x24) == 0
    syscon.write(0x24, 1)
    assert host.unmodelled_accesses == [("syscon", "read 0x24"), ("syscon", "write 0x24 = 0x1")]
