"""The terminal's table: scenario, tool, fault, stage claimed, hardware truth, verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from orchestrator.reports.records import Outcome, Scenario
from orchestrator.truth import Verdict

_MARKS = {
    Outcome.PASSED: ("✓", "green"),
    Outcome.FAILED: ("✗", "bold red"),
    Outcome.SKIPPED: ("-", "yellow"),
}


def scenario_table(scenarios: Sequence[Scenario]) -> Table:
    """A row per scenario, a section per suite."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for title in ("scenario", "tool", "fault", "stage claimed", "hardware truth"):
        table.add_column(title, overflow="fold")
    table.add_column("verdict", no_wrap=True)
    suite = None
    for scenario in scenarios:
        if scenario.suite != suite:
            suite = scenario.suite
            table.add_row("", Text(suite, style="bold cyan"))
        mark, style = _MARKS[scenario.outcome]
        evidence = scenario.evidence
        table.add_row(
            Text(mark, style=style),
            Text(scenario.name),
            Text(evidence.tool),
            Text(evidence.fault, style="" if evidence.fault != "-" else "dim"),
            Text(evidence.stage),
            Text(evidence.truth),
            _verdict(evidence.verdict),
        )
    return table


def failures(scenarios: Sequence[Scenario]) -> list[str]:
    """Rich markup, two lines a failure: where, and the sentence; one sentence for several.

    False successes come first.
    """
    groups: dict[str, list[Scenario]] = {}
    failed = [scenario for scenario in scenarios if scenario.outcome is Outcome.FAILED]
    failed.sort(key=lambda scenario: scenario.evidence.verdict is not Verdict.FALSE_SUCCESS)
    for scenario in failed:
        groups.setdefault(scenario.message, []).append(scenario)
    lines = []
    for message, group in groups.items():
        for scenario in group:
            lines.append(f"[bold red]✗[/] {escape(scenario.suite)}: {escape(scenario.name)}")
        lines += [f"  {escape(line)}" for line in message.splitlines()]
    return lines


def summary_line(scenarios: Sequence[Scenario]) -> str:
    """Rich markup: how many ran, passed and failed, and the dishonest verdicts by name."""
    outcomes = Counter(scenario.outcome for scenario in scenarios)
    verdicts = Counter(scenario.evidence.verdict for scenario in scenarios)
    parts = [_count(len(scenarios), "scenario"), f"[green]{outcomes[Outcome.PASSED]} passed[/]"]
    if outcomes[Outcome.FAILED]:
        parts.append(f"[bold red]{outcomes[Outcome.FAILED]} failed[/]")
    if outcomes[Outcome.SKIPPED]:
        parts.append(f"[yellow]{outcomes[Outcome.SKIPPED]} skipped[/]")
    for verdict in Verdict:
        if verdict is not Verdict.HONEST and verdicts[verdict]:
            parts.append(f"[red]{verdicts[verdict]} {verdict.value}[/]")
    return ", ".join(parts)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _verdict(verdict: Verdict | None) -> Text:
    if verdict is None:
        return Text("-", style="dim")
    return Text(verdict.value, style="green" if verdict is Verdict.HONEST else "bold red")
