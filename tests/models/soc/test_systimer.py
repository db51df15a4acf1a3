"""SYSTIMER against systimer_reg.h (ESP-IDF, esp32c3): 16 MHz, so a tick is 62.5 ns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renode.peripherals.soc.esp32c3.systimer import Systimer
from tests.models.fake_host import FakeHost

CONF, UNIT0_OP, UNIT1_OP = 0x00, 0x04, 0x08
UNIT0_LOAD_HI, UNIT0_LOAD_LO, UNIT0_LOAD = 0x0C, 0x10, 0x5C
UNIT0_VALUE_HI, UNIT0_VALUE_LO, UNIT1_VALUE_LO = 0x40, 0x44, 0x4C
INT_ENA, INT_RAW, INT_CLR, INT_ST = 0x64, 0x68, 0x6C, 0x70
UPDATE, VALID, PERIOD_MODE, UNIT1 = 1 << 30, 1 << 29, 1 << 30, 1 << 31
RESET_CONF = 1 << 30 | 1 << 26 | 1 << 25
UNIT1_WORKS = 1 << 29
SOURCE = 37


def target_hi(i: int) -> int:
    return 0x1C + 8 * i


def target_lo(i: int) -> int:
    return 0x20 + 8 * i


def target_conf(i: int) -> int:
    return 0x34 + 4 * i


def comp_load(i: int) -> int:
    return 0x50 + 4 * i


def works(i: int) -> int:
    return 1 << 24 - i


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def timer(host: FakeHost) -> Systimer:
    return Systimer(host, "systimer")


def read_unit0(timer: Systimer) -> int:
    timer.write(UNIT0_OP, UPDATE)
    assert timer.read(UNIT0_OP) & VALID
    return timer.read(UNIT0_VALUE_HI) << 32 | timer.read(UNIT0_VALUE_LO)


def set_target(timer: Systimer, i: int, target: int) -> None:
    timer.write(target_hi(i), target >> 32)
    timer.write(target_lo(i), target & 0xFFFFFFFF)
    timer.write(comp_load(i), 1)


def test_reset_values(timer: Systimer) -> None:
    assert timer.read(CONF) == RESET_CONF
    assert timer.read(UNIT0_OP) == 0
    assert timer.read(0xFC) == 33579377


def test_unit_0_counts_sixteen_ticks_a_microsecond(host: FakeHost, timer: Systimer) -> None:
    host.run_until(1_000_000)
    assert read_unit0(timer) == 16_000
    host.run_for(62)
    assert timer.read(UNIT0_VALUE_LO) == 16_000
    assert read_unit0(timer) == 16_000
    host.run_for(1)  # 63 ns is the first whole nanosecond after a tick of 62.5
    assert read_unit0(timer) == 16_001


def test_unit_1_stands_until_it_works(host: FakeHost, timer: Systimer) -> None:
    host.run_until(1_000_000)
    assert timer.value(1) == 0
    timer.write(CONF, RESET_CONF | UNIT1_WORKS)
    host.run_for(1_000)
    timer.write(UNIT1_OP, UPDATE)
    assert timer.read(UNIT1_VALUE_LO) == 16
    timer.write(CONF, RESET_CONF)
    host.run_for(1_000_000)
    assert timer.value(1) == 16


def test_load_sets_all_52_bits(host: FakeHost, timer: Systimer) -> None:
    timer.write(UNIT0_LOAD_HI, 0xFFFFF)
    timer.write(UNIT0_LOAD_LO, 0xFFFFFFFF)
    timer.write(UNIT0_LOAD, 1)
    assert read_unit0(timer) == (1 << 52) - 1
    host.run_for(63)
    assert read_unit0(timer) == 0


@pytest.mark.parametrize("i", [0, 1, 2])
def test_target_fires_once_on_its_own_source(host: FakeHost, timer: Systimer, i: int) -> None:
    timer.write(INT_ENA, 1 << i)
    timer.write(CONF, RESET_CONF | works(i))
    set_target(timer, i, 16_001)  # 16001 * 62.5 ns = 1000062.5 ns
    host.run_all()
    assert host.irq_edges == [(1_000_063, SOURCE + i, True)]
    assert timer.read(INT_ST) == 1 << i
    timer.write(INT_CLR, 1 << i)
    assert host.irq_edges[-1] == (1_000_063, SOURCE + i, False)
    assert host.pending == 0


def test_target_in_the_past_fires_at_once(host: FakeHost, timer: Systimer) -> None:
    timer.write(CONF, RESET_CONF | works(0))
    host.run_until(1_000_000)
    set_target(timer, 0, 15_999)
    assert timer.read(INT_RAW) == 1


def test_target_waits_for_its_enable(host: FakeHost, timer: Systimer) -> None:
    set_target(timer, 0, 16)
    host.run_until(5_000)
    assert timer.read(INT_RAW) == 0
    timer.write(CONF, RESET_CONF | works(0))
    assert timer.read(INT_RAW) == 1


def test_new_target_replaces_the_old(host: FakeHost, timer: Systimer) -> None:
    timer.write(CONF, RESET_CONF | works(0))
    timer.write(INT_ENA, 1)
    set_target(timer, 0, 160)
    set_target(timer, 0, 320)
    host.run_all()
    assert host.irq_edges == [(20_000, SOURCE, True)]


def test_period_mode_selected_after_the_load(host: FakeHost, timer: Systimer) -> None:
    """ESP-IDF's tick: unit 1, period, COMP_LOAD, enable, then period mode, then the unit."""
    timer.write(target_conf(0), UNIT1)
    timer.write(target_conf(0), UNIT1 | 16_000)
    timer.write(comp_load(0), 1)
    timer.write(CONF, RESET_CONF | works(0))
    timer.write(target_conf(0), UNIT1 | PERIOD_MODE | 16_000)
    timer.write(INT_ENA, 1)
    host.run_until(300)
    timer.write(CONF, RESET_CONF | works(0) | UNIT1_WORKS)
    host.on_irq = lambda _, level: timer.write(INT_CLR, 1) if level else None
    host.run_until(5_000_000)
    # every 16000 ticks of 62.5 ns after the unit started; 300 ns is 4.8 ticks, so it counts
    # from the tick at 250 ns on
    assert [t for t, _, level in host.irq_edges if level] == [
        1_000_250,
        2_000_250,
        3_000_250,
        4_000_250,
    ]


