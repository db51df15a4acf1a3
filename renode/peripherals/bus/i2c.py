"""An I2C bus at byte level: masters, targets, arbitration, stretching, held lines, real timing.

The bus moves one symbol at a time: START, a byte with its ninth clock, STOP. A symbol begins
when every active master has said what it wants next (their clocks synchronise: SCL stays low
until the slowest is ready) and ends after the wire time, which is when targets and masters see
it. Sources: NXP UM10204 (I2C-bus specification) 3.1.1-3.1.10.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from renode.peripherals.bus.policies import BusPolicy, ByteOnWire
from renode.peripherals.bus.target import I2CTarget
from renode.peripherals.host import Handle, Host, Model
from renode.peripherals.transcript import Kind, Transcript

SCL = "SCL"
SDA = "SDA"
BITS_PER_BYTE = 9
"""Eight data bits and the acknowledge."""

_START, _SEND, _RECEIVE, _STOP = "start", "send", "receive", "stop"


class BusTiming(NamedTuple):
    """What a master's clock generator does, in nanoseconds."""

    bit_ns: int
    """One SCL period; a byte is nine of them."""
    start_hold_ns: int
    """SDA low to SCL low at a START."""
    restart_setup_ns: int
    """SCL high to SDA low at a repeated START."""
    stop_setup_ns: int
    """SCL high to SDA high at a STOP."""
    bus_free_ns: int
    """After a STOP, before anybody's next START."""

    @classmethod
    def at(cls, hz: int) -> BusTiming:
        """A master with symmetric timing at `hz` (100 000, 400 000)."""
        half = 500_000_000 // hz
        return cls(2 * half, half, half, half, half)


class I2CMaster(Protocol):
    """Told by the bus how its last symbol ended; plain calls at the symbol's end."""

    name: str

    def bus_started(self) -> None:
        """The START or repeated START is on the wire."""

    def byte_sent(self, acked: bool) -> None:
        """Eight bits went out and the ninth clock was sampled."""

    def byte_received(self, value: int) -> None:
        """Eight bits came in and the ninth clock was driven."""

    def bus_stopped(self) -> None:
        """The STOP is on the wire."""

    def arbitration_lost(self) -> None:
        """It sent a 1 and saw a 0, or could not make its START or STOP: it is off the bus."""

    def clock_stalled(self) -> None:
        """SCL is held low by somebody else while this master wants it high."""

    def clock_resumed(self) -> None:
        """SCL is free again."""

    def pulses_done(self) -> None:
        """The clock pulses of a bus clear, and the STOP after them, are on the wire."""


