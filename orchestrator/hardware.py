"""A board's hardware, assembled from its file: SoC, bus, chips, rivals, and their history."""

from __future__ import annotations

from orchestrator.board import Board
from orchestrator.probes import TruthLog
from renode.peripherals import Host, Model, Register, RegisterBank
from renode.peripherals.bus import I2CBus
from renode.peripherals.bus.rival import RivalMaster
from renode.peripherals.chips import CHIPS, ES8388
from renode.peripherals.soc.esp32c3 import build
from renode.peripherals.soc.esp32c3.i2c import I2CController
from renode.peripherals.soc.esp32c3.system import System
from renode.peripherals.soc.esp32c3.uart import Uart
from renode.peripherals.transcript import Kind, Transcript


class Hardware:
    """Every model of one board, connected, hosted by one engine."""

    def __init__(self, board: Board, host: Host) -> None:
        self.board = board
        self.host = host
        self.transcript = Transcript()
        self.bus = I2CBus(host, "bus", self.transcript)
        self.soc = build(host)
        self.i2c = I2CController(host, "i2c0", self.bus)
        self.soc.add(self.i2c, System.I2C_EXT0_RST)
        self.chips: dict[str, Model] = {}
        for device in board.device:
            chip = CHIPS[device.model](host, device.name, device.address)
            self.bus.attach(chip)
            self.chips[device.name] = chip
            if isinstance(chip, ES8388):
                chip.set_clocks(board.audio.mclk_hz, board.audio.lrck_hz)
            if isinstance(chip, RegisterBank):
                chip.observers.append(self._register_changed)
        self.rivals = {
            rival.name: RivalMaster(host, rival.name, self.bus, rival.hz) for rival in board.rival
        }
        self.truth = TruthLog(board, self.chips)

    @property
    def models(self) -> list[Model]:
        """Every model, for resets and snapshots."""
        return [*self.soc.blocks, self.bus, *self.chips.values(), *self.rivals.values()]

    def uart(self, number: int) -> Uart:
        """One of the SoC's UARTs."""
        uart: Uart = (self.soc.uart0, self.soc.uart1)[number]
        return uart

    def begin(self) -> None:
        """Start transcript and truth log anew, from the state the chips are in now."""
        self.transcript.clear()
        self.truth.begin(self.host.now_ns())

    def _register_changed(self, bank: RegisterBank, register: Register, old: int, new: int) -> None:
        now = self.host.now_ns()
        self.transcript.record(now, Kind.EFFECT, bank.name, register.name, old, new)
        self.truth.sample(now, bank.name)
