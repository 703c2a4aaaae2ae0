"""The page of a chaos or load run: facts and tables in the shared style."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.report.run_page import Cell, Fact, Link, Row, RunPage, Table, write_simple

if TYPE_CHECKING:
    from pathlib import Path

PROMISES = Table(
    "Promises",
    ("Promise", "Budget", "Measured"),
    [
        Row((Cell("No live instance is evicted.", "25 instances"), "0", "3"), "failed", "Broken"),
        Row(("Peers converge.", "65 s", "12.1 s"), "passed", "Kept"),
        Row(("Overrides converge.", "20.5 s", "never"), "known deviation"),
    ],
    lead="Budgets are in registry seconds.",
    numbers={1, 2},
)


def page(**changes: object) -> RunPage:
    """Return a page of a chaos run."""
    whole: dict[str, object] = {
        "title": "Chaos on python, scenario partition-one",
        "verdict": "failed",
        "verdict_word": "Not conformant",
        "sentence": "python breaks 1 promise of 3: node b evicted 3 live instances.",
        "lead": "The cut lasted 45 s.",
        "facts": (Fact("Seed", "11", "reproduced in 5 of 5 runs"),),
        "tables": (PROMISES,),
        "links": (Link("history.jsonl"), Link("locust.html", "Locust's own report")),
        "command": "eureka-tck chaos --scenario partition-one --seed 11",
        "exit_code": 1,
    }
    return RunPage(**(whole | changes))  # type: ignore[arg-type]  # one default a field


def test_the_page_tells_verdict_facts_and_tables(tmp_path: Path) -> None:
    """All that was given stands on the page, each row of a judged table with its word."""
    text = write_simple(tmp_path, page()).read_text("utf-8")

    for part in (
        "<title>Not conformant: Chaos on python, scenario partition-one</title>",
        "python breaks 1 promise of 3: node b evicted 3 live instances.",
        "reproduced in 5 of 5 runs",
        "eureka-tck chaos --scenario partition-one --seed 11",
        "</svg>Broken</td>",
        "</svg>Kept</td>",
        "</svg>Known deviation</td>",
        'href="./history.jsonl"',
        "Locust&#39;s own report",
    ):
        assert part in text, part


def test_a_table_without_verdicts_has_no_verdict_column(tmp_path: Path) -> None:
    """Plain lists, such as the faults of a run, stay plain."""
    faults = Table("Faults", ("Begin", "End"), [Row(("60 s", "105 s"))])
    text = write_simple(tmp_path, page(tables=(faults,))).read_text("utf-8")

    assert "<th>Verdict</th>" not in text
    assert '<th scope="row" data-h="Begin">60 s</th>' in text


def test_an_empty_table_says_so(tmp_path: Path) -> None:
    """A table without rows is not a blank."""
    text = write_simple(tmp_path, page(tables=(Table("Faults", ("Begin",), []),))).read_text(
        "utf-8"
    )

    assert "Nothing to list." in text


def test_hostile_text_is_text(tmp_path: Path) -> None:
    """Markup in a title, a cell or a file name is shown, not obeyed."""
    bad = "</title><script>alert(1)</script>\ud800"
    table = Table(bad, (bad,), [Row((Cell(bad, bad),), "failed", bad)], lead=bad)
    whole = page(
        title=bad, verdict_word=bad, tables=(table,), links=(Link(bad), Link("javascript:x"))
    )

    text = write_simple(tmp_path, whole).read_text("utf-8")

    assert "<script>alert" not in text
    assert 'href="./javascript%3Ax"' in text
    assert text.count("<script>") == 1


def test_a_page_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A folder that is gone ends in one clear message."""
    with pytest.raises(CannotRun, match=r"index\.html cannot be written: No such file"):
        write_simple(tmp_path / "gone", page())
