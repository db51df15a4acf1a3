"""Engine-neutral hardware models: silicon only, no firmware, no MCP, no test."""

from renode.peripherals.host import Handle, Host, Model
from renode.peripherals.registers import Field, Register, RegisterArray, RegisterBank

__all__ = ["Field", "Handle", "Host", "Model", "Register", "RegisterArray", "RegisterBank"]
