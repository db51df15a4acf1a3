"""GPIO against gpio_reg.h (ESP-IDF, esp32c3) and the interrupt types of the TRM."""

from __future__ import annotations

import pytest

from renode.peripherals.soc.esp32c3.gpio import Gpio
from renode.peripherals.soc.esp32c3.stubs import IoMux
from tests.models.fake_host import FakeHost

OUT, OUT_W1TS, OUT_W1TC, ENABLE, ENABLE_W1TS, ENABLE_W1TC = 0x04, 0x08, 0x0C, 0x20, 0x24, 0x28
IN, STATUS, STATUS_W1TC, PCPU_INT = 0x3C, 0x44, 0x4C, 0x5C
OPEN_DRAIN, CPU_INT = 1 << 2, 1 << 13
RISING, FALLING, ANY, LOW, HIGH = 1, 2, 3, 4, 5
PULL_UP = 1 << 8
SOURCE = 16


def pin(n: int) -> int:
    return 0x74 + 4 * n


def out_sel(n: int) -> int:
    return 0x554 + 4 * n


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def io_mux(host: FakeHost) -> IoMux:
    return IoMux(host, "io_mux")


@pytest.fixture
def gpio(host: FakeHost, io_mux: IoMux) -> Gpio:
    return Gpio(host, "gpio", io_mux)


def test_reset_values(gpio: Gpio) -> None:
    assert gpio.read(out_sel(0)) == gpio.read(out_sel(21)) == 0x80
    assert gpio.read(0x6FC) == 0x2006130
    assert gpio.read(IN) == 0


def test_output_through_set_and_clear(gpio: Gpio) -> None:
    heard: list[tuple[int, int]] = []
    gpio.on_change.append(lambda which, level: heard.append((which, level)))
    gpio.write(OUT_W1TS, 1 << 5)
    assert gpio.level(5) == 0, "not enabled yet"
    gpio.write(ENABLE_W1TS, 1 << 5)
    assert gpio.level(5) == 1
    assert gpio.read(IN) == 1 << 5
    gpio.write(OUT_W1TC, 1 << 5)
    gpio.write(OUT, 1 << 5 | 1 << 6)
    gpio.write(ENABLE_W1TC, 1 << 5)
    assert heard == [(5, 1), (5, 0), (5, 1), (5, 0)]
    assert gpio.read(OUT) == 1 << 5 | 1 << 6
    assert gpio.read(ENABLE) == 0


def test_output_inversion(gpio: Gpio) -> None:
    gpio.write(ENABLE, 1 << 3)
    gpio.write(out_sel(3), 0x80 | 1 << 8)
    assert gpio.level(3) == 1


def test_outside_drives_an_input_and_loses_to_an_output(gpio: Gpio) -> None:
    gpio.drive(4, 1)
    assert gpio.read(IN) == 1 << 4
    gpio.write(ENABLE, 1 << 4)
    assert gpio.level(4) == 0
    gpio.write(ENABLE, 0)
    assert gpio.level(4) == 1
    gpio.drive(4, None)
    assert gpio.level(4) == 0


def test_open_drain_with_pull_up(gpio: Gpio, io_mux: IoMux) -> None:
    io_mux.write(0x04 + 4 * 8, PULL_UP)
    assert gpio.level(8) == 1
    gpio.write(pin(8), OPEN_DRAIN)
    gpio.write(ENABLE, 1 << 8)
    assert gpio.level(8) == 0
    gpio.write(OUT, 1 << 8)
    assert gpio.level(8) == 1
    gpio.drive(8, 0)
    assert gpio.level(8) == 0


@pytest.mark.parametrize(
    ("kind", "fires_on"),
    [(0, []), (RISING, [1]), (FALLING, [0]), (ANY, [1, 0]), (LOW, [0])],
)
def test_interrupt_types(host: FakeHost, gpio: Gpio, kind: int, fires_on: list[int]) -> None:
    gpio.drive(2, 1)
    gpio.drive(2, 1 if kind == LOW else 0)
    gpio.write(pin(2), kind << 7 | CPU_INT)
    fired = []
    for level in (1, 0):
        gpio.write(STATUS_W1TC, 1 << 2)
        gpio.drive(2, level)
        if host.irqs.get(SOURCE):
            fired.append(level)
            assert gpio.read(PCPU_INT) == 1 << 2
    assert fired == fires_on


def test_level_interrupt_comes_back_while_it_holds(host: FakeHost, gpio: Gpio) -> None:
    gpio.write(pin(7), HIGH << 7 | CPU_INT)
    gpio.drive(7, 1)
    gpio.write(STATUS_W1TC, 1 << 7)
    assert host.irqs[SOURCE]
    gpio.drive(7, 0)
    gpio.write(STATUS_W1TC, 1 << 7)
    assert not host.irqs[SOURCE]


def test_status_without_enable_is_no_interrupt(host: FakeHost, gpio: Gpio) -> None:
    gpio.write(pin(7), RISING << 7)
    gpio.drive(7, 1)
    assert gpio.read(STATUS) == 1 << 7
    assert gpio.read(PCPU_INT) == 0
    assert not host.irqs.get(SOURCE)


def test_reset_releases_outputs_and_keeps_the_outside(gpio: Gpio) -> None:
    heard: list[tuple[int, int]] = []
    gpio.drive(1, 1)
    gpio.write(OUT, 1 << 9)
    gpio.write(ENABLE, 1 << 9)
    gpio.on_change.append(lambda which, level: heard.append((which, level)))
    gpio.reset()
    assert heard == [(9, 0)]
    assert gpio.read(IN) == 1 << 1


def test_restore(gpio: Gpio) -> None:
    gpio.drive(1, 1)
    gpio.write(OUT, 1 << 9)
    gpio.write(ENABLE, 1 << 9)
    state = gpio.snapshot()
    gpio.drive(1, None)
    gpio.write(ENABLE, 0)
    gpio.restore(state)
    assert gpio.read(IN) == 1 << 9 | 1 << 1
    gpio.write(OUT, 0)
    assert gpio.read(IN) == 1 << 1
