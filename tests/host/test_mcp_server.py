"""The firmware's MCP server, built for the host, answers whatever comes in on the line."""

import json
import subprocess
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.conftest import Compile

LINE_MAX = 4096  # mcp_server.h
PING = b'{"jsonrpc":"2.0","id":"last","method":"ping"}'


class Server:
    """Feeds the server some bytes and returns its replies; it must exit cleanly."""

    def __init__(self, executable: str) -> None:
        self._executable = executable

    def answers(self, data: bytes, grain: int = 256) -> list[Any]:
        finished = subprocess.run(
            [self._executable, str(grain)], input=data, capture_output=True, check=False
        )
        assert finished.returncode == 0, finished.stderr.decode()
        return [json.loads(line) for line in finished.stdout.splitlines()]

    def answer(self, method: str, **params: Any) -> Any:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        (answer,) = self.answers(json.dumps(request).encode() + b"\n")
        assert answer["jsonrpc"] == "2.0"
        assert answer["id"] == 1
        return answer


@pytest.fixture(scope="session")
def server(compile_harness: Compile) -> Server:
    return Server(str(compile_harness("mcp_harness", "mcp_server", "tool_result", "json_io")))


@pytest.mark.parametrize(
    ("requested", "answered"),
    [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),  # the newest it speaks
        ("", "2025-11-25"),
    ],
)
def test_it_answers_with_a_protocol_version_it_speaks(
    server: Server, requested: str, answered: str
) -> None:
    result = server.answer("initialize", protocolVersion=requested, capabilities={})["result"]
    assert result["protocolVersion"] == answered
    assert result["capabilities"] == {"tools": {"listChanged": False}}
    assert set(result["serverInfo"]) == {"name", "version"}


def test_a_tool_is_listed_with_what_it_takes_and_gives(server: Server) -> None:
    result = server.answer("tools/list")["result"]
    assert "nextCursor" not in result
    tool = result["tools"][0]
    assert tool["name"] == "SetOutputVolume"
    jsonschema.Draft202012Validator.check_schema(tool["outputSchema"])
    arguments = jsonschema.Draft202012Validator(tool["inputSchema"])
    assert arguments.is_valid({"volume": 100})
    for wrong in ({"volume": 101}, {"volume": -1}, {"volume": "1"}, {"volume": 1, "x": 1}, {}):
        assert not arguments.is_valid(wrong)


def _call(server: Server, tool: str, **arguments: Any) -> Any:
    schema = server.answer("tools/list")["result"]["tools"][0]["outputSchema"]
    result = server.answer("tools/call", name=tool, arguments=arguments)["result"]
    jsonschema.validate(result["structuredContent"], schema)
    (text,) = result["content"]
    assert text["type"] == "text"
    assert json.loads(text["text"]) == result["structuredContent"]
    return result


def test_a_success_is_structured_content_and_the_same_text(server: Server) -> None:
    result = _call(server, "SetOutputVolume", volume=60)
    assert result["isError"] is False
    assert result["structuredContent"] == {
        "success": True,
        "stage": "confirmed",
        "accepted": True,
        "executed": True,
        "confirmed": True,
        "detail": {"target": 60, "readback": 60, "retries": 0, "elapsed_ms": 0, "left": 40},
    }


def test_a_failure_is_an_error_that_still_has_its_record(server: Server) -> None:
    result = _call(server, "Broken")
    assert result["isError"] is True
    record = result["structuredContent"]
    assert (record["success"], record["stage"]) == (False, "failed")
    assert (record["accepted"], record["executed"], record["confirmed"]) == (True, False, False)
    assert record["detail"]["error"] == "nack"
    assert record["detail"]["readback"] is None
    assert record["detail"]["retries"] == 3


