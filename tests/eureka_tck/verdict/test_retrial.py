"""Whom the gate judges again: those who said nothing, unless the target is the cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.report.model import Expectation, TestResult
from eureka_tck.verdict.retrial import PROFILES_AT_MOST, RETRIALS, unsettled

if TYPE_CHECKING:
    from eureka_tck.report.model import Outcome


def result(
    name: str, outcome: Outcome = "inconclusive", *, profile: str = "open", late: bool = False
) -> TestResult:
    """Return what a test found."""
    return TestResult(
        id=name, requirements=("REG-01",), outcome=outcome, profile=profile, late=late
    )


@pytest.mark.parametrize("outcome", ["passed", "failed", "not applicable"])
def test_a_verdict_of_a_machine_in_time_is_never_asked_for_again(outcome: Outcome) -> None:
    """What passed has passed, and what failed has failed."""
    assert unsettled([result("a", outcome)]) == ()


def test_a_failure_is_asked_for_again_where_the_machine_was_late() -> None:
    """It may be the machine's; a pass is none."""
    late = [result("a", "failed", late=True), result("b", "passed", late=True)]

    assert unsettled(late) == ("a",)
    assert unsettled([msgspec.structs.replace(one, attempt=2) for one in late]) == ()


def test_what_is_known_to_fail_is_not_asked_for_again() -> None:
    """It failed as the expectation says, late or not; where it passed instead, it is asked."""
    known = Expectation(
        requirement="REG-01", test="a", kind="known deviation", actual="", reason="so"
    )

    assert unsettled([result("a", "failed", late=True)], [known]) == ()
    assert unsettled([result("a", "passed", late=True)], [known]) == ("a",)


def test_a_target_that_fails_everywhere_is_not_asked_again() -> None:
    """A stall spoils a recording or two: more profiles are the target's own doing."""
    failed = [
        result(f"a{n}", "failed", profile=f"p{n}", late=True) for n in range(PROFILES_AT_MOST + 1)
    ]

    assert unsettled(failed) == ()
    assert len(unsettled(failed[1:])) == PROFILES_AT_MOST


def test_a_row_that_is_only_observed_is_not_asked_for_again() -> None:
    """However it turns out, it fails nobody; neither does it count as a failing profile."""
    assert unsettled([result("a", "failed", late=True)], observed=["REG-01"]) == ()


def test_what_said_nothing_is_judged_again() -> None:
    """Late ones come first; those whose mechanism did not fire are worth another try too."""
    assert unsettled([result("a"), result("b", late=True)]) == ("b", "a")


def test_a_target_that_answers_nobody_is_not_asked_again() -> None:
    """Where many profiles say nothing without being late, only the late tests are left."""
    silent = [result(f"a{n}", profile=f"p{n}") for n in range(PROFILES_AT_MOST + 1)]

    assert unsettled([*silent, result("b", late=True)]) == ("b",)


def test_a_fault_of_the_harness_is_not_hidden_by_another_try() -> None:
    """A test that broke with a traceback stays as it is."""
    broken = TestResult(
        id="a", requirements=("REG-01",), outcome="inconclusive", traceback="KeyError"
    )

    assert unsettled([broken]) == ()


def test_each_pass_has_more_time_and_less_beside_it() -> None:
    """The last pass runs one profile after the other."""
    slower = [retrial.slower for retrial in RETRIALS]

    assert slower == sorted(slower)
    assert RETRIALS[-1].workers == 1
    assert [retrial.attempt for retrial in RETRIALS] == [2, 3]
