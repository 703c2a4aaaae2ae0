"""
Two looks at what the gate would complain of.

A complaint makes a team stop its release, so it needs two observations that agree. A test that
failed, or passed where a deviation is listed, is judged once more, slower and with less beside it;
where the second look says the opposite of the first, neither is believed: the test is
inconclusive, tells of both, and the gate does not exit 0.
A machine that stumbled once convicts no right registry, and what a registry breaks now and then is
told as soon as it was seen once on a machine that was in time; for a late one see `retrial`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.verdict.judgement import COMPLAINTS, complaints, verdict_of
from eureka_tck.verdict.retrial import Retrial

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from eureka_tck.report.model import Expectation, TestResult, Verdict

SECOND_LOOK: Final = Retrial(4, 2.0, max(2, os.cpu_count() or 1), "at half speed")

TESTS_AT_MOST: Final = 12
"""Where more tests complain, it is no accident of the machine, and a second look would only
cost time: two profiles that stumbled at once were the most that was seen."""

SAID: Final[dict[Verdict, str]] = {
    "failed": "failed",
    "unexpected pass": "passed",
    "known deviation": "showed the deviation listed",
    "passed": "passed",
}


def doubtful(
    results: Iterable[TestResult], expectations: Sequence[Expectation], observed: Collection[str]
) -> tuple[str, ...]:
    """Return the tests worth a second look; its arguments are those of `complaints`."""
    tests = tuple(result.id for result in complaints(results, expectations, observed))
    return tests if len(tests) <= TESTS_AT_MOST else ()


def weighed(
    first: TestResult, second: TestResult, expectations: Sequence[Expectation]
) -> TestResult:
    """
    Return what two looks at one test say together.

    Where both complain, or the second said nothing, the first stands as it was.
    """
    said = [SAID.get(verdict_of(look, expectations), "") for look in (first, second)]
    again = verdict_of(second, expectations)
    if again in COMPLAINTS or not said[1]:
        return first
    told = first if first.outcome == "failed" else second
    return msgspec.structs.replace(
        told,
        outcome="inconclusive",
        sentence=f"it {said[0]}, and {said[1]} when it was judged once more; "
        f"the first: {first.sentence or 'passed'}",
    )
