"""Runs Robot suites on an emulated device and says how each scenario ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError
from robot.run import run as run_robot

from orchestrator.errors import TruestageError
from orchestrator.reports import Evidence, Outcome, Scenario, junit_xml, report_directory
from orchestrator.robot_library import Truestage


class Exit(IntEnum):
    """Exit statuses of the command line."""

    PASSED = 0
    FAILED = 1
    BAD_INPUT = 2
    INTERNAL = 70
    INTERRUPTED = 130


@dataclass(frozen=True)
class Job:
    """What to run, on what, and where the reports go."""

    suites: Sequence[Path]
    firmware: Path
    board: Path
    engine: str
    reports: Path
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()


@dataclass
class Outcomes:
    """What became of a job."""

    scenarios: list[Scenario] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)
    """Errors in the suites themselves, as `file:line: what is wrong`."""
    interrupted: bool = False

    @property
    def exit_status(self) -> Exit:
        """Passed only if something ran and all of it passed."""
        if self.interrupted:
            return Exit.INTERRUPTED
        passed = all(scenario.outcome is not Outcome.FAILED for scenario in self.scenarios)
        ran = any(scenario.outcome is Outcome.PASSED for scenario in self.scenarios)
        return Exit.PASSED if passed and ran and not self.mistakes else Exit.FAILED


def run(job: Job, progress: Callable[[Scenario, int], None]) -> Outcomes:
    """Run every suite and write the reports; `progress(scenario, total)` after each scenario.

    TruestageError if there is nothing to run or the reports cannot be written.
    """
    for suite in job.suites:
        if not suite.exists():
            raise TruestageError(f"{suite}: no such suite")
    outcomes = Outcomes()
    with report_directory(job.reports) as directory:
        status = run_robot(
            *(str(suite) for suite in job.suites),
            name="Truestage",
            variable=[
                f"FIRMWARE:{job.firmware}",
                f"BOARD:{job.board}",
                f"ENGINE:{job.engine}",
            ],
            include=list(job.include),
            exclude=list(job.exclude),
            listener=_Collector(outcomes, progress),
            outputdir=str(directory),
            output="output.xml",
            log="log.html",
            report="report.html",
            console="none",
            stdout=_Nowhere(),
            stderr=_Nowhere(),
        )
        outcomes.interrupted |= status == _ROBOT_STOPPED
        if not outcomes.scenarios:
            raise TruestageError(_nothing_ran(job, outcomes))
        (directory / "junit.xml").write_text(junit_xml(outcomes.scenarios), encoding="utf-8")
    return outcomes


_ROBOT_STOPPED = 253
_NOT_RUN = "Execution terminated by signal"


class _Nowhere:
    """Robot's console, which the table replaces."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        pass


class _Collector:
    """Listens to Robot: how each test ended, and the reply that decided it."""

    ROBOT_LISTENER_API_VERSION = 3
    ROBOT_LISTENER_PRIORITY = 0

    def __init__(self, outcomes: Outcomes, progress: Callable[[Scenario, int], None]) -> None:
        self._outcomes = outcomes
        self._progress = progress
        self._total = 0
        self._place = ""

    def start_suite(self, data: Any, result: Any) -> None:
        if data.parent is None:
            self._total = data.test_count

    def start_test(self, data: Any, result: Any) -> None:
        self._place = ""

    def end_keyword(self, data: Any, result: Any) -> None:
        if result.failed and not self._place and "No keyword with name" in result.message:
            self._place = f"{_near(data.source)}:{data.lineno}: "

    def end_test(self, data: Any, result: Any) -> None:
        outcome = {"PASS": Outcome.PASSED, "SKIP": Outcome.SKIPPED}.get(
            result.status, Outcome.FAILED
        )
        if outcome is Outcome.FAILED and _NOT_RUN in result.message:
            outcome = Outcome.SKIPPED
            self._outcomes.interrupted = True
        scenario = Scenario(
            suite=data.parent.name,
            name=data.name,
            outcome=outcome,
            message=self._place + result.message if result.message else "",
            evidence=_evidence(),
        )
        self._outcomes.scenarios.append(scenario)
        self._progress(scenario, self._total)

    def message(self, message: Any) -> None:
        """Errors that Robot has with the suite files themselves."""
        if message.level == "ERROR":
            self._outcomes.mistakes.append(" ".join(message.message.split()))


def _evidence() -> Evidence:
    try:
        libraries: Any = BuiltIn().get_library_instance(all=True)
    except RobotNotRunningError:
        return Evidence()
    for library in libraries.values():
        if isinstance(library, Truestage):
            return library.session.evidence()
    return Evidence()


def _nothing_ran(job: Job, outcomes: Outcomes) -> str:
    if outcomes.mistakes:
        return outcomes.mistakes[0]
    where = ", ".join(str(suite) for suite in job.suites)
    chosen = [f"--include {tag}" for tag in job.include] + [f"--exclude {t}" for t in job.exclude]
    return f"{where}: no scenario to run{' with ' + ' '.join(chosen) if chosen else ''}"


def _near(source: Any) -> Path:
    path, here = Path(source), Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
