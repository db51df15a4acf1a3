"""Keywords that call tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robot.api.deco import keyword

from orchestrator.errors import TruestageError
from orchestrator.robot_library.log import log_reply
from orchestrator.robot_library.session import Session
from orchestrator.robot_library.values import several
from orchestrator.tool_arguments import from_text


class CallKeywords:
    """Call tools as a language model's host would."""

    session: Session

    @keyword("Call Tool")
    def call_tool(self, tool: str, **arguments: Any) -> Any:
        """Calls a tool and waits for its reply; returns the reply's structured content.

        Arguments are given as ``name=value`` and typed by the tool's own schema. A tool or an
        argument that the device does not have is a mistake of the test; see `Call Tool
        Unchecked`.

        Every reply is judged: one that claims more than the hardware shows fails the test at
        its end, unless the test has judged it itself (`Verdict Should Be`).

        | Call Tool | SetOutputVolume | volume=60 |
        """
        return self._call([(tool, self.session.checked(tool, arguments))])[0]

    @keyword("Call Tool Unchecked")
    def call_tool_unchecked(self, tool: str, **arguments: Any) -> Any:
        """Calls a tool as written, also one that does not exist or takes other arguments.

        A value that is JSON is sent as such, everything else as a string.

        | Call Tool Unchecked | SetOutputVolume | volume=loud |
        """
        return self._call([(tool, {name: from_text(v) for name, v in arguments.items()})])[0]

    @keyword("Call Tool In Burst")
    def call_tool_in_burst(self, tool: str, *, times: int = 1, **arguments: Any) -> Any:
        """Calls a tool several times back to back, without waiting for replies in between.

        An argument is one value for all calls, a list (``10, 20, 30``) or a range (``1..40``);
        with one value only, ``times`` says how many calls there are. Returns the structured
        contents in the order of the calls.

        | Call Tool In Burst | SetOutputVolume | volume=1..40 |
        | Call Tool In Burst | GetOutputVolume | times=10 |
        """
        columns = {name: several(str(value)) for name, value in arguments.items()}
        lengths = {len(column) for column in columns.values() if len(column) > 1}
        if times > 1:
            lengths.add(times)
        if times < 1 or len(lengths) > 1:
            raise TruestageError("a burst needs one number of calls: its lists differ in length")
        count = lengths.pop() if lengths else 1
        rows = [
            {name: column[i if len(column) > 1 else 0] for name, column in columns.items()}
            for i in range(count)
        ]
        return self._call([(tool, self.session.checked(tool, row)) for row in rows])

    def _call(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
        replies = self.session.call(calls)
        for reply in replies:
            log_reply(self.session.device, reply)
        return [reply.call.structured for reply in replies]
