"""The keywords against the real firmware: what they let pass, and the one line they fail with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from orchestrator.errors import TruestageError
from orchestrator.robot_library import Truestage
from orchestrator.robot_library.session import Setup
from orchestrator.robot_library.values import Decibels, Share, milliseconds, several
from orchestrator.truth import Stage, Verdict
from tests.conftest import BOARD


def booted_library(elf: Path) -> Truestage:
    library = Truestage()
    library.session.boot(Setup(BOARD, elf, "embedded"))
    return library


@pytest.fixture(scope="module")
def one(firmware: Callable[[str], Path]) -> Iterator[Truestage]:
    library = booted_library(firmware("good"))
    yield library
    library.session.close()


@pytest.fixture
def library(one: Truestage) -> Truestage:
    one.restore_device()
    return one


@pytest.fixture
def liar(firmware: Callable[[str], Path]) -> Iterator[Truestage]:
    library = booted_library(firmware("blind-clamp"))
    yield library
    library.session.close()


def end_of_test(library: Truestage, message: str = "") -> Any:
    """What becomes of a test's result at its end."""
    result = SimpleNamespace(message=message, failed=bool(message), skipped=False)
    library._end_test(None, result)
    return result


def test_a_scenario_of_every_check_that_holds(library: Truestage) -> None:
    library.nack_write("es8388", "DACCONTROL4", times=1)
    reply = library.call_tool("SetOutputVolume", volume="60")
    assert reply["detail"]["readback"] == 60
    library.stage_should_be(Stage.CONFIRMED)
    library.detail_should_be("retries", "1")
    library.detail_should_be("left", "0x28")
    library.detail_should_be_at_most("retries", 3)
    library.reply_should_come_within(timedelta(milliseconds=500))
    library.reply_should_match_hardware()
    library.register_should_be("es8388", "0x1A", 0x28)
    library.output_gain_should_be("LOUT1", Decibels(-20))
    library.verdict_should_be(Verdict.HONEST)
    library.bus_should_be_idle()
    library.device_should_still_work()
    assert not end_of_test(library).failed


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda k: k.stage_should_be(Stage.FAILED), "the stage is confirmed, not failed"),
        (lambda k: k.detail_should_be("readback", "61"), "detail 'readback' is 60, not 61"),
        (lambda k: k.detail_should_be("readbak", "60"), r"has no 'readbak' \(did you mean readb"),
        (lambda k: k.detail_should_be_at_most("left", 39), "detail 'left' is 40, not at most 39"),
        (lambda k: k.reply_should_come_within(timedelta(0)), r"took \d+\.\d ms, not 0 ms"),
        (lambda k: k.replies_with_stage_should_be(Stage.BUSY, 1), "0 replies say busy, not 1"),
        (lambda k: k.verdict_should_be(Verdict.FALSE_SUCCESS), "expected: false success"),
        (lambda k: k.register_should_be("es8388", "DACCONTROL4", 0), "is 0x28, not 0x00"),
        (lambda k: k.output_gain_should_be("LOUT1", Decibels(0)), "at -20.0 dB, not at 0.0 dB"),
        (lambda k: k.output_gain_should_be("LOUT2", Decibels(0)), r"LOUT2 is silent \(.+\), not"),
        (lambda k: k.console_should_contain("no such words"), "does not contain 'no such words'"),
    ],
)
def test_each_check_fails_with_what_is(
    library: Truestage, check: Callable[[Truestage], None], message: str
) -> None:
    library.call_tool("SetOutputVolume", volume="60")
    with pytest.raises(AssertionError, match=message):
        check(library)


@pytest.mark.parametrize(
    ("keyword", "message"),
    [
        (lambda k: k.clamp_register("es8388", "DACCONTROL44"), r"\(did you mean DACCONTROL4\?\)"),
        (lambda k: k.ignore_writes_to("ssd1306", "X"), "'ssd1306' has no registers"),
        (lambda k: k.nack_address_of("es8389"), r"no chip 'es8389' \(it has es8388, ssd1306\)"),
        (lambda k: k.nack_byte("es8388", -1), "'index'.+greater than or equal to 0"),
        (lambda k: k.clamp_register("es8388", "0x1A", 9, 8), "minimum 9 is above maximum 8"),
        (lambda k: k.hold_bus_for(timedelta(seconds=1), by="SLC"), "'rival', 'SCL' or 'SDA'"),
        (lambda k: k.call_tool("SetVolume"), r"\(did you mean SetOutputVolume\?\)"),
        (lambda k: k.call_tool("SetOutputVolume", vol="1"), r"did you mean volume\?"),
        (lambda k: k.call_tool("SetOutputVolume", volume="x"), "is of type integer, not 'x'"),
        (lambda k: k.call_tool("SetOutputVolume"), r"needs volume=\.\.\. \(integer\)"),
        (lambda k: k.stage_should_be(Stage.BUSY), "no tool has been called"),
        (lambda k: k.output_gain_should_be("LOUT3", Decibels(0)), "no output 'LOUT3'"),
        (lambda k: k.call_tool_in_burst("GetOutputVolume", times=0), "one number of calls"),
    ],
)
def test_a_typo_names_what_would_be_right(
    library: Truestage, keyword: Callable[[Truestage], None], message: str
) -> None:
    with pytest.raises(TruestageError, match=message) as caught:
        keyword(library)
    assert "\n" not in str(caught.value)


