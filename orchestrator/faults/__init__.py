"""Faults as data: what breaks, where, when; parsed from text and injected into hardware."""

from orchestrator.faults.base import Fault, Injection, Occurrence
from orchestrator.faults.kinds import (
    ClampRegister,
    HoldBus,
    IgnoreWrites,
    LoadBus,
    NackAddress,
    NackByte,
    NackWrite,
)
from orchestrator.faults.text import FAULTS, describe_faults, parse_fault

__all__ = [
    "FAULTS",
    "ClampRegister",
    "Fault",
    "HoldBus",
    "IgnoreWrites",
    "Injection",
    "LoadBus",
    "NackAddress",
    "NackByte",
    "NackWrite",
    "Occurrence",
    "describe_faults",
    "parse_fault",
]
