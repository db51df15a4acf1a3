"""What every engine does for its models, whatever runs the CPU: events, MMIO by word, panics."""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from orchestrator.engines.backtrace import unwind
from orchestrator.engines.base import Engine, Panic
from orchestrator.engines.elf import FirmwareImage
from orchestrator.engines.events import EventQueue
from orchestrator.errors import EngineError
from renode.peripherals import Handle, Model

CORE_HZ = 160_000_000
CYCLE_CSRS = (0x7E2, 0x802)
"""The C3's own cycle counter (mpccr) and its user-mode view (ESP32-C3 TRM, CPU chapter)."""
MMIO = 0x6000_0000
MMIO_SIZE = 0x10_0000
MSTATUS_MIE, MSTATUS_MPIE, MSTATUS_MPP = 1 << 3, 1 << 7, 3 << 11
"""The fields of mstatus that a trap moves (RISC-V privileged ISA 1.10, machine status)."""
WFI = b"\x73\x00\x50\x10"

_PAGE_BITS = 11
_NS_PER_4_CYCLES = 25


class HostingEngine(Engine):
    """The models' side of an engine: who answers at an address, what is due when, what is missing.

    A subclass runs the CPU and says where it is and what time it is there.
    """

    def __init__(self, image: FirmwareImage) -> None:
        self.image = image
        self.panic: Panic | None = None
        self._soc: Any = None
        self._models: dict[str, Model] = {}
        self._pages: dict[int, Any] = {}
        self._readers: dict[int, Callable[[], int]] = {}
        self._writers: dict[int, Callable[[int], None]] = {}
        self._queue = EventQueue()
        self._unmodelled: dict[tuple[int, str], str] = {}
        self._handling_panic = False

    @abstractmethod
    def _executing_at(self) -> int | None:
        """PC of the instruction that is being executed; None between instructions."""

    @abstractmethod
    def _set_line(self, line: int) -> None:
        """Show the CPU its interrupt line 1..31, or 0 for none."""

    @abstractmethod
    def _request_reset(self, cause: str) -> None:
        """The SoC resets itself: stop after this instruction."""

    def attach(self, soc: Any, models: Iterable[Model]) -> None:
        self._soc = soc
        for model in models:
            if model.name in self._models:
                raise EngineError(f"two models are called '{model.name}'")
            self._models[model.name] = model
        for block in soc.blocks:
            for address in range(block.BASE, block.BASE + block.SIZE, 1 << _PAGE_BITS):
                self._pages[(address - MMIO) >> _PAGE_BITS] = block
        soc.intmtx.on_line = self._set_line
        soc.on_reset(self._request_reset)

    # -- what models ask of their host -------------------------------------------------------

    def call_at(self, t_ns: int, model: Model, method: str, *args: Any) -> Handle:
        return self._queue.add(t_ns, model, method, args)

    def cancel(self, handle: Handle) -> None:
        self._queue.cancel(handle)

    def set_irq(self, source: int, level: bool) -> None:
        self._soc.intmtx.set_source(source, level)

    def unmodelled(self, model: Model, access: str) -> None:
        self._report(model.name, access)

    def _report(self, where: str, access: str) -> None:
        """Note an access once per place: the firmware's PC, or none when a bus brought it."""
        pc = self._executing_at()
        if pc is None:
            self._unmodelled.setdefault((0, where + access), f"{where}: {access}")
            return
        key = (pc, where + access.partition("=")[0])
        if key not in self._unmodelled:
            function = self.image.function_at(pc) or "?"
            self._unmodelled[key] = f"{where}: {access} at {pc:#010x} ({function})"

    def unmodelled_accesses(self) -> list[str]:
        return list(self._unmodelled.values())

    # -- memory-mapped registers: 32 bits wide, narrower accesses by reading and merging ----------

    def _mmio_read(self, offset: int, size: int) -> int:
        reader = self._readers.get(offset & ~3)
        if reader is None:
            reader = self._readers[offset & ~3] = self._find_reader(offset & ~3)
        value = reader()
        if size != 4:
            value = value >> 8 * (offset & 3) & ((1 << 8 * size) - 1)
        return value

    def _mmio_write(self, offset: int, size: int, value: int) -> None:
        word = offset & ~3
        if size != 4:
            shift = 8 * (offset & 3)
            mask = ((1 << 8 * size) - 1) << shift
            value = (self._mmio_read(word, 4) & ~mask) | (value << shift & mask)
        writer = self._writers.get(word)
        if writer is None:
            writer = self._writers[word] = self._find_writer(word)
        writer(value)

    def _find_reader(self, offset: int) -> Callable[[], int]:
        block = self._pages.get(offset >> _PAGE_BITS)
        if block is not None:
            reader: Callable[[], int] = block.reader(MMIO + offset - block.BASE)
            return reader

        def nothing() -> int:
            self._report("no peripheral", f"read {MMIO + offset:#x}")
            return 0

        return nothing

    def _find_writer(self, offset: int) -> Callable[[int], None]:
        block = self._pages.get(offset >> _PAGE_BITS)
        if block is not None:
            writer: Callable[[int], None] = block.writer(MMIO + offset - block.BASE)
            return writer

        def nowhere(value: int) -> None:
            self._report("no peripheral", f"write {MMIO + offset:#x} = {value:#x}")

        return nowhere

    # -- power ---------------------------------------------------------------------------------

    def _reset_hardware(self) -> None:
        """Every model as after power-on, and nothing pending."""
        self._queue.clear()
        self.panic = None
        self._soc.reset("power-on")
        for model in self._models.values():
            if model not in self._soc.blocks:
                model.reset()

    def _model_states(self) -> dict[str, tuple[Any, ...]]:
        return {name: model.snapshot() for name, model in self._models.items()}

    def _restore_models(self, states: dict[str, tuple[Any, ...]]) -> None:
        for name, state in states.items():
            self._models[name].restore(state)

    # -- exceptions ------------------------------------------------------------------------------

    def _describe_panic(self, t_ns: int, cause: str, pc: int, value: int) -> Panic:
        registers = {**self.registers(), "pc": pc}
        trace = unwind(self.image, registers, self._peek_word)
        return Panic(t_ns, cause, pc, value, registers, trace)

    def _peek_word(self, address: int) -> int | None:
        try:
            word: int = struct.unpack("<I", self.read_memory(address, 4))[0]
        except EngineError:
            return None
        return word


def trap_status(status: int) -> int:
    """mstatus after an interrupt or exception: MIE moves to MPIE, from and to machine mode."""
    enabled = status & MSTATUS_MIE
    status &= ~(MSTATUS_MIE | MSTATUS_MPIE)
    return status | MSTATUS_MPP | (MSTATUS_MPIE if enabled else 0)


def cycles_at(t_ns: int) -> int:
    """The first cycle at or after `t_ns`."""
    return -(-t_ns * 4 // _NS_PER_4_CYCLES)


def ns_at(cycles: int) -> int:
    """When that many cycles are over, rounded down."""
    return cycles * _NS_PER_4_CYCLES // 4
