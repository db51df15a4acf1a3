"""`truestage`: commands, and one clear line for whatever goes wrong."""

from __future__ import annotations

import json
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from orchestrator import emulate as emulation
from orchestrator.board import Board
from orchestrator.cli import call as one_call
from orchestrator.device import Device
from orchestrator.emulate import Exit
from orchestrator.engines import ENGINES, FirmwareImage
from orchestrator.errors import EngineError, TruestageError
from orchestrator.faults import describe_faults, parse_fault
from orchestrator.project import default_board, default_firmware, default_suites, near
from orchestrator.reports import Outcome, Scenario, failures, scenario_table, summary_line
from orchestrator.tool_arguments import find_tool, tool_arguments

app = typer.Typer(
    name="truestage",
    help="Proves that when an MCP tool on an ESP32 answers 'done', the hardware did it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

FirmwareOption = Annotated[
    Path | None, typer.Option("--firmware", help="The application's ELF file.", metavar="ELF")
]
VariantOption = Annotated[
    str,
    typer.Option("--variant", help="One of the project's own firmwares."),
]
BoardOption = Annotated[
    Path | None, typer.Option("--board", help="The board file.", metavar="TOML")
]
EngineOption = Annotated[str, typer.Option("--engine", help=f"One of: {', '.join(ENGINES)}.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"truestage {version('truestage')}")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    pass


@app.command()
def emulate(
    firmware: FirmwareOption = None,
    variant: VariantOption = "good",
    board: BoardOption = None,
    engine: EngineOption = "embedded",
    suites: Annotated[
        list[Path] | None, typer.Option("--suites", help="Suite files or directories.")
    ] = None,
    reports: Annotated[Path, typer.Option("--reports", help="Where reports go.")] = Path("reports"),
    include: Annotated[list[str] | None, typer.Option("--include", metavar="TAG")] = None,
    exclude: Annotated[list[str] | None, typer.Option("--exclude", metavar="TAG")] = None,
) -> None:
    """Run the Robot suites on an emulated device; exit 0 only if every scenario passed."""
    console = _console()
    elf, board_file = _inputs(firmware, variant, board, engine)
    digest = FirmwareImage(elf).digest
    Board.load(board_file)
    console.print(f"[bold]engine[/]    {engine}", highlight=False)
    console.print(f"[bold]firmware[/]  {elf} (SHA-256 {digest[:16]})", highlight=False)
    console.print(f"[bold]board[/]     {board_file}", highlight=False)
    job = emulation.Job(
        suites=suites or [default_suites()],
        firmware=elf,
        digest=digest,
        board=board_file,
        engine=engine,
        reports=reports,
        include=include or (),
        exclude=exclude or (),
    )
    begin = time.monotonic()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task("booting", total=None)

        def progress(scenario: Scenario, total: int) -> None:
            failed = scenario.outcome is Outcome.FAILED
            label = f"{'[red]✗[/]' if failed else '[green]✓[/]'} {escape(scenario.name[:50])}"
            bar.update(task, advance=1, total=total, description=label)

        outcomes = emulation.run(job, progress)
    console.print(scenario_table(outcomes.scenarios))
    for line in failures(outcomes.scenarios):
        console.print(line, highlight=False)
    if outcomes.interrupted:
        console.print("[yellow]interrupted: the scenarios above had run[/]")
    console.print(
        f"{summary_line(outcomes.scenarios)}  [dim]({time.monotonic() - begin:.1f} s; "
        f"{near(reports.resolve())}/log.html)[/]",
        highlight=False,
    )
    raise typer.Exit(outcomes.exit_status)


@app.command()
def call(
    tool: Annotated[str, typer.Argument(help="The MCP tool.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(help="Its arguments as name=value.", metavar="NAME=VALUE")
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option("--fault", help="What breaks, e.g. 'nack es8388 DACCONTROL4 times=1'."),
    ] = None,
    firmware: FirmwareOption = None,
    variant: VariantOption = "good",
    board: BoardOption = None,
    engine: EngineOption = "embedded",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    transcript: Annotated[bool, typer.Option("--transcript", help="Show the wires.")] = False,
) -> None:
    """Call one tool, with faults, and judge the reply; exit 0 only if it is honest."""
    faults = [parse_fault(text) for text in fault or ()]
    given = one_call.split_arguments(arguments or ())
    with _booted(firmware, variant, board, engine) as device:
        typed = tool_arguments(find_tool(device.tools, tool), given)
        outcome = one_call.make(device, tool, typed, faults)
    if as_json:
        print(json.dumps(outcome.as_data(), indent=2))
    else:
        outcome.show(_console(), transcript=transcript)
    raise typer.Exit(Exit.PASSED if outcome.honest else Exit.FAILED)


@app.command()
def tools(
    firmware: FirmwareOption = None,
    variant: VariantOption = "good",
    board: BoardOption = None,
    engine: EngineOption = "embedded",
) -> None:
    """List the device's MCP tools with their schemas, as JSON."""
    with _booted(firmware, variant, board, engine) as device:
        listing = [
            tool.model_dump(by_alias=True, mode="json", exclude_none=True)
            for tool in device.tools.values()
        ]
    print(json.dumps(listing, indent=2))


@app.command()
def faults() -> None:
    """List the kinds of faults: how each is written, and its physics."""
    console = Console(highlight=False)
    for usage, physics in describe_faults():
        console.print(f"[bold]{escape(usage.removeprefix('usage: '))}[/]")
        for line in physics.splitlines():
            console.print(f"    {escape(line.strip())}")


def _console() -> Console:
    """A terminal as wide as it is; a file or a CI log wide enough for the table."""
    return Console(width=None if sys.stdout.isatty() else 200)


def _inputs(
    firmware: Path | None, variant: str, board: Path | None, engine: str
) -> tuple[Path, Path]:
    if engine not in ENGINES:
        raise EngineError(f"no engine is called '{engine}'; known: {', '.join(ENGINES)}")
    return firmware or default_firmware(variant), board or default_board()


def _booted(firmware: Path | None, variant: str, board: Path | None, engine: str) -> Device:
    elf, board_file = _inputs(firmware, variant, board, engine)
    device = Device(Board.load(board_file), elf, engine)
    device.boot()
    return device


def main() -> None:
    """The entry point: run a command, and turn whatever goes wrong into one line."""
    try:
        status = app(standalone_mode=False)
    except TruestageError as error:
        status = _complain(str(error), Exit.BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        status = _complain("interrupted", Exit.INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = Exit.FAILED
    except Exception as error:
        usage = getattr(error, "format_message", None)
        if usage is not None:
            status = _complain(f"{usage()} (see truestage --help)", Exit.BAD_INPUT)
        elif os.environ.get("TRUESTAGE_DEBUG"):
            raise
        else:
            what = f"{type(error).__name__}: {error}".splitlines()[0]
            hint = "please report it with the output under TRUESTAGE_DEBUG=1"
            status = _complain(f"internal error: {what}; {hint}", Exit.INTERNAL)
    sys.exit(int(status or 0))


def _complain(message: str, status: Exit) -> Exit:
    for line in message.splitlines():
        print(f"truestage: {line}", file=sys.stderr)
    return status


__all__ = ["app", "main"]
