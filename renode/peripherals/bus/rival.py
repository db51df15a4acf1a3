"""A second master on the board: it loads the bus, or takes it and does not let go."""

from __future__ import annotations

from renode.peripherals.bus.i2c import SCL, BusTiming, I2CBus
from renode.peripherals.host import Handle, Host, Model


class RivalMaster(Model):
    """Another microcontroller on the same wires, with its own clock and its own traffic."""

    STATE = ("_period_ns", "_busy_ns", "_address", "_stop_at_ns", "_hold_ns", "_talking", "_next")

    def __init__(self, host: Host, name: str, bus: I2CBus, hz: int = 100_000) -> None:
        super().__init__(host, name)
        self.bus = bus
        self.timing = BusTiming.at(hz)
        bus.connect(self)
        self.reset()

    def reset(self) -> None:
        self._period_ns = 0
        self._busy_ns = 0
        self._address = 0
        self._stop_at_ns = 0
        self._hold_ns = 0
        self._talking = False
        self._next: Handle | None = None

    def load(self, period_ns: int, duty: float, address: int) -> None:
        """Write to `address` for `duty` (0-1) of every `period_ns`, from now on."""
        self._period_ns = period_ns
        self._busy_ns = round(period_ns * duty)
        self._address = address
        self._burst()

    def take(self, hold_ns: int, address: int) -> None:
        """Win the bus once it is free, address a chip, keep SCL low for `hold_ns`, then stop."""
        self._hold_ns = hold_ns
        self._address = address
        self._talk()

    def quiet(self) -> None:
        """Finish the transfer under way and start no other."""
        self._period_ns = 0
        self._stop_at_ns = 0
        if self._next is not None:
            self.host.cancel(self._next)
            self._next = None

    def _burst(self) -> None:
        if not self._period_ns:
            return
        now = self.host.now_ns()
        self._next = self.host.call_at(now + self._period_ns, self, "_burst")
        if not self._talking:
            self._stop_at_ns = now + self._busy_ns
            self._talk()

    def _talk(self) -> None:
        self._talking = True
        self.bus.start(self, self.timing)

    def bus_started(self) -> None:
        self.bus.send(self, self._address << 1)

    def byte_sent(self, acked: bool) -> None:
        now = self.host.now_ns()
        if self._hold_ns:
            self.bus.hold(SCL, self.name, now + self._hold_ns)
            self._hold_ns = 0
            self.bus.stop(self)
        elif acked and now < self._stop_at_ns:
            self.bus.send(self, 0x00)
        else:
            self.bus.stop(self)

    def byte_received(self, value: int) -> None:
        self.bus.stop(self)

    def bus_stopped(self) -> None:
        self._talking = False

    def arbitration_lost(self) -> None:
        if self._hold_ns:
            self._talk()
        else:
            self._talking = False

    def clock_stalled(self) -> None:
        pass

    def clock_resumed(self) -> None:
        pass

    def pulses_done(self) -> None:
        pass
