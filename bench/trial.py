"""A row measured to its end: rounds in turn, and once more where they disagreed."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec

from bench.series import Series, Verdict, steadiest

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.row import Row
    from bench.workbench import Workbench

ATTEMPTS: Final = 3  # times a row is measured until its rounds agree


class Result(msgspec.Struct, frozen=True):
    """What a row said."""

    name: str
    what: str
    against: str
    unit: str
    direction: str
    goal: float
    second: float
    ratio: float
    spread: float
    ours: float
    theirs: float
    rounds: list[tuple[float, float]]
    attempts: int
    verdict: Verdict
    reaches_second: bool


def measure(row: Row, bench: Workbench, *, say: Callable[[str], None]) -> Result:
    """Measure a row; one whose rounds disagree is measured again, the steadiest counts."""
    pairs = row.measure(bench)
    rounds = min(row.rounds, 2) if bench.quick else row.rounds
    attempts: list[Series] = []
    try:
        while len(attempts) < ATTEMPTS:
            found = Series(tuple(islice(pairs, rounds)))
            attempts.append(found)
            if found.is_steady or bench.quick:
                break
            say(f"{row.name}: the rounds differ by {found.spread:.0%}, measuring again")
    finally:
        close = getattr(pairs, "close", None)
        if close is not None:
            close()
    series = steadiest(attempts)
    return Result(
        name=row.name,
        what=row.what,
        against=row.against,
        unit=row.unit,
        direction=row.direction,
        goal=row.goal,
        second=row.second,
        ratio=series.ratio,
        spread=series.spread,
        ours=series.ours,
        theirs=series.theirs,
        rounds=[(pair.ours, pair.theirs) for pair in series.pairs],
        attempts=len(attempts),
        verdict=series.verdict(row.goal, row.direction),
        reaches_second=series.reaches(row.second, row.direction),
    )
