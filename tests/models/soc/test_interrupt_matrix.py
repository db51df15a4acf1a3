"""The interrupt matrix against interrupt_core0_reg.h (ESP-IDF, esp32c3) and the TRM's rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renode.peripherals.soc.esp32c3.interrupt_matrix import SOURCES, InterruptMatrix
from tests.models.fake_host import FakeHost

STATUS_0, STATUS_1, ENABLE, TYPE, CLEAR, EIP = 0xF8, 0xFC, 0x104, 0x108, 0x10C, 0x110
THRESHOLD = 0x194


def priority(line: int) -> int:
    return 0x114 + 4 * line


@pytest.fixture
def matrix() -> InterruptMatrix:
    return InterruptMatrix(FakeHost(), "intmtx")


def connect(matrix: InterruptMatrix, source: int, line: int, level: int = 1) -> None:
    matrix.write(4 * source, line)
    matrix.write(priority(line), level)
    matrix.write(ENABLE, matrix.read(ENABLE) | 1 << line)


def test_reset_values_and_layout(matrix: InterruptMatrix) -> None:
    assert matrix.read(0x100) == 1
    assert matrix.read(0x7FC) == 0x2007210
    matrix.write(4 * 61, 31)  # CACHE_CORE0_ACS_INT_MAP, the last source
    assert matrix.read(0xF4) == 31


def test_a_source_reaches_its_line_and_leaves_it(matrix: InterruptMatrix) -> None:
    heard: list[int] = []
    matrix.on_line = heard.append
    connect(matrix, 29, 5)
    matrix.set_source(29, True)
    matrix.set_source(29, True)
    matrix.set_source(29, False)
    assert heard == [5, 0]


def test_status_shows_sources_even_if_unmapped(matrix: InterruptMatrix) -> None:
    matrix.set_source(21, True)
    matrix.set_source(50, True)
    assert matrix.read(STATUS_0) == 1 << 21
    assert matrix.read(STATUS_1) == 1 << 50 - 32
    assert matrix.line == 0


def test_a_line_needs_enable_and_priority(matrix: InterruptMatrix) -> None:
    matrix.write(4 * 37, 3)
    matrix.set_source(37, True)
    assert matrix.line == 0
    matrix.write(ENABLE, 1 << 3)
    assert matrix.line == 0
    matrix.write(priority(3), 1)
    assert matrix.line == 3
    assert matrix.read(EIP) == 1 << 3
    matrix.write(ENABLE, 0)
    assert matrix.line == 0


@pytest.mark.parametrize(("threshold", "line"), [(0, 7), (2, 7), (3, 0)])
def test_threshold_masks_what_is_below_it(
    matrix: InterruptMatrix, threshold: int, line: int
) -> None:
    connect(matrix, 21, 7, level=2)
    matrix.set_source(21, True)
    matrix.write(THRESHOLD, threshold)
    assert matrix.line == line


def test_highest_priority_then_lowest_line_wins(matrix: InterruptMatrix) -> None:
    connect(matrix, 10, 9, level=1)
    connect(matrix, 11, 4, level=3)
    connect(matrix, 12, 2, level=3)
    for source, line in ((10, 9), (11, 4), (12, 2)):
        matrix.set_source(source, True)
        assert matrix.line == line
    matrix.set_source(12, False)
    assert matrix.line == 4


def test_sources_share_a_line(matrix: InterruptMatrix) -> None:
    connect(matrix, 21, 6)
    connect(matrix, 22, 6)
    matrix.set_source(21, True)
    matrix.set_source(22, True)
    matrix.set_source(21, False)
    assert matrix.line == 6
    matrix.set_source(22, False)
    assert matrix.line == 0


def test_an_edge_stays_until_it_is_cleared(matrix: InterruptMatrix) -> None:
    matrix.write(TYPE, 1 << 8)
    connect(matrix, 37, 8)
    matrix.set_source(37, True)
    matrix.set_source(37, False)
    assert matrix.line == 8
    matrix.write(CLEAR, 1 << 8)
    matrix.write(CLEAR, 0)
    assert matrix.line == 0
    matrix.set_source(37, True)
    matrix.write(CLEAR, 1 << 8)
    assert matrix.line == 0, "a level that stays is no new edge"


def test_remapping_moves_a_raised_source(matrix: InterruptMatrix) -> None:
    connect(matrix, 22, 5)
    matrix.write(priority(6), 1)
    matrix.write(ENABLE, 1 << 5 | 1 << 6)
    matrix.set_source(22, True)
    matrix.write(4 * 22, 6)
    assert matrix.line == 6
    matrix.write(4 * 22, 0)
    assert matrix.line == 0


def test_reset_unmaps_but_keeps_the_sources_levels(matrix: InterruptMatrix) -> None:
    connect(matrix, 22, 5)
    matrix.set_source(22, True)
    matrix.reset()
    assert matrix.line == 0
    assert matrix.read(STATUS_0) == 1 << 22


_SOURCES = st.sampled_from([0, 31, 32, SOURCES - 1])
_LINES = st.sampled_from([0, 1, 2, 31])
_STEPS = st.one_of(
    st.tuples(st.just("source"), _SOURCES, st.booleans()),
    st.tuples(st.just("map"), _SOURCES, _LINES),
    st.tuples(st.just("priority"), _LINES, st.integers(0, 15)),
    st.tuples(st.just("enable"), st.just(0), st.sampled_from([0xFFFFFFFF, 0xFFFFFFFD, 6])),
    st.tuples(st.just("threshold"), st.just(0), st.integers(0, 15)),
)


@given(st.lists(_STEPS, max_size=60))
def test_the_line_is_always_the_one_the_registers_ask_for(
    steps: list[tuple[str, int, int]],
) -> None:
    matrix = InterruptMatrix(FakeHost(), "intmtx")
    heard = [0]
    matrix.on_line = heard.append
    levels: dict[int, bool] = {}
    matrix.write(ENABLE, 0xFFFFFFFF)
    for line in range(32):
        matrix.write(priority(line), 1)
    for kind, which, value in steps:
        if kind == "source":
            matrix.set_source(which, bool(value))
            levels[which] = bool(value)
        elif kind == "map":
            matrix.write(4 * which, value)
        elif kind == "priority":
            matrix.write(priority(which), value)
        else:
            matrix.write({"enable": ENABLE, "threshold": THRESHOLD}[kind], value)
        raised = {matrix.read(4 * source) for source, level in levels.items() if level}
        wanted = max(
            (
                (matrix.read(priority(line)), -line)
                for line in raised - {0}
                if matrix.read(ENABLE) >> line & 1
                and matrix.read(priority(line)) >= max(matrix.read(THRESHOLD), 1)
            ),
            default=(0, 0),
        )
        assert matrix.line == -wanted[1] == heard[-1]
    state = matrix.snapshot()
    line = matrix.line
    matrix.reset()
    matrix.restore(state)
    assert matrix.line == line
    for level in (False, True):
        for source in [source for source, raised in levels.items() if raised]:
            matrix.set_source(source, level)
    assert matrix.line == line
