"""A run's folder as a whole."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from eureka_tck.errors import CannotRun
from eureka_tck.report.store import load
from eureka_tck.report.writer import write

if TYPE_CHECKING:
    from pathlib import Path

    from eureka_tck.report.model import Report, RowVerdict, Verdict
    from tests.eureka_tck.report.conftest import Samples

WRITING_BUDGET = 2.0
"""Seconds of processor time for a run of the whole catalogue: a reader waits for it at the end."""
PAGE_BUDGET = 10_000_000
"""Bytes of a page that a browser opens at once."""


def files(folder: Path) -> set[str]:
    """Return what lies in a folder."""
    return {path.name for path in folder.iterdir()}


def test_a_run_leaves_its_four_files(samples: Samples, tmp_path: Path) -> None:
    """The folder is made, and has report, page, JUnit file and Allure results."""
    page = write(samples.every_verdict(), tmp_path / "run")

    assert page == tmp_path / "run" / "index.html"
    assert files(tmp_path / "run") == {"report.json", "index.html", "junit.xml", "allure-results"}


def test_a_stored_report_gives_the_same_page_again(samples: Samples, tmp_path: Path) -> None:
    """What was written can be loaded and written elsewhere, to the byte."""
    first = write(samples.every_verdict(), tmp_path / "first")

    second = write(load(tmp_path / "first"), tmp_path / "second")

    assert first.read_bytes() == second.read_bytes()
    assert (tmp_path / "first/report.json").read_bytes() == (
        tmp_path / "second/report.json"
    ).read_bytes()


def test_a_report_without_words_gets_them(samples: Samples, tmp_path: Path) -> None:
    """The stored report carries its verdict as a sentence, whoever made it."""
    silent = replace(samples.report(samples.rows("passed")), verdict_sentence="", verdict_word="")

    write(silent, tmp_path)

    assert load(tmp_path).verdict_sentence == "python keeps the only MUST row."


def test_a_folder_that_cannot_be_made_is_one_message(samples: Samples, tmp_path: Path) -> None:
    """A file in the folder's place ends in an error with a way out."""
    (tmp_path / "run").write_text("in the way")

    with pytest.raises(CannotRun, match=r"run: File exists\.\n  Give another folder with --out\."):
        write(samples.every_verdict(), tmp_path / "run")


def whole_catalogue(samples: Samples, verdict: Verdict) -> Report:
    """Return a run of 300 rows and 600 tests, each with ten exchanges of 4 KB."""
    row = samples.row("EVICT-01", verdict)
    exchange = replace(samples.exchange, response_body="<&>\n" * 1024, request_body="x" * 4096)
    test = replace(row.tests[0], result=replace(row.tests[0].result, exchanges=(exchange,) * 10))

    def numbered(number: int) -> RowVerdict:
        return replace(row, id=f"EVICT-{number:03}", tests=(test, test))

    return samples.report([numbered(number) for number in range(300)])


@pytest.mark.parametrize("verdict", ["failed", "passed"])
def test_a_whole_catalogue_is_written_quickly_and_small(
    samples: Samples, tmp_path: Path, verdict: Verdict
) -> None:
    """300 rows with 600 tests take under 2 s of processor time, the page under 10 MB."""
    report = whole_catalogue(samples, verdict)
    begun = time.process_time()

    page = write(report, tmp_path)

    assert time.process_time() - begun < WRITING_BUDGET
    assert page.stat().st_size < PAGE_BUDGET
