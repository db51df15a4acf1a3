"""Snapshots, power and resets of the embedded engine."""

from __future__ import annotations

import pytest

from orchestrator.engines import StopReason
from orchestrator.errors import EngineError
from tests.engine.conftest import Assemble, Machine

COUNTER = """
_start:
    la   s0, count
    li   s1, 0x60008000
    la   s2, fast
again:
    lw   t0, 0(s0)
    addi t0, t0, 1
    sw   t0, 0(s0)
    sw   t0, 0(s2)
    j    again
    .data
count: .word 7
    .section .rtc, "aw"
fast: .word 0
"""
"""Counts in SRAM from an initial value of 7."""


def at(machine: Machine, symbol: str) -> int:
    return machine.word(machine.engine.image.symbols[symbol])


def test_a_snapshot_brings_back_cpu_memory_and_time(assemble: Assemble) -> None:
    machine = Machine(assemble(COUNTER.replace('.section .rtc, "aw"', "")))
    machine.engine.run_until(1_000_000)
    snapshot = machine.engine.snapshot()
    count, registers = at(machine, "count"), machine.engine.registers()
    machine.engine.run_until(3_000_000)
    later = at(machine, "count")
    assert later > count
    for _ in range(3):
        machine.engine.restore(snapshot)
        assert machine.engine.now_ns() == 1_000_000
        assert at(machine, "count") == count
        assert machine.engine.registers() == registers
        machine.engine.run_until(3_000_000)
        assert at(machine, "count") == later


def test_a_snapshot_brings_models_and_pending_events_back(assemble: Assemble) -> None:
    machine = Machine(assemble("_start: wfi"))
    uart = machine.hardware.uart(1)
    lines: list[tuple[bytes, int, int]] = []
    uart.on_line = lambda *line: lines.append(line)
    for byte in b"ab\n":
        uart.write(0, byte)
    snapshot = machine.engine.snapshot()
    machine.engine.run_until(10_000_000)
    machine.engine.restore(snapshot)
    machine.engine.run_until(10_000_000)
    assert len(lines) == 2
    assert lines[0] == lines[1]
    assert lines[0][0] == b"ab"


def test_power_off_stops_everything_and_power_on_starts_from_the_image(
    assemble: Assemble,
) -> None:
    machine = Machine(assemble(COUNTER.replace('.section .rtc, "aw"', "")))
    machine.engine.run_until(1_000_000)
    machine.engine.write_memory(0x3FCC_0000, b"left over")
    machine.engine.power_off()
    with pytest.raises(EngineError, match="no power"):
        machine.engine.run_until(2_000_000)
    machine.engine.power_on()
    assert machine.engine.now_ns() == 0
    assert at(machine, "count") == 7
    assert machine.engine.read_memory(0x3FCC_0000, 9) == bytes(9)


def test_a_software_reset_starts_again_and_keeps_ram_that_is_not_loaded(
    assemble: Assemble,
) -> None:
    # RTC_CNTL OPTIONS0 bit 31 is SW_SYS_RST (rtc_cntl_reg.h).
    machine = Machine(
        assemble("""
_start:
    li   s0, 0x3FCC0000
    lw   t0, 0(s0)
    addi t0, t0, 1
    sw   t0, 0(s0)
    li   s1, 0x60008000
    li   t1, 1<<31
    sw   t1, 0(s1)
stay:
    j    stay
""")
    )
    for boots in (1, 2, 3):
        assert machine.engine.run_until(1_000_000_000) is StopReason.RESET
        assert machine.word(0x3FCC_0000) == boots
    # The reset cause that ESP-IDF reads: RTC_SW_SYS_RESET is 3 (esp_rom/esp32c3/rtc.h).
    assert machine.hardware.soc.rtc_cntl.read(0x38) & 0x3F == 3


def test_sram_is_one_memory_on_two_buses(assemble: Assemble) -> None:
    machine = Machine(assemble("_start: j _start"))
    machine.engine.write_memory(0x3FC8_1234, b"both")
    assert machine.engine.read_memory(0x4038_1234, 4) == b"both"


def test_memory_that_is_not_there_is_an_error(assemble: Assemble) -> None:
    machine = Machine(assemble("_start: j _start"))
    with pytest.raises(EngineError, match="no memory at 0x20000000"):
        machine.engine.read_memory(0x2000_0000, 4)


def test_the_cycle_counter_csr_counts_cycles(assemble: Assemble) -> None:
    # CSR 0x7E2 is the C3's mpccr (ESP32-C3 TRM, CPU chapter); stock cores lack it.
    machine = Machine(
        assemble("""
_start:
    csrr s2, 0x7E2
    .rept 1000
    addi x0, x0, 0
    .endr
    csrr s3, 0x7E2
stay:
    j    stay
""")
    )
    machine.engine.run_until(1_000_000)
    registers = machine.engine.registers()
    assert registers["s3"] - registers["s2"] == 1001
