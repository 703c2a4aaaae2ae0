"""
Which tests are judged once more, how slowly, and beside how many others.

A test that said nothing says nothing about the registry: the machine was late, or what was to be
observed did not come about. On shared cores both happen by accident, so it is judged again,
with more time and less beside it. What it then says counts.

A failure beside which the machine was late may be the machine's: it is judged again in the same
way, once: if it fails again it has failed. So is a known deviation that did not show while the
machine was late. What is known to fail is not asked again, nor is a target that fails in many
profiles: it is the cause itself. Of one that failed in time see `contradiction`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.verdict.judgement import complaints

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from eureka_tck.report.model import Expectation, TestResult

PROFILES_AT_MOST: Final = 3
"""Profiles with tests that said nothing though the machine was in time, or with tests that failed.
A stall spoils one recording or two; where there are more, the target is the cause, and would only
be so again."""


@dataclass(frozen=True, slots=True)
class Retrial:
    """Another pass: `slower` divides the speed, `workers` profiles run side by side."""

    attempt: int
    slower: float
    workers: int
    how: str


RETRIALS: Final = (
    Retrial(2, 2.0, max(2, os.cpu_count() or 1), "at half speed"),
    Retrial(3, 4.0, 1, "at a quarter of the speed, one profile after the other"),
)
"""The first still uses the cores side by side, since there may be many; the last has the machine
for itself."""


def unsettled(
    results: Iterable[TestResult],
    expectations: Sequence[Expectation] = (),
    observed: Collection[str] = (),
) -> tuple[str, ...]:
    """
    Return the tests that are worth another pass.

    Args:
        results: what the tests have found until now, one a test.
        expectations: what the target is known to break.
        observed: rows that fail nobody, however they turn out.
    """
    results = tuple(results)
    silent = [result for result in results if result.outcome == "inconclusive"]
    late = [result for result in silent if result.late]
    others = _few(result for result in silent if not result.late and not result.traceback)
    against = _few(complaints(results, expectations, observed))
    doubted = [result for result in against if result.late and result.attempt == 1]
    return tuple(result.id for result in (*late, *others, *doubted))


def _few(results: Iterable[TestResult]) -> tuple[TestResult, ...]:
    """Return them where they are of few profiles, else none."""
    few = tuple(results)
    return few if len({result.profile for result in few}) <= PROFILES_AT_MOST else ()
