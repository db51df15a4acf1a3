"""Stack unwinding by the DWARF call-frame tables, for a panic's backtrace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestrator.engines.elf import FirmwareImage

ABI_NAMES = (
    "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 "
    "s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6"
).split()
_RA, _SP = 1, 2


def unwind(
    image: FirmwareImage,
    registers: dict[str, int],
    read_word: Callable[[int], int | None],
    limit: int = 32,
) -> list[str]:
    """Name the functions on the stack, innermost first, as `function (file.c:12)`.

    `read_word` gives None where no memory is. A frame without a description (a leaf in
    assembly, a wild jump) is left through `ra`, once.
    """
    frame = [registers[name] for name in ABI_NAMES]
    pc = registers["pc"]
    trace = [image.locate(pc)]
    innermost = True
    while len(trace) < limit:
        caller = _caller(image, frame, pc if innermost else pc - 1, read_word)
        if caller is None:
            if not innermost or frame[_RA] == 0:
                break
            caller = frame
        innermost = False
        previous, frame, pc = pc, caller, caller[_RA]
        if pc in (0, previous) or image.function_at(pc - 1) is None:
            break
        trace.append(image.locate(pc - 1))
    return trace


def _caller(
    image: FirmwareImage, frame: list[int], pc: int, read_word: Callable[[int], int | None]
) -> list[int] | None:
    rules = _rules(image, pc)
    if rules is None:
        return None
    cfa_rule = rules["cfa"]
    if cfa_rule.reg is None:
        return None
    cfa = (frame[cfa_rule.reg] + cfa_rule.offset) & 0xFFFF_FFFF
    caller = list(frame)
    for register, rule in rules.items():
        if isinstance(register, int) and register < 32 and rule.type == "OFFSET":
            word = read_word((cfa + rule.arg) & 0xFFFF_FFFF)
            if word is None:
                return None
            caller[register] = word
    caller[_SP] = cfa
    return caller


def _rules(image: FirmwareImage, pc: int) -> dict[Any, Any] | None:
    for entry in image.call_frames:
        start = entry.header["initial_location"]
        if start <= pc < start + entry.header["address_range"]:
            rows = [row for row in entry.get_decoded().table if row["pc"] <= pc]
            return rows[-1] if rows else None
    return None
