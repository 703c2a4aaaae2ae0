"""
Which tests are judged once more, how slowly, and beside how many others.

A test that said nothing says nothing about the registry: the machine was late, or what was to be
observed did not come about. On shared cores both happen by accident, so it is judged again,
with more time and less beside it. What it then says counts; a second verdict of failure is one.
A test that passed is never judged again; of one that failed see `contradiction`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka_tck.report.model import TestResult

PROFILES_AT_MOST: Final = 3
"""Profiles with tests that said nothing though the machine was in time. A stall spoils one
recording or two; where more are inconclusive, the target is the cause, and would only be so again.
"""


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


def unsettled(results: Iterable[TestResult]) -> tuple[str, ...]:
    """Return the tests that are worth another pass."""
    silent = [result for result in results if result.outcome == "inconclusive"]
    late = [result.id for result in silent if result.late]
    others = [result for result in silent if not result.late and not result.traceback]
    if len({result.profile for result in others}) > PROFILES_AT_MOST:
        return tuple(late)
    return (*late, *(result.id for result in others))
