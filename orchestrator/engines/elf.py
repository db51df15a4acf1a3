"""A firmware image: segments, symbols and lines of an ELF for the ESP32-C3."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from orchestrator.errors import FirmwareError

_SUPPORTED = "Truestage runs the ESP32-C3 (RISC-V, 32 bit)"


class Segment(NamedTuple):
    """Bytes that the boot loader would place at `address`."""

    address: int
    data: bytes


class FirmwareImage:
    """An application ELF, checked and read into memory.

    Raises `FirmwareError` with one line that names the file and what to do.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._bytes = path.read_bytes()
        except FileNotFoundError:
            raise FirmwareError(
                f"{path}: no such firmware file (build it with `make firmware`)"
            ) from None
        except OSError as error:
            raise FirmwareError(f"{path}: cannot be read: {error.strerror}") from None
        if self._bytes[:4] != b"\x7fELF":
            raise FirmwareError(
                f"{path}: not an ELF file; give the application's .elf, not its .bin"
            )
        try:
            self._elf = ELFFile(BytesIO(self._bytes))
            machine = self._elf["e_machine"]
            self.entry: int = self._elf["e_entry"]
            self._check_complete()
            self.segments = self._load_segments()
        except (ELFError, OSError, ValueError, KeyError, AttributeError, TypeError) as error:
            raise FirmwareError(f"{path}: truncated or damaged ELF file ({error})") from None
        if machine != "EM_RISCV" or self._elf.elfclass != 32:
            raise FirmwareError(f"{path}: built for {_machine_name(machine)}; {_SUPPORTED}")
        if not self.segments:
            raise FirmwareError(f"{path}: has nothing to load (an object file?)")

    @property
    def digest(self) -> str:
        """SHA-256 of the file, as lower-case hexadecimal."""
        return hashlib.sha256(self._bytes).hexdigest()

    def _check_complete(self) -> None:
        header = self._elf.header
        end = header["e_shoff"] + header["e_shnum"] * header["e_shentsize"]
        if end > len(self._bytes):
            raise ValueError(f"{len(self._bytes)} bytes, but its section table ends at {end}")

    def _load_segments(self) -> list[Segment]:
        segments = []
        for header in self._elf.iter_segments("PT_LOAD"):
            data = header.data()
            if len(data) != header["p_filesz"]:
                raise ValueError(f"a segment of {header['p_filesz']} bytes ends after {len(data)}")
            if data:
                segments.append(Segment(header["p_vaddr"], data))
        return segments

    @cached_property
    def symbols(self) -> dict[str, int]:
        """Addresses by symbol name; empty for a stripped file."""
        return {symbol.name: symbol["st_value"] for symbol in self._symbol_table}

    @cached_property
    def _functions(self) -> list[tuple[int, int, str]]:
        return sorted(
            (symbol["st_value"], symbol["st_size"], symbol.name)
            for symbol in self._symbol_table
            if symbol["st_info"]["type"] == "STT_FUNC"
        )

    @cached_property
    def _symbol_table(self) -> list[Any]:
        try:
            section = self._elf.get_section_by_name(".symtab")
            symbols = [] if section is None else list(section.iter_symbols())
        except (ELFError, UnicodeDecodeError) as error:
            raise FirmwareError(f"{self.path}: damaged symbol table ({error})") from None
        return [s for s in symbols if s.name and not s.name.startswith(("$", "."))]

    def function_at(self, pc: int) -> str | None:
        """The function that holds `pc`, or None."""
        starts = self._functions
        i = bisect_right(starts, (pc, 1 << 33, "")) - 1
        if i < 0:
            return None
        start, size, name = starts[i]
        return name if pc < start + max(size, 2) else None

    def locate(self, pc: int) -> str:
        """`function (file.c:12)` as far as symbols and lines tell, else the bare address."""
        function = self.function_at(pc)
        if function is None:
            return f"{pc:#010x}"
        line = self._line_at(pc)
        return f"{function} ({line})" if line else function

    @cached_property
    def _dwarf(self) -> Any:
        return self._elf.get_dwarf_info() if self._elf.has_dwarf_info() else None

    def _line_at(self, pc: int) -> str | None:
        if self._dwarf is None:
            return None
        for start, end, label in self._lines:
            if start <= pc < end:
                return label
        return None

    @cached_property
    def _lines(self) -> list[tuple[int, int, str]]:
        ranges = []
        for unit in self._dwarf.iter_CUs():
            program = self._dwarf.line_program_for_CU(unit)
            if program is None:
                continue
            files = program["file_entry"]
            base = 0 if program["version"] >= 5 else 1
            previous = None
            for entry in program.get_entries():
                state = entry.state
                if state is None:
                    continue
                if previous is not None and state.address > previous.address:
                    index = previous.file - base
                    if 0 <= index < len(files):
                        name = files[index].name.decode(errors="replace").rsplit("/", 1)[-1]
                        label = f"{name}:{previous.line}"
                        ranges.append((previous.address, state.address, label))
                previous = None if state.end_sequence else state
        return ranges

    @cached_property
    def call_frames(self) -> list[Any]:
        """Frame descriptions (DWARF FDEs) for unwinding a stack; empty if there are none."""
        if self._dwarf is None:
            return []
        try:
            if self._dwarf.has_CFI():
                entries = self._dwarf.CFI_entries()
            elif self._dwarf.has_EH_CFI():
                entries = self._dwarf.EH_CFI_entries()
            else:
                return []
        except (ELFError, AssertionError):
            return []
        return [entry for entry in entries if "initial_location" in entry.header]


def _machine_name(machine: Any) -> str:
    names = {
        "EM_XTENSA": "Xtensa (ESP32, ESP32-S2 or ESP32-S3)",
        "EM_X86_64": "x86-64 (this computer?)",
        "EM_386": "x86",
        "EM_ARM": "ARM",
        "EM_AARCH64": "AArch64 (this computer?)",
        "EM_RISCV": "64-bit RISC-V",
    }
    return names.get(machine, str(machine))
