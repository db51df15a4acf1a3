"""Unicorn's RISC-V core by its C interface, where the Python binding's own layers would cost more
than the firmware's instructions do, and with the count of instructions executed so far.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable
from typing import Any

import unicorn
from unicorn import riscv_const as rv
from unicorn.unicorn_py3.unicorn import (
    HOOK_CODE_CFUNC,
    MMIO_READ_CFUNC,
    MMIO_WRITE_CFUNC,
    uclib,
)

from orchestrator.errors import EngineError

RESET_MSTATUS = 3 << 11
"""Machine mode was the previous privilege mode."""


class Core:
    """One RV32IMC hart. `uc` is the Unicorn object for everything that is not hot."""

    def __init__(self) -> None:
        self.uc: Any = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
        self._handle = self.uc._uch
        self._register = ctypes.c_uint32()
        self._register_pointer = ctypes.byref(self._register)
        self._trap = _Batch(
            rv.UC_RISCV_REG_MSTATUS,
            rv.UC_RISCV_REG_MEPC,
            rv.UC_RISCV_REG_MCAUSE,
            rv.UC_RISCV_REG_MTVAL,
        )
        self._word = ctypes.create_string_buffer(4)
        self._callbacks: list[Any] = []
        offset = _counter_offset()
        base = _address(self._handle)
        self.executed: Any = ctypes.c_uint64.from_address(base + offset - 8)
        """Instructions of the running slice so far, with the one that is being executed."""
        self.limit: Any = ctypes.c_uint64.from_address(base + offset)
        """The slice ends before the instruction after this many; may be moved while it runs."""
        self.fault: BaseException | None = None
        """What an MMIO handler raised in the last slice."""

    def map_mmio(
        self,
        base: int,
        size: int,
        read: Callable[[int, int], int],
        write: Callable[[int, int, int], None],
    ) -> None:
        """Serve `[base, base + size)` by `read(offset, bytes)` and `write(offset, bytes, value)`.

        An exception ends the slice and is kept in `fault`: it must not cross the C frames.
        """

        def on_read(_: Any, offset: int, bytes_: int, __: Any) -> int:
            try:
                return read(offset, bytes_)
            except BaseException as error:
                self._failed(error)
                return 0

        def on_write(_: Any, offset: int, bytes_: int, value: int, __: Any) -> None:
            try:
                write(offset, bytes_, value)
            except BaseException as error:
                self._failed(error)

        reader, writer = MMIO_READ_CFUNC(on_read), MMIO_WRITE_CFUNC(on_write)
        self._callbacks += (reader, writer)
        _check(
            uclib.uc_mmio_map(
                self._handle,
                base,
                size,
                ctypes.cast(reader, MMIO_READ_CFUNC),
                0,
                ctypes.cast(writer, MMIO_WRITE_CFUNC),
                0,
            )
        )

    def on_csr_writes(self, addresses: Iterable[int], call: Callable[[], None]) -> None:
        """Call back after the CSR instruction at each of these addresses.

        Such an instruction ends its translation block, so that the next block's start tells of
        it: a hook on blocks costs nothing elsewhere, one on instructions slows down all.
        """

        def on_code(*_: Any) -> None:
            call()

        callback = HOOK_CODE_CFUNC(on_code)
        self._callbacks += (callback,)
        for address in addresses:
            where = ctypes.c_uint64(address + 4)
            hook = ctypes.c_size_t()
            _check(
                uclib.uc_hook_add(
                    self._handle,
                    ctypes.byref(hook),
                    unicorn.UC_HOOK_BLOCK,
                    ctypes.cast(callback, ctypes.c_void_p),
                    None,
                    where,
                    where,
                )
            )

    def _failed(self, error: BaseException) -> None:
        if self.fault is None:
            self.fault = error
        self.limit.value = self.executed.value

    def run(self, pc: int, count: int) -> int:
        """Execute up to `count` instructions from `pc`; UC_ERR_OK or why it stopped.

        Raises what an MMIO handler raised.
        """
        status: int = uclib.uc_emu_start(self._handle, pc, 0xFFFF_FFFE, 0, count)
        if self.fault is not None:
            fault, self.fault = self.fault, None
            raise fault
        return status

    def read(self, register: int) -> int:
        """A register or CSR by Unicorn's number."""
        uclib.uc_reg_read(self._handle, register, self._register_pointer)
        return self._register.value

    def write(self, register: int, value: int) -> None:
        """Set a register or CSR."""
        self._register.value = value
        uclib.uc_reg_write(self._handle, register, self._register_pointer)

    def enter_trap(self, status: int, cause: int, pc: int, value: int) -> None:
        """Set mstatus, mcause, mepc and mtval at once."""
        trap = self._trap
        trap.values[0].value = status
        trap.values[1].value = pc
        trap.values[2].value = cause
        trap.values[3].value = value
        uclib.uc_reg_write_batch(self._handle, trap.registers, trap.pointers, 4)

    def is_at(self, address: int, word: bytes) -> bool:
        """Whether memory holds these four bytes."""
        status = uclib.uc_mem_read(self._handle, address, self._word, 4)
        return status == unicorn.UC_ERR_OK and self._word.raw == word

    def save(self) -> Any:
        """Copy the hart's state."""
        return self.uc.context_save()

    def restore(self, context: Any) -> None:
        """Put a saved state back."""
        self.uc.context_restore(context)


class _Batch:
    """Several registers that are written by one call."""

    def __init__(self, *registers: int) -> None:
        count = len(registers)
        self.registers = (ctypes.c_int * count)(*registers)
        self.values = [ctypes.c_uint32() for _ in registers]
        pointers = [ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in self.values]
        self.pointers = (ctypes.c_void_p * count)(*pointers)


def reset_context(stack_pointer: int) -> Any:
    """The state of a hart that comes out of reset."""
    core = Core()
    core.write(rv.UC_RISCV_REG_MSTATUS, RESET_MSTATUS)
    core.write(rv.UC_RISCV_REG_SP, stack_pointer)
    return core.save()


_found_offset: int | None = None


def _counter_offset() -> int:
    """Where in its private state Unicorn keeps the count of the running slice and its limit.

    Unicorn keeps both next to each other but offers no call to read the first or move the
    second while it runs. They are found by running a slice with a limit that occurs nowhere
    else, and proven by a second; a Unicorn with another layout is refused.
    """
    global _found_offset  # noqa: PLW0603
    if _found_offset is not None:
        return _found_offset
    probe = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
    probe.mem_map(0, 0x1000)
    nop, wfi = 0x0000_0013, 0x1050_0073
    probe.mem_write(0, struct.pack("<4I", nop, nop, nop, wfi))
    offsets = set()
    for limit in (0x5A5A_1234_0077, 0x3C3C_4321_0055):
        probe.emu_start(0, 0xFFFF_FFFE, count=limit)
        raw = ctypes.string_at(_address(probe._uch), 4096)
        found = raw.find(struct.pack("<QQ", 4, limit))
        offsets.add(found + 8 if found >= 0 else None)
    offset = offsets.pop()
    if offsets or offset is None:
        raise EngineError(
            f"unicorn {unicorn.__version__} keeps its instruction count elsewhere than expected; "
            "install the version that pyproject.toml names"
        )
    _found_offset = offset
    return offset


def _address(handle: Any) -> int:
    return int(getattr(handle, "value", handle))


def _check(status: int) -> None:
    if status != unicorn.UC_ERR_OK:
        raise EngineError(f"the CPU core refused: {unicorn.UcError(status)}")
