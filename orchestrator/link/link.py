"""The host's end of the wire: MCP messages in lines, with virtual timestamps."""

from __future__ import annotations

import json
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import ClientSession
from mcp.shared.message import SessionMessage

from renode.peripherals.soc.esp32c3.uart import Uart
from renode.peripherals.transcript import Kind, Transcript


@dataclass
class SentCall:
    """When a request and its reply were on the wire, in virtual ns."""

    request_ns: int | None = None
    """The first bit of the request."""
    reply_ns: int | None = None
    """The first bit of the reply."""
    reply_end_ns: int | None = None


current_call: ContextVar[SentCall | None] = ContextVar("current_call", default=None)
"""Set around a call so that the link can note when its request leaves."""


@dataclass
class McpLink:
    """A transport for `ClientSession`: newline-delimited JSON-RPC over a UART.

    Request ids on the wire are the link's own, so that the same scenario puts the same bytes
    on the wire however many calls the session has made before.
    """

    uart: Uart
    transcript: Transcript
    garbage: list[bytes] = field(default_factory=list)
    """Lines from the device that are not JSON."""

    def __post_init__(self) -> None:
        self.next_id = 1
        self.lines = 0
        self._free_ns = 0
        self._session_ids: dict[int, types.RequestId] = {}
        self._wire_ids: dict[types.RequestId, int] = {}
        self._in_flight: dict[int, SentCall] = {}
        self._to_session: MemoryObjectSendStream[SessionMessage | Exception] | None = None

    def open(self) -> ClientSession:
        """A new client session over this wire; enter it as an async context manager."""
        to_session: MemoryObjectSendStream[SessionMessage | Exception]
        from_device: MemoryObjectReceiveStream[SessionMessage | Exception]
        to_session, from_device = anyio.create_memory_object_stream(max_buffer_size=1024)
        self._to_session = to_session
        self.forget()
        info = types.Implementation(name="truestage", version="1")
        return ClientSession(from_device, _Outgoing(self), client_info=info)

    def forget(self) -> None:
        """Nothing is in flight any more: the device was restored, rebooted or is off."""
        self._session_ids.clear()
        self._wire_ids.clear()
        self._in_flight.clear()
        self.garbage.clear()
        self._free_ns = 0

    def send(self, message: dict[str, Any]) -> None:
        """Put one message on the wire, after whatever is on it already."""
        call = current_call.get()
        if "method" in message and "id" in message:
            wire_id = self.next_id
            self.next_id += 1
            self._session_ids[wire_id] = message["id"]
            self._wire_ids[message["id"]] = wire_id
            message = {**message, "id": wire_id}
            if call is not None:
                self._in_flight[wire_id] = call
        elif message.get("method") == "notifications/cancelled":
            params = message["params"]
            wire_id = self._wire_ids.get(params["requestId"], 0)
            message = {**message, "params": {**params, "requestId": wire_id}}
        first_bit_ns = self._put(_compact(message).encode(), message)
        if call is not None and "id" in message:
            call.request_ns = first_bit_ns

    def send_line(self, line: bytes) -> None:
        """Put raw bytes and a newline on the wire, whatever they are."""
        self._put(line, _parsed(line))

    def _put(self, line: bytes, message: Any) -> int:
        """Queue a line behind what is on the wire; the ns of its first bit."""
        first_bit_ns = max(self.uart.host.now_ns(), self._free_ns)
        self.transcript.record(first_bit_ns, Kind.REQUEST, "host", _without_id(line, message))
        self._free_ns = self.uart.feed(line + b"\n")
        return first_bit_ns

    def line_received(self, line: bytes, first_bit_ns: int, end_ns: int) -> None:
        """A whole line has arrived from the device."""
        self.lines += 1
        message = _parsed(line)
        said = _without_id(line, message)
        self.transcript.record(end_ns, Kind.REPLY, "device", said, first_bit_ns)
        if not isinstance(message, dict):
            self.garbage.append(line)
            return
        if "method" not in message:
            wire_id = message.get("id")
            call = self._in_flight.pop(wire_id, None) if isinstance(wire_id, int) else None
            if call is not None:
                call.reply_ns, call.reply_end_ns = first_bit_ns, end_ns
            session_id = self._session_ids.pop(wire_id, None) if isinstance(wire_id, int) else None
            if session_id is None:
                return
            message["id"] = session_id
        if self._to_session is None:
            return
        try:
            parsed = types.jsonrpc_message_adapter.validate_python(message)
        except ValueError:
            self.garbage.append(line)
            return
        self._to_session.send_nowait(SessionMessage(parsed))


class _Outgoing:
    """The session's write stream."""

    def __init__(self, link: McpLink) -> None:
        self._link = link

    async def send(self, item: SessionMessage, /) -> None:
        self._link.send(item.message.model_dump(by_alias=True, mode="json", exclude_none=True))

    async def aclose(self) -> None:
        pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        return None


class _NotJson:
    """What `_parsed` gives for a line that is no JSON."""


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return _NotJson()


def _compact(message: Any) -> str:
    return json.dumps(message, separators=(",", ":"))


def _without_id(line: bytes, message: Any) -> str:
    """A line for the transcript, by its parsed message; as it stands if it is no JSON."""
    if isinstance(message, _NotJson):
        return line.decode("utf-8", "backslashreplace")
    if isinstance(message, dict):
        message = {key: value for key, value in message.items() if key != "id"}
    return _compact(message)
