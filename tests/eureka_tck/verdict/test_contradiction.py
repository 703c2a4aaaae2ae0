"""A complaint needs two looks that agree; what contradicts itself is neither pass nor failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.report.model import Expectation, TestResult
from eureka_tck.verdict.contradiction import TESTS_AT_MOST, doubtful, weighed

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.report.model import Outcome

OBSERVED = {"RENEW-09"}


def look(
    outcome: Outcome, sentence: str = "", *, name: str = "a", row: str = "REG-01", actual: str = ""
) -> TestResult:
    """Return what a test found."""
    return TestResult(
        id=name,
        requirements=(row,) if row else (),
        outcome=outcome,
        sentence=sentence,
        actual=actual,
    )


def test_only_complaints_are_looked_at_twice() -> None:
    """What passed, what said nothing and what is only observed is not."""
    seen = [
        look("failed", name="broken"),
        look("passed", name="kept"),
        look("inconclusive", name="silent"),
        look("failed", name="observed", row="RENEW-09"),
        look("failed", name="drawn", row=""),
    ]

    assert doubtful(seen, (), OBSERVED) == ("broken", "drawn")


def test_a_known_deviation_is_no_complaint_but_its_absence_is(
    expectation: Callable[..., Expectation],
) -> None:
    """The entry lists the wrong answer 500."""
    entry = expectation()
    shown = look("failed", name=entry.test, row=entry.requirement, actual="500")
    absent = look("passed", name=entry.test, row=entry.requirement)

    assert doubtful([shown], (entry,), OBSERVED) == ()
    assert doubtful([absent], (entry,), OBSERVED) == (entry.test,)


def test_a_target_that_breaks_much_is_not_looked_at_twice() -> None:
    """So many accidents at once are none."""
    seen = [look("failed", name=f"t{n}") for n in range(TESTS_AT_MOST + 1)]

    assert doubtful(seen, (), OBSERVED) == ()


def test_two_failures_are_a_failure() -> None:
    """The first stands with its evidence."""
    first = look("failed", "status 200.")

    assert weighed(first, look("failed", "status 500."), ()) is first


def test_a_second_look_that_says_nothing_takes_nothing_away() -> None:
    """Only the opposite contradicts."""
    first = look("failed", "status 200.")

    assert weighed(first, look("inconclusive", "late."), ()) is first


def test_a_failure_and_a_pass_are_inconclusive_and_tell_of_both() -> None:
    """The evidence of the failure is kept."""
    told = weighed(look("failed", "status 200.", actual="200"), look("passed"), ())

    assert (told.outcome, told.actual) == ("inconclusive", "200")
    assert told.sentence == (
        "it failed, and passed when it was judged once more; the first: status 200."
    )


def test_a_deviation_that_was_missed_once_is_inconclusive(
    expectation: Callable[..., Expectation],
) -> None:
    """It passed, then showed what is listed."""
    entry = expectation()
    first = look("passed", name=entry.test, row=entry.requirement)
    second = look("failed", "it was 500.", name=entry.test, row=entry.requirement, actual="500")

    told = weighed(first, second, (entry,))

    assert told.outcome == "inconclusive"
    assert told.sentence.startswith("it passed, and showed the deviation listed")
