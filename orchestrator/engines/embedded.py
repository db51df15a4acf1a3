"""The embedded engine: Unicorn's RISC-V core and an event queue in virtual nanoseconds.

The CPU runs in slices. A slice never crosses the next event; an MMIO access that schedules an
earlier one, raises an interrupt or asks to stop ends the slice after that instruction. Time is
the count of executed instructions at one per cycle of the 160 MHz core clock.
"""

from __future__ import annotations

import ctypes
import mmap
import re
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import unicorn
from unicorn import UcError
from unicorn import riscv_const as rv

from orchestrator.engines.backtrace import ABI_NAMES
from orchestrator.engines.base import Panic, Snapshot, StopReason
from orchestrator.engines.elf import FirmwareImage
from orchestrator.engines.events import EventState
from orchestrator.engines.hosting import (
    CORE_HZ,
    CYCLE_CSRS,
    MMIO,
    MMIO_SIZE,
    MSTATUS_MIE,
    WFI,
    HostingEngine,
    cycles_at,
    ns_at,
    trap_status,
)
from orchestrator.engines.unicorn_core import Core, reset_context
from orchestrator.errors import EngineError, FirmwareError
from renode.peripherals import Handle, Model

LONGEST_SLICE = CORE_HZ
"""Instructions in one go at most, so that headway shows."""
LONGEST_MASKED_SLICE = 64
"""Instructions between looks at mstatus.MIE while an interrupt waits for it, 0.4 us: for `mret`
and for code that is not in the image. The image's CSR instructions that set it are known."""

_MSTATUS = 0x300
_CSRRW, _CSRRS = 1, 2
_MSTATUS_WORD = re.compile(rb"(?=[\x73\xf3].[\x00-\x0f]\x30)", re.DOTALL)

_SRAM_SIZE = 0x60000
_SRAM_DATA, _SRAM_CODE = 0x3FC8_0000, 0x4038_0000
_RAMS = ((0x4037_C000, 0x4000), (0x5000_0000, 0x2000), (0x3FF0_0000, 0x20000))
_FLASH = ((0x3C00_0000, 0x80_0000), (0x4200_0000, 0x80_0000))
_ROM = (0x4000_0000, 0x60000)

_FAULTS = {
    unicorn.UC_ERR_FETCH_UNMAPPED: (1, "Instruction access fault"),
    unicorn.UC_ERR_FETCH_PROT: (1, "Instruction access fault"),
    unicorn.UC_ERR_READ_UNMAPPED: (5, "Load access fault"),
    unicorn.UC_ERR_READ_PROT: (5, "Load access fault"),
    unicorn.UC_ERR_WRITE_UNMAPPED: (7, "Store access fault"),
    unicorn.UC_ERR_WRITE_PROT: (7, "Store access fault"),
    unicorn.UC_ERR_INSN_INVALID: (3, "Breakpoint"),
}


class _MachineState(NamedTuple):
    cpu: Any
    pc: int
    cycles: int
    line: int
    sleeping: bool
    csrs: dict[int, int]
    sram: bytes
    rams: tuple[bytes, ...]
    models: dict[str, tuple[Any, ...]]
    events: EventState
    panic: Panic | None
    handling_panic: bool
    halted: bool
    powered: bool


