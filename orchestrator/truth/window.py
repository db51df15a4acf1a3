"""When an operation's claim must have held, told from what was said on the bus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from orchestrator.truth.accesses import Access

Pair = tuple[int, int]
"""A register's number and a value."""

Window = tuple[int, int]
"""The first and the last ns of a time in which a claim may hold."""


@dataclass
class Rivals:
    """What operations in flight with this one write, as far as it is known."""

    alone: bool
    earlier: frozenset[Pair] = frozenset()
    """Asked for before this one: what they write does not excuse it."""
    later: frozenset[Pair] = frozenset()
    """Asked for after this one: what they write supersedes it."""


def claim_windows(
    accesses: Iterable[Access],
    registers: Iterable[int],
    is_ours: Callable[[Access], bool],
    rivals: Rivals,
    request_ns: int,
    reply_ns: int,
) -> list[Window]:
    """The times in one of which the target must have held for `confirmed` to be honest.

    From the operation's last read-back, else its last write, else its request, to the reply or
    to a later operation's first write. With other operations in flight a read-back is told by
    its values: all registers as wanted. `accesses` are the firmware's own, in order.
    """
    wanted = frozenset(registers)
    matched: set[int] = set()
    closed: list[Window] = []
    since: int | None = request_ns
    read_back = begun = False
    for access in accesses:
        if access.register not in wanted or not request_ns <= access.t_ns <= reply_ns:
            continue
        ours, t_ns = is_ours(access), access.t_ns
        if access.reading:
            (matched.add if ours else matched.discard)(access.register)
            if rivals.alone or matched == wanted:
                since, read_back, begun = t_ns, True, begun or matched == wanted
            continue
        matched.discard(access.register)
        pair = access.register, access.value
        if pair in rivals.later and not ours and (begun or pair not in rivals.earlier):
            if since is not None and access.acked:
                closed.append((since, t_ns))
                since = None
        elif pair in rivals.earlier and not ours:
            closed, since, read_back = [], t_ns, False
        elif (since is not None and not read_back) or (since is None and ours):
            since, read_back = t_ns, False
        begun = begun or ours
    return closed if since is None else [*closed, (since, reply_ns)]
