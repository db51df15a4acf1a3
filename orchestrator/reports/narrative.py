"""A transcript in lines that a person reads: one a transfer, with chips by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby

from renode.peripherals.transcript import Event, Kind

_LONG = 8
"""Bytes of one transfer that are spelled out."""
_LINE = 120
"""Characters of a message that are shown; the reply stands elsewhere in full."""


def narrate(events: Iterable[Event], chips: Mapping[int, str]) -> list[str]:
    """Lines `ms  who  what`, in order of their beginning; `chips` gives names by address."""
    lines: list[tuple[int, str]] = []
    transfers: dict[str, _Transfer] = {}
    for event in events:
        source = event.source
        if event.kind is Kind.START:
            transfers[source] = _Transfer(event.t_ns, source)
        elif event.kind in _ON_THE_WIRE:
            transfers.setdefault(source, _Transfer(event.t_ns, source)).add(event, chips)
        else:
            lines.append((event.t_ns, _line(event.t_ns, source, _words(event))))
        if event.kind in _LAST and source in transfers:
            transfer = transfers.pop(source)
            lines.append((transfer.t_ns, str(transfer)))
    lines += [(transfer.t_ns, f"{transfer} (under way)") for transfer in transfers.values()]
    return [line for _, line in sorted(lines, key=lambda line: line[0])]


_LAST = {Kind.STOP, Kind.ABANDONED, Kind.ARBITRATION_LOST}
_ON_THE_WIRE = {Kind.RESTART, Kind.ADDRESS, Kind.WRITE, Kind.READ, *_LAST}


class _Transfer:
    """What one master did between START and STOP."""

    def __init__(self, t_ns: int, master: str) -> None:
        self.t_ns = t_ns
        self._master = master
        self._words: list[tuple[str, bool]] = []
        self._end = ""

    def add(self, event: Event, chips: Mapping[int, str]) -> None:
        if event.kind is Kind.ADDRESS:
            address, reading, acked = event.data
            name = chips.get(address, "nobody")
            direction = "read from" if reading else "write to"
            answer = "" if acked else " NACK"
            self._words.append((f"{direction} {name} ({address:#04x}){answer}", False))
        elif event.kind in (Kind.WRITE, Kind.READ):
            _, value, acked = event.data
            refused = event.kind is Kind.WRITE and not acked
            self._words.append((f"{value:#04x}{' NACK' if refused else ''}", not refused))
        elif event.kind is Kind.RESTART:
            self._words.append(("then", False))
        elif event.kind is not Kind.STOP:
            self._end = f" ({event.kind.value.lower()})"

    def __str__(self) -> str:
        words: list[str] = []
        for plain, group in groupby(self._words, key=lambda word: word[1]):
            texts = [text for text, _ in group]
            if plain and len(texts) > _LONG:
                texts = [*texts[:_LONG], f"... {len(texts)} bytes"]
            words += texts
        return _line(self.t_ns, self._master, " ".join(words) + self._end)


def _words(event: Event) -> str:
    data = event.data
    if event.kind is Kind.EFFECT:
        register, old, new = data
        return f"{register} {old:#04x} -> {new:#04x}"
    if event.kind in (Kind.REQUEST, Kind.REPLY):
        line = data[0] if len(data[0]) <= _LINE else f"{data[0][:_LINE]}..."
        return f"{event.kind.value.lower()} {line}"
    words = " ".join(str(item) for item in data)
    return f"{event.kind.value.lower()} {words}".rstrip()


def _line(t_ns: int, source: str, words: str) -> str:
    return f"{t_ns / 1e6:11.4f} ms  {source:<8} {words}"