def test_a_call_without_a_slot_is_busy_and_accepted_nothing(server: Server) -> None:
    record = _call(server, "Crowded")["structuredContent"]
    assert (record["stage"], record["accepted"]) == ("busy", False)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"name": "Nope"}, "Unknown tool: Nope"),
        ({"name": "N" * 500}, f"Unknown tool: {'N' * 64}"),
        ({"arguments": {}}, "tools/call needs a tool's 'name'"),
        ({"name": 1}, "tools/call needs a tool's 'name'"),
        ({"name": "SetOutputVolume", "arguments": [60]}, "'arguments' must be an object"),
        (
            {"name": "SetOutputVolume", "arguments": {"volume": 6, "loud": 1}},
            "SetOutputVolume has no argument 'loud'",
        ),
        *(
            (
                {"name": "SetOutputVolume", "arguments": {"volume": wrong}},
                "SetOutputVolume: argument 'volume' must be an integer from 0 to 100",
            )
            for wrong in (-1, 101, 2**32 + 60, 2**64 + 60, 1e300, 60.5, "60", True, None, [60])
        ),
        (
            {"name": "SetOutputVolume"},
            "SetOutputVolume: argument 'volume' is missing: an integer from 0 to 100",
        ),
    ],
)
def test_wrong_parameters_are_named(server: Server, params: Any, message: str) -> None:
    assert server.answer("tools/call", **params)["error"] == {"code": -32602, "message": message}


@pytest.mark.parametrize("volume", ["60", "60.0", "6e1"])
def test_an_integer_may_be_written_as_json_schema_allows(server: Server, volume: str) -> None:
    line = (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
        f'{{"name":"SetOutputVolume","arguments":{{"volume":{volume}}}}}}}\n'
    )
    (answer,) = server.answers(line.encode())
    assert answer["result"]["structuredContent"]["detail"]["target"] == 60


@pytest.mark.parametrize(
    "identity", ["0", "-7", "123456789012345678901234567890", '""', '"a\\u0062\\n"', '"é😀"']
)
def test_an_id_comes_back_as_it_was_written(server: Server, identity: str) -> None:
    (answer,) = server.answers(f'{{"jsonrpc":"2.0","id":{identity},"method":"ping"}}\n'.encode())
    assert answer == {"jsonrpc": "2.0", "id": json.loads(identity), "result": {}}


@pytest.mark.parametrize(
    ("line", "code", "identity"),
    [
        (b"{", -32700, None),
        (b"\x00", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping\xff"}', -32700, None),
        (b"[" * 3000, -32700, None),
        (b"[" + PING + b"]", -32600, None),
        (b"[]", -32600, None),
        (b"1", -32600, None),
        (b'"ping"', -32600, None),
        (b"{}", -32600, None),
        (b'{"id":1,"method":"ping"}', -32600, 1),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":[],"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":"' + b"x" * 127 + b'","method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"pong"}', -32601, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}', -32601, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"initialize"}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"2"}}', -32602, 1),
        (b"x" * (LINE_MAX + 1), -32600, None),
        (b" " * 100_000, -32600, None),
    ],
)
def test_a_bad_message_is_answered_and_the_next_one_served(
    server: Server, line: bytes, code: int, identity: int | None
) -> None:
    bad, good = server.answers(line + b"\n" + PING + b"\n")
    assert (bad["error"]["code"], bad["id"]) == (code, identity)
    assert (good["id"], good["result"]) == ("last", {})


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/unheard_of","params":[1]}',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"SetOutputVolume"}}',
        b'{"jsonrpc":"2.0","id":9,"result":{}}',
        b'{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":""}}',
        b"",
        b" \t\r",
    ],
)
def test_what_asks_for_no_answer_gets_none(server: Server, line: bytes) -> None:
    (answer,) = server.answers(line + b"\n" + PING + b"\n")
    assert answer["id"] == "last"


@pytest.mark.parametrize("grain", [1, 2, 7, 256])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_the_longest_line_is_served_in_any_pieces(
    server: Server, grain: int, ending: bytes
) -> None:
    longest = PING + b" " * (LINE_MAX - len(PING))
    first, second, third = server.answers(
        longest + ending + longest + b" " + ending + PING + ending, grain
    )
    assert first["result"] == {}
    assert second["error"]["code"] == -32600
    assert third["result"] == {}


REQUEST = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "SetOutputVolume", "arguments": {"volume": 60}},
    }
).encode()


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_no_input_kills_it(server: Server, data: st.DataObject) -> None:
    noise = b""
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(REQUEST)))
        removed = data.draw(st.integers(0, 20))
        inserted = data.draw(
            st.binary(max_size=8) | st.sampled_from([b'"', b"{}", b"1e999", b"[["])
        )
        noise += REQUEST[:at] + inserted + REQUEST[at + removed :] + b"\n"
    last = server.answers(noise + PING + b"\n", data.draw(st.integers(1, 256)))[-1]
    assert (last["id"], last["result"]) == ("last", {})
