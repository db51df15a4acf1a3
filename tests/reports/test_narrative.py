"""The wires' story: one line a transfer, chips by name."""

from __future__ import annotations

from orchestrator.reports import narrate
from renode.peripherals.transcript import Event, Kind

CHIPS = {0x10: "es8388", 0x3C: "ssd1306"}


def wire(t_us: int, kind: Kind, *data: object, source: str = "i2c0") -> Event:
    return Event(t_us * 1000, kind, source, data)


def words(events: list[Event]) -> list[str]:
    """The lines without their time."""
    return [line.partition(" ms  ")[2] for line in narrate(events, CHIPS)]


def test_a_write_its_refusal_and_its_effect() -> None:
    events = [
        wire(1000, Kind.START),
        wire(1100, Kind.ADDRESS, 0x10, False, True),
        wire(1200, Kind.WRITE, 0x10, 0x1A, True),
        wire(1300, Kind.WRITE, 0x10, 0x28, False),
        wire(1310, Kind.STOP),
        wire(1400, Kind.EFFECT, "DACCONTROL5", 0xC0, 0x28, source="es8388"),
    ]
    assert words(events) == [
        "i2c0     write to es8388 (0x10) 0x1a 0x28 NACK",
        "es8388   DACCONTROL5 0xc0 -> 0x28",
    ]
    assert narrate(events, CHIPS)[0].startswith("     1.0000 ms")


def test_a_read_after_a_repeated_start() -> None:
    events = [
        wire(0, Kind.START),
        wire(1, Kind.ADDRESS, 0x10, False, True),
        wire(2, Kind.WRITE, 0x10, 0x1A, True),
        wire(3, Kind.RESTART),
        wire(4, Kind.ADDRESS, 0x10, True, True),
        wire(5, Kind.READ, 0x10, 0x28, False),
        wire(6, Kind.STOP),
    ]
    assert words(events) == [
        "i2c0     write to es8388 (0x10) 0x1a then read from es8388 (0x10) 0x28"
    ]


def test_a_missing_chip_a_lost_arbitration_and_a_transfer_under_way() -> None:
    events = [
        wire(0, Kind.START),
        wire(1, Kind.ADDRESS, 0x55, False, False),
        wire(2, Kind.STOP),
        wire(3, Kind.START),
        wire(4, Kind.START, source="rival"),
        wire(5, Kind.ARBITRATION_LOST, -1),
        wire(6, Kind.ADDRESS, 0x3C, False, True, source="rival"),
    ]
    assert words(events) == [
        "i2c0     write to nobody (0x55) NACK",
        "i2c0      (arbitration lost)",
        "rival    write to ssd1306 (0x3c) (under way)",
    ]


def test_a_display_page_is_abbreviated_with_its_length() -> None:
    page = [wire(2 + i, Kind.WRITE, 0x3C, i, True) for i in range(129)]
    events = [
        wire(0, Kind.START),
        wire(1, Kind.ADDRESS, 0x3C, False, True),
        *page,
        wire(200, Kind.STOP),
    ]
    (line,) = words(events)
    assert line.endswith("0x05 0x06 0x07 ... 129 bytes")
