"""Keywords that break the hardware."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from robot.api.deco import keyword

from orchestrator.faults import (
    ClampRegister,
    Fault,
    HoldBus,
    IgnoreWrites,
    LoadBus,
    NackAddress,
    NackByte,
    NackWrite,
    parse_fault,
)
from orchestrator.faults.text import make_fault
from orchestrator.robot_library.session import Session
from orchestrator.robot_library.values import Share, milliseconds

_AT_ONCE = timedelta(0)


class FaultKeywords:
    """Faults take effect at once and stay until `Clear Faults` or the end of the test."""

    session: Session

    @keyword("NACK Address Of")
    def nack_address_of(
        self,
        chip: str,
        times: int | None = None,
        skip: int = 0,
        after: timedelta = _AT_ONCE,
        until: timedelta | None = None,
    ) -> None:
        """The chip does not answer to its address: absent, busy or in reset.

        The first ``skip`` occasions pass, the next ``times`` are hit (all that follow, unless
        said), and only between ``after`` and ``until`` from now.
        """
        when = _when(times, skip, after, until)
        self._inject("NACK Address Of", NackAddress, chip=chip, **when)

    @keyword("NACK Write")
    def nack_write(
        self,
        chip: str,
        register: str,
        times: int | None = None,
        skip: int = 0,
        after: timedelta = _AT_ONCE,
        until: timedelta | None = None,
    ) -> None:
        """The chip refuses the data byte of a write to one register and keeps the old value.

        The register is a name or a number (``DACCONTROL4``, ``0x1A``). Occasions as in `NACK
        Address Of`.
        """
        when = _when(times, skip, after, until)
        self._inject("NACK Write", NackWrite, chip=chip, register_=register, **when)

    @keyword("NACK Byte")
    def nack_byte(
        self,
        chip: str,
        index: int,
        times: int | None = None,
        skip: int = 0,
        after: timedelta = _AT_ONCE,
        until: timedelta | None = None,
    ) -> None:
        """The chip refuses the n-th byte of transfers to it, whatever register they concern.

        0 is the address, 1 the register pointer, 2 the first data byte. Occasions as in `NACK
        Address Of`.
        """
        when = _when(times, skip, after, until)
        self._inject("NACK Byte", NackByte, chip=chip, index=index, **when)

    @keyword("Clamp Register")
    def clamp_register(
        self, chip: str, register: str, minimum: int = 0x00, maximum: int = 0xFF
    ) -> None:
        """The chip acknowledges any value and stores the nearest within the two limits."""
        self._inject(
            "Clamp Register",
            ClampRegister,
            chip=chip,
            register_=register,
            minimum=minimum,
            maximum=maximum,
        )

    @keyword("Ignore Writes To")
    def ignore_writes_to(self, chip: str, register: str) -> None:
        """The chip acknowledges writes to a register and keeps the old value."""
        self._inject("Ignore Writes To", IgnoreWrites, chip=chip, register_=register)

    @keyword("Hold Bus For")
    def hold_bus_for(self, time: timedelta, by: str = "rival", after: timedelta = _AT_ONCE) -> None:
        """The bus is taken for a time.

        By ``rival``: another master wins the next free bus and keeps SCL low. By ``SCL`` or
        ``SDA``: that line is shorted to ground ``after`` a time from now, wherever the transfer
        under way is.
        """
        self._inject(
            "Hold Bus For",
            HoldBus,
            for_ms=milliseconds(time),
            by=by,
            after_ms=milliseconds(after),
        )

    @keyword("Load Bus With")
    def load_bus_with(
        self,
        share: Share,
        period: timedelta = timedelta(milliseconds=10),
        address: int = 0x50,
    ) -> None:
        """Another master talks for a share of every period, e.g. ``50%``, to a 7-bit address."""
        self._inject(
            "Load Bus With",
            LoadBus,
            duty=float(share),
            period_ms=milliseconds(period),
            address=address,
        )

    @keyword("Inject Fault")
    def inject_fault(self, fault: str) -> None:
        """Injects a fault written as for ``truestage call --fault``.

        | Inject Fault | nack es8388 DACCONTROL4 times=1 |
        """
        self.session.inject(parse_fault(fault))

    @keyword("Clear Faults")
    def clear_faults(self) -> None:
        """Takes every fault out of the hardware."""
        self.session.device.clear_faults()

    def _inject(self, name: str, kind: type[Fault], **values: Any) -> None:
        self.session.inject(make_fault(kind, values, name))


def _when(
    times: int | None, skip: int, after: timedelta, until: timedelta | None
) -> dict[str, Any]:
    return {
        "times": times,
        "skip": skip,
        "from_ms": milliseconds(after),
        "until_ms": None if until is None else milliseconds(until),
    }
