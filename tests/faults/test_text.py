"""Faults as text: every kind reads back, and each mistake is named."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import FaultError
from orchestrator.faults import FAULTS, ClampRegister, Fault, HoldBus, NackWrite, parse_fault

MS = st.integers(0, 10_000).map(float)
OCCASIONS = {
    "times": st.none() | st.integers(1, 99),
    "skip": st.integers(0, 99),
    "from_ms": MS,
    "until_ms": st.none() | MS,
}
CHIP = {"chip": st.just("es8388")}
REGISTER = {**CHIP, "register_": st.sampled_from(["DACCONTROL4", "0x1B", "26"])}
FIELDS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "nack-address": {**CHIP, **OCCASIONS},
    "nack": {**REGISTER, **OCCASIONS},
    "nack-byte": {**CHIP, "index": st.integers(0, 9), **OCCASIONS},
    "clamp": {**REGISTER, "minimum": st.integers(0, 99), "maximum": st.integers(100, 255)},
    "ignore": REGISTER,
    "hold-bus": {
        "for_ms": st.integers(1, 10_000).map(float),
        "by": st.sampled_from(["rival", "SCL", "SDA"]),
        "after_ms": MS,
    },
    "load-bus": {
        "period_ms": st.integers(1, 100).map(float),
        "duty": st.sampled_from([0.25, 0.5, 1.0]),
        "address": st.integers(1, 127),
    },
}


def test_every_kind_is_covered_here() -> None:
    assert set(FIELDS) == set(FAULTS)


@given(data=st.data(), kind=st.sampled_from(sorted(FIELDS)))
def test_a_fault_reads_back_from_its_own_text(data: st.DataObject, kind: str) -> None:
    fault: Fault = FAULTS[kind](**data.draw(st.fixed_dictionaries(FIELDS[kind])))
    assert parse_fault(str(fault)) == fault


def test_short_keys_and_numbers_in_any_base() -> None:
    assert parse_fault("clamp es8388 0x1A min=0x10 max=80") == ClampRegister(
        chip="es8388", register_="0x1A", minimum=16, maximum=80
    )
    assert parse_fault("hold-bus for=30 by=SDA") == HoldBus(for_ms=30, by="SDA")
    assert parse_fault("nack es8388 DACCONTROL4 times=1") == NackWrite(
        chip="es8388", register_="DACCONTROL4", times=1
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an empty fault; known kinds: nack-address"),
        ("clmp es8388 1", "did you mean 'clamp'?"),
        ("nack es8388", "'register'"),
        ("nack es8388 A B", "'B' is one word too many"),
        ("nack es8388 A skip=-1", "greater than or equal to 0"),
        ("hold-bus 0", "greater than 0"),
        ("hold-bus 5 by=VCC", "'by'"),
        ("load-bus duty=2", "less than or equal to 1"),
    ],
)
def test_a_mistake_is_named_in_one_line(text: str, message: str) -> None:
    with pytest.raises(FaultError) as caught:
        parse_fault(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
