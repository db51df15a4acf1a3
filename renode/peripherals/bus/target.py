"""The target side of an I2C bus: what a chip does with an address, a byte, a STOP.

Sources: NXP UM10204 (I2C-bus specification) section 3.1.
"""

from __future__ import annotations

from typing import Protocol


class I2CTarget(Protocol):
    """A chip on the bus, seen one byte at a time; the bus itself does the timing."""

    name: str

    @property
    def addresses(self) -> tuple[int, ...]:
        """The 7-bit addresses it listens to."""

    def start(self, address: int, reading: bool) -> bool:
        """A START or repeated START followed by one of its addresses; True pulls SDA low (ACK)."""

    def write_byte(self, value: int) -> bool:
        """The master sent a byte, complete with all eight bits; True acknowledges it."""

    def read_byte(self) -> int:
        """The next byte for the master, 0-255."""

    def read_acknowledged(self, acked: bool) -> None:
        """The master's answer to the byte just read: False (NACK) ends the read."""

    def stop(self) -> None:
        """A STOP, a repeated START, or the master vanished: this transfer is over."""
