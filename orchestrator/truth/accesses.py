"""Register accesses read off the bus transcript."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from renode.peripherals.transcript import Event, Kind


class Access(NamedTuple):
    """One byte written to or read from a chip's register, as the wires carried it."""

    t_ns: int
    master: str
    address: int
    register: int
    value: int
    reading: bool
    acked: bool
    """For a write: the chip took the byte. A NACKed address or pointer counts as not taken."""


def register_accesses(events: Iterable[Event]) -> list[Access]:
    """Decode pointer-and-data transfers; chips with other protocols give harmless entries.

    A write whose address or pointer was refused appears with what could still be seen of it:
    only a refused data byte has a value; a refused pointer has value -1, a refused address
    register -1 too.
    """
    accesses: list[Access] = []
    pointers: dict[int, int] = {}
    transfers: dict[str, int | None] = {}
    for event in events:
        master = event.source
        if event.kind is Kind.ADDRESS:
            address, reading, acked = event.data
            transfers[master] = None
            if not acked:
                accesses.append(Access(event.t_ns, master, address, -1, -1, reading, False))
        elif event.kind is Kind.WRITE:
            address, value, acked = event.data
            register = transfers.get(master)
            if register is not None:
                accesses.append(Access(event.t_ns, master, address, register, value, False, acked))
                continue
            transfers[master] = value
            if acked:
                pointers[address] = value
            else:
                accesses.append(Access(event.t_ns, master, address, value, -1, False, False))
        elif event.kind is Kind.READ:
            address, value, _ = event.data
            register = pointers.get(address, -1)
            accesses.append(Access(event.t_ns, master, address, register, value, True, True))
    return accesses