def test_period_goes_on_when_nobody_clears(host: FakeHost, timer: Systimer) -> None:
    timer.write(target_conf(2), PERIOD_MODE | 160)
    timer.write(comp_load(2), 1)
    timer.write(CONF, RESET_CONF | works(2))
    host.run_until(100_000)
    timer.write(INT_CLR, 4)
    host.run_until(109_999)
    assert timer.read(INT_RAW) == 0
    host.run_until(110_000)
    assert timer.read(INT_RAW) == 4


def test_a_period_that_was_disabled_for_long_fires_once_and_keeps_its_phase(
    host: FakeHost, timer: Systimer
) -> None:
    timer.write(target_conf(0), PERIOD_MODE | 16_000)
    host.run_until(10_300_000_000)
    timer.write(INT_ENA, 1)
    timer.write(CONF, RESET_CONF | works(0))
    host.on_irq = lambda _, level: timer.write(INT_CLR, 1) if level else None
    assert host.irq_edges == [(10_300_000_000, SOURCE, True)]
    timer.write(INT_CLR, 1)
    host.run_for(1_500_000)
    assert [t for t, _, level in host.irq_edges[1:] if level] == [10_301_000_000]


def test_loading_a_unit_moves_its_alarms(host: FakeHost, timer: Systimer) -> None:
    timer.write(INT_ENA, 1)
    timer.write(CONF, RESET_CONF | works(0))
    set_target(timer, 0, 1_600)
    timer.write(UNIT0_LOAD_LO, 1_440)
    timer.write(UNIT0_LOAD, 1)
    host.run_all()
    assert host.irq_edges == [(10_000, SOURCE, True)]


def test_reset_starts_from_zero(host: FakeHost, timer: Systimer) -> None:
    timer.write(INT_ENA, 1)
    timer.write(CONF, RESET_CONF | works(0))
    set_target(timer, 0, 16)
    host.run_until(1_000)
    assert host.irqs[SOURCE]
    set_target(timer, 0, 1_000_000)
    timer.reset()
    assert not host.irqs[SOURCE]
    assert host.pending == 0
    host.run_for(1_000)
    assert read_unit0(timer) == 16


def test_restore_continues_alike(host: FakeHost, timer: Systimer) -> None:
    timer.write(INT_ENA, 3)
    timer.write(CONF, RESET_CONF | works(0) | works(1))
    timer.write(target_conf(0), PERIOD_MODE | 1_600)
    set_target(timer, 1, 12_345)
    host.on_irq = lambda _, level: timer.write(INT_CLR, 3) if level else None
    host.run_until(345_678)
    state, world = timer.snapshot(), host.snapshot()

    def go_on() -> list[tuple[int, int, bool]]:
        host.irq_edges.clear()
        host.run_until(2_000_000)
        return list(host.irq_edges)

    first = go_on()
    timer.restore(state)
    host.restore(world)
    assert go_on() == first
    # 12345 * 62.5 = 771562.5, and seventeen more periods of 100 us end by 2 ms
    assert [edge for edge in first if edge[2]].count((771_563, SOURCE + 1, True)) == 1
    assert sum(source == SOURCE and level for _, source, level in first) == 17


@given(start=st.integers(0, 10**9), target=st.integers(0, 10**8))
def test_an_alarm_never_fires_before_its_count(start: int, target: int) -> None:
    host = FakeHost()
    timer = Systimer(host, "systimer")
    timer.write(CONF, RESET_CONF | works(0))
    timer.write(INT_ENA, 1)
    host.run_until(start)
    already = timer.value(0)
    set_target(timer, 0, target)
    host.run_all()
    assert host.irqs[SOURCE]
    assert timer.value(0) == max(already, target)
