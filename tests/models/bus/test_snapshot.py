"""A transfer goes on from a snapshot taken at any of its events as it went the first time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from renode.peripherals.bus.i2c import SCL, SDA
from renode.peripherals.bus.policies import Occasions, RefuseByte
from renode.peripherals.bus.rival import RivalMaster
from renode.peripherals.host import Model
from renode.peripherals.soc.esp32c3.i2c import I2CController
from renode.peripherals.transcript import Event
from tests.models.bus.bench import BYTE, HALF, MS, US, Bench, ScriptedMaster, Stretch, read, write
from tests.models.soc.test_i2c import (
    ACK_CHECK,
    CTR,
    DATA,
    FSM_RST,
    INT_ENA,
    MASTER,
    READ,
    RSTART,
    SEND_NACK,
    STOP,
    TO,
    WRITE,
    Port,
    clearing,
)
from tests.models.state_check import attributes, unlisted_changes


class World:
    """A controller, a rival and a scripted master on one bus with one chip."""

    def __init__(self) -> None:
        self.port = Port()
        self.bench: Bench = self.port.bench
        self.host = self.port.host
        self.i2c: I2CController = self.port.i2c
        self.i2c.write(INT_ENA, 0x1FFFF)
        self.master: ScriptedMaster = self.bench.master
        self.rival = RivalMaster(self.host, "rival", self.bench.bus)
        self.models: list[Model] = [
            *(self.bench.bus, self.bench.chip, self.i2c, self.master, self.rival)
        ]

    def snapshot(self) -> tuple[Any, ...]:
        return self.host.snapshot(), [model.snapshot() for model in self.models]

    def restore(self, state: tuple[Any, ...]) -> None:
        host, models = state
        self.host.restore(host)
        for model, model_state in zip(self.models, models, strict=True):
            model.restore(model_state)


def register_write(world: World) -> None:
    world.port.register_write(0x03, 0x55, 0x66)


def register_read(world: World) -> None:
    world.port.fill(0x40, 0x03, 0x41)
    world.port.go(
        *(RSTART, WRITE | ACK_CHECK | 2, RSTART, WRITE | ACK_CHECK | 1),
        *(READ | 1, READ | SEND_NACK | 1, STOP),
    )


def nack(world: World) -> None:
    world.port.fill(0x42)
    world.port.go(RSTART, WRITE | ACK_CHECK | 1, STOP)


def arbitration(world: World) -> None:
    world.port.register_write(0x03, 0x55)
    world.master.play(write(0x20, 0x03, 0x15) + read(0x20, 0x03))


def hold_and_time_out(world: World) -> None:
    world.i2c.write(TO, 1 << 5 | 12)
    world.port.register_write(0x03, 0x55)
    world.host.run_for(HALF + BYTE + US)
    world.bench.bus.hold(SCL, "thumb", world.host.now + MS)


def stretched(world: World) -> None:
    world.bench.bus.policies.append(Stretch(30 * US, Occasions(), index=1))
    world.port.register_write(0x03, 0x55)


def abandoned_and_cleared(world: World) -> None:
    world.bench.chip.R[0] = 0x00
    world.port.fill(0x41)
    world.port.go(RSTART, WRITE | 1, READ | 1, STOP)
    world.host.run_for(HALF + BYTE + US)
    world.i2c.write(CTR, MASTER | FSM_RST)
    world.master.play(read(0x20, 0x03))
    clearing(world.port)


def rival_and_load(world: World) -> None:
    world.rival.load(2 * MS, 0.4, 0x20)
    world.rival.take(MS, 0x20)
    world.port.register_write(0x03, 0x55)
    world.bench.bus.hold(SDA, "short", world.host.now + US)
    world.host.run_for(5 * MS)
    world.rival.quiet()
    world.port.register_write(0x03, 0x55)


def rival_takes(world: World) -> None:
    world.rival.take(MS, 0x20)


def list_during_the_stop_after_a_nack(world: World) -> None:
    nack(world)
    world.host.run_for(HALF + BYTE + US)
    world.port.fill(0x40)
    world.port.go(RSTART, WRITE | 1, STOP)


def list_during_a_lone_stop(world: World) -> None:
    world.port.go(STOP)
    world.port.register_write(0x03, 0x55)


def starved(world: World) -> None:
    world.port.fill(0x40)
    world.port.go(RSTART, WRITE | 3, STOP)
    world.host.run_for(MS)
    world.host.call_at(world.host.now + US, world.i2c, "write", DATA, 0x03)
    world.host.call_at(world.host.now + MS, world.i2c, "write", DATA, 0x55)


def refused_and_gone_on(world: World) -> None:
    world.bench.bus.policies.append(RefuseByte(0x20, Occasions(), index=2))
    world.port.fill(0x40, 0x03, 0x55, 0x66, 0x77, 0x88)
    world.port.go(RSTART, WRITE | 6, STOP)


SCENARIOS = [
    rival_takes,
    *(list_during_the_stop_after_a_nack, list_during_a_lone_stop, starved, refused_and_gone_on),
    *(register_write, register_read, nack, arbitration, hold_and_time_out, stretched),
    *(abandoned_and_cleared, rival_and_load),
]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_snapshot_at_every_event_continues_the_same(scenario: Callable[[World], None]) -> None:
    world = World()
    scenario(world)
    events = world.bench.transcript.events
    snapshots: list[tuple[tuple[Any, ...], list[Event]]] = []
    while True:
        snapshots.append((world.snapshot(), list(events)))
        due = world.host.next_event_ns()
        if due is None:
            break
        world.host.run_until(due)
    digest = world.bench.transcript.digest()
    end = world.snapshot()
    assert len(snapshots) >= 4  # now, and after a START, an address and a STOP
    for state, before in snapshots:
        world.restore(state)
        events[:] = before
        world.host.run_all()
        assert world.bench.transcript.digest() == digest
        assert world.snapshot()[1] == end[1]
        assert world.host.irqs == end[0][4]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_state_lists_all_that_changes(scenario: Callable[[World], None]) -> None:
    world = World()
    before = {model.name: attributes(model) for model in world.models}
    scenario(world)
    while True:
        for model in world.models:
            assert unlisted_changes(model, before[model.name]) <= ALLOWED.get(model.name, set())
        due = world.host.next_event_ns()
        if due is None:
            break
        world.host.run_until(due)


ALLOWED = {"bus": {"policies", "transcript"}}
"""What belongs to the board and not to the wires."""


def test_the_check_sees_an_unlisted_attribute() -> None:
    world = World()
    before = attributes(world.rival)
    world.rival.timing = world.rival.timing._replace(low_ns=1)
    assert unlisted_changes(world.rival, before) == {"timing"}
