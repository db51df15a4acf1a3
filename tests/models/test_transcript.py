"""The transcript keeps order, finds a time, and digests to one number."""

from __future__ import annotations

from renode.peripherals.transcript import Event, Kind, Transcript


def filled() -> Transcript:
    transcript = Transcript()
    transcript.record(5, Kind.START, "i2c0")
    transcript.record(9, Kind.WRITE, "i2c0", 0x10, 0x1A, True)
    transcript.record(9, Kind.STOP, "i2c0")
    return transcript


def test_since_begins_at_the_first_event_of_that_time() -> None:
    transcript = filled()
    assert [event.kind for event in transcript.since(9)] == [Kind.WRITE, Kind.STOP]
    assert transcript.since(10) == []
    assert len(transcript.since(0)) == len(transcript) == 3


def test_the_digest_tells_any_difference() -> None:
    assert filled().digest() == filled().digest()
    for change in ((6, Kind.START, "i2c0", ()), (5, Kind.START, "rival", ())):
        other = filled()
        other.events[0] = Event(*change)
        assert other.digest() != filled().digest()


def test_it_reads_as_a_line() -> None:
    line = str(filled().events[1])
    # 9 ns is 0.000009 ms
    assert line == "    0.000009 ms  i2c0       WRITE 0x10 0x1a True"


def test_clear_begins_anew() -> None:
    transcript = filled()
    transcript.clear()
    assert list(transcript) == []
