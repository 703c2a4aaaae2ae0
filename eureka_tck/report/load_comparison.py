"""
Two storms beside each other as a reader sees them: as text for a terminal, and as a page.

The second run is the one that is looked at; the first is what it is held against.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.fleet.sighting import RENEW
from eureka_tck.report.figures import counted
from eureka_tck.report.load_difference import ABSENT, LoadDifference, difference, shown
from eureka_tck.report.load_panels import budgets_of
from eureka_tck.report.percentile_plot import Curve, beside
from eureka_tck.report.run_page import Fact, Row, RunPage, Table

if TYPE_CHECKING:
    from eureka_tck.report.drawing import Chart
    from eureka_tck.report.load_report import LoadReport

SIDES: Final = ("A", "B")


def comparison_page(first: LoadReport, second: LoadReport, command: str) -> RunPage:
    """Return the page of a comparison; its exit code is 1 where a budget was judged otherwise."""
    found = difference(first, second)
    return RunPage(
        title=f"{first.storm.name} on {first.target} beside {second.storm.name} on {second.target}",
        verdict="inconclusive" if found.turned else "passed",
        verdict_word="Judged otherwise" if found.turned else "Judged alike",
        sentence=sentence(found),
        lead="A is what B is held against. How much two runs differ by chance is not known from "
        "two; so no figure is called better or worse.",
        facts=[
            Fact(side, f"{run.target}, storm {run.storm.name}", f"{run.started}, seed {run.seed}")
            for side, run in zip(SIDES, (first, second), strict=True)
        ],
        tables=tables(found),
        charts=[one for one in (chart(first, second),) if one is not None],
        command=command,
        exit_code=int(bool(found.turned)),
    )


def sentence(found: LoadDifference) -> str:
    """Say in a sentence what two storms say of each other."""
    both = sum(bool(one.first and one.second) for one in found.judged)
    run = (
        f"{counted(len(found.changes), 'thing was', 'things were')} run otherwise"
        if found.changes
        else "both were run alike"
    )
    if not found.turned:
        return f"Both say the same of {counted(both, 'budget')}; {run}."
    told = "; ".join(f"{one.sentence}: {one.first}, then {one.second}" for one in found.turned)
    return f"{len(found.turned)} of {counted(both, 'budget')} judged otherwise: {told}; {run}."


def chart(first: LoadReport, second: LoadReport) -> Chart | None:
    """Return the percentiles of both in one plot."""
    one, other = (run.fleet.intended_us.get(RENEW, {}) for run in (first, second))
    curves = (Curve("B", other, "s-a"), Curve("A, earlier", one, "s-c"))
    return beside(curves, budgets_of(second))


def tables(found: LoadDifference) -> list[Table]:
    """Return the figures, what was run otherwise, and the budgets, as tables."""
    return [
        Table(
            "Figures beside each other",
            ("Figure", *SIDES, "B to A"),
            [
                Row((one.name, shown(one.first), shown(one.second), one.ratio))
                for one in found.figures
            ],
            numbers={1, 2, 3},
        ),
        Table(
            "What was run otherwise",
            ("What", *SIDES),
            [Row((one.name, one.first, one.second)) for one in found.changes],
            lead="All else was the same: target, storm, generator, machine, versions, budgets.",
        ),
        Table(
            "Budgets of both",
            ("What must hold", "A", "B", "Measured in A", "Measured in B"),
            [
                Row(
                    (
                        one.sentence,
                        one.first or ABSENT,
                        one.second or ABSENT,
                        one.first_measured,
                        one.second_measured,
                    )
                )
                for one in found.judged
            ],
        ),
    ]


def text(first: LoadReport, second: LoadReport) -> str:
    """Return the comparison for a terminal."""
    found = difference(first, second)
    lines = []
    for table in tables(found)[:2]:
        rows = [[str(cell) for cell in row.cells] for row in table.rows]
        if rows:
            lines += ["", table.title, *_aligned([list(table.head), *rows])]
    return "\n".join([*lines, "", sentence(found)])


def _aligned(rows: list[list[str]]) -> list[str]:
    """Return the rows in columns, the first on the left, the others on the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
