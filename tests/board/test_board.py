"""Board files: what the shipped one says, and FILE:LINE for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.board import Board
from orchestrator.errors import BoardError
from tests.conftest import BOARD

TEXT = BOARD.read_text()


@pytest.mark.parametrize(
    ("volume", "decibels", "register"),
    [
        (0, -96.0, 0xC0),  # the codec's lowest: 192 half-decibel steps
        (1, -49.5, 99),
        (60, -20.0, 40),  # 100 - 60 = 40 steps of half a decibel
        (100, 0.0, 0),
    ],
)
def test_the_volume_scale(volume: int, decibels: float, register: int) -> None:
    claim = Board.load(BOARD).claim_for("SetOutputVolume")
    assert claim is not None
    left, right, dac_left, dac_right = claim.truth
    assert left.expected(volume) == right.expected(volume) == decibels
    assert dac_left.expected(volume) == dac_right.expected(volume) == register


def test_outside_the_scale_nothing_is_expected() -> None:
    claim = Board.load(BOARD).claim_for("SetOutputVolume")
    assert claim is not None
    assert claim.truth[0].expected(101) is None


def test_a_getter_shares_the_setters_truth() -> None:
    board = Board.load(BOARD)
    getter, setter = board.claim_for("GetOutputVolume"), board.claim_for("SetOutputVolume")
    assert getter is not None
    assert setter is not None
    assert getter.truth == setter.truth
    assert board.claim_for("Unknown") is None


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("address = 0x10", "address = 0x110", "0x110 is not a 7-bit address"),
        ("address = 0x3C", "address = 0x10", "address 0x10 is taken by 'es8388'"),
        ('model = "ssd1306"', 'model = "ssd"', "no model is called 'ssd'; known: es8388, ssd1306"),
        ('argument = "volume"', 'arg = "volume"', "unknown key 'arg'"),
        ("baud = 921_600", 'baud = "fast"', "'mcp.baud': input should be a valid integer"),
        ('register = "DACCONTROL4"', 'register = "DACCONTROL"', "has no register 'DACCONTROL'"),
        ('output = "ROUT1"', 'output = "ROUT9"', "has no output 'ROUT9'"),
        ('same_truth_as = "SetOutputVolume"', 'same_truth_as = "Set"', "no claim with a truth"),
        ('soc = "esp32c3"', 'soc = "esp32"', "'board.soc': input should be 'esp32c3'"),
    ],
)
def test_a_mistake_is_reported_with_its_line(
    tmp_path: Path, right: str, wrong: str, message: str
) -> None:
    path = tmp_path / "board.toml"
    path.write_text(TEXT.replace(right, wrong, 1))
    with pytest.raises(BoardError) as caught:
        Board.load(path)
    text = str(caught.value)
    assert message in text
    line = int(text.split(":")[1])
    at = TEXT[: TEXT.index(right)].count("\n") + 1
    header = TEXT[: TEXT.index(right)].rindex("[")
    assert TEXT[:header].count("\n") + 1 <= line <= at


def test_broken_toml_and_missing_files(tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    path.write_text("[board]\nname = \n")
    with pytest.raises(BoardError, match=r"board\.toml:2: "):
        Board.load(path)
    with pytest.raises(BoardError, match="no such board file"):
        Board.load(tmp_path / "absent.toml")
