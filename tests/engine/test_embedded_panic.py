"""What the engine says of firmware that breaks, hangs or touches what is not there."""

from __future__ import annotations

import pytest

from orchestrator.engines import StopReason
from orchestrator.errors import EngineError
from renode.peripherals import Model
from tests.engine.conftest import Assemble, Machine

CALLS = """
_start:
    li   sp, 0x3FCC0000
    call outer
stay:
    j    stay

    .type outer, @function
outer:
    .cfi_startproc
    addi sp, sp, -16
    .cfi_def_cfa_offset 16
    sw   ra, 12(sp)
    .cfi_offset ra, -4
    call inner
    lw   ra, 12(sp)
    addi sp, sp, 16
    ret
    .cfi_endproc
    .size outer, . - outer

    .type inner, @function
inner:
    .cfi_startproc
    {breaks}
    ret
    .cfi_endproc
    .size inner, . - inner
"""
"""`outer` calls `inner`, which breaks; both carry the DWARF frames a C compiler would emit."""


@pytest.mark.parametrize(
    ("breaks", "cause", "mcause", "address"),
    [
        ("unimp", "Illegal instruction", 2, None),
        ("ebreak", "Breakpoint", 3, 0),
        ("lw a0, 0(zero)", "Load access fault", 5, 0),
        ("li a1, 0x20000000\n sw a0, 4(a1)", "Store access fault", 7, 0x2000_0004),
        ("li a1, 0x3C000000\n sw a0, 8(a1)", "Store access fault", 7, 0x3C00_0008),
        ("ecall", "Environment call", 11, 0),
    ],
)
def test_an_exception_is_described_and_given_to_the_firmware(
    assemble: Assemble, breaks: str, cause: str, mcause: int, address: int | None
) -> None:
    handler = "la t0, handler\n csrw mtvec, t0\n li sp, 0x3FCC0000"
    source = CALLS.format(breaks=breaks).replace("li   sp, 0x3FCC0000", handler)
    machine = Machine(
        assemble(source + "\n.balign 4\nhandler:\n csrr s2, mcause\n csrr s3, mepc\nspin: j spin")
    )
    assert machine.engine.run_until(1_000_000) is StopReason.TIME
    panic = machine.engine.panic
    assert panic is not None
    assert panic.cause == cause
    if address is not None:
        assert panic.address == address
    # mcause as the RISC-V privileged specification's table 3.6 numbers them.
    assert machine.engine.registers()["s2"] == mcause
    assert machine.engine.registers()["s3"] == panic.pc
    assert [frame.split(" ")[0] for frame in panic.backtrace[:2]] == ["inner", "outer"]
    assert "program.S:" in panic.backtrace[0]


def test_a_wild_jump_names_the_caller(assemble: Assemble) -> None:
    machine = Machine(assemble(CALLS.format(breaks="li t1, 0x10\n jalr t1")))
    assert machine.engine.run_until(1_000_000) is StopReason.HALTED
    panic = machine.engine.panic
    assert panic is not None
    assert panic.cause == "Instruction access fault"
    assert panic.pc == 0x10
    assert panic.backtrace[1].startswith("inner")


def test_without_a_handler_the_core_halts_and_time_still_passes(assemble: Assemble) -> None:
    machine = Machine(assemble("_start: unimp"))
    assert machine.engine.run_until(1_000_000) is StopReason.HALTED
    assert machine.engine.now_ns() == 1_000_000


def test_an_exception_in_the_handler_halts_and_the_first_one_is_kept(assemble: Assemble) -> None:
    machine = Machine(
        assemble("_start: la t0, bad\n csrw mtvec, t0\n lw a0, 0(zero)\n.balign 4\nbad: unimp")
    )
    assert machine.engine.run_until(1_000_000) is StopReason.HALTED
    assert machine.engine.panic is not None
    assert machine.engine.panic.cause == "Load access fault"


def test_a_firmware_that_spins_for_ever_ends_with_virtual_time(assemble: Assemble) -> None:
    machine = Machine(assemble("_start: j _start"))
    assert machine.engine.run_until(50_000_000) is StopReason.TIME
    assert machine.engine.now_ns() == 50_000_000


def test_an_address_without_a_peripheral_is_reported_once_with_its_function(
    assemble: Assemble,
) -> None:
    machine = Machine(
        assemble("""
    .type poke, @function
_start:
poke:
    li   s0, 0x600F0000
    li   s1, 3
again:
    sw   s1, 0x44(s0)
    addi s1, s1, -1
    bnez s1, again
stay:
    j    stay
    .size poke, . - poke
""")
    )
    machine.engine.run_until(1_000_000)
    (report,) = machine.engine.unmodelled_accesses()
    assert "write 0x600f0044 = 0x3" in report
    assert "(poke)" in report


class Echo(Model):
    """Schedules itself for the same instant for ever."""

    def reset(self) -> None:
        pass

    def again(self) -> None:
        self.host.call_at(self.host.now_ns(), self, "again")


def test_an_engine_that_makes_no_headway_is_stopped_by_the_wall_clock(assemble: Assemble) -> None:
    machine = Machine(assemble("_start: wfi"), hang_s=0.5)
    echo = Echo(machine.engine, "echo")
    machine.engine.attach(machine.hardware.soc, [echo])
    machine.engine.call_at(1_000, echo, "again")
    with pytest.raises(EngineError, match=r"no headway for 0\.5 s"):
        machine.engine.run_until(1_000_000)


class Broken(Model):
    """Raises in an event."""

    def boom(self) -> None:
        raise ZeroDivisionError("the model divides by zero")


def test_an_exception_in_a_model_reaches_the_caller_as_it_is(assemble: Assemble) -> None:
    machine = Machine(assemble("_start: li s0, 0x60010000\n sw s0, 0x10(s0)\nstay: j stay"))
    uart = machine.hardware.soc.uart1

    def broken(offset: int, value: int) -> None:
        raise ZeroDivisionError("the model divides by zero")

    uart.writer = lambda offset: lambda value: broken(offset, value)  # type: ignore[method-assign]
    with pytest.raises(ZeroDivisionError):
        machine.engine.run_until(1_000_000)
