"""The I2C bus: wires, masters, targets, and what can disturb them."""

from renode.peripherals.bus.i2c import SCL, SDA, BusTiming, I2CBus, I2CMaster
from renode.peripherals.bus.policies import BusPolicy, ByteOnWire, Occasions
from renode.peripherals.bus.target import I2CTarget

__all__ = [
    "SCL",
    "SDA",
    "BusPolicy",
    "BusTiming",
    "ByteOnWire",
    "I2CBus",
    "I2CMaster",
    "I2CTarget",
    "Occasions",
]
