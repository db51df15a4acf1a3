"""The command line: one clear line for bad input, exit statuses, reports that change as a whole."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import BOARD, ROOT

MAIN = [sys.executable, "-c", "from orchestrator.cli import main; main()"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
SUITE = """*** Settings ***
Library         orchestrator.robot_library.Truestage    AS    Truestage
Test Setup      Restore Device

*** Test Cases ***
"""


def truestage(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MAIN, *map(str, arguments)],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module")
def elf(firmware: Callable[[str], Path]) -> Path:
    return firmware("good")


@pytest.fixture
def suite(tmp_path: Path) -> Callable[[str], Path]:
    def write(body: str) -> Path:
        path = tmp_path / "made.robot"
        path.write_text(SUITE + body)
        return path

    return write


def refused(*arguments: str | Path) -> str:
    """The single line that a call with bad input leaves on standard error."""
    result = truestage(*arguments)
    assert result.returncode == 2, result.stdout + result.stderr
    (line,) = result.stderr.splitlines()
    assert line.startswith("truestage: ")
    return line


def test_a_missing_firmware() -> None:
    assert "/absent.elf: no such firmware file" in refused("emulate", "--firmware", "/absent.elf")


def test_a_firmware_for_this_computer() -> None:
    assert "ESP32-C3" in refused(
        "call", "SetOutputVolume", "--firmware", shutil.which("true") or ""
    )


def test_a_truncated_firmware(elf: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.elf").write_bytes(elf.read_bytes()[:5000])
    assert "truncated or damaged" in refused("emulate", "--firmware", tmp_path / "cut.elf")


def test_a_board_with_a_mistake(elf: Path, tmp_path: Path) -> None:
    board = tmp_path / "board.toml"
    board.write_text(BOARD.read_text().replace("address = 0x10", "address = 0x110"))
    line = BOARD.read_text()[: BOARD.read_text().index("address = 0x10")].count("\n") + 1
    message = refused("emulate", "--firmware", elf, "--board", board)
    assert f"board.toml:{line}: device 'es8388': address 0x110 is not a 7-bit address" in message


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("nac es8388 DACCONTROL4", "did you mean 'nack'?"),
        ("nack es8388 DACCONTROL44", "has no register 'DACCONTROL44' (did you mean DACCONTROL4"),
        ("nack es9 DACCONTROL4", "the board has no chip 'es9' (it has es8388, ssd1306)"),
        ("nack es8388 DACCONTROL4 time=1", "no setting is called 'time'"),
        ("nack es8388 DACCONTROL4 times=0", "greater than 0"),
        ("clamp es8388 DACCONTROL4 min=0x60 max=0x10", "minimum 96 is above maximum 16"),
    ],
)
def test_a_wrong_fault(elf: Path, fault: str, message: str) -> None:
    call = ("call", "SetOutputVolume", "volume=60", "--firmware", elf, "--fault", fault)
    assert message in refused(*call)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["SetOutputVolum", "volume=60"], "did you mean SetOutputVolume?"),
        (["SetOutputVolume", "volum=60"], "did you mean volume?"),
        (["SetOutputVolume", "volume=loud"], "is of type integer"),
        (["SetOutputVolume", "60"], "name=value"),
        (["SetOutputVolume"], "needs volume=..."),
    ],
)
def test_a_wrong_call(elf: Path, words: list[str], message: str) -> None:
    assert message in refused("call", *words, "--firmware", elf)


def test_an_unknown_command_and_engine(elf: Path) -> None:
    assert "emulat" in refused("emulat")
    assert "known: embedded" in refused("emulate", "--engine", "qemu", "--firmware", elf)


def test_one_call_with_a_fault(elf: Path) -> None:
    fault = "nack es8388 DACCONTROL4 times=1"
    result = truestage("call", "SetOutputVolume", "volume=60", "--firmware", elf, "--fault", fault)
    assert result.returncode == 0
    assert "honest: said confirmed 60, and it was" in result.stdout
    assert "-20.0 dB left, -20.0 dB right" in result.stdout


def test_one_call_of_a_lying_firmware(firmware: Callable[[str], Path]) -> None:
    result = truestage(
        *("call", "SetOutputVolume", "volume=60", "--json", "--firmware"), firmware("queued")
    )
    assert result.returncode == 1
    assert json.loads(result.stdout)["verdict"] == "false success"


def test_reports_and_the_exit_status_of_a_failing_scenario(
    elf: Path, suite: Callable[[str], Path], tmp_path: Path
) -> None:
    path = suite(
        "Right\n    Call Tool    SetOutputVolume    volume=60\n"
        "Wrong\n    Call Tool    SetOutputVolume    volume=60\n    Stage Should Be    failed\n"
    )
    reports = tmp_path / "reports"
    result = truestage("emulate", "--firmware", elf, "--suites", path, "--reports", reports)
    assert result.returncode == 1
    assert "2 scenarios, 1 passed, 1 failed" in result.stdout
    names = {"junit.xml", "log.html", "report.html", "output.xml"}
    assert {file.name for file in reports.iterdir()} == names
    cases = ET.parse(reports / "junit.xml").getroot().iter("testcase")
    failed = [case.get("name") for case in cases if case.find("failure") is not None]
    assert failed == ["Wrong"]


def test_a_reply_that_a_test_forgets_to_judge_fails_it(
    firmware: Callable[[str], Path], suite: Callable[[str], Path], tmp_path: Path
) -> None:
    path = suite("Forgetful\n    Call Tool    SetOutputVolume    volume=60\n")
    elf = firmware("queued")
    result = truestage("emulate", "--firmware", elf, "--suites", path, "--reports", tmp_path / "r")
    assert result.returncode == 1
    assert "false success" in result.stdout


@pytest.mark.parametrize(
    ("body", "after", "message"),
    [
        (
            "Typo\n    Call Tol    SetOutputVolume\n",
            2,
            "No keyword with name 'Call Tol' found. Did you mean: Truestage.Call Tool",
        ),
        ("Short\n    NACK Write    es8388\n", 2, "expected 2 to 6 arguments, got 1."),
        (
            "Strange\n    [Tagz]    x\n    No Operation\n",
            2,
            "Non-existing setting 'Tagz'. Did you mean: Tags",
        ),
        ("Empty\n", 1, "Test cannot be empty."),
    ],
)
def test_a_mistake_in_a_suite_gives_its_place_and_touches_no_report(
    elf: Path, suite: Callable[[str], Path], tmp_path: Path, body: str, after: int, message: str
) -> None:
    path = suite(body)
    line = refused("emulate", "--firmware", elf, "--suites", path, "--reports", tmp_path / "r")
    assert f"made.robot:{len(SUITE.splitlines()) + after}: " in line
    assert line.endswith(message)
    assert not (tmp_path / "r").exists()


def test_a_resource_that_is_missing(elf: Path, tmp_path: Path) -> None:
    path = tmp_path / "made.robot"
    path.write_text(
        "*** Settings ***\nResource    absent.resource\n*** Test Cases ***\nOne\n    No Operation\n"
    )
    line = refused("emulate", "--firmware", elf, "--suites", path, "--reports", tmp_path / "r")
    assert "made.robot:2: Resource file 'absent.resource' does not exist." in line


def test_nothing_to_run(elf: Path, tmp_path: Path) -> None:
    options = ("--firmware", elf, "--reports", tmp_path / "r")
    assert "no such suite" in refused("emulate", "--suites", "/absent", *options)
    assert "no scenario to run with --include none" in refused(
        "emulate", "--include", "none", *options
    )
    assert not (tmp_path / "r").exists()


def test_reports_that_cannot_be_written(elf: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    line = refused("emulate", "--firmware", elf, "--reports", tmp_path / "file")
    assert "reports cannot be written" in line
    assert (tmp_path / "file").read_text() == "kept"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False).returncode:
        pytest.skip("a small disk can only be mounted as root")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_leaves_earlier_reports_untouched(elf: Path, small_disk: Path) -> None:
    (small_disk / "junit.xml").write_text("earlier")
    line = refused("emulate", "--firmware", elf, "--reports", small_disk)
    assert str(small_disk) in line
    assert [file.name for file in small_disk.iterdir()] == ["junit.xml"]
    assert (small_disk / "junit.xml").read_text() == "earlier"


def test_an_interrupt_keeps_what_has_run(
    elf: Path, suite: Callable[[str], Path], tmp_path: Path
) -> None:
    calls = "    Call Tool    SetOutputVolume    volume=60\n"
    mark = tmp_path / "running"
    touch = f"    Evaluate    pathlib.Path(r'{mark}').touch()\n"
    path = suite(
        f"First\n{calls}Endless\n{touch}    WHILE    True    limit=NONE\n    {calls}    END\n"
    )
    reports = tmp_path / "reports"
    process = subprocess.Popen(
        [*MAIN, "emulate", "--firmware", elf, "--suites", path, "--reports", reports],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not mark.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    assert "interrupted" in output
    assert "1 passed" in output
    assert (reports / "junit.xml").is_file()
