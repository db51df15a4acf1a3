"""RTC_CNTL against rtc_cntl_reg.h and reset_reasons.h (ESP-IDF, esp32c3)."""

from __future__ import annotations

import pytest

from renode.peripherals.soc.esp32c3.rtc_cntl import RtcCntl
from tests.models.fake_host import FakeHost

OPTIONS0, TIME_UPDATE, TIME_LOW0, TIME_HIGH0, RESET_STATE = 0x00, 0x0C, 0x10, 0x14, 0x38
INT_ENA, INT_RAW, INT_ST, INT_CLR, INT_ENA_W1TS, INT_ENA_W1TC = 0x40, 0x44, 0x48, 0x4C, 0x100, 0x104
STORE0, STORE7 = 0x50, 0xC4
WDTCONFIG0, WDTCONFIG1, WDTCONFIG2, WDTFEED, WDTWPROTECT = 0x90, 0x94, 0x98, 0xA4, 0xA8
WDT_INT, WDT_EN = 1 << 3, 1 << 31
SOURCE = 27


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def rtc(host: FakeHost) -> RtcCntl:
    return RtcCntl(host, "rtc_cntl")


def now(rtc: RtcCntl) -> int:
    rtc.write(TIME_UPDATE, 1 << 31)
    return rtc.read(TIME_HIGH0) << 32 | rtc.read(TIME_LOW0)


@pytest.mark.parametrize(
    ("offset", "value"),
    [
        (OPTIONS0, 7 << 26 | 2 << 14 | 1 << 13),
        (0x70, 1 << 28 | 172 << 17 | 3 << 12 | 1 << 9 | 1 << 4 | 1 << 3),
        (WDTCONFIG0, 1 << 16 | 1 << 13 | 1 << 12 | 1 << 9 | 20),
        (WDTCONFIG1, 200_000),
        (WDTCONFIG2, 80_000),
        (WDTWPROTECT, 0x50D83AA1),
        (0xB0, 0x8F1D312A),
        (0x1FC, 0x2007270),
    ],
)
def test_reset_values(rtc: RtcCntl, offset: int, value: int) -> None:
    assert rtc.read(offset) == value


def test_time_is_latched_in_slow_clock_cycles(host: FakeHost, rtc: RtcCntl) -> None:
    host.run_until(1_000_000_000)
    assert now(rtc) == 136_000
    host.run_until(2_000_000_000)
    assert rtc.read(TIME_LOW0) == 136_000
    assert now(rtc) == 272_000
    host.run_until(40_000 * 10**9)  # 40000 s * 136 kHz = 5.44e9, beyond 32 bits
    assert now(rtc) == 5_440_000_000


def test_software_resets_ask(rtc: RtcCntl) -> None:
    asked: list[str] = []
    rtc.on_reset = asked.append
    rtc.write(OPTIONS0, rtc.read(OPTIONS0) | 1 << 31)
    rtc.write(OPTIONS0, rtc.read(OPTIONS0) | 1 << 5)
    assert asked == ["software", "software-cpu"]
    assert rtc.read(OPTIONS0) & (1 << 31 | 1 << 5) == 0


@pytest.mark.parametrize(
    ("cause", "code", "kept"),
    [
        ("power-on", 0x01, False),
        ("software", 0x03, True),
        ("mwdt0", 0x07, True),
        ("mwdt1", 0x08, True),
        ("rtc-wdt", 0x09, True),
        ("brown-out", 0x0F, False),
        ("rtc-wdt-system", 0x10, False),
    ],
)
def test_cause_survives_the_reset_and_says_what_else_does(
    host: FakeHost, rtc: RtcCntl, cause: str, code: int, kept: bool
) -> None:
    rtc.write(STORE0, 0x12345678)
    rtc.write(STORE7, 0x9ABCDEF0)
    rtc.write(INT_ENA, WDT_INT)
    host.run_until(1_000_000_000)
    rtc.set_reset_cause(cause)
    rtc.reset()
    assert rtc.read(RESET_STATE) == 0x3000 | code
    assert rtc.read(STORE0) == (0x12345678 if kept else 0)
    assert rtc.read(STORE7) == (0x9ABCDEF0 if kept else 0)
    assert rtc.read(INT_ENA) == 0
    assert now(rtc) == (136_000 if kept else 0)


def test_an_unknown_cause_is_refused(rtc: RtcCntl) -> None:
    with pytest.raises(KeyError, match="boredom"):
        rtc.set_reset_cause("boredom")


def test_watchdog_interrupts_then_resets(host: FakeHost, rtc: RtcCntl) -> None:
    resets: list[tuple[int, str]] = []
    rtc.on_reset = lambda cause: resets.append((host.now, cause))
    rtc.write(WDTCONFIG1, 68_000)  # stage 0 counts double: 136000 cycles of 136 kHz, 1 s
    rtc.write(WDTCONFIG2, 13_600)  # 0.1 s
    rtc.write(INT_ENA_W1TS, WDT_INT)
    rtc.write(WDTCONFIG0, WDT_EN | 1 << 28 | 3 << 25)  # interrupt, then system reset
    host.run_until(1_100_000_000)
    assert host.irq_edges == [(1_000_000_000, SOURCE, True)]
    assert resets == [(1_100_000_000, "rtc-wdt")]
    assert rtc.read(INT_ST) == WDT_INT
    rtc.write(INT_CLR, WDT_INT)
    assert not host.irqs[SOURCE]


@pytest.mark.parametrize(
    ("action", "cause"), [(2, "rtc-wdt-cpu"), (3, "rtc-wdt"), (4, "rtc-wdt-system")]
)
def test_watchdog_actions(host: FakeHost, rtc: RtcCntl, action: int, cause: str) -> None:
    resets: list[str] = []
    rtc.on_reset = resets.append
    rtc.write(WDTCONFIG1, 1)
    rtc.write(WDTCONFIG0, WDT_EN | action << 28)
    host.run_until(15_000)  # two cycles of 136 kHz are 14.7 us
    assert resets == [cause]


def test_feeding_and_write_protection(host: FakeHost, rtc: RtcCntl) -> None:
    rtc.write(WDTCONFIG1, 68_000)
    rtc.write(INT_ENA, WDT_INT)
    rtc.write(WDTCONFIG0, WDT_EN | 1 << 28)
    host.run_until(900_000_000)
    rtc.write(WDTFEED, 1 << 31)
    host.run_until(1_800_000_000)
    assert not host.irq_edges
    rtc.write(WDTWPROTECT, 0)
    rtc.write(WDTFEED, 1 << 31)
    rtc.write(WDTCONFIG0, 0)
    host.run_until(1_900_000_000)
    assert host.irqs[SOURCE]
    rtc.write(INT_ENA_W1TC, WDT_INT)
    assert not host.irqs[SOURCE]
    rtc.write(WDTWPROTECT, 0x50D83AA1)
    rtc.write(WDTCONFIG0, 0)
    assert host.pending == 0
