"""Timer groups against timer_group_reg.h (ESP-IDF, esp32c3): APB 80 MHz, XTAL 40 MHz."""

from __future__ import annotations

import pytest

from renode.peripherals.soc.esp32c3.timg import Timg0, Timg1
from tests.models.fake_host import FakeHost

T0CONFIG, T0LO, T0HI, T0UPDATE, T0ALARMLO, T0LOADLO, T0LOAD = 0, 4, 8, 0xC, 0x10, 0x18, 0x20
WDTCONFIG0, WDTCONFIG1, WDTCONFIG2, WDTCONFIG3 = 0x48, 0x4C, 0x50, 0x54
WDTFEED, WDTWPROTECT, RTCCALICFG, RTCCALICFG1 = 0x60, 0x64, 0x68, 0x6C
INT_ENA, INT_RAW, INT_ST, INT_CLR = 0x70, 0x74, 0x78, 0x7C
EN, INCREASE, AUTORELOAD, ALARM_EN, USE_XTAL = 1 << 31, 1 << 30, 1 << 29, 1 << 10, 1 << 9
WDT_EN, INTERRUPT, RESET_CPU, RESET_SYSTEM = 1 << 31, 1, 2, 3
T0_SOURCE, WDT_SOURCE = 32, 33
KEY = 0x50D83AA1


def divider(n: int) -> int:
    return n << 13


def stages(*actions: int) -> int:
    """Stage 0 in bits 29-30, stage 1 in 27-28, and so on down."""
    return sum(action << 29 - 2 * stage for stage, action in enumerate(actions))


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def timg(host: FakeHost) -> Timg0:
    return Timg0(host, "timg0")


def read_count(timg: Timg0) -> int:
    timg.write(T0UPDATE, 1 << 31)
    return timg.read(T0HI) << 32 | timg.read(T0LO)


@pytest.mark.parametrize(
    ("offset", "value"),
    [
        (T0CONFIG, AUTORELOAD | INCREASE | divider(1)),
        (WDTCONFIG0, 1 << 14 | 1 << 15 | 1 << 18),
        (WDTCONFIG1, 1 << 16),
        (WDTCONFIG2, 26_000_000),
        (WDTWPROTECT, 1_356_348_065),
        (0xF8, 33_579_409),
        (0xFC, 1 << 29 | 1 << 30),
    ],
)
def test_reset_values(timg: Timg0, offset: int, value: int) -> None:
    assert timg.read(offset) == value


@pytest.mark.parametrize(
    ("config", "count"),
    [
        (INCREASE | divider(80), 1_000),  # 80 MHz / 80: one a microsecond
        (INCREASE | divider(40) | USE_XTAL, 1_000),
        (INCREASE | divider(1), 40_000),  # 1 divides by 2
        (INCREASE, 1),  # 0 divides by 65536: 1220 counts a second
        (divider(80), (1 << 54) - 1_000),
    ],
)
def test_counting(host: FakeHost, timg: Timg0, config: int, count: int) -> None:
    timg.write(T0CONFIG, EN | config)
    host.run_until(1_000_000)
    assert read_count(timg) == count
    timg.write(T0CONFIG, config)
    host.run_until(2_000_000)
    assert read_count(timg) == count


def test_alarm_fires_once_and_reloads(host: FakeHost, timg: Timg0) -> None:
    timg.write(T0ALARMLO, 500)
    timg.write(T0LOADLO, 100)
    timg.write(INT_ENA, 1)
    timg.write(T0CONFIG, EN | INCREASE | AUTORELOAD | ALARM_EN | divider(80))
    host.run_until(600_000)
    assert host.irq_edges == [(500_000, T0_SOURCE, True)]
    assert timg.read(T0CONFIG) & ALARM_EN == 0
    assert read_count(timg) == 200
    timg.write(INT_CLR, 1)
    timg.write(T0CONFIG, timg.read(T0CONFIG) | ALARM_EN)
    host.run_until(2_000_000)
    # it stood at 200 then, so 300 microseconds later
    assert host.irq_edges[1:] == [(600_000, T0_SOURCE, False), (900_000, T0_SOURCE, True)]


def test_alarm_follows_a_load(host: FakeHost, timg: Timg0) -> None:
    timg.write(T0ALARMLO, 500)
    timg.write(INT_ENA, 1)
    timg.write(T0CONFIG, EN | INCREASE | ALARM_EN | divider(80))
    timg.write(T0LOADLO, 450)
    timg.write(T0LOAD, 1)
    host.run_all()
    assert host.irq_edges == [(50_000, T0_SOURCE, True)]


