"""The device under test: a board on an engine, and the MCP session with it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

import mcp_types as types
from mcp import ClientSession, MCPError

from orchestrator.board import Board
from orchestrator.engines import (
    Engine,
    FirmwareImage,
    Panic,
    Snapshot,
    StopReason,
    make_engine,
)
from orchestrator.errors import EngineError, TruestageError
from orchestrator.faults import Fault, Injection
from orchestrator.hardware import Hardware
from orchestrator.link import McpLink, SentCall, VirtualTimeLoop
from orchestrator.link.link import current_call
from orchestrator.truth import Call, Judgement, Verdict, judge
from renode.peripherals.transcript import Kind

_T = TypeVar("_T")

CONSOLE_TAIL = 64 * 1024
"""Bytes of console output that are kept."""


class BootError(TruestageError):
    """The firmware did not come up to an MCP session."""


class _Trouble(Exception):  # noqa: N818  (a signal, not an error of the caller's)
    """The device crashed or restarted while somebody waited for it."""


class _DeviceState(NamedTuple):
    machine: Snapshot
    next_id: int


class Device:
    """One board running one firmware, with its MCP session; calls are synchronous.

    Everything happens in virtual time: a call runs the engine until the reply has arrived, the
    firmware has crashed, or the board's `reply_timeout_ms` is over.
    """

    def __init__(self, board: Board, firmware: Path, engine: str = "embedded") -> None:
        self.board = board
        self.image = FirmwareImage(firmware)
        self.engine: Engine = make_engine(engine, self.image)
        self.hardware = Hardware(board, self.engine)
        self.engine.attach(self.hardware.soc, self.hardware.models)
        self.transcript = self.hardware.transcript
        self.link = McpLink(self.hardware.uart(board.mcp.uart), self.transcript)
        self.console = bytearray()
        self.tools: dict[str, types.Tool] = {}
        self._injections: list[tuple[Fault, Injection]] = []
        self._loop = VirtualTimeLoop(self)
        self._session: ClientSession | None = None
        self._closing: asyncio.Event | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._trouble: asyncio.Future[None] = self._loop.create_future()
        self._crash: Panic | None = None
        self._old_panic: Panic | None = None
        self._listeners: list[list[bytes]] = []
        self._powered = False
        self._connect_wires()

    def _connect_wires(self) -> None:
        mcp, console = self.board.mcp, self.board.console
        uart = self.hardware.uart(mcp.uart)
        uart.on_line = self._line_received
        uart.host_baud = mcp.baud
        terminal = self.hardware.uart(console.uart)
        terminal.on_output = self._console_output
        terminal.host_baud = console.baud

    # -- life --------------------------------------------------------------------------------

    def boot(self) -> None:
        """Power on and run until an MCP session is initialised and its tools are listed.

        BootError says what the console said last if that takes longer than the board's
        `boot_timeout_ms`.
        """
        self.power_on()
        limit = self.board.mcp.boot_timeout_ms
        try:
            self._loop.run_until_complete(self._within(self._connect(), limit))
        except TimeoutError:
            raise BootError(f"no MCP session within {limit} virtual ms{self._hint()}") from None
        except _Trouble:
            what = f"crashed: {self._crash}" if self._crash else "restarted by itself"
            raise BootError(f"the firmware {what}{self._hint()}") from None
        except MCPError as error:
            raise BootError(f"the device refused the MCP session: {error}{self._hint()}") from None

    def power_on(self) -> None:
        """Cold start of the whole board, without faults."""
        self._end_session()
        self.engine.power_on()
        self._old_panic = None
        self._powered = True
        self.console.clear()
        self.link.forget()
        self.link.next_id = 1
        self.hardware.begin()
        self.transcript.record(0, Kind.POWER, "board", "on")

    def power_off(self) -> None:
        """Cut the power."""
        self.transcript.record(self.now_ns(), Kind.POWER, "board", "off")
        self._end_session()
        self.engine.power_off()
        self._powered = False

    def snapshot(self) -> _DeviceState:
        """Copy the device; only with no call in flight."""
        if self._injections:
            raise TruestageError("a snapshot needs a device without faults")
        return _DeviceState(self.engine.snapshot(), self.link.next_id)

    def restore(self, state: _DeviceState) -> None:
        """Return to a snapshot, without faults; transcript and truth begin anew."""
        if self._session is None:
            raise TruestageError("a snapshot can only be restored into a booted device")
        self.clear_faults()
        self.engine.restore(state.machine)
        self._old_panic = self.engine.panic
        self.link.forget()
        self.link.next_id = state.next_id
        self.console.clear()
        self._trouble = self._loop.create_future()
        self.hardware.begin()

    def close(self) -> None:
        """End the session and free the engine."""
        self._end_session()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        self.close()

    # -- calls -------------------------------------------------------------------------------

    def call(self, tool: str, arguments: dict[str, Any] | None = None) -> Call:
        """Call a tool and wait for its outcome."""
        (call,) = self.burst([(tool, arguments or {})])
        return call

    def burst(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Call]:
        """Send several calls back to back, without waiting for replies in between."""

        async def all_of_them() -> list[Call]:
            return list(await asyncio.gather(*(self._call(*call) for call in calls)))

        self._require_session()
        return self._loop.run_until_complete(all_of_them())

    def judge(self, call: Call, others: Sequence[Call] = ()) -> Judgement:
        """Compare a call's outcome with the hardware."""
        return judge(call, self.hardware, others)

    def check_alive(self, tool: str, arguments: dict[str, Any]) -> tuple[Call, Judgement]:
        """Take all faults out and call a tool: anything but an honest success is `wedged`."""
        self.clear_faults()
        call = self.call(tool, arguments)
        judgement = self.judge(call)
        succeeded = call.replied and not call.is_error
        if judgement.verdict is not Verdict.HONEST or not succeeded:
            sentence = f"a clean call after the fault fails: {judgement.sentence}"
            judgement = judgement._replace(verdict=Verdict.WEDGED, sentence=sentence)
        return call, judgement

    def run_for(self, milliseconds: float) -> None:
        """Let virtual time pass; notifications and late replies are received meanwhile."""
        self._require_power()
        self._loop.run_until_complete(asyncio.sleep(milliseconds / 1000))

    def last_words(self) -> str:
        """The console's last three lines that are not blank, on one line."""
        lines = self.console.decode("utf-8", "replace").splitlines()
        return " | ".join([line.strip() for line in lines if line.strip()][-3:])

    def send_line(self, line: bytes) -> list[bytes]:
        """Put raw bytes and a newline on the MCP wire; the lines that come back in 100 ms."""
        heard: list[bytes] = []
        self._listeners.append(heard)
        try:
            self.link.send_line(line)
            self.run_for(100)
        finally:
            self._listeners.remove(heard)
        return heard

    # -- faults ------------------------------------------------------------------------------

    def inject(self, fault: Fault) -> None:
        """Let a fault take effect from now on."""
        self._injections.append((fault, fault.inject(self.hardware)))

    def clear_faults(self) -> None:
        """Take every fault out again."""
        while self._injections:
            _, remove = self._injections.pop()
            remove()

    @property
    def faults(self) -> list[Fault]:
        """The faults in the hardware now."""
        return [fault for fault, _ in self._injections]

    # -- the world that the event loop runs --------------------------------------------------

    def now_ns(self) -> int:
        """Virtual time since power-on."""
        return self.engine.now_ns()

    def advance(self, until_ns: int | None) -> None:
        """Run the engine while every task waits (called by the event loop)."""
        if until_ns is None:
            raise EngineError("every task waits, and nothing will ever wake one")
        if not self._powered:
            raise EngineError("the device has no power")
        reason = self.engine.run_until(until_ns)
        if reason is StopReason.RESET:
            self._restarted()
        elif reason is not StopReason.STOPPED and self.engine.panic is not self._old_panic:
            self._fail()

    def _restarted(self) -> None:
        self.transcript.record(self.now_ns(), Kind.RESET, "board", "software")
        self._fail()

    def _fail(self) -> None:
        """Whoever waits need wait no longer: the firmware crashed, or restarted by itself."""
        panic = self.engine.panic
        self._crash = None if panic is self._old_panic else panic
        self._old_panic = panic
        if not self._trouble.done():
            self._trouble.set_result(None)

    def _line_received(self, line: bytes, first_bit_ns: int, end_ns: int) -> None:
        for heard in self._listeners:
            heard.append(line)
        self.link.line_received(line, first_bit_ns, end_ns)
        self.engine.stop()

    def _console_output(self, data: bytes) -> None:
        self.console += data
        del self.console[:-CONSOLE_TAIL]

    # -- session -----------------------------------------------------------------------------

    async def _connect(self) -> None:
        await self._until_listening()
        session = self.link.open()
        ready: asyncio.Future[None] = self._loop.create_future()
        self._closing = asyncio.Event()
        self._keeper = asyncio.create_task(self._keep(session, self._closing, ready))
        await ready
        result = await session.list_tools()
        self.tools = {tool.name: tool for tool in result.tools}
        self._session = session

    async def _until_listening(self) -> None:
        """Wait for the firmware to switch its receiver's interrupts on, for half the limit.

        What arrives at a UART before its driver runs is lost on a bench, too.
        """
        patience = self.board.mcp.boot_timeout_ms // 2
        for _ in range(patience):
            if self.link.uart.listening:
                break
            await asyncio.sleep(0.001)

    @staticmethod
    async def _keep(
        session: ClientSession, closing: asyncio.Event, ready: asyncio.Future[None]
    ) -> None:
        """Hold the session open: a task of its own, because a task must leave what it entered."""
        async with session:
            try:
                await session.initialize()
            except Exception as error:
                ready.set_exception(error)
                return
            ready.set_result(None)
            await closing.wait()

    def _end_session(self) -> None:
        self.clear_faults()
        self._trouble = self._loop.create_future()
        if self._keeper is not None:
            assert self._closing is not None
            self._closing.set()
            self._keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                self._loop.run_until_complete(self._keeper)
        self._keeper = self._closing = self._session = None

    async def _within(self, work: Coroutine[Any, Any, _T], limit_ms: float) -> _T:
        """Await `work` for so many virtual ms at most: TimeoutError, or _Trouble if it died."""
        if self._trouble.done():
            self._trouble = self._loop.create_future()
        task = asyncio.ensure_future(work)
        both: set[asyncio.Future[Any]] = {task, self._trouble}
        await asyncio.wait(both, timeout=limit_ms / 1000, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        trouble = self._trouble.done()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise _Trouble if trouble else TimeoutError

    async def _call(self, tool: str, arguments: dict[str, Any]) -> Call:
        assert self._session is not None
        call, sent = Call(tool, arguments, request_ns=self.now_ns()), SentCall()
        current_call.set(sent)
        asked = self._session.call_tool(tool, arguments)
        try:
            result = await self._within(asked, self.board.mcp.reply_timeout_ms)
        except TimeoutError:
            pass
        except _Trouble:
            call.panic = self._crash
            call.restarted = call.panic is None
        except MCPError as error:
            call.error = f"JSON-RPC error {error.error.code}: {error.error.message}"
        except (RuntimeError, ValueError) as error:
            call.error, call.structured = str(error).splitlines()[0], {}
        else:
            call.structured = result.structured_content
            call.is_error = bool(result.is_error)
            texts = [item.text for item in result.content if isinstance(item, types.TextContent)]
            call.text = "\n".join(texts)
        if sent.request_ns is not None:
            call.request_ns = sent.request_ns
        call.reply_ns = sent.reply_ns
        call.end_ns = sent.reply_end_ns or self.now_ns()
        return call

    def _require_session(self) -> None:
        self._require_power()
        if self._session is None:
            raise TruestageError("the device is not booted")

    def _require_power(self) -> None:
        if not self._powered:
            raise TruestageError("the device has no power")

    def _hint(self) -> str:
        """The console's last lines, or what its silence may mean."""
        words = [self.last_words()]
        if self.link.garbage:
            mcp = self.board.mcp
            words.append(f"UART{mcp.uart} sends something that is not JSON at {mcp.baud} baud")
        said = " | ".join(filter(None, words))
        return f"; the console's last words: {said}" if said else "; the console is silent"
