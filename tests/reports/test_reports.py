"""Reports are functions of records: the table's columns, JUnit's messages, the failures' order."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from rich.console import Console

from orchestrator.reports import (
    Evidence,
    Outcome,
    Scenario,
    failures,
    junit_xml,
    scenario_table,
    summary_line,
)
from orchestrator.truth import Verdict

LIE = "false success: SetOutputVolume volume=60: said confirmed 60, chip is at -96.0 dB left"
PASSED = Scenario(
    "nack",
    "A <Good> One",
    Outcome.PASSED,
    evidence=Evidence(
        "SetOutputVolume volume=60",
        "nack es8388 DACCONTROL4 times=1",
        "confirmed",
        "-20.0 dB left, -20.0 dB right",
        Verdict.HONEST,
        "said confirmed 60, and it was",
    ),
)
LYING = Scenario(
    "nack",
    "A Lie",
    Outcome.FAILED,
    message=f"{LIE}\nthe stage is confirmed, not failed",
    evidence=Evidence(
        "SetOutputVolume volume=60",
        "nack es8388 DACCONTROL4",
        "confirmed",
        "-96.0 dB left, -20.0 dB right",
        Verdict.FALSE_SUCCESS,
    ),
)
LATE = Scenario("clamp", "Late", Outcome.FAILED, message="the reply took 600.0 ms, not 500 ms")
SKIPPED = Scenario("clamp", "Left Out", Outcome.SKIPPED, message="not today")
ALL = [PASSED, LYING, LATE, SKIPPED]


def text(renderable: object) -> str:
    console = Console(width=200, file=None)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()


def test_the_table_has_the_promised_columns_and_a_row_for_each_scenario() -> None:
    lines = text(scenario_table(ALL)).splitlines()
    titles = ("scenario", "tool", "fault", "stage claimed", "hardware truth", "verdict")
    places = [lines[0].index(title) for title in titles]
    assert places == sorted(places)
    (row,) = [line for line in lines if "A Lie" in line]
    cells = [row[a:b].strip() for a, b in zip(places, [*places[1:], None], strict=True)]
    assert cells == [LYING.name, *LYING.evidence[:4], "false success"]
    assert row.startswith("✗")
    assert [line.strip() for line in lines if line.strip() in ("nack", "clamp")] == [
        "nack",
        "clamp",
    ]


def test_false_successes_are_listed_before_other_failures() -> None:
    lines = text("\n".join(failures([LATE, LYING]))).splitlines()
    assert lines[0] == "✗ nack: A Lie"
    assert lines[1].strip() == LIE
    assert lines[-2] == "✗ clamp: Late"
    assert lines[-1].strip() == LATE.message


def test_scenarios_that_failed_alike_share_one_sentence() -> None:
    twin = Scenario("clamp", "Its Twin", Outcome.FAILED, LYING.message, LYING.evidence)
    assert sum(LIE in line for line in failures([LYING, twin])) == 1
    assert "Its Twin" in "\n".join(failures([LYING, twin]))


def test_the_summary_counts_outcomes_and_dishonest_verdicts() -> None:
    expected = "4 scenarios, 1 passed, 2 failed, 1 skipped, 1 false success"
    assert text(summary_line(ALL)).strip() == expected
    assert text(summary_line([PASSED])).strip() == "1 scenario, 1 passed"


def test_junit_has_a_suite_per_suite_and_the_sentence_as_the_failures_message() -> None:
    root = ET.fromstring(junit_xml(ALL))
    assert [suite.get("name") for suite in root] == ["nack", "clamp"]
    assert (root.get("tests"), root.get("failures")) == ("4", "2")
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert list(cases) == ["A <Good> One", "A Lie", "Late", "Left Out"]
    failure = cases["A Lie"].find("failure")
    assert failure is not None
    assert failure.get("message") == LIE
    assert cases["A <Good> One"].find("failure") is None
    assert cases["Left Out"].find("skipped") is not None
    output = cases["A Lie"].findtext("system-out") or ""
    assert "hardware truth: -96.0 dB left, -20.0 dB right" in output
    assert "verdict: false success" in output


def test_junit_carries_no_wall_clock_value() -> None:
    root = ET.fromstring(junit_xml(ALL))
    for element in root.iter():
        assert "timestamp" not in element.attrib
        assert float(element.get("time", "0")) == 0


@pytest.mark.parametrize("scenarios", [[], [PASSED]])
def test_reports_of_nothing_and_of_one_are_well_formed(scenarios: list[Scenario]) -> None:
    assert len(list(ET.fromstring(junit_xml(scenarios)).iter("testcase"))) == len(scenarios)
    assert failures(scenarios) == []
