"""A small I2C bench: a register chip, a master that plays a script, a bus between them."""

from __future__ import annotations

from typing import Any

from renode.peripherals.bus.i2c import BusTiming, I2CBus
from renode.peripherals.bus.policies import BusPolicy, ByteOnWire, Occasions
from renode.peripherals.bus.target import I2CTarget
from renode.peripherals.host import Host, Model
from renode.peripherals.registers import Register, RegisterArray, RegisterBank
from renode.peripherals.transcript import Event, Kind, Transcript
from tests.models.fake_host import FakeHost

US = 1_000
MS = 1_000_000
BIT = 10 * US
"""One SCL period at 100 kHz."""
BYTE = 9 * BIT
HALF = 5 * US
"""Start hold, restart set-up, stop set-up and bus-free time of `BusTiming.at(100_000)`."""


class Chip(RegisterBank, I2CTarget):
    """Sixteen 8-bit registers R0-R15 behind a pointer that counts up and wraps round."""

    WIDTH = 8
    STATE = ("pointer", "fresh", "reading", "calls")

    R = RegisterArray(0x00, 16, stride=1, reset=0xA5)

    def __init__(self, host: Host, name: str = "chip", address: int = 0x20) -> None:
        super().__init__(host, name)
        self.address = address
        self.pointer = 0
        self.fresh = False
        self.reading = False
        self.calls: list[tuple[str, Any]] = []

    @property
    def addresses(self) -> tuple[int, ...]:
        return (self.address,)

    def start(self, address: int, reading: bool) -> bool:
        self.calls.append(("start", reading))
        self.fresh = True
        self.reading = reading
        return True

    def write_byte(self, value: int) -> bool:
        self.calls.append(("write", value))
        if self.fresh:
            self.pointer = value & 15
            self.fresh = False
        else:
            self.write(self.pointer, value)
            self.pointer = self.pointer + 1 & 15
        return True

    def read_byte(self) -> int:
        value = self.read(self.pointer)
        self.pointer = self.pointer + 1 & 15
        self.calls.append(("read", value))
        return value

    def read_acknowledged(self, acked: bool) -> None:
        self.calls.append(("acked", acked))

    def stop(self) -> None:
        self.calls.append(("stop", None))

    @classmethod
    def r(cls, number: int) -> Register:
        return cls.R.elements[number]


Symbol = tuple[Any, ...]
START: Symbol = ("start",)
STOP: Symbol = ("stop",)
READ_ACK: Symbol = ("receive", True)
READ_NACK: Symbol = ("receive", False)


def write(address: int, *data: int) -> list[Symbol]:
    """START, address, data, STOP."""
    return [START, ("send", address << 1), *(("send", byte) for byte in data), STOP]


def read(address: int, pointer: int, count: int = 1) -> list[Symbol]:
    """Write a pointer, repeated START, read `count` bytes, NACK the last, STOP."""
    head = [START, ("send", address << 1), ("send", pointer), START, ("send", address << 1 | 1)]
    return [*head, *[READ_ACK] * (count - 1), READ_NACK, STOP]


class ScriptedMaster(Model):
    """Plays symbols one after the other; after a NACK it skips to the next STOP, if polite."""

    STATE = ("script", "heard", "on_bus")

    def __init__(
        self, bus: I2CBus, name: str = "master", hz: int = 100_000, polite: bool = True
    ) -> None:
        super().__init__(bus.host, name)
        self.bus = bus
        self.timing = BusTiming.at(hz)
        self.polite = polite
        self.script: list[Symbol] = []
        self.heard: list[tuple[Any, ...]] = []
        self.on_bus = False
        bus.connect(self)

    def play(self, script: list[Symbol]) -> None:
        """Begin a script now."""
        self.script = list(script)
        self._next()

    def abandon(self) -> None:
        """Let go of the bus, and of the rest of the script."""
        self.script = []
        self.on_bus = False
        self.bus.abandon(self)

    @property
    def received(self) -> list[int]:
        return [item[1] for item in self.heard if item[0] == "received"]

    @property
    def acks(self) -> list[bool]:
        return [item[1] for item in self.heard if item[0] == "sent"]

    def _hear(self, *item: Any) -> None:
        self.heard.append(item)

    def _next(self) -> None:
        if not self.script:
            return
        symbol = self.script.pop(0)
        if symbol == START:
            self.bus.start(self, self.timing)
        elif symbol == STOP:
            self.bus.stop(self)
        elif symbol[0] == "send":
            self.bus.send(self, symbol[1])
        else:
            self.bus.receive(self, symbol[1])

    def bus_started(self) -> None:
        self.on_bus = True
        self._hear("started")
        self._next()

    def byte_sent(self, acked: bool) -> None:
        self._hear("sent", acked)
        if not acked and self.polite:
            while self.script and self.script[0] != STOP:
                self.script.pop(0)
        self._next()

    def byte_received(self, value: int) -> None:
        self._hear("received", value)
        self._next()

    def bus_stopped(self) -> None:
        self.on_bus = False
        self._hear("stopped")
        self._next()

    def arbitration_lost(self) -> None:
        self.script = []
        self.on_bus = False
        self._hear("lost")

    def clock_stalled(self) -> None:
        self._hear("stalled")

    def clock_resumed(self) -> None:
        self._hear("resumed")

    def pulses_done(self) -> None:
        self._hear("pulsed", self.host.now_ns())


class Stretch(BusPolicy):
    """Keeps SCL low before the ninth clock of chosen bytes."""

    def __init__(self, ns: int, occasions: Occasions, index: int) -> None:
        self.ns = ns
        self.occasions = occasions
        self.index = index

    def stretch_ns(self, byte: ByteOnWire) -> int:
        return self.ns if byte.index == self.index and self.occasions.hit(byte.t_ns) else 0


class Bench:
    """A host, a transcript, a bus with one `Chip` at 0x20, and one master at 100 kHz."""

    def __init__(self, hz: int = 100_000, polite: bool = True) -> None:
        self.host = FakeHost()
        self.transcript = Transcript()
        self.bus = I2CBus(self.host, "bus", self.transcript)
        self.chip = Chip(self.host)
        self.bus.attach(self.chip)
        self.master = ScriptedMaster(self.bus, hz=hz, polite=polite)

    def add_master(self, name: str, hz: int = 100_000) -> ScriptedMaster:
        return ScriptedMaster(self.bus, name, hz)

    def at(self, kind: Kind, source: str | None = None) -> list[int]:
        """When events of a kind happened, in ns."""
        return [event.t_ns for event in self.events(kind, source)]

    def events(self, kind: Kind, source: str | None = None) -> list[Event]:
        return [e for e in self.transcript if e.kind is kind and source in (None, e.source)]

    def said(self) -> list[str]:
        """The transcript as one word an event: S Sr P, aNN+, wNN-, rNN+."""
        words = {Kind.START: "S", Kind.RESTART: "Sr", Kind.STOP: "P"}
        marks = {Kind.ADDRESS: "a", Kind.WRITE: "w", Kind.READ: "r"}
        said = []
        for event in self.transcript:
            if event.kind is Kind.ADDRESS:
                address, reading, acked = event.data
                said.append(f"a{address:02X}{'r' if reading else ''}{'+' if acked else '-'}")
            elif event.kind in marks:
                said.append(
                    f"{marks[event.kind]}{event.data[1]:02X}{'+' if event.data[2] else '-'}"
                )
            else:
                said.append(words.get(event.kind, event.kind.value))
        return said
