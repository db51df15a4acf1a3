"""JUnit XML, for every CI server."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from junit_xml import TestCase, TestSuite, to_xml_report_string

from orchestrator.reports.records import Outcome, Scenario


def junit_xml(scenarios: Iterable[Scenario]) -> str:
    """One test suite per Robot suite, one case per scenario; no wall-clock value in it.

    A failure's message is the sentence that says what happened.
    """
    suites = [
        TestSuite(name, [_case(scenario) for scenario in group])
        for name, group in groupby(scenarios, key=lambda scenario: scenario.suite)
    ]
    text: str = to_xml_report_string(suites, encoding="utf-8")
    return text


def _case(scenario: Scenario) -> TestCase:
    evidence = scenario.evidence
    lines = [
        f"tool: {evidence.tool}",
        f"fault: {evidence.fault}",
        f"stage claimed: {evidence.stage}",
        f"hardware truth: {evidence.truth}",
        f"verdict: {evidence.verdict.value if evidence.verdict else '-'}",
        evidence.sentence,
    ]
    case = TestCase(scenario.name, classname=scenario.suite, stdout="\n".join(filter(None, lines)))
    if scenario.outcome is Outcome.FAILED:
        case.add_failure_info(message=scenario.reason, output=scenario.message)
    elif scenario.outcome is Outcome.SKIPPED:
        case.add_skipped_info(message=scenario.reason or "skipped")
    return case
