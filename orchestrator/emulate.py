"""Runs Robot suites on an emulated device and says how each scenario ended."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError
from robot.run import run as run_robot

from orchestrator.errors import TruestageError
from orchestrator.project import near
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
    digest: str
    """The firmware's SHA-256."""
    board: Path
    engine: str
    reports: Path
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()


@dataclass
class Outcomes:
    """What became of a job."""

    scenarios: list[Scenario] = field(default_factory=list)
    interrupted: bool = False

    @property
    def exit_status(self) -> Exit:
        """Passed only if something ran and all of it passed."""
        if self.interrupted:
            return Exit.INTERRUPTED
        passed = all(scenario.outcome is not Outcome.FAILED for scenario in self.scenarios)
        ran = any(scenario.outcome is Outcome.PASSED for scenario in self.scenarios)
        return Exit.PASSED if passed and ran else Exit.FAILED


def run(job: Job, progress: Callable[[Scenario, int], None]) -> Outcomes:
    """Run every suite and write the reports; `progress(scenario, total)` after each scenario.

    TruestageError if there is nothing to run, if a suite is not written as it must be, or if
    the reports cannot be written; earlier reports are then untouched.
    """
    for suite in job.suites:
        if not suite.exists():
            raise TruestageError(f"{suite}: no such suite")
    _proofread(job)
    outcomes = Outcomes()
    with report_directory(job.reports) as directory:
        status = _robot(
            job,
            _Collector(outcomes, progress),
            metadata=[
                f"Firmware:{job.firmware} (SHA-256 {job.digest})",
                f"Board:{job.board.stem} ({job.board})",
                f"Engine:{job.engine}",
            ],
            outputdir=str(directory),
            output="output.xml",
            log="log.html",
            report="report.html",
            logtitle="Truestage log",
            reporttitle="Truestage report",
        )
        outcomes.interrupted |= status == _ROBOT_STOPPED
        if not outcomes.scenarios:
            raise TruestageError(_nothing_ran(job))
        (directory / "junit.xml").write_text(junit_xml(outcomes.scenarios), encoding="utf-8")
    return outcomes


def _robot(job: Job, listener: object, **options: Any) -> int:
    status: int = run_robot(
        *(str(suite) for suite in job.suites),
        name="Truestage",
        variable=[f"FIRMWARE:{job.firmware}", f"BOARD:{job.board}", f"ENGINE:{job.engine}"],
        include=list(job.include),
        exclude=list(job.exclude),
        listener=listener,
        console="none",
        stdout=_Nowhere(),
        stderr=_Nowhere(),
        **options,
    )
    return status


def _proofread(job: Job) -> None:
    """Read the suites without running them; TruestageError with a line for every mistake."""
    reader = _Proofreader()
    _robot(job, reader, dryrun=True, output=None, log=None, report=None)
    if reader.mistakes:
        raise TruestageError("\n".join(dict.fromkeys(reader.mistakes)))


_ROBOT_STOPPED = 253
_NOT_RUN = "Execution terminated by signal"


class _Nowhere:
    """Robot's console, which the table replaces."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        pass


class _Proofreader:
    """Listens to a dry run: unknown keywords, wrong arguments, lines that are no Robot syntax."""

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self) -> None:
        self.mistakes: list[str] = []
        self._told = False

    def start_test(self, data: Any, result: Any) -> None:
        self._told = False

    def end_body_item(self, data: Any, result: Any) -> None:
        if result.failed and not self._told:
            self._tell(data, result.message)

    def end_test(self, data: Any, result: Any) -> None:
        if result.failed and not self._told:
            self._tell(data, result.message)

    def message(self, message: Any) -> None:
        """Errors that Robot has with the suite files themselves."""
        if message.level == "ERROR":
            self.mistakes.append(_placed(" ".join(message.message.split())))

    def _tell(self, data: Any, message: str) -> None:
        self._told = True
        self.mistakes.append(f"{_near(data.source)}:{data.lineno}: {' '.join(message.split())}")


class _Collector:
    """Listens to Robot: how each test ended, and the reply that decided it."""

    ROBOT_LISTENER_API_VERSION = 3
    ROBOT_LISTENER_PRIORITY = 0

    def __init__(self, outcomes: Outcomes, progress: Callable[[Scenario, int], None]) -> None:
        self._outcomes = outcomes
        self._progress = progress
        self._total = 0

    def start_suite(self, data: Any, result: Any) -> None:
        if data.parent is None:
            self._total = data.test_count

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
            message=result.message,
            evidence=_evidence(),
        )
        self._outcomes.scenarios.append(scenario)
        self._progress(scenario, self._total)


def _evidence() -> Evidence:
    try:
        libraries: Any = BuiltIn().get_library_instance(all=True)
    except RobotNotRunningError:
        return Evidence()
    for library in libraries.values():
        if isinstance(library, Truestage):
            return library.session.evidence()
    return Evidence()


def _nothing_ran(job: Job) -> str:
    where = ", ".join(str(suite) for suite in job.suites)
    chosen = [f"--include {tag}" for tag in job.include] + [f"--exclude {t}" for t in job.exclude]
    return f"{where}: no scenario to run{' with ' + ' '.join(chosen) if chosen else ''}"


def _near(source: Any) -> Path:
    return near(Path(source))


def _placed(message: str) -> str:
    """`Error in file 'F' on line 3: why` as `F:3: why`."""
    found = re.fullmatch(r"Error in file '(.+?)' on line (\d+): (.*)", message)
    return f"{_near(found[1])}:{found[2]}: {found[3]}" if found else message
