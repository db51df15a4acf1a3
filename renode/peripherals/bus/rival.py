"""A second master on the board: it loads the bus, or takes it and does not let go."""

from __future__ import annotations

from renode.peripherals.bus.i2c import SCL, BusTiming, I2CBus
from renode.peripherals.host import Handle, Host, Model


class RivalMaster(Model):
    """Another microcontroller on the same wires, with its own clock and its own traffic."""

    STATE = (
        "_period_ns",
        "_busy_ns",
        "_address",
        "_until_ns",
        "_next",
        "_takes",
        "_taking",
        "_talking",
        "_on_bus",
    )

    def __init__(self, host: Host, name: str, bus: I2CBus, hz: int = 100_000) -> None:
        super().__init__(host, name)
        self.bus = bus
        self.timing = BusTiming.at(hz)
        bus.connect(self)
        self._power_on()

    def reset(self) -> None:
        """Let the bus go in mid-transfer, and want nothing of it."""
        self.quiet()
        self.bus.abandon(self)
        self._power_on()

    def _power_on(self) -> None:
        self._period_ns = 0
        self._busy_ns = 0
        self._address = 0
        self._until_ns = 0
        self._next: Handle | None = None
        self._takes: tuple[tuple[int, int], ...] = ()
        self._taking = False
        self._talking = False
        self._on_bus = False

    def load(self, period_ns: int, duty: float, address: int) -> None:
        """Write zeros to `address` for `duty` (0-1) of every `period_ns`, from now on.

        One long write while the chip acknowledges, else one address after the other. What is
        not said by the end of its share of a period, because others had the bus, is left out.
        """
        self._period_ns = period_ns
        self._busy_ns = round(period_ns * duty)
        self._address = address
        if self._next is not None:
            self.host.cancel(self._next)
        self._burst()

    def take(self, hold_ns: int, address: int) -> None:
        """Win the bus once it is free, address a chip, keep SCL low for `hold_ns`, then stop."""
        self._takes = (*self._takes, (hold_ns, address))
        self._talk()

    def quiet(self) -> None:
        """Finish the transfer under way and start no other."""
        self._period_ns = 0
        self._until_ns = 0
        if self._next is not None:
            self.host.cancel(self._next)
            self._next = None
        if self._on_bus:
            self._takes = self._takes[: int(self._taking)]
        else:
            self._takes = ()
            self._talking = False
            self.bus.abandon(self)

    def _burst(self) -> None:
        now = self.host.now_ns()
        self._next = self.host.call_at(now + self._period_ns, self, "_burst")
        self._until_ns = now + self._busy_ns
        self._talk()

    def _talk(self) -> None:
        """Ask for the bus if there is something left to say."""
        wanted = bool(self._takes) or self.host.now_ns() < self._until_ns
        if wanted and not self._talking:
            self._talking = True
            self.bus.start(self, self.timing)

    def bus_started(self) -> None:
        self._on_bus = True
        self._taking = bool(self._takes)
        address = self._takes[0][1] if self._taking else self._address
        self.bus.send(self, address << 1)

    def byte_sent(self, acked: bool) -> None:
        now = self.host.now_ns()
        if self._taking:
            hold_ns, _ = self._takes[0]
            self._takes = self._takes[1:]
            self.bus.hold(SCL, self.name, now + hold_ns)
            self.bus.stop(self)
        elif acked and now < self._until_ns and not self._takes:
            self.bus.send(self, 0x00)
        else:
            self.bus.stop(self)

    def byte_received(self, value: int) -> None:
        """A rival only writes."""

    def bus_stopped(self) -> None:
        self._on_bus = False
        self._taking = False
        self._talking = False
        self._talk()

    def arbitration_lost(self) -> None:
        self._on_bus = False
        self._taking = False
        self._talking = False
        self._talk()

    def clock_stalled(self) -> None:
        """It waits as long as it takes."""

    def clock_resumed(self) -> None:
        """Nothing to do: the bus goes on by itself."""

    def pulses_done(self) -> None:
        """A rival never clears the bus."""
