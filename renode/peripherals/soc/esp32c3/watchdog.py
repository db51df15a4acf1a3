"""The four-stage watchdog that the ESP32-C3's timer groups and RTC controller share."""

from __future__ import annotations

from typing import ClassVar

from renode.peripherals.host import Handle, Host
from renode.peripherals.registers import RegisterBank

WRITE_KEY = 0x50D83AA1
"""Value of the write-protection register that opens the watchdog's registers."""


class StagedWatchdog(RegisterBank):
    """Counts through stages 0 to 3 and back to 0, and acts at the end of each until it is fed.

    A subclass says whether it counts, how long a stage is, and what happens at its end; it
    lets writes to WDTCONFIG0, whose bit 31 switches the watchdog on, call `_wdt_configured`,
    those to the stages' lengths `_wdt_retimed`, and feeds it by `_wdt_feed`. A watchdog that is
    off has nothing pending.
    """

    STATE: ClassVar[tuple[str, ...]] = ("_wdt_stage", "_wdt_since_ns", "_wdt_handle")

    def __init__(self, host: Host, name: str) -> None:
        super().__init__(host, name)
        self._wdt_stage = 0
        self._wdt_since_ns = 0
        self._wdt_handle: Handle | None = None

    def _wdt_enabled(self) -> bool:
        raise NotImplementedError

    def _wdt_hold_ns(self, stage: int) -> int:
        raise NotImplementedError

    def _wdt_act(self, stage: int) -> None:
        raise NotImplementedError

    def reset(self) -> None:
        super().reset()
        self._wdt_feed()

    def _wdt_feed(self) -> None:
        """Start over at stage 0."""
        self._wdt_stage = 0
        self._wdt_since_ns = self.host.now_ns()
        self._wdt_rearm()

    def _wdt_configured(self, old: int, written: int) -> None:
        if (written & ~old) >> 31:
            self._wdt_feed()
        else:
            self._wdt_rearm()

    def _wdt_retimed(self, old: int, written: int) -> None:
        self._wdt_rearm()

    def _wdt_rearm(self) -> None:
        if self._wdt_handle is not None:
            self.host.cancel(self._wdt_handle)
            self._wdt_handle = None
        if self._wdt_enabled():
            due = self._wdt_since_ns + max(self._wdt_hold_ns(self._wdt_stage), 1)
            self._wdt_handle = self.host.call_at(due, self, "_wdt_stage_ended")

    def _wdt_stage_ended(self) -> None:
        stage = self._wdt_stage
        self._wdt_handle = None
        self._wdt_stage = (stage + 1) % 4
        self._wdt_since_ns = self.host.now_ns()
        self._wdt_rearm()
        self._wdt_act(stage)
