"""
What differs between two runs of the conformance suite, requirement by requirement.

Pure: two reports come in, values go out. Stamps, ids and durations differ always and mean nothing;
what counts are verdicts, outcomes, and the part of a wrong answer that says how it is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.verdict.expectations import telling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eureka_tck.report.model import JudgedTest, Report, RowVerdict, TestResult, Verdict
    from eureka_tck.wire.exchange import Exchange


@dataclass(frozen=True, slots=True)
class Side:
    """What one run says; `verdict` is None where it did not judge."""

    verdict: Verdict | None
    sentence: str = ""
    exchange: Exchange | None = None


@dataclass(frozen=True, slots=True)
class TestDifference:
    """A test that ended differently in the two runs."""

    __test__ = False  # pytest: the name is the domain's, not a test class

    id: str
    fact: str
    sides: tuple[Side, Side]


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A requirement about which the two runs say different things."""

    id: str
    level: str
    text: str
    verdicts: tuple[Verdict, Verdict]
    tests: tuple[TestDifference, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    Two runs beside each other.

    `same` is the number of rows both judged alike; `only` are the rows that only the first, and
    only the second of them judged.
    """

    differences: tuple[RowDifference, ...]
    same: int
    only: tuple[tuple[str, ...], tuple[str, ...]]


def compare(first: Report, second: Report) -> Comparison:
    """Return what differs."""
    rows = tuple({row.id: row for row in report.rows if row.verdict} for report in (first, second))
    shared = [row_id for row_id in rows[0] if row_id in rows[1]]
    pairs = [(rows[0][row_id], rows[1][row_id]) for row_id in shared]
    differences = tuple(found for one, other in pairs if (found := _row(one, other)))
    return Comparison(
        differences=differences,
        same=len(shared) - len(differences),
        only=(
            tuple(row_id for row_id in rows[0] if row_id not in rows[1]),
            tuple(row_id for row_id in rows[1] if row_id not in rows[0]),
        ),
    )


def _row(one: RowVerdict, other: RowVerdict) -> RowDifference | None:
    tests = tuple(_tests(one, other))
    if one.verdict is None or other.verdict is None:
        return None
    if one.verdict == other.verdict and not tests:
        return None
    return RowDifference(one.id, one.level, one.text, (one.verdict, other.verdict), tests)


def _tests(one: RowVerdict, other: RowVerdict) -> Iterator[TestDifference]:
    """Yield the tests of a row that both runs made and that ended differently."""
    others = {test.result.id: test for test in other.tests}
    for test in one.tests:
        twin = others.get(test.result.id)
        if twin is not None and _end(test.result) != _end(twin.result):
            yield TestDifference(test.result.id, test.result.docstring, (_side(test), _side(twin)))


def _end(result: TestResult) -> tuple[str, str]:
    return result.outcome, telling(result) if result.outcome == "failed" else ""


def _side(test: JudgedTest) -> Side:
    result = test.result
    marked = result.marks[0].exchange if result.marks else -1
    exchange = result.exchanges[marked] if result.exchanges else None
    return Side(test.verdict, test.sentence or result.sentence, exchange)
