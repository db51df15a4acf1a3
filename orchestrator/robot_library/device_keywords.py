"""Keywords for the device's life."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from robot.api.deco import keyword
from robot.libraries.BuiltIn import BuiltIn

from orchestrator.project import default_board, default_firmware
from orchestrator.robot_library.session import Session, Setup
from orchestrator.robot_library.values import milliseconds


class DeviceKeywords:
    """Boot, restore, and let virtual time pass."""

    session: Session

    @keyword("Boot Device")
    def boot_device(
        self, firmware: str | None = None, board: str | None = None, engine: str | None = None
    ) -> None:
        """Boots the firmware on the board until its MCP session is initialised.

        What is not given comes from the variables ``${FIRMWARE}``, ``${BOARD}`` and
        ``${ENGINE}``, then from the project: its good firmware, its voice terminal, and the
        ``embedded`` engine. One device serves a whole run: if the same one is up already it is
        only restored.
        """
        firmware = firmware or _variable("FIRMWARE")
        board = board or _variable("BOARD")
        engine = engine or _variable("ENGINE") or "embedded"
        self.session.boot(
            Setup(
                board=Path(board) if board else default_board(),
                firmware=Path(firmware) if firmware else default_firmware(),
                engine=engine,
            )
        )

    @keyword("Restore Device")
    def restore_device(self) -> None:
        """Returns the device to the moment after its boot, without faults. Boots it if need be.

        Meant as ``Test Setup``, so that no test depends on another.
        """
        if self.session.booted:
            self.session.restore()
        else:
            self.boot_device()

    @keyword("Let Time Pass")
    def let_time_pass(self, time: timedelta) -> None:
        """Lets so much virtual time pass, e.g. ``50 ms``. Late replies are received meanwhile."""
        self.session.device.run_for(milliseconds(time))


def _variable(name: str) -> str | None:
    value: Any = BuiltIn().get_variable_value(f"${{{name}}}")
    return str(value) if value else None
