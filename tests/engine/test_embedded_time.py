"""Time: one instruction a cycle at 160 MHz, seen alike by registers, events and interrupts."""

from __future__ import annotations

import pytest

from orchestrator.engines import StopReason
from tests.engine.conftest import Assemble, Machine

CYCLE_NS = 6.25
"""One cycle at 160 MHz."""
BOUND_NS = 2_000
"""What an MMIO access may be off by, and what an interrupt may take."""

SYSTIMER = 0x6002_3000
TICK_NS = 62.5
"""SYSTIMER counts at 16 MHz (systimer_reg.h)."""

ALARM = f"""
    li   s0, {SYSTIMER:#x}
    la   t0, vectors
    ori  t0, t0, 1
    csrw mtvec, t0
    li   s1, 0x600C2000         # interrupt matrix
    li   t0, 5
    sw   t0, 37*4(s1)           # SYSTIMER_TARGET0 (source 37) to line 5
    li   t0, 1
    sw   t0, 0x114+4*5(s1)      # priority 1
    sw   t0, 0x194(s1)          # threshold 1
    li   t0, 1<<5
    sw   t0, 0x104(s1)          # enable line 5
    li   t0, 1
    sw   t0, 0x64(s0)           # SYSTIMER INT_ENA target 0
"""
"""Routes comparator 0 to line 5; the handler stores unit 0's count at `seen`."""


def alarm_at(ticks: int) -> str:
    """Arm comparator 0 for a count of unit 0, in ticks of 62.5 ns."""
    return f"""
    sw   zero, 0x1C(s0)         # TARGET0_HI
    li   t0, {ticks}
    sw   t0, 0x20(s0)           # TARGET0_LO
    {ARM}
"""


ARM = """
    li   t0, 1
    sw   t0, 0x50(s0)           # COMP0_LOAD
    lw   t0, 0(s0)
    li   t1, 1<<24
    or   t0, t0, t1
    sw   t0, 0(s0)              # TARGET0_WORK_EN
"""
"""Loads comparator 0 and lets it work."""

HANDLER = f"""
    .balign 256
vectors:
    .rept 5
    j    trap
    .balign 4
    .endr
    j    handler
trap:
    j    trap
handler:
    li   s0, {SYSTIMER:#x}
    li   t0, 1<<30
    sw   t0, 4(s0)              # UNIT0_OP.UPDATE
    lw   t1, 0x44(s0)           # UNIT0_VALUE_LO
    la   t2, seen
    sw   t1, 0(t2)
stay:
    j    stay
    .data
seen: .word 0
"""


def count_after(machine: Machine) -> int:
    return machine.word(machine.engine.image.symbols["seen"])


@pytest.mark.parametrize("nops", [0, 100, 5_000, 60_000])
def test_a_register_read_sees_the_time_of_its_own_instruction(
    assemble: Assemble, nops: int
) -> None:
    machine = Machine(
        assemble(f"""
_start:
    li   s0, {SYSTIMER:#x}
    li   t0, 1<<30
    sw   t0, 4(s0)
    lw   a0, 0x44(s0)
    .rept {nops}
    addi x0, x0, 0
    .endr
    sw   t0, 4(s0)
    lw   a1, 0x44(s0)
    sub  a1, a1, a0
    la   t2, seen
    sw   a1, 0(t2)
stay:
    j    stay
    .data
seen: .word 0
""")
    )
    machine.engine.run_until(10_000_000)
    elapsed_ns = count_after(machine) * TICK_NS
    # Between the two UPDATE stores lie the load, the nops and the store itself.
    expected_ns = (nops + 2) * CYCLE_NS
    assert abs(elapsed_ns - expected_ns) <= TICK_NS


@pytest.mark.parametrize("idle", ["wfi", "j wait"])
@pytest.mark.parametrize("ticks", [100, 16_000, 333_333])
def test_an_alarm_reaches_its_handler_within_two_microseconds(
    assemble: Assemble, idle: str, ticks: int
) -> None:
    machine = Machine(
        assemble(f"""
_start:
    {ALARM}
    {alarm_at(ticks)}
    csrsi mstatus, 8
wait:
    {idle}
    j    wait
{HANDLER}
""")
    )
    machine.engine.run_until(50_000_000)
    late_ns = (count_after(machine) - ticks) * TICK_NS
    assert 0 <= late_ns < BOUND_NS