def test_calibration_takes_its_time(host: FakeHost, timg: Timg0) -> None:
    ready = 1 << 15
    assert timg.read(RTCCALICFG) & ready, "out of reset it calibrates for ever"
    timg.write(RTCCALICFG, 1024 << 16)
    timg.write(RTCCALICFG, 1 << 31 | 1024 << 16)
    # 1024 cycles of 136 kHz: 7529411.8 ns, in which the crystal makes 301176.5 cycles
    host.run_until(7_529_000)
    assert timg.read(RTCCALICFG) & ready == 0
    host.run_until(7_530_000)
    assert timg.read(RTCCALICFG) & ready
    assert timg.read(RTCCALICFG1) == 301_176 << 7 | 1


def test_calibration_of_the_other_clocks(timg: Timg0) -> None:
    timg.write(RTCCALICFG, 1 << 13 | 100 << 16)
    # 100 cycles of 17.5 MHz / 256: 100 * 40e6 * 256 / 17.5e6 = 58514.3
    assert timg.read(RTCCALICFG1) >> 7 == 58_514
    timg.write(RTCCALICFG, 2 << 13 | 100 << 16)
    assert timg.read(RTCCALICFG1) >> 7 == 122_070  # 100 * 40e6 / 32768


def test_watchdog_goes_through_its_stages(host: FakeHost, timg: Timg0) -> None:
    resets: list[tuple[int, str]] = []
    timg.on_reset = lambda cause: resets.append((host.now, cause))
    timg.write(WDTCONFIG1, 40_000 << 16)  # 80 MHz / 40000: 0.5 ms a tick
    timg.write(WDTCONFIG2, 10)
    timg.write(WDTCONFIG3, 4)
    timg.write(0x58, 2)
    timg.write(0x5C, 1)
    timg.write(INT_ENA, 2)
    timg.write(WDTCONFIG0, WDT_EN | stages(INTERRUPT, RESET_CPU, 0, RESET_SYSTEM))
    host.run_until(5_000_000 + 2_000_000 + 1_000_000 + 500_000)
    assert host.irq_edges == [(5_000_000, WDT_SOURCE, True)]
    assert resets == [(7_000_000, "mwdt0-cpu"), (8_500_000, "mwdt0")]


def test_feeding_prevents_it(host: FakeHost, timg: Timg0) -> None:
    timg.write(WDTCONFIG1, 40_000 << 16)
    timg.write(WDTCONFIG2, 10)
    timg.write(INT_ENA, 2)
    timg.write(WDTCONFIG0, WDT_EN | stages(INTERRUPT))
    for _ in range(10):
        host.run_for(4_999_999)
        timg.write(WDTFEED, 1)
    assert not host.irq_edges
    host.run_for(5_000_000)
    assert host.irqs[WDT_SOURCE]


def test_write_protection(host: FakeHost, timg: Timg0) -> None:
    timg.write(WDTCONFIG2, 10)
    timg.write(WDTCONFIG0, WDT_EN | stages(INTERRUPT))
    timg.write(WDTWPROTECT, 0)
    timg.write(WDTCONFIG0, 0)
    timg.write(WDTCONFIG2, 99)
    assert timg.read(WDTCONFIG0) & WDT_EN
    assert timg.read(WDTCONFIG2) == 10
    timg.write(WDTWPROTECT, KEY)
    timg.write(WDTCONFIG0, 0)
    assert timg.read(WDTCONFIG0) & WDT_EN == 0
    assert host.pending == 0, "a watchdog that is off has nothing pending"


def test_group_1_has_its_own_source_and_cause(host: FakeHost) -> None:
    timg = Timg1(host, "timg1")
    resets: list[str] = []
    timg.on_reset = resets.append
    timg.write(WDTCONFIG2, 80)  # 80 cycles of 12.5 ns
    timg.write(WDTCONFIG0, WDT_EN | stages(RESET_SYSTEM))
    host.run_until(1_000)
    assert resets == ["mwdt1"]


def test_restore_continues_alike(host: FakeHost, timg: Timg0) -> None:
    timg.write(T0ALARMLO, 500)
    timg.write(INT_ENA, 3)
    timg.write(T0CONFIG, EN | INCREASE | ALARM_EN | divider(80))
    timg.write(WDTCONFIG1, 40_000 << 16)
    timg.write(WDTCONFIG2, 10)
    timg.write(WDTCONFIG0, WDT_EN | stages(INTERRUPT))
    host.run_until(123_456)
    state, world = timg.snapshot(), host.snapshot()
    host.run_until(6_000_000)
    first = list(host.irq_edges)
    host.irq_edges.clear()
    timg.restore(state)
    host.restore(world)
    host.run_until(6_000_000)
    assert host.irq_edges == first
    assert first == [(500_000, T0_SOURCE, True), (5_000_000, WDT_SOURCE, True)]
