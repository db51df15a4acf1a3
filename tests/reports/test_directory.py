"""Reports replace the earlier ones together, or not at all."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from orchestrator.errors import TruestageError
from orchestrator.reports import report_directory


def names(directory: Path) -> set[str]:
    return {file.name for file in directory.iterdir()}


def test_new_reports_replace_earlier_ones_and_spare_foreign_files(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text("earlier")
    (tmp_path / "notes.txt").write_text("mine")
    with report_directory(tmp_path) as fresh:
        (fresh / "junit.xml").write_text("<testsuites></testsuites>\n")
        assert (tmp_path / "junit.xml").read_text() == "earlier"
    assert (tmp_path / "junit.xml").read_text() == "<testsuites></testsuites>\n"
    assert names(tmp_path) == {"junit.xml", "notes.txt"}


def test_an_error_meanwhile_leaves_the_earlier_reports(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text("earlier")
    with suppress(KeyboardInterrupt), report_directory(tmp_path) as fresh:
        (fresh / "junit.xml").write_text("<testsuites></testsuites>")
        raise KeyboardInterrupt
    assert (tmp_path / "junit.xml").read_text() == "earlier"
    assert names(tmp_path) == {"junit.xml"}


@pytest.mark.parametrize(
    ("name", "stump"),
    [("output.xml", "<robot><suite>"), ("log.html", "<html><body>"), ("junit.xml", "")],
)
def test_a_report_that_was_cut_short_is_not_published(
    tmp_path: Path, name: str, stump: str
) -> None:
    target = tmp_path / "reports"
    with pytest.raises(TruestageError, match=f"{name} could not be written completely"):  # noqa: SIM117
        with report_directory(target) as fresh:
            (fresh / name).write_text(stump)
    assert not target.exists()


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TruestageError, match="reports cannot be written"):  # noqa: SIM117
        with report_directory(tmp_path / "file" / "reports"):
            pass