def test_an_interrupt_is_taken_in_the_first_window_however_short(assemble: Assemble) -> None:
    # Interrupts are on between two neighbouring instructions, once in about 500.
    machine = Machine(
        assemble(f"""
_start:
    {ALARM}
    {alarm_at(100)}
again:
    csrsi mstatus, 8
    csrci mstatus, 8
    .rept 500
    addi x0, x0, 0
    .endr
    j    again
{HANDLER}
""")
    )
    machine.engine.run_until(1_000_000)
    late_ns = (count_after(machine) - 100) * TICK_NS
    a_turn_ns = 503 * CYCLE_NS
    assert 0 <= late_ns < a_turn_ns + BOUND_NS / 10


def test_an_interrupt_that_waits_for_mie_is_taken_soon_after_it_is_set(
    assemble: Assemble,
) -> None:
    # The alarm is due at 100 ticks = 6.25 us; MIE stays clear for 8 000 instructions = 50 us.
    machine = Machine(
        assemble(f"""
_start:
    {ALARM}
    {alarm_at(100)}
    .rept 8000
    addi x0, x0, 0
    .endr
    li   t0, 1<<30
    sw   t0, 4(s0)
    lw   s3, 0x44(s0)           # the count just before interrupts are allowed
    csrsi mstatus, 8
wait:
    j    wait
{HANDLER}
""")
    )
    machine.engine.run_until(50_000_000)
    enabled = machine.engine.registers()["s3"]
    assert enabled * TICK_NS >= 50_000
    late_ns = (count_after(machine) - enabled) * TICK_NS
    assert 0 <= late_ns < BOUND_NS


def test_a_write_that_schedules_an_earlier_event_ends_the_slice(assemble: Assemble) -> None:
    # Nothing else is pending, so the first slice would run to the end of time. The alarm is
    # set from within it, 20 us ahead.
    machine = Machine(
        assemble(f"""
_start:
    {ALARM}
    csrsi mstatus, 8
    li   t0, 1<<30
    sw   t0, 4(s0)
    lw   s3, 0x44(s0)
    addi s3, s3, 320            # 20 us
    sw   zero, 0x1C(s0)
    sw   s3, 0x20(s0)
    {ARM}
wait:
    j    wait
{HANDLER}
""")
    )
    machine.engine.run_until(1_000_000)
    late_ns = (count_after(machine) - machine.engine.registers()["s3"]) * TICK_NS
    assert 0 <= late_ns < BOUND_NS


def test_sleep_skips_to_the_end_without_executing(assemble: Assemble) -> None:
    machine = Machine(
        assemble("""
_start:
    wfi
    la   t0, seen
    sw   sp, 0(t0)
stay:
    j    stay
    .data
seen: .word 0
""")
    )
    an_hour_ns = 3_600_000_000_000
    assert machine.engine.run_until(an_hour_ns) is StopReason.TIME
    assert machine.engine.now_ns() == an_hour_ns
    assert count_after(machine) == 0


def test_running_in_pieces_is_running_at_once(assemble: Assemble) -> None:
    program = assemble(f"""
_start:
    {ALARM}
    {alarm_at(40000)}           # 2.5 ms
    csrsi mstatus, 8
wait:
    wfi
    j    wait
{HANDLER}
""")
    whole, pieces = Machine(program), Machine(program)
    whole.engine.run_until(5_000_000)
    for t_ns in range(0, 5_000_001, 777):
        pieces.engine.run_until(t_ns)
    pieces.engine.run_until(5_000_000)
    assert pieces.engine.registers() == whole.engine.registers()
    assert (
        count_after(pieces) == count_after(whole) == pytest.approx(40_000, abs=BOUND_NS / TICK_NS)
    )


def test_a_window_that_opens_regularly_is_found(assemble: Assemble) -> None:
    # MIE is set for one instruction of every loop, whatever the loop's length.
    for length in (5, 7, 11, 16, 32, 64):
        machine = Machine(
            assemble(f"""
_start:
    {ALARM}
    {alarm_at(1600)}            # 100 us
wait:
    csrsi mstatus, 8
    csrci mstatus, 8
    .rept {length - 3}
    addi x0, x0, 0
    .endr
    j    wait
{HANDLER}
""")
        )
        machine.engine.run_until(50_000_000)
        # An open window of one instruction in `length` is met after `length` looks or so of
        # ten instructions each: 4 us for the longest loop.
        late_ns = (count_after(machine) - 1600) * TICK_NS
        assert 0 <= late_ns < 2_000 + length * 20 * CYCLE_NS * 2