class I2CBus(Model):
    """The wires SDA and SCL and everything that is said on them."""

    STATE = (
        "_active",
        "_waiting",
        "_timings",
        "_symbol",
        "_end_ns",
        "_end",
        "_left_ns",
        "_holds",
        "_sda_clocks",
        "_fresh",
        "_address",
        "_reading",
        "_index",
        "_pointer",
        "_selected",
        "_incoming",
        "_free_at_ns",
        "_pulses",
    )

    def __init__(self, host: Host, name: str, transcript: Transcript) -> None:
        super().__init__(host, name)
        self.transcript = transcript
        self.targets: dict[str, I2CTarget] = {}
        self.masters: dict[str, I2CMaster] = {}
        self.policies: list[BusPolicy] = []
        self.reset()

    def reset(self) -> None:
        self._active: dict[str, tuple[Any, ...] | None] = {}
        self._waiting: tuple[str, ...] = ()
        self._timings: dict[str, BusTiming] = {}
        self._symbol: str | None = None
        self._end_ns = 0
        self._end: Handle | None = None
        self._left_ns: int | None = None
        self._holds: frozenset[tuple[str, str]] = frozenset()
        self._sda_clocks: dict[str, int] = {}
        self._fresh = False
        self._address: int | None = None
        self._reading = False
        self._index = 0
        self._pointer: int | None = None
        self._selected: tuple[str, ...] = ()
        self._incoming = 0xFF
        self._free_at_ns = 0
        self._pulses: dict[str, tuple[int, Handle | None]] = {}

    def attach(self, target: I2CTarget) -> None:
        """Solder a chip to the bus; ValueError if one of its addresses is taken."""
        for other in self.targets.values():
            shared = set(other.addresses) & set(target.addresses)
            if shared:
                raise ValueError(f"{target.name}: address {min(shared):#04x} is {other.name}'s")
        self.targets[target.name] = target

    def connect(self, master: I2CMaster) -> None:
        """Connect a master; its name appears in the transcript."""
        self.masters[master.name] = master

    @property
    def busy(self) -> bool:
        """A START has been seen and no STOP, or a line is held low."""
        return bool(self._active) or bool(self._holds) or bool(self._sda_clocks)

    @property
    def scl_held(self) -> bool:
        """Somebody keeps SCL low."""
        return any(line == SCL for line, _ in self._holds)

    @property
    def sda_held(self) -> bool:
        """Somebody keeps SDA low."""
        return bool(self._sda_clocks) or any(line == SDA for line, _ in self._holds)

    def start(self, master: I2CMaster, timing: BusTiming) -> None:
        """Ask for a START (a repeated one when the master is on the bus already).

        On a busy bus the master waits for it to become free.
        """
        self._timings[master.name] = timing
        if master.name in self._active:
            self._submit(master.name, (_START,))
        elif self._symbol == _START and self._fresh:
            self._active[master.name] = (_START,)
        else:
            self._waiting = (*self._waiting, master.name)
            if self.scl_held:
                master.clock_stalled()
            self._start_waiting()

    def send(self, master: I2CMaster, value: int) -> None:
        """Send a byte and sample the acknowledge."""
        self._submit(master.name, (_SEND, value & 0xFF))

    def receive(self, master: I2CMaster, ack: bool) -> None:
        """Clock a byte in and drive the acknowledge."""
        self._submit(master.name, (_RECEIVE, ack))

    def stop(self, master: I2CMaster) -> None:
        """Send a STOP."""
        self._submit(master.name, (_STOP,))

    def abandon(self, master: I2CMaster) -> None:
        """The master lets go of both lines at once, wherever it is (a reset of its FSM).

        A target that was sending a 0 goes on holding SDA low until it has been clocked past it.
        """
        self._waiting = tuple(name for name in self._waiting if name != master.name)
        if master.name not in self._active:
            return
        del self._active[master.name]
        self.transcript.record(self.host.now_ns(), Kind.ABANDONED, master.name)
        if self._active:
            self._run()
            return
        if self._symbol == _RECEIVE and self._selected:
            self._leave_target_driving(master.name)
        self._drop_symbol()
        self._deselect()
        self._go_idle()

    def clear(self, master: I2CMaster, pulses: int, timing: BusTiming) -> None:
        """Clock SCL `pulses` times with SDA free, then make a STOP (UM10204 3.1.16)."""
        self._timings[master.name] = timing
        self.transcript.record(self.host.now_ns(), Kind.CLEAR, master.name, pulses)
        self._pulse(master.name, pulses)

    def cancel_clear(self, master: I2CMaster) -> None:
        """Give a bus clear up; its `pulses_done` will not come."""
        _, handle = self._pulses.pop(master.name, (0, None))
        if handle is not None:
            self.host.cancel(handle)
        self._go_idle()

    def hold(self, line: str, holder: str, until_ns: int | None = None) -> None:
        """Keep `SCL` or `SDA` low from now on, until `release` or the given time."""
        now = self.host.now_ns()
        self._holds |= {(line, holder)}
        self.transcript.record(now, Kind.HOLD, holder, line)
        if until_ns is not None:
            self.host.call_at(until_ns, self, "release", line, holder)
        if line == SCL:
            if self._symbol is not None and self._left_ns is None:
                self._stall(max(0, self._end_ns - now))
            for name in self._waiting:
                self.masters[name].clock_stalled()

    def release(self, line: str, holder: str) -> None:
        """Let a held line go; nothing if `holder` does not hold it."""
        if (line, holder) not in self._holds:
            return
        self._holds -= {(line, holder)}
        self.transcript.record(self.host.now_ns(), Kind.RELEASE, holder, line)
        if line == SCL and not self.scl_held:
            if self._left_ns is not None:
                left, self._left_ns = self._left_ns, None
                self._schedule(left)
            for name in (*self._active, *self._waiting):
                self.masters[name].clock_resumed()
            for name, (pulses, handle) in list(self._pulses.items()):
                if handle is None:
                    self._pulse(name, pulses)
        self._go_idle()

    # -- symbols -----------------------------------------------------------------------------

    def _submit(self, name: str, symbol: tuple[Any, ...]) -> None:
        if name not in self._active:
            raise RuntimeError(f"{name} drives {self.name} without a START")
        self._active[name] = symbol
        self._run()

    def _start_waiting(self) -> None:
        if not self._waiting or self.busy or self._pulses:
            return
        now = self.host.now_ns()
        if now < self._free_at_ns:
            self.host.call_at(self._free_at_ns, self, "_start_waiting")
            return
        self._active = {name: (_START,) for name in self._waiting}
        self._waiting = ()
        self._fresh = True
        self._run()

    def _run(self) -> None:
        """Begin the next symbol once every active master has asked for one."""
        active = self._active
        if self._symbol is not None or not active or None in active.values():
            return
        symbols = {name: symbol for name, symbol in active.items() if symbol is not None}
        kinds = {symbol[0] for symbol in symbols.values()}
        if len(kinds) > 1:
            # A master that sends or clocks a byte keeps SCL toggling, so that a START or STOP
            # wanted by another at the same place cannot be made (UM10204 3.1.8).
            keep = _SEND if _SEND in kinds else _RECEIVE if _RECEIVE in kinds else _START
            for name, symbol in symbols.items():
                if symbol[0] != keep:
                    self._lose(name, -1)
            self._run()
            return
        kind = kinds.pop()
        self._symbol = kind
        timings = [self._timings[name] for name in active]
        if kind == _START:
            duration = max(t.start_hold_ns for t in timings)
            if not self._fresh:
                duration += max(t.restart_setup_ns for t in timings)
        elif kind == _STOP:
            duration = max(t.stop_setup_ns for t in timings)
        else:
            duration = BITS_PER_BYTE * max(t.bit_ns for t in timings)
            if kind == _RECEIVE:
                self._fetch()
            stretch = self._stretch()
            if stretch:
                now = self.host.now_ns()
                low_at = now + duration - duration // BITS_PER_BYTE
                self.host.call_at(low_at, self, "hold", SCL, "stretch", low_at + stretch)
        self._schedule(duration)

    def _schedule(self, duration: int) -> None:
        now = self.host.now_ns()
        self._end_ns = now + duration
        if self.scl_held:
            self._stall(duration)
        else:
            self._end = self.host.call_at(self._end_ns, self, "_finish")

    def _stall(self, left_ns: int) -> None:
        self._left_ns = left_ns
        if self._end is not None:
            self.host.cancel(self._end)
            self._end = None
        for name in list(self._active):
            self.masters[name].clock_stalled()

    def _drop_symbol(self) -> None:
        if self._end is not None:
            self.host.cancel(self._end)
        self._end = None
        self._symbol = None
        self._left_ns = None

    def _finish(self) -> None:
        """The symbol in progress is complete on the wire."""
        kind = self._symbol
        symbols = {name: symbol for name, symbol in self._active.items() if symbol is not None}
        for name in symbols:
            self._active[name] = None
        self._symbol = None
        self._end = None
        if kind == _START:
            self._finish_start()
        elif kind == _SEND:
            self._finish_send({name: symbol[1] for name, symbol in symbols.items()})
        elif kind == _RECEIVE:
            self._finish_receive({name: symbol[1] for name, symbol in symbols.items()})
        else:
            self._finish_stop()
        self._run()

    def _finish_start(self) -> None:
        now = self.host.now_ns()
        kind = Kind.START if self._fresh else Kind.RESTART
        self._fresh = False
        if self.sda_held:
            for name in list(self._active):
                self._lose(name, -1)
            return
        self._deselect()
        self._index = 0
        for name in list(self._active):
            self.transcript.record(now, kind, name)
        for name in list(self._active):
            self.masters[name].bus_started()

    def _finish_send(self, values: dict[str, int]) -> None:
        now = self.host.now_ns()
        wire = 0 if self.sda_held else 0xFF
        for value in values.values():
            wire &= value
        for name, value in values.items():
            if value != wire:
                self._lose(name, value)
        if not self._active:
            return
        if self._index == 0:
            acked = self._finish_address(wire)
        else:
            acked = self._finish_write(wire)
        self._index += 1
        address = self._address
        for name in list(self._active):
            if self._index == 1:
                data: tuple[Any, ...] = (address, self._reading, acked)
                self.transcript.record(now, Kind.ADDRESS, name, *data)
            else:
                self.transcript.record(now, Kind.WRITE, name, address, wire, acked)
        for name in list(self._active):
            self.masters[name].byte_sent(acked)

    def _finish_address(self, wire: int) -> bool:
        self._address, self._reading = wire >> 1, bool(wire & 1)
        self._pointer = None
        if self._refused(wire):
            return self.sda_held
        self._selected = tuple(
            name
            for name, target in self.targets.items()
            if self._address in target.addresses and target.start(self._address, self._reading)
        )
        return bool(self._selected) or self.sda_held

    def _finish_write(self, wire: int) -> bool:
        if self._pointer is None:
            self._pointer = wire
        if not self._selected or self._reading or self._refused(wire):
            return self.sda_held
        acks = [self.targets[name].write_byte(wire) for name in self._selected]
        return any(acks) or self.sda_held

    def _finish_receive(self, acks: dict[str, bool]) -> None:
        now = self.host.now_ns()
        value = 0 if self.sda_held else self._incoming
        acked = any(acks.values()) or self.sda_held
        self._index += 1
        for name in self._selected:
            self.targets[name].read_acknowledged(acked)
        for name in list(self._active):
            self.transcript.record(now, Kind.READ, name, self._address, value, acked)
        for name in list(self._active):
            self.masters[name].byte_received(value)

    def _finish_stop(self) -> None:
        now = self.host.now_ns()
        names = list(self._active)
        if self.sda_held:
            for name in names:
                self._lose(name, -1)
            return
        self._deselect()
        self._free_at_ns = now + max(self._timings[name].bus_free_ns for name in names)
        for name in names:
            self.transcript.record(now, Kind.STOP, name)
        self._active = {}
        for name in names:
            self.masters[name].bus_stopped()
        self._go_idle()

    # -- helpers -----------------------------------------------------------------------------

    def _byte(self, value: int) -> ByteOnWire:
        address = value >> 1 if self._index == 0 else self._address or 0
        reading = bool(value & 1) if self._index == 0 else self._reading
        pointer = None if self._index == 0 else self._pointer
        master = next(iter(self._active), "")
        now = self.host.now_ns()
        return ByteOnWire(now, master, address, reading, self._index, value, pointer)

    def _refused(self, value: int) -> bool:
        byte = self._byte(value)
        return any(policy.refuses(byte) for policy in self.policies)

    def _stretch(self) -> int:
        if not self.policies:
            return 0
        symbol = next(iter(self._active.values()))
        value = symbol[1] if symbol is not None and symbol[0] == _SEND else self._incoming
        byte = self._byte(value)
        return max(policy.stretch_ns(byte) for policy in self.policies)

    def _fetch(self) -> None:
        """Targets put the byte they will send on the wire, open-drain."""
        self._incoming = 0xFF
        if self._reading:
            for name in self._selected:
                self._incoming &= self.targets[name].read_byte()

    def _lose(self, name: str, value: int) -> None:
        self._active.pop(name, None)
        self.transcript.record(self.host.now_ns(), Kind.ARBITRATION_LOST, name, value)
        if not self._active:
            self._deselect()
        self.masters[name].arbitration_lost()
        self._go_idle()

    def _deselect(self) -> None:
        for name in self._selected:
            self.targets[name].stop()
        self._selected = ()

    def _leave_target_driving(self, master: str) -> None:
        bit_ns = self._timings[master].bit_ns
        if self._left_ns is not None:
            remaining = self._left_ns
        else:
            remaining = max(0, self._end_ns - self.host.now_ns())
        position = min(8, BITS_PER_BYTE - (remaining + bit_ns - 1) // bit_ns)
        bits = [self._incoming >> (7 - i) & 1 for i in range(8)] + [1]
        if bits[position] == 0:
            self._sda_clocks[self._selected[0]] = bits.index(1, position) - position

    def _pulse(self, name: str, pulses: int) -> None:
        timing = self._timings[name]
        end = self.host.now_ns() + pulses * timing.bit_ns + timing.stop_setup_ns
        self._pulses[name] = (pulses, self.host.call_at(end, self, "_pulsed", name))

    def _pulsed(self, name: str) -> None:
        pulses, _ = self._pulses[name]
        if self.scl_held:
            self._pulses[name] = (pulses, None)
            return
        del self._pulses[name]
        for target, needed in list(self._sda_clocks.items()):
            if needed <= pulses:
                del self._sda_clocks[target]
                self.targets[target].stop()
            else:
                self._sda_clocks[target] = needed - pulses
        self.masters[name].pulses_done()
        self._go_idle()

    def _go_idle(self) -> None:
        if not self.busy:
            self._start_waiting()