def test_a_burst_is_typed_and_counted(library: Truestage) -> None:
    replies = library.call_tool_in_burst("SetOutputVolume", volume="10, 20, 30")
    assert [reply["detail"]["target"] for reply in replies] == [10, 20, 30]
    library.replies_with_stage_should_be(Stage.CONFIRMED, 3)
    library.replies_with_stage_should_be_at_least(Stage.CONFIRMED, 2)
    evidence = library.session.evidence()
    assert (evidence.tool, evidence.stage) == ("SetOutputVolume ×3", "confirmed ×3")
    assert evidence.truth == "-35.0 dB left, -35.0 dB right"  # volume 30: (30 - 100) / 2 dB


def test_the_next_test_starts_without_the_faults_and_replies_of_the_last(
    library: Truestage,
) -> None:
    library.ignore_writes_to("es8388", "DACCONTROL4")
    library.call_tool("SetOutputVolume", volume="60")
    library.restore_device()
    assert library.session.evidence().tool == "-"
    library.call_tool("SetOutputVolume", volume="60")
    library.stage_should_be(Stage.CONFIRMED)
    assert library.session.evidence().fault == "-"


def test_an_unjudged_lie_fails_the_test_with_its_cause(liar: Truestage) -> None:
    liar.clamp_register("es8388", "DACCONTROL4", minimum=0x60)
    liar.call_tool("SetOutputVolume", volume="60")
    result = end_of_test(liar)
    assert result.failed
    assert result.message == (
        "false success: SetOutputVolume volume=60: said confirmed 60, chip is at "
        "-48.0 dB left, -20.0 dB right: "
        "the chip acknowledged 0x28 for DACCONTROL4 and kept 0x60"
    )


def test_a_lie_stands_before_the_message_of_a_test_that_failed_anyway(liar: Truestage) -> None:
    liar.clamp_register("es8388", "DACCONTROL4", minimum=0x60)
    liar.call_tool("SetOutputVolume", volume="60")
    first, second = end_of_test(liar, "the stage is wrong").message.splitlines()
    assert first.startswith("false success: ")
    assert second == "the stage is wrong"


def test_a_lie_that_the_test_expects_does_not_fail_it(liar: Truestage) -> None:
    liar.clamp_register("es8388", "DACCONTROL4", minimum=0x60)
    liar.call_tool("SetOutputVolume", volume="60")
    liar.verdict_should_be(Verdict.FALSE_SUCCESS)
    assert not end_of_test(liar).failed
    assert liar.session.evidence().verdict is Verdict.FALSE_SUCCESS


def test_a_clean_call_that_cannot_succeed_is_wedged(liar: Truestage) -> None:
    with pytest.raises(AssertionError, match="wedged: SetOutputVolume volume=101"):
        liar.device_should_still_work("SetOutputVolume", volume="101")


def test_a_test_that_calls_before_a_boot_is_told_so() -> None:
    with pytest.raises(TruestageError, match="begin with `Boot Device`"):
        Truestage().call_tool("SetOutputVolume", volume="60")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("60", ["60"]),
        ("1..3", ["1", "2", "3"]),
        ("3..1", ["3", "2", "1"]),
        ("10, 20,30", ["10", "20", "30"]),
    ],
)
def test_the_values_of_a_burst(text: str, values: list[str]) -> None:
    assert several(text) == values


def test_a_burst_with_a_gap_in_its_list() -> None:
    with pytest.raises(TruestageError, match="write values like"):
        several("10,,30")


@pytest.mark.parametrize(
    ("text", "gain"), [("-20 dB", -20.0), ("0", 0.0), ("+1.5dB", 1.5), ("silent", float("-inf"))]
)
def test_gains(text: str, gain: float) -> None:
    assert Decibels.parse(text) == gain


@pytest.mark.parametrize(("text", "share"), [("50%", 0.5), ("0.25", 0.25), ("100 %", 1.0)])
def test_shares(text: str, share: float) -> None:
    assert Share.parse(text) == share


@pytest.mark.parametrize("text", ["0", "120%", "half", "-5%"])
def test_shares_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="50%"):
        Share.parse(text)


def test_times_are_given_to_the_faults_in_milliseconds() -> None:
    assert milliseconds(timedelta(seconds=1.5)) == 1500.0
