"""A row measured to its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import msgspec

from bench import table, trial
from bench.row import Row
from bench.series import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.workbench import Workbench


@dataclass
class Bench:
    """A workbench that has nothing but its haste."""

    quick: bool = False


def row_of(*ours: float) -> Row:
    """Return a row whose rounds measure these against 10."""

    def measure(_: Workbench) -> Iterator[Pair]:
        for one in ours:
            yield Pair(one, 10.0)

    return Row("row", "this", "that", "/s", "at least", 3.0, 4.0, 3, (), measure)


def measured(row: Row, *, quick: bool = False) -> tuple[trial.Result, list[str]]:
    """Return the result and what was said meanwhile."""
    said: list[str] = []
    bench = cast("Workbench", Bench(quick))
    return trial.measure(row, bench, say=said.append), said


def test_a_steady_row_is_measured_once() -> None:
    """Three rounds, as the row wants."""
    result, said = measured(row_of(30, 31, 32, 99))

    assert (result.attempts, result.verdict, said) == (1, "met", [])
    assert result.rounds == [(30.0, 10.0), (31.0, 10.0), (32.0, 10.0)]
    assert not result.reaches_second


def test_a_row_whose_rounds_disagree_is_measured_again() -> None:
    """And the steady attempt is what counts."""
    result, said = measured(row_of(10, 50, 90, 40, 41, 42))

    assert (result.attempts, result.ratio, result.verdict) == (2, 4.1, "met")
    assert result.reaches_second
    assert said == ["row: the rounds differ by 80%, measuring again"]


def test_a_row_that_never_agrees_is_unsteady() -> None:
    """After three attempts, and that is not met."""
    result, said = measured(row_of(*(10, 50, 90) * 3))

    assert (result.attempts, result.verdict, len(said)) == (3, "unsteady", 3)


def test_a_quick_row_has_two_rounds_and_one_attempt() -> None:
    """It shows that the row can be measured."""
    result, _ = measured(row_of(10, 90), quick=True)

    assert (result.attempts, len(result.rounds)) == (1, 2)


def test_the_line_of_a_row_tells_goal_ratio_spread_and_verdict() -> None:
    """Both goals, in the row's direction."""
    result, _ = measured(row_of(41, 42, 43))
    line = table.line(result)

    assert all(
        part in line for part in ("≥ 3", "≥ 4", "4.2", "met, second goal too", "this | that")
    )
    assert "≤ 3" in table.line(msgspec.structs.replace(result, direction="at most"))
