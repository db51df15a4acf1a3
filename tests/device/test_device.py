"""The good firmware on the emulated board, end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.board import Board
from orchestrator.device import BootError, Device
from orchestrator.faults import parse_fault
from orchestrator.truth import Stage, Verdict
from tests.conftest import BOARD

FAULTS = [
    "nack es8388 DACCONTROL4 times=1",
    "nack es8388 DACCONTROL5",
    "nack-address es8388",
    "nack-address es8388 skip=2",
    "nack-byte es8388 1 times=2",
    "nack-byte es8388 2",
    "clamp es8388 DACCONTROL4 min=0x60",
    "ignore es8388 DACCONTROL5",
    "hold-bus 30",
    "hold-bus 600",
    "hold-bus 30 by=SCL after_ms=1.7",
    "hold-bus 30 by=SDA",
    "hold-bus 5 by=SDA after_ms=1.8",
    "load-bus duty=0.9",
]


def test_the_tools_have_valid_schemas(device: Device) -> None:
    assert set(device.tools) == {"SetOutputVolume", "GetOutputVolume"}
    for tool in device.tools.values():
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.output_schema is not None
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_both_protocol_versions_are_spoken(device: Device, version: str) -> None:
    params = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    request = {"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": params}
    (line,) = device.send_line(json.dumps(request).encode())
    reply = json.loads(line)
    assert reply["id"] == "first"
    assert reply["result"]["protocolVersion"] == version


@pytest.mark.parametrize("text", FAULTS)
def test_under_no_fault_does_the_good_firmware_lie(device: Device, text: str) -> None:
    device.inject(parse_fault(text))
    judgement = device.judge(device.call("SetOutputVolume", {"volume": 60}))
    assert judgement.verdict is Verdict.HONEST, judgement.sentence
    device.clear_faults()
    device.run_for(1000)
    _, after = device.check_alive("SetOutputVolume", {"volume": 30})
    assert after.verdict is Verdict.HONEST, after.sentence


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe\x00", -32700),
        (b"[" * 4000, -32700),
        (b"[]", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"nothing"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"No"}}', -32602),
        (b'{"a":"' + b"x" * 5000 + b'"}', -32600),
    ],
)
def test_bad_input_is_answered_by_a_json_rpc_error(device: Device, line: bytes, code: int) -> None:
    (answer,) = device.send_line(line)
    assert json.loads(answer)["error"]["code"] == code
    assert device.check_alive("SetOutputVolume", {"volume": 5})[1].verdict is Verdict.HONEST


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(line=st.binary(max_size=300).map(lambda raw: raw.replace(b"\n", b" ")))
def test_no_line_kills_the_device(device: Device, line: bytes) -> None:
    device.send_line(line)
    assert device.check_alive("SetOutputVolume", {"volume": 50})[1].verdict is Verdict.HONEST


def patch(device: Device, function: str, code: bytes) -> None:
    """Overwrite the beginning of a function that has not run yet."""
    device.engine.write_memory(device.image.symbols[function], code)


def fresh(firmware: Callable[[str], Path]) -> Device:
    return Device(Board.load(BOARD), firmware("good"))


def test_a_firmware_that_panics_in_a_call_is_a_crash(firmware: Callable[[str], Path]) -> None:
    with fresh(firmware) as device:
        device.boot()
        state = device.snapshot()
        patch(device, "audio_service_set_volume", b"\x00\x00")  # an illegal instruction
        call = device.call("SetOutputVolume", {"volume": 60})
        judgement = device.judge(call)
        assert judgement.verdict is Verdict.CRASH
        assert "Illegal instruction in audio_service_set_volume" in judgement.sentence
        assert call.panic is not None
        assert len(call.panic.backtrace) > 1
        assert b"Guru Meditation Error" in device.console
        device.restore(state)
        assert device.engine.panic is None


def test_a_firmware_that_hangs_in_a_call_is_silent(firmware: Callable[[str], Path]) -> None:
    board = Board.load(BOARD)
    hasty = board.model_copy(update={"mcp": board.mcp.model_copy(update={"reply_timeout_ms": 600})})
    with Device(hasty, firmware("good")) as device:
        device.boot()
        # csrci mstatus, 8 and then c.j 0: interrupts off, jump to itself.
        patch(device, "audio_service_set_volume", b"\x73\x70\x04\x30\x01\xa0")
        call = device.call("SetOutputVolume", {"volume": 60})
        judgement = device.judge(call)
        assert judgement.verdict is Verdict.SILENT
        assert f"no reply within {device.board.mcp.reply_timeout_ms} ms" in judgement.sentence


def test_a_tool_that_hangs_alone_is_answered_by_the_completer(
    firmware: Callable[[str], Path],
) -> None:
    with fresh(firmware) as device:
        device.boot()
        patch(device, "audio_service_set_volume", b"\x01\xa0")  # c.j 0: jumps to itself
        call = device.call("SetOutputVolume", {"volume": 60})
        assert call.stage is Stage.FAILED
        assert call.detail("error") == "timeout"
        assert device.judge(call).verdict is Verdict.HONEST


def test_power_can_be_cut_and_the_device_boots_again(firmware: Callable[[str], Path]) -> None:
    with fresh(firmware) as device:
        device.boot()
        device.call("SetOutputVolume", {"volume": 60})
        device.power_off()
        device.boot()
        call = device.call("SetOutputVolume", {"volume": 20})
        assert call.stage is Stage.CONFIRMED
        assert device.judge(call).verdict is Verdict.HONEST


def test_a_wrong_baud_rate_says_so(firmware: Callable[[str], Path]) -> None:
    board = Board.load(BOARD)
    slow = board.model_copy(update={"mcp": board.mcp.model_copy(update={"baud": 115_200})})
    with Device(slow, firmware("good")) as device, pytest.raises(BootError, match="no MCP session"):
        device.boot()


DIGEST = """
import sys
from pathlib import Path
from orchestrator.board import Board
from orchestrator.device import Device
from orchestrator.faults import parse_fault

device = Device(Board.load(Path(sys.argv[1])), Path(sys.argv[2]))
device.boot()
state = device.snapshot()
for _ in range(int(sys.argv[3])):
    device.call("SetOutputVolume", {"volume": 99})
    device.restore(state)
device.inject(parse_fault("nack es8388 DACCONTROL4 times=2"))
device.call("SetOutputVolume", {"volume": 60})
device.burst([("SetOutputVolume", {"volume": v}) for v in (1, 2, 3)])
print(device.transcript.digest())
"""


def test_the_same_scenario_gives_the_same_transcript_in_any_process(
    firmware: Callable[[str], Path],
) -> None:
    digests = set()
    for seed, rounds in (("1", "1"), ("2", "1"), ("3", "7")):
        run = subprocess.run(
            [sys.executable, "-c", DIGEST, str(BOARD), str(firmware("good")), rounds],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(BOARD.parents[1])},
            check=True,
            capture_output=True,
            text=True,
        )
        digests.add(run.stdout)
    assert len(digests) == 1