class EmbeddedEngine(HostingEngine):
    """Runs one firmware image on an ESP32-C3 built from the Python models."""

    name = "embedded"

    def __init__(self, image: FirmwareImage, *, hang_s: float = 60.0) -> None:
        super().__init__(image)
        self._pc = image.entry
        self._cycles = 0
        self._event_ns: int | None = None
        self._in_slice = False
        self._line = 0
        self._sleeping = False
        self._halted = False
        self._powered = False
        self._stop = False
        self._reset_cause: str | None = None
        self._csrs: dict[int, int] = {}
        self._fault_address = 0
        self._watchdog = _Watchdog(hang_s)
        self._build_cpu()

    # -- construction ------------------------------------------------------------------------

    def _build_cpu(self) -> None:
        self._core = Core()
        uc = self._uc = self._core.uc
        self._executed, self._limit = self._core.executed, self._core.limit
        self._reset_context = reset_context(_SRAM_DATA + _SRAM_SIZE - 16)
        self._sram = mmap.mmap(-1, _SRAM_SIZE)
        self._sram_address = ctypes.addressof(ctypes.c_char.from_buffer(self._sram))
        for base in (_SRAM_DATA, _SRAM_CODE):
            uc.mem_map_ptr(base, _SRAM_SIZE, unicorn.UC_PROT_ALL, self._sram_address)
        for base, size in _RAMS:
            uc.mem_map(base, size, unicorn.UC_PROT_ALL)
        for base, size in (*_FLASH, _ROM):
            uc.mem_map(base, size, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        self._core.map_mmio(MMIO, MMIO_SIZE, self._mmio_read, self._mmio_write)
        uc.hook_add(unicorn.UC_HOOK_MEM_INVALID, self._memory_fault)
        self._core.on_csr_writes(interrupt_enablers(self.image), self._interrupts_may_come_on)

    # -- what models ask of their host -------------------------------------------------------

    def now_ns(self) -> int:
        if self._event_ns is not None:
            return self._event_ns
        cycles = self._cycles
        if self._in_slice:
            cycles += self._executed.value
        return ns_at(cycles)

    def call_at(self, t_ns: int, model: Model, method: str, *args: Any) -> Handle:
        if self._in_slice:
            ahead = cycles_at(t_ns) - self._cycles
            if ahead < self._limit.value:
                self._limit.value = max(ahead, self._executed.value)
        return self._queue.add(t_ns, model, method, args)

    def _set_line(self, line: int) -> None:
        self._line = line
        if line:
            self._end_slice()

    def _interrupts_may_come_on(self) -> None:
        """An instruction that can set mstatus.MIE: an interrupt that waits comes right after it."""
        if self._line and self._executed.value:
            self._end_slice()

    def _request_reset(self, cause: str) -> None:
        self._reset_cause = cause
        self._end_slice()

    def _end_slice(self) -> None:
        if self._in_slice:
            self._limit.value = self._executed.value

    def _executing_at(self) -> int | None:
        return self._core.read(rv.UC_RISCV_REG_PC) if self._in_slice else None

    # -- memory ------------------------------------------------------------------------------

    def _memory_fault(self, uc: Any, kind: int, address: int, *_: Any) -> bool:
        self._fault_address = address
        return False

    def read_memory(self, address: int, size: int) -> bytes:
        try:
            return bytes(self._uc.mem_read(address, size))
        except UcError:
            raise EngineError(f"no memory at {address:#010x} ({size} bytes)") from None

    def write_memory(self, address: int, data: bytes) -> None:
        try:
            self._uc.mem_write(address, data)
        except UcError:
            raise EngineError(f"no memory at {address:#010x} ({len(data)} bytes)") from None

    # -- power and state ---------------------------------------------------------------------

    def power_on(self) -> None:
        self._cycles = 0
        self._event_ns = None
        self._reset_hardware()
        self._clear_rams()
        self._boot()
        self._powered = True

    def power_off(self) -> None:
        self._queue.clear()
        self._powered = False

    def _clear_rams(self) -> None:
        ctypes.memset(self._sram_address, 0, _SRAM_SIZE)
        for base, size in _RAMS:
            self._uc.mem_write(base, bytes(size))

    def _boot(self) -> None:
        """What the boot loader leaves: segments in place, a clean CPU at the entry."""
        for segment in self.image.segments:
            try:
                self._uc.mem_write(segment.address, segment.data)
            except UcError:
                raise FirmwareError(
                    f"{self.image.path}: a segment of {len(segment.data)} bytes at "
                    f"{segment.address:#010x} is outside the ESP32-C3's memory"
                ) from None
        self._core.restore(self._reset_context)
        self._pc = self.image.entry
        self._line = 0
        self._sleeping = False
        self._halted = False
        self._handling_panic = False
        self._reset_cause = None
        self._csrs.clear()

    def _chip_reset(self, cause: str) -> None:
        """A reset that the chip asked for: RAM keeps its bytes, the board's chips their state."""
        self._soc.reset(cause)
        self._boot()

    def snapshot(self) -> Snapshot:
        return _MachineState(
            cpu=self._core.save(),
            pc=self._pc,
            cycles=self._cycles,
            line=self._line,
            sleeping=self._sleeping,
            csrs=dict(self._csrs),
            sram=self._sram[:],
            rams=tuple(bytes(self._uc.mem_read(base, size)) for base, size in _RAMS),
            models=self._model_states(),
            events=self._queue.snapshot(),
            panic=self.panic,
            handling_panic=self._handling_panic,
            halted=self._halted,
            powered=self._powered,
        )

    def restore(self, snapshot: Snapshot) -> None:
        state: _MachineState = snapshot
        self._core.restore(state.cpu)
        self._pc = state.pc
        self._cycles = state.cycles
        self._line = state.line
        self._sleeping = state.sleeping
        self._csrs = dict(state.csrs)
        ctypes.memmove(self._sram_address, state.sram, _SRAM_SIZE)
        for (base, _), data in zip(_RAMS, state.rams, strict=True):
            self._uc.mem_write(base, data)
        self._restore_models(state.models)
        self._queue.restore(state.events)
        self.panic = state.panic
        self._handling_panic = state.handling_panic
        self._halted = state.halted
        self._powered = state.powered
        self._event_ns = None
        self._stop = False
        self._reset_cause = None

    def registers(self) -> dict[str, int]:
        read = self._core.read
        values = {name: read(rv.UC_RISCV_REG_X0 + i) for i, name in enumerate(ABI_NAMES)}
        return {**values, "pc": self._pc}

    # -- running -----------------------------------------------------------------------------

    def stop(self) -> None:
        self._stop = True
        self._end_slice()

    def run_until(self, t_ns: int) -> StopReason:
        if not self._powered:
            raise EngineError("the device has no power")
        end = cycles_at(t_ns)
        self._stop = False
        with self._watchdog.watch(self):
            while True:
                self._run_due_events()
                if self._stop:
                    return StopReason.STOPPED
                if self._reset_cause is not None:
                    self._chip_reset(self._reset_cause)
                    return StopReason.RESET
                if self._cycles >= end:
                    return StopReason.TIME
                if self._halted:
                    self._advance(end)
                    if self._cycles >= end:
                        return StopReason.HALTED
                elif self._sleeping and not self._line:
                    self._advance(end)
                else:
                    self._sleeping = False
                    self._run_slice(end)

    def _run_due_events(self) -> None:
        queue, models = self._queue, self._models
        now = ns_at(self._cycles)
        due = queue.next_ns()
        while due is not None and due <= now and not self._stop:
            self._watchdog.check()
            t_ns, method, args = queue.pop(models)
            self._event_ns = max(t_ns, self._event_ns or 0)
            method(*args)
            due = queue.next_ns()
        self._event_ns = None

    def _advance(self, end: int) -> None:
        """Nothing to execute: jump to the next event or the end."""
        due = self._queue.next_ns()
        self._cycles = end if due is None else max(self._cycles, min(end, cycles_at(due)))

    def _run_slice(self, end: int) -> None:
        core = self._core
        count = min(end - self._cycles, LONGEST_SLICE)
        due = self._queue.next_ns()
        if due is not None:
            count = min(count, cycles_at(due) - self._cycles)
        if self._line:
            status = core.read(rv.UC_RISCV_REG_MSTATUS)
            if status & MSTATUS_MIE:
                self._take_interrupt(status)
            else:
                count = min(count, LONGEST_MASKED_SLICE)
        self._in_slice = True
        try:
            error = core.run(self._pc, max(1, count))
        finally:
            self._in_slice = False
            self._pc = core.read(rv.UC_RISCV_REG_PC)
        executed = self._executed.value
        if error != unicorn.UC_ERR_OK:
            self._cycles += executed
            self._exception(error)
        elif executed > self._limit.value:
            self._cycles += executed - 1
        else:
            self._cycles += executed
            self._sleeping = self._core.is_at(self._pc - 4, WFI)
        self._watchdog.check()

    def _take_interrupt(self, status: int) -> None:
        self._enter_trap(status, 1 << 31 | self._line, self._pc, 0)
        vector = self._core.read(rv.UC_RISCV_REG_MTVEC)
        self._pc = (vector & ~3) + (4 * self._line if vector & 1 else 0)

    def _enter_trap(self, status: int, cause: int, pc: int, value: int) -> None:
        self._core.enter_trap(trap_status(status), cause, pc, value)

    # -- exceptions --------------------------------------------------------------------------

    def _exception(self, error: int) -> None:
        if error in _FAULTS:
            cause, text = _FAULTS[error]
            value = self._fault_address if cause in (1, 5, 7) else 0
            pc = self._pc
        elif error == unicorn.UC_ERR_EXCEPTION:
            pc = self._pc - 4
            word = struct.unpack("<I", self._word_at(pc))[0]
            if word & 0x7F == 0x73 and word >> 12 & 3:
                self._emulate_csr(word)
                return
            if word == 0x73:
                cause, text, value = 11, "Environment call", 0
            else:
                cause, text, value = 2, "Illegal instruction", word
        else:
            raise EngineError(f"the CPU core failed at {self._pc:#010x}: {UcError(error)}")
        self._pc = pc
        nested = self._handling_panic
        if not nested:
            self.panic = self._describe_panic(self.now_ns(), text, pc, value)
            self._handling_panic = True
        handler = self._core.read(rv.UC_RISCV_REG_MTVEC) & ~3
        if nested or not handler:
            self._halted = True
            return
        self._enter_trap(self._core.read(rv.UC_RISCV_REG_MSTATUS), cause, pc, value)
        self._pc = handler

    def _word_at(self, pc: int) -> bytes:
        try:
            return bytes(self._uc.mem_read(pc, 4))
        except UcError:
            return bytes(self._uc.mem_read(pc, 2)) + b"\0\0"

    def _emulate_csr(self, word: int) -> None:
        """A CSR that the core model lacks: the C3's cycle counter counts, others store."""
        csr, operation = word >> 20, word >> 12 & 3
        old = self._cycles & 0xFFFF_FFFF if csr in CYCLE_CSRS else self._csrs.get(csr, 0)
        source = word >> 15 & 31
        if word >> 14 & 1:
            operand = source
        else:
            operand = self._core.read(rv.UC_RISCV_REG_X0 + source) if source else 0
        new = {1: operand, 2: old | operand, 3: old & ~operand}[operation]
        self._csrs[csr] = new & 0xFFFF_FFFF
        target = word >> 7 & 31
        if target:
            self._core.write(rv.UC_RISCV_REG_X0 + target, old)


class _Watchdog:
    """Notices, by the wall clock, that virtual time stands still, and says so."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._hung = False
        self._engine: EmbeddedEngine | None = None
        self._thread: threading.Thread | None = None

    def watch(self, engine: EmbeddedEngine) -> _Watchdog:
        self._engine = engine
        return self

    def __enter__(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._look, name="engine watchdog", daemon=True)
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._engine = None

    def check(self) -> None:
        """Raise EngineError once the limit has passed; called wherever the engine loops."""
        if self._hung and self._engine is not None:
            raise EngineError(
                f"the engine made no headway for {self._limit_s:g} s of wall time "
                f"at {self._engine.now_ns() / 1e6:.6f} ms of virtual time, "
                f"PC {self._engine._pc:#010x}"
            )

    def _look(self) -> None:
        seen, since = -1, time.monotonic()
        while True:
            time.sleep(min(1.0, self._limit_s / 4))
            engine, now = self._engine, time.monotonic()
            if engine is None or engine._cycles != seen:
                seen, since = -1 if engine is None else engine._cycles, now
            elif now - since > self._limit_s:
                self._hung = True
                engine._uc.emu_stop()


def interrupt_enablers(image: FirmwareImage) -> Iterator[int]:
    """Where the image has a CSR instruction that can set mstatus.MIE.

    Data that happens to look like one is harmless: it is never executed.
    """
    for address, data in image.segments:
        for match in _MSTATUS_WORD.finditer(data):
            start = match.start()
            if _sets_mie(int.from_bytes(data[start : start + 4], "little")):
                yield address + start


def _sets_mie(word: int) -> bool:
    """Whether a CSR instruction on mstatus can set bit 3 (RISC-V unprivileged ISA, Zicsr)."""
    if word >> 20 != _MSTATUS:
        return False
    operation, immediate, source = word >> 12 & 3, word >> 14 & 1, word >> 15 & 31
    if operation == _CSRRW:
        return not immediate or bool(source & MSTATUS_MIE)
    return operation == _CSRRS and bool(source & MSTATUS_MIE if immediate else source)


__all__ = ["CORE_HZ", "EmbeddedEngine"]
