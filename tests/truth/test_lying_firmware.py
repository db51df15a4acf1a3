"""No verdict depends on the firmware's own word: true traffic, forged replies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.board import Board
from orchestrator.device import Device
from orchestrator.faults import parse_fault
from orchestrator.truth import Call, Verdict
from tests.conftest import BOARD


def record(stage: str | None = "confirmed", success: bool = True, **detail: Any) -> dict[str, Any]:
    reply: dict[str, Any] = {"success": success, "detail": detail}
    return reply if stage is None else {**reply, "stage": stage}


def made(device: Device, fault: str | None = None, volume: int = 60) -> Call:
    """A call's true traffic, whatever is replied."""
    if fault is not None:
        device.inject(parse_fault(fault))
    return device.call("SetOutputVolume", {"volume": volume})


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("nack es8388 DACCONTROL4", "the write to DACCONTROL4 was never acknowledged"),
        ("ignore es8388 DACCONTROL5", "acknowledged 0x28 for DACCONTROL5 and kept 0xc0"),
        ("clamp es8388 DACCONTROL4 min=0x60", "acknowledged 0x28 for DACCONTROL4 and kept 0x60"),
        ("nack-address es8388", "did not acknowledge its address"),
        ("hold-bus 2000", "no write to DACCONTROL4 reached the bus before the reply"),
    ],
)
@pytest.mark.parametrize(
    "lie",
    [
        record(target=60, readback=60),
        record(stage=None),
        record(stage="certainly"),
        None,
    ],
    ids=["confirmed", "bare success", "unknown stage", "bare true"],
)
def test_success_without_the_hardware_is_false(
    device: Device, fault: str, cause: str, lie: dict[str, Any] | None
) -> None:
    call = replace(made(device, fault), structured=lie, text="true", is_error=False)
    judgement = device.judge(call)
    assert judgement.verdict is Verdict.FALSE_SUCCESS
    assert cause in judgement.sentence


def test_the_sentence_gives_both_channels(device: Device) -> None:
    call = replace(made(device, "nack es8388 DACCONTROL4"), structured=record(), is_error=False)
    # DACCONTROL4 keeps its reset value 0xC0, -96 dB; the right channel holds 0x28, -20 dB.
    assert device.judge(call).truth == "-96.0 dB left, -20.0 dB right"


def test_failed_after_a_matching_read_back_is_a_false_failure(device: Device) -> None:
    call = replace(made(device), structured=record("failed", success=False), is_error=True)
    assert device.judge(call).verdict is Verdict.FALSE_FAILURE


def test_failed_without_a_read_back_claims_nothing(device: Device) -> None:
    call = made(device, "nack es8388 DACCONTROL4")
    assert device.judge(call).verdict is Verdict.HONEST


@pytest.mark.parametrize("stage", ["busy", "rejected"])
def test_refused_but_written_is_a_false_failure(device: Device, stage: str) -> None:
    call = replace(made(device), structured=record(stage, success=False), is_error=True)
    assert device.judge(call).verdict is Verdict.FALSE_FAILURE


def test_executed_needs_every_acknowledge(device: Device) -> None:
    good = replace(made(device), structured=record("executed"))
    assert device.judge(good).verdict is Verdict.HONEST
    bad = replace(made(device, "nack es8388 DACCONTROL5", volume=10), structured=record("executed"))
    assert device.judge(bad).verdict is Verdict.FALSE_SUCCESS


def test_executed_does_not_mean_that_the_value_was_kept(device: Device) -> None:
    call = replace(made(device, "ignore es8388 DACCONTROL4"), structured=record("executed"))
    assert device.judge(call).verdict is Verdict.HONEST


def test_accepted_needs_something_to_ask_for(device: Device) -> None:
    call = made(device)
    bare = replace(call, structured=record("accepted"))
    assert device.judge(bare).verdict is Verdict.FALSE_SUCCESS
    asked = replace(call, structured=record("accepted", operation="7"))
    assert device.judge(asked).verdict is Verdict.HONEST


def test_another_target_than_the_chips_is_false(device: Device) -> None:
    call = made(device)
    other = replace(call, arguments={"volume": 61})
    assert device.judge(other).verdict is Verdict.FALSE_SUCCESS


def test_a_getter_that_reports_another_value_is_false(device: Device) -> None:
    made(device)
    call = device.call("GetOutputVolume")
    assert device.judge(call).verdict is Verdict.HONEST
    forged = replace(call, structured=record(readback=61))
    assert device.judge(forged).verdict is Verdict.FALSE_SUCCESS


def test_silence_names_its_cause(device: Device) -> None:
    # The registers hold the volume, but the codec has no clock: nothing comes out.
    codec = device.hardware.chips["es8388"]
    codec.set_clocks(0, 0)  # type: ignore[attr-defined]
    try:
        device.hardware.truth.sample(device.now_ns(), "es8388")
        judgement = device.judge(made(device))
    finally:
        codec.set_clocks(12_288_000, 48_000)  # type: ignore[attr-defined]
    assert judgement.verdict is Verdict.FALSE_SUCCESS
    assert "LOUT1 is silent" in judgement.sentence


KNOWN_BAD = {
    "queued": (None, "written only"),
    "shallow-queue": (None, "written only"),
    "cached-readback": ("nack es8388 DACCONTROL4", "DACCONTROL4 was never acknowledged"),
    "blind-clamp": ("clamp es8388 DACCONTROL4 min=0x60", "0x28 for DACCONTROL4 and kept 0x60"),
}


@pytest.mark.parametrize("variant", KNOWN_BAD)
def test_each_known_bad_firmware_is_caught_and_the_cause_named(
    firmware: Callable[[str], Path], device: Device, variant: str
) -> None:
    fault, cause = KNOWN_BAD[variant]
    with Device(Board.load(BOARD), firmware(variant)) as liar:
        liar.boot()
        judgement = liar.judge(made(liar, fault))
    assert judgement.verdict is Verdict.FALSE_SUCCESS
    assert cause in judgement.sentence
    assert device.judge(made(device, fault)).verdict is Verdict.HONEST
