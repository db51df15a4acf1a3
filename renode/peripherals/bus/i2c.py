"""An I2C bus at byte level: masters, targets, arbitration, stretching, held lines, real timing.

The bus moves one symbol at a time: START, a byte with its ninth clock, STOP. A symbol begins
when every active master has said what it wants next (their clocks synchronise: SCL stays low
until the slowest is ready) and ends after the wire time, which is when targets and masters see
it. Sources: NXP UM10204 (I2C-bus specification) 3.1.1-3.1.10 and 3.1.16.
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

_START, _SEND, _RECEIVE, _STOP, _CLEAR = "start", "send", "receive", "stop", "clear"
_ACK_SLOT = 8
_STRETCH = "stretch"


class BusTiming(NamedTuple):
    """What a master's clock generator does, in nanoseconds."""

    low_ns: int
    """SCL low in each bit."""
    high_ns: int
    """SCL high in each bit."""
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
        return cls(half, half, half, half, half, half)

    @property
    def bit_ns(self) -> int:
        """One SCL period; a byte is nine of them."""
        return self.low_ns + self.high_ns


class _Driver(NamedTuple):
    """A target left in the middle of a byte it was sending, with its bit still on SDA."""

    target: str
    byte: int
    bit: int
    """0 is the most significant bit, `_ACK_SLOT` the master's acknowledge."""

    @property
    def pulls_low(self) -> bool:
        return self.bit < _ACK_SLOT and not self.byte >> 7 - self.bit & 1


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
        "_wake",
        "_timings",
        "_symbol",
        "_end_ns",
        "_end",
        "_then",
        "_left_ns",
        "_stretch_ns",
        "_holds",
        "_driver",
        "_fresh",
        "_address",
        "_reading",
        "_index",
        "_pointer",
        "_selected",
        "_deaf",
        "_sending",
        "_incoming",
        "_free_at_ns",
        "_clears",
    )

    def __init__(self, host: Host, name: str, transcript: Transcript) -> None:
        super().__init__(host, name)
        self.transcript = transcript
        self.targets: dict[str, I2CTarget] = {}
        self.masters: dict[str, I2CMaster] = {}
        self.policies: list[BusPolicy] = []
        self._power_on()

    def reset(self) -> None:
        """Let both lines go and forget every transfer and everything that held a line."""
        for handle in (self._end, self._wake, *self._holds.values()):
            self._cancel(handle)
        self._power_on()

    def _power_on(self) -> None:
        self._active: dict[str, tuple[Any, ...] | None] = {}
        self._waiting: tuple[str, ...] = ()
        self._wake: Handle | None = None
        self._timings: dict[str, BusTiming] = {}
        self._symbol: str | None = None
        self._end_ns = 0
        self._end: Handle | None = None
        self._then = ""
        self._left_ns: int | None = None
        self._stretch_ns = 0
        self._holds: dict[tuple[str, str], Handle | None] = {}
        self._driver: _Driver | None = None
        self._fresh = False
        self._address: int | None = None
        self._reading = False
        self._index = 0
        self._pointer: int | None = None
        self._selected: tuple[str, ...] = ()
        self._deaf = False
        self._sending = False
        self._incoming = 0xFF
        self._free_at_ns = 0
        self._clears: dict[str, int] = {}

    def _cancel(self, handle: Handle | None) -> None:
        if handle is not None:
            self.host.cancel(handle)

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
    def names(self) -> dict[int, str]:
        """The chips' names by address."""
        return {
            address: name for name, target in self.targets.items() for address in target.addresses
        }

    @property
    def busy(self) -> bool:
        """A START has been seen and no STOP, or a line is held low."""
        return bool(self._active) or bool(self._holds) or self._driver is not None

    @property
    def scl_held(self) -> bool:
        """Somebody keeps SCL low."""
        return bool(self._holds) and any(line == SCL for line, _ in self._holds)

    @property
    def sda_held(self) -> bool:
        """Somebody keeps SDA low."""
        if self._driver is not None:
            return True
        return bool(self._holds) and any(line == SDA for line, _ in self._holds)

    def start(self, master: I2CMaster, timing: BusTiming) -> None:
        """Ask for a START (a repeated one when the master is on the bus already).

        On a busy bus the master waits for it to become free.
        """
        self._timings[master.name] = timing
        if master.name in self._active:
            self._submit(master.name, (_START,))
        elif self._symbol == _START and self._fresh:
            self._active[master.name] = (_START,)
            if self._end is not None and timing.start_hold_ns < self._end_ns - self.host.now_ns():
                self._cancel(self._end)
                self._schedule(timing.start_hold_ns, "_finish")
        else:
            self._waiting = (*self._waiting, master.name)
            if self.scl_held:
                master.clock_stalled()
            self._go_idle()

    def send(self, master: I2CMaster, value: int) -> None:
        """Send a byte and sample the acknowledge."""
        name, symbol = master.name, (_SEND, value & 0xFF)
        if self.policies or not self._alone(name):
            self._submit(name, symbol)
            return
        # What `_submit` comes to when there is nobody to wait for and nothing to ask.
        self._active[name] = symbol
        self._symbol = _SEND
        self._schedule(BITS_PER_BYTE * self._timings[name].bit_ns, "_finish")

    def _alone(self, name: str) -> bool:
        """This master is the only one on the bus, and its last symbol has ended."""
        active = self._active
        return len(active) == 1 and self._symbol is None and active.get(name, _STOP) is None

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
        self._leave_target_driving(master.name)
        self._drop_symbol()
        self._deselect()
        self._go_idle()

    def clear(self, master: I2CMaster, pulses: int, timing: BusTiming) -> None:
        """Clock SCL `pulses` times with SDA free, then make a STOP (UM10204 3.1.16).

        On a bus that a master uses, the pulses come after its STOP.
        """
        self.cancel_clear(master)
        self._timings[master.name] = timing
        self._clears[master.name] = pulses
        self._go_idle()

    def cancel_clear(self, master: I2CMaster) -> None:
        """Give a bus clear up; its `pulses_done` will not come."""
        if master.name not in self._clears:
            return
        if self._symbol == _CLEAR and next(iter(self._clears)) == master.name:
            self._drop_symbol()
        del self._clears[master.name]
        self._go_idle()

    def hold(self, line: str, holder: str, until_ns: int | None = None) -> None:
        """Keep `SCL` or `SDA` low from now on, until `release` or the given time.

        A second call by the same holder replaces the time.
        """
        now = self.host.now_ns()
        if (line, holder) in self._holds:
            self._cancel(self._holds[line, holder])
        else:
            self.transcript.record(now, Kind.HOLD, holder, line)
        self._holds[line, holder] = (
            None if until_ns is None else self.host.call_at(until_ns, self, "release", line, holder)
        )
        if line == SCL:
            if self._symbol is not None and self._left_ns is None:
                self._stall(max(0, self._end_ns - now))
            for name in self._waiting:
                self.masters[name].clock_stalled()

    def release(self, line: str, holder: str) -> None:
        """Let a held line go; nothing if `holder` does not hold it."""
        if (line, holder) not in self._holds:
            return
        self._cancel(self._holds.pop((line, holder)))
        self.transcript.record(self.host.now_ns(), Kind.RELEASE, holder, line)
        if line == SCL and not self.scl_held:
            if self._left_ns is not None:
                left, self._left_ns = self._left_ns, None
                self._schedule(left, self._then)
            for name in (*self._active, *self._waiting):
                self.masters[name].clock_resumed()
        self._go_idle()

    # -- symbols -----------------------------------------------------------------------------

    def _submit(self, name: str, symbol: tuple[Any, ...]) -> None:
        if name not in self._active:
            raise RuntimeError(f"{name} drives {self.name} without a START")
        if self._active[name] is not None:
            raise RuntimeError(f"{name} drives {self.name} before its last symbol has ended")
        self._active[name] = symbol
        self._run()

    def _go_idle(self) -> None:
        """If no master is on the bus: pulse SCL for a bus clear, or start those who wait."""
        if self._active or self._symbol is not None:
            return
        if self._clears:
            name, pulses = next(iter(self._clears.items()))
            timing = self._timings[name]
            self.transcript.record(self.host.now_ns(), Kind.CLEAR, name, pulses)
            self._symbol = _CLEAR
            self._schedule(pulses * timing.bit_ns + timing.stop_setup_ns, "_finish")
        elif self._waiting and not self.busy and self._wake is None:
            if self.host.now_ns() < self._free_at_ns:
                self._wake = self.host.call_at(self._free_at_ns, self, "_bus_free")
            else:
                self._bus_free()

    def _bus_free(self) -> None:
        self._wake = None
        if not self._waiting or self.busy or self._symbol is not None:
            return
        self._active = dict.fromkeys(self._waiting, (_START,))
        self._waiting = ()
        self._fresh = True
        self._run()

    def _run(self) -> None:
        """Begin the next symbol once every active master has asked for one."""
        active = self._active
        if self._symbol is not None or not active or None in active.values():
            return
        symbols = {name: symbol for name, symbol in active.items() if symbol is not None}
        kind = next(iter(symbols.values()))[0]
        if len(symbols) > 1 and any(symbol[0] != kind for symbol in symbols.values()):
            # A master that sends or clocks a byte keeps SCL toggling, so that a START or STOP
            # wanted by another at the same place cannot be made (UM10204 3.1.8).
            kinds = {symbol[0] for symbol in symbols.values()}
            keep = _SEND if _SEND in kinds else _RECEIVE if _RECEIVE in kinds else _START
            for name, symbol in symbols.items():
                if symbol[0] != keep:
                    self._lose(name, -1)
            self._run()
            return
        self._symbol = kind
        timings = [self._timings[name] for name in active]
        if kind in (_START, _STOP) and self._sending:
            # The master did not end the read with a NACK: the next bit is on SDA already.
            self._drive(self._next_byte(), 0)
        if kind == _START:
            # The first master to pull a line low decides.
            duration = min(t.start_hold_ns for t in timings)
            if not self._fresh:
                duration += min(t.restart_setup_ns for t in timings)
            self._schedule(duration, "_finish")
        elif kind == _STOP:
            self._schedule(max(t.stop_setup_ns for t in timings), "_finish")
        else:
            bit_ns = self._bit_ns()
            if kind == _RECEIVE:
                self._incoming = self._next_byte()
            self._stretch_ns = self._stretch(symbols)
            if self._stretch_ns:
                self._schedule(_ACK_SLOT * bit_ns, "_before_acknowledge")
            else:
                self._schedule(BITS_PER_BYTE * bit_ns, "_finish")

    def _bit_ns(self) -> int:
        """SCL is low as long as the slowest master's low, high as the fastest one's high.

        UM10204 3.1.7.
        """
        timings = [self._timings[name] for name in self._active]
        if len(timings) == 1:
            return timings[0].low_ns + timings[0].high_ns
        return max(t.low_ns for t in timings) + min(t.high_ns for t in timings)

    def _before_acknowledge(self) -> None:
        """Eight bits are on the wire, and somebody keeps SCL low before the ninth clock."""
        self._schedule(self._bit_ns(), "_finish")
        self.hold(SCL, _STRETCH, self.host.now_ns() + self._stretch_ns)

    def _schedule(self, duration: int, then: str) -> None:
        self._end_ns = self.host.now_ns() + duration
        self._then = then
        if self.scl_held:
            self._stall(duration)
        else:
            self._end = self.host.call_at(self._end_ns, self, then)

    def _stall(self, left_ns: int) -> None:
        self._left_ns = left_ns
        self._cancel(self._end)
        self._end = None
        for name in list(self._active):
            self.masters[name].clock_stalled()

    def _drop_symbol(self) -> None:
        self._cancel(self._end)
        self._end = None
        self._symbol = None
        self._left_ns = None

    def _finish(self) -> None:
        """The symbol in progress is complete on the wire."""
        kind = self._symbol
        if kind == _SEND and self._index and len(self._active) == 1 and not self.sda_held:
            self._finish_lone_write()
            return
        symbols = {name: symbol for name, symbol in self._active.items() if symbol is not None}
        for name in symbols:
            self._active[name] = None
        self._symbol = None
        self._end = None
        if kind == _CLEAR:
            self._finish_clear()
        elif kind == _START:
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
        fresh, self._fresh = self._fresh, False
        if self.sda_held and not fresh:
            for name in list(self._active):
                self._lose(name, -1)
            return
        self._deselect()
        self._index = 0
        for name in list(self._active):
            self.transcript.record(now, Kind.START if fresh else Kind.RESTART, name)
        for name in list(self._active):
            self.masters[name].bus_started()

    def _finish_send(self, values: dict[str, int]) -> None:
        now = self.host.now_ns()
        # Open drain, most significant bit first: whoever sends the first 0 stays.
        wire = 0 if self.sda_held else min(values.values())
        for name, value in values.items():
            if value != wire:
                self._lose(name, value)
        if not self._active:
            return
        taken = self._finish_address(wire) if self._index == 0 else self._finish_write(wire)
        acked = taken or self.sda_held
        self._index += 1
        address = self._address
        for name in list(self._active):
            if self._index == 1:
                data: tuple[Any, ...] = (address, self._reading, taken)
                self.transcript.record(now, Kind.ADDRESS, name, *data)
            else:
                self.transcript.record(now, Kind.WRITE, name, address, wire, taken)
        for name in list(self._active):
            self.masters[name].byte_sent(acked)

    def _finish_lone_write(self) -> None:
        """What `_finish_send` comes to for a data byte when nobody else is on the bus."""
        ((name, symbol),) = self._active.items()
        assert symbol is not None
        self._active[name] = self._symbol = self._end = None
        taken = self._finish_write(symbol[1])
        self._index += 1
        self.transcript.record(
            self.host.now_ns(), Kind.WRITE, name, self._address, symbol[1], taken
        )
        self.masters[name].byte_sent(taken)

    def _finish_address(self, wire: int) -> bool:
        self._address, self._reading = wire >> 1, bool(wire & 1)
        self._pointer = None
        self._deaf = False
        if self._refused(wire):
            return False
        self._selected = tuple(
            name
            for name, target in self.targets.items()
            if self._address in target.addresses and target.start(self._address, self._reading)
        )
        self._sending = self._reading and bool(self._selected)
        return bool(self._selected)

    def _finish_write(self, wire: int) -> bool:
        if self._pointer is None:
            self._pointer = wire
        if not self._selected or self._reading or self._deaf:
            return False
        if self.policies and self._refused(wire):
            self._deaf = True
            return False
        taken = False
        for name in self._selected:
            taken |= self.targets[name].write_byte(wire)
        return taken

    def _finish_receive(self, acks: dict[str, bool]) -> None:
        now = self.host.now_ns()
        value = 0 if self.sda_held else self._incoming
        acked = any(acks.values()) or self.sda_held
        self._index += 1
        self._sending = acked and bool(self._selected)
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

    def _finish_clear(self) -> None:
        name, pulses = next(iter(self._clears.items()))
        del self._clears[name]
        if self._driver is not None:
            self._drive(self._driver.byte, self._driver.bit + pulses)
        self._free_at_ns = self.host.now_ns() + self._timings[name].bus_free_ns
        self.masters[name].pulses_done()
        self._go_idle()

    # -- helpers -----------------------------------------------------------------------------

    def _byte(self, value: int) -> ByteOnWire:
        address, reading, pointer = self._address or 0, self._reading, self._pointer
        if self._index == 0:
            address, reading, pointer = value >> 1, bool(value & 1), None
        elif self._index == 1 and not reading:
            pointer = value
        master = next(iter(self._active), "")
        return ByteOnWire(self.host.now_ns(), master, address, reading, self._index, value, pointer)

    def _refused(self, value: int) -> bool:
        if not self.policies:
            return False
        byte = self._byte(value)
        # Every policy sees the byte, so that one does not upset the count of another.
        answers = [policy.refuses(byte) for policy in self.policies]
        return any(answers)

    def _stretch(self, symbols: dict[str, tuple[Any, ...]]) -> int:
        if not self.policies:
            return 0
        receiving = self._symbol == _RECEIVE
        value = self._incoming if receiving else min(symbol[1] for symbol in symbols.values())
        byte = self._byte(value)
        return max(policy.stretch_ns(byte) for policy in self.policies)

    def _next_byte(self) -> int:
        """What the target that is read puts on the wire; all ones if there is none."""
        if not self._reading or not self._selected:
            return 0xFF
        return self.targets[self._selected[0]].read_byte()

    def _lose(self, name: str, value: int) -> None:
        self._active.pop(name, None)
        self.transcript.record(self.host.now_ns(), Kind.ARBITRATION_LOST, name, value)
        if not self._active:
            self._deselect()
        self.masters[name].arbitration_lost()
        self._go_idle()

    def _deselect(self) -> None:
        selected, self._selected = self._selected, ()
        self._sending = False
        for name in selected:
            self.targets[name].stop()

    def _drive(self, byte: int, bit: int) -> None:
        """Leave the target that is read with `bit` of `byte` on SDA, which matters if it is 0."""
        target = self._driver.target if self._driver is not None else self._selected[0]
        driver = _Driver(target, byte, bit)
        self._driver = driver if driver.pulls_low else None

    def _leave_target_driving(self, master: str) -> None:
        if not self._selected or self._driver is not None:
            return
        if self._symbol == _RECEIVE:
            bit_ns = self._timings[master].bit_ns
            left = self._left_ns
            if left is None:
                left = max(0, self._end_ns - self.host.now_ns())
            if self._then == "_before_acknowledge":
                left += bit_ns
            self._drive(self._incoming, min(_ACK_SLOT, BITS_PER_BYTE - -(-left // bit_ns)))
        elif self._sending:
            self._drive(self._next_byte(), 0)
