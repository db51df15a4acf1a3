"""The library class: keywords, and the check that nobody can forget."""

from __future__ import annotations

from typing import Any

from orchestrator.robot_library.call_keywords import CallKeywords
from orchestrator.robot_library.check_keywords import CheckKeywords
from orchestrator.robot_library.device_keywords import DeviceKeywords
from orchestrator.robot_library.fault_keywords import FaultKeywords
from orchestrator.robot_library.session import Session, findings
from orchestrator.robot_library.values import Decibels, Share


class Truestage(DeviceKeywords, CallKeywords, FaultKeywords, CheckKeywords):
    """Calls a device's MCP tools, breaks its hardware, and compares replies with the chips.

    The device is a firmware on an emulated board. Time is virtual: a scenario gives the same
    result on any machine, however busy it is.

    | *** Settings ***
    | Resource      ../resources/truestage.resource
    | Test Setup    Restore Device
    |
    | *** Test Cases ***
    | A Refused Write Is Not Confirmed
    |     NACK Write    es8388    DACCONTROL4
    |     Call Tool    SetOutputVolume    volume=60
    |     Stage Should Be    failed
    |     Reply Should Match Hardware
    |     Device Should Still Work

    = Which firmware =

    Variables choose it: ``robot --variable FIRMWARE:my.elf --variable BOARD:my.toml
    robot/suites``. See `Boot Device`.

    = Verdicts =

    A reply is ``honest`` when it claims what the hardware shows, a ``false success`` when it
    claims more and a ``false failure`` when it denies what the device itself had read back.
    ``silent`` is no reply, ``crash`` a firmware that died, ``wedged`` one that does not recover.
    A reply that the test does not judge is judged at the test's end: unless it is honest, the
    test fails.

    = Times and values =

    Times are Robot's (``50 ms``, ``2 s``), registers names or numbers (``DACCONTROL4``,
    ``0x1A``), gains decibels (``-20 dB``, ``silent``), shares ``50%`` or ``0.5``.
    """

    ROBOT_LIBRARY_SCOPE = "GLOBAL"
    ROBOT_LIBRARY_DOC_FORMAT = "ROBOT"
    ROBOT_LIBRARY_CONVERTERS = {Decibels: Decibels.parse, Share: Share.parse}
    ROBOT_AUTO_KEYWORDS = False
    ROBOT_LISTENER_API_VERSION = 3
    ROBOT_LISTENER_PRIORITY = 100

    def __init__(self) -> None:
        self.session = Session()
        self.ROBOT_LIBRARY_LISTENER = self

    def _start_test(self, data: Any, result: Any) -> None:
        self.session.begin_test()

    def _end_test(self, data: Any, result: Any) -> None:
        lies = self.session.forgotten()
        if not lies or result.skipped:
            return
        result.message = f"{findings(lies)}\n{result.message}".rstrip()
        result.failed = True

    def _close(self) -> None:
        self.session.close()
