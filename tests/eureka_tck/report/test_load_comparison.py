"""Two storms beside each other: what was otherwise, in figures, in how they ran, in verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck import cli
from eureka_tck.fleet.finding import Finding
from eureka_tck.fleet.tally import Tally
from eureka_tck.report.load_comparison import comparison_page, text
from eureka_tck.report.load_difference import Figure, difference
from eureka_tck.report.load_report import save
from tests.eureka_tck.report.storms import STORM, stormed

if TYPE_CHECKING:
    from pathlib import Path

    from eureka_tck.report.load_report import LoadReport

SLOW = Tally(acknowledged=2100, intended_us={"PUT renew": {2_000: 2100}})
BROKEN = Finding("errors", "share that failed", "at most 0.001", "0.2", "broken")


def other(**changes: object) -> LoadReport:
    """Return a later storm: slower, of half the size, and with a budget that was broken."""
    half = msgspec.structs.replace(STORM, instances=500)
    fields = {"storm": half, "fleet": SLOW, "budgets": (BROKEN,), "started": "20261130T130000Z"}
    return stormed(**{**fields, **changes})


def test_two_storms_that_were_alike_have_no_difference() -> None:
    """Nothing was run otherwise, nothing judged otherwise, every figure is the same."""
    found = difference(stormed(), stormed())

    assert found.changes == ()
    assert found.turned == ()
    assert {one.ratio for one in found.figures} == {"same"}


def test_only_what_was_run_otherwise_is_listed() -> None:
    """Each with both values."""
    found = difference(stormed(), other(target="java:5.0.3", bounds={"errors": 0.001}))

    assert {one.name: (one.first, one.second) for one in found.changes} == {
        "target": ("python", "java:5.0.3"),
        "storm: instances": ("1000", "500"),
        "budget: renew_p99_ms": ("500", "–"),
    }


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (4.0, 5.0, "× 1.25"),
        (0.0, 3.0, "+ 3"),
        (3.0, 0.0, "− 3"),
        (3.0, 3.0, "same"),
        (None, 3.0, "–"),
        (3.0, None, "–"),
    ],
)
def test_a_figure_is_held_against_the_earlier_one(
    first: float | None, second: float | None, said: str
) -> None:
    """By their ratio, from or to nothing by their difference, and not at all where one lacks."""
    assert Figure("x", first, second).ratio == said


def test_a_figure_that_neither_has_is_not_listed() -> None:
    """One that one of them has, is."""
    names = {one.name for one in difference(stormed(samples=()), stormed()).figures}

    assert "largest memory of a node, MiB" in names
    assert "p99 of GET /apps, ms" not in names


def test_the_text_has_figures_changes_and_a_sentence() -> None:
    """The slower median stands beside the earlier, and the sentence names the broken budget."""
    said = text(stormed(), other())

    assert "median of renewals, intended, ms" in said
    assert "× 2" in said
    assert "storm: instances" in said
    assert said.endswith(
        "1 of 1 budget judged otherwise: share that failed: met, then broken; "
        "1 thing was run otherwise."
    )


def test_a_budget_that_only_one_had_is_not_judged_otherwise() -> None:
    """It is listed, and decides nothing."""
    page = comparison_page(stormed(budgets=()), other(), "again")

    assert (page.exit_code, page.verdict) == (0, "passed")
    assert page.tables[2].rows[0].cells == ("share that failed", "–", "broken", "–", "0.2")


def test_the_command_compares_two_storms(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1 for a budget that was judged otherwise, and a page of it."""
    for name, report in (("a", stormed()), ("b", other())):
        (tmp_path / name).mkdir()
        save(report, tmp_path / name)

    code = cli.main(["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--out", str(tmp_path)])

    assert code == 1
    assert "Figures beside each other" in capsys.readouterr().out
    (page,) = (tmp_path / "compare").glob("*/index.html")
    assert "Renewals by percentile" in page.read_text("utf-8")


def test_a_storm_is_not_held_against_a_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one that is no storm is named, whether it comes first or second."""
    save(stormed(), tmp_path)
    gate = tmp_path / "gate"
    gate.mkdir()
    (gate / "report.json").write_text('{"schema": 1, "suite": "conformance"}', "utf-8")

    for pair in ((tmp_path, gate), (gate, tmp_path)):
        assert cli.main(["compare", *map(str, pair), "--out", str(tmp_path)]) == 3
        assert "suite is 'conformance'; it must be 'load'" in capsys.readouterr().err
