"""What the hardware has been, instant by instant, as far as the board's claims concern it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from orchestrator.board import Board, TruthSection
from renode.peripherals import Model, RegisterBank
from renode.peripherals.chips import ES8388

Reading = tuple[float, ...]


class Probe(NamedTuple):
    """One place in one chip: an output's settled gain in dB, or a register's stored value."""

    device: str
    output: str | None
    register: str | None

    @classmethod
    def of(cls, device: str, truth: TruthSection) -> Probe:
        """The probe that a board's truth reads."""
        return cls(device, truth.output, truth.register_)

    def on(self, chip: Model) -> Callable[[], float]:
        """Reads the value of now, from the chip itself and never through the firmware."""
        if self.output is not None:
            assert isinstance(chip, ES8388)
            return partial(chip.settled_gain_db, self.output)
        assert isinstance(chip, RegisterBank)
        assert self.register is not None
        bank, register = chip, chip.register(self.register)
        return lambda: float(bank.peek(register))


class TruthLog:
    """Samples every probe of a chip whenever one of its registers changes."""

    def __init__(self, board: Board, chips: Mapping[str, Model]) -> None:
        self._probes: dict[str, tuple[Probe, ...]] = {}
        for claim in board.claim:
            probes = [Probe.of(claim.device, truth) for truth in claim.truth]
            known = self._probes.get(claim.device, ())
            self._probes[claim.device] = tuple(dict.fromkeys((*known, *probes)))
        self._readers = {
            name: [probe.on(chips[name]) for probe in probes]
            for name, probes in self._probes.items()
        }
        self._history: dict[str, list[tuple[int, Reading]]] = {}

    def begin(self, t_ns: int) -> None:
        """Forget the past; what the chips are at `t_ns` is the first entry."""
        self._history = {name: [(t_ns, self._read(name))] for name in self._probes}

    def sample(self, t_ns: int, device: str) -> None:
        """Note what a chip is now, if that differs from the last entry."""
        history = self._history.get(device)
        if history is None:
            return
        reading = self._read(device)
        if reading != history[-1][1]:
            history.append((t_ns, reading))

    def between(
        self, probes: tuple[Probe, ...], from_ns: int, to_ns: int
    ) -> Iterator[tuple[int, Reading]]:
        """The readings in force at some instant of `[from_ns, to_ns]`, oldest first.

        The first one carries `from_ns`; each later one the instant it began.
        """
        device = probes[0].device
        columns = [self._probes[device].index(probe) for probe in probes]
        history = self._history[device]
        first = max((i for i, (t_ns, _) in enumerate(history) if t_ns <= from_ns), default=0)
        for i, (t_ns, reading) in enumerate(history[first:]):
            if t_ns > to_ns:
                break
            yield (from_ns if i == 0 else t_ns), tuple(reading[column] for column in columns)

    def _read(self, device: str) -> Reading:
        return tuple(read() for read in self._readers[device])
