"""From results to verdicts and an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.verdict.judgement import exit_code, judge, judge_test

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.report.model import Expectation, RowVerdict, TestResult
    from eureka_tck.verdict.catalogue import Catalogue
    from eureka_tck.verdict.judgement import Judgement
    from eureka_tck.verdict.selection import Claim


def row(judgement: Judgement, identity: str) -> RowVerdict:
    """Return a row's verdict."""
    return next(one for one in judgement.rows if one.id == identity)


@pytest.mark.parametrize("outcome", ["passed", "failed", "inconclusive", "not applicable"])
def test_without_an_expectation_the_outcome_is_the_verdict(
    result: Callable[..., TestResult], outcome: str
) -> None:
    """Nothing is known of the test, so what it found counts."""
    assert judge_test(result(outcome=outcome), None).verdict == outcome


def test_the_expected_wrong_answer_is_a_known_deviation(
    result: Callable[..., TestResult], expectation: Callable[..., Expectation]
) -> None:
    """It failed in the way that is written down."""
    judged = judge_test(
        result(outcome="failed", actual="500 x", sentence="it was 500."), expectation()
    )

    assert (judged.verdict, judged.sentence) == ("known deviation", "it was 500.")


def test_another_wrong_answer_failed(
    result: Callable[..., TestResult], expectation: Callable[..., Expectation]
) -> None:
    """An expectation excuses one failure, not every one."""
    judged = judge_test(
        result(outcome="failed", actual="400", sentence="it was 400."), expectation()
    )

    assert judged.verdict == "failed"
    assert judged.sentence == "it was 400. The known deviation listed is another one: '500'."


def test_a_deviation_that_is_gone_is_an_unexpected_pass(
    result: Callable[..., TestResult], expectation: Callable[..., Expectation]
) -> None:
    """The list must shrink with the registry's faults."""
    judged = judge_test(result(), expectation())

    assert judged.verdict == "unexpected pass"
    assert judged.sentence == (
        "it passed, and the expectations list it as known deviation (The parser gives up): "
        "remove the entry, or find out why it passes."
    )


def test_a_race_that_was_not_seen_passed_and_says_so(
    result: Callable[..., TestResult], expectation: Callable[..., Expectation]
) -> None:
    """A deviation that shows sometimes may be absent this time."""
    judged = judge_test(result(), expectation(frequency="sometimes"))

    assert judged.verdict == "passed"
    assert judged.sentence.startswith("the deviation, which shows sometimes, was not seen")


@pytest.mark.parametrize("outcome", ["inconclusive", "not applicable"])
def test_what_said_nothing_meets_no_expectation(
    result: Callable[..., TestResult], expectation: Callable[..., Expectation], outcome: str
) -> None:
    """Nothing was learned, whatever is expected."""
    assert judge_test(result(outcome=outcome), expectation()).verdict == outcome


WORST_FIRST = ["failed", "inconclusive", "passed", "not applicable"]


@pytest.mark.parametrize("worse", range(3))
def test_a_row_has_the_worst_verdict_of_its_tests(
    catalogue: Catalogue, result: Callable[..., TestResult], worse: int
) -> None:
    """Failed before inconclusive before passed; not applicable only if nothing else was found."""
    results = [
        result(id="t::a", outcome=WORST_FIRST[worse + 1], sentence="second."),
        result(id="t::b", outcome=WORST_FIRST[worse], sentence="first."),
    ]

    judged = row(judge(results, catalogue), "REG-04")

    assert (judged.verdict, judged.sentence) == (WORST_FIRST[worse], "first.")
    assert len(judged.tests) == 2


def test_a_test_of_two_rows_counts_in_both(
    catalogue: Catalogue,
    result: Callable[..., TestResult],
    expectation: Callable[..., Expectation],
) -> None:
    """An expectation for one of them does not excuse the other."""
    failed = result(requirements=("REG-01", "REG-04"), outcome="failed", actual="500")

    judged = judge([failed], catalogue, [expectation()])

    assert row(judged, "REG-01").verdict == "failed"
    assert row(judged, "REG-04").verdict == "known deviation"


def test_rows_without_a_result_say_why(catalogue: Catalogue, claim: Callable[..., Claim]) -> None:
    """No test, a test not selected, a test too long for a quick gate: three different things."""
    claims = [claim("t::a", "REG-01"), claim("t::b", "REG-04", depth="full")]

    judged = judge([], catalogue, claims=claims, quick=True)

    assert row(judge([], catalogue, claims=claims), "REG-04").reason == "not selected"
    assert {one.id: (one.verdict, one.reason) for one in judged.rows} == {
        "REG-01": (None, "not selected"),
        "REG-04": (None, "left out of a quick gate"),
        "REG-10": (None, ""),
        "RENEW-01": (None, ""),
        "RENEW-09": (None, ""),
    }


def test_a_test_that_never_ended_is_inconclusive(
    catalogue: Catalogue, claim: Callable[..., Claim]
) -> None:
    """A worker that died, or a run cut short, passes nothing."""
    judged = judge([], catalogue, claims=[claim("t::a")], wanted=["t::a"])

    assert row(judged, "REG-04").verdict == "inconclusive"
    assert "did not end" in row(judged, "REG-04").sentence


def test_an_expectation_that_no_test_can_meet_is_a_problem(
    catalogue: Catalogue,
    claim: Callable[..., Claim],
    result: Callable[..., TestResult],
    expectation: Callable[..., Expectation],
) -> None:
    """A renamed test, or a wrong row, must not silently excuse nothing."""
    entries = [
        expectation(test="t::gone"),
        expectation(test="t::a", requirement="REG-01"),
    ]

    judged = judge([result(id="t::a")], catalogue, entries, claims=[claim("t::a")])

    assert judged.problems == (
        "an expectation for REG-04 names no test: t::gone.",
        "an expectation names t::a for REG-01, which it judges not.",
    )
    assert exit_code(judged) == 1


@pytest.mark.parametrize(
    ("requirement", "outcome", "code", "strict"),
    [
        ("REG-01", "passed", 0, 0),
        ("REG-01", "not applicable", 0, 0),
        ("REG-01", "failed", 1, 1),
        ("REG-10", "failed", 0, 1),
        ("RENEW-09", "failed", 0, 0),
        ("REG-01", "inconclusive", 2, 2),
        ("REG-10", "inconclusive", 2, 2),
    ],
)
def test_the_exit_code_tells_levels_apart(
    catalogue: Catalogue,
    result: Callable[..., TestResult],
    requirement: str,
    outcome: str,
    code: int,
    strict: int,
) -> None:
    """A MUST row decides; a SHOULD row with --strict; a REF row is only observed."""
    judged = judge([result(requirements=(requirement,), outcome=outcome)], catalogue)

    assert (exit_code(judged), exit_code(judged, strict=True)) == (code, strict)


def test_a_failure_outweighs_what_is_inconclusive(
    catalogue: Catalogue, result: Callable[..., TestResult]
) -> None:
    """1 before 2: what is known to be broken is not hidden by what is not known."""
    results = [
        result(id="t::a", requirements=("REG-01",), outcome="inconclusive"),
        result(id="t::b", requirements=("REG-04",), outcome="failed"),
    ]

    assert exit_code(judge(results, catalogue)) == 1


@pytest.mark.parametrize(("outcome", "actual"), [("passed", ""), ("failed", "400")])
def test_an_expectation_that_is_not_met_counts_at_every_level_but_ref(
    catalogue: Catalogue,
    result: Callable[..., TestResult],
    expectation: Callable[..., Expectation],
    claim: Callable[..., Claim],
    outcome: str,
    actual: str,
) -> None:
    """Strict both ways: a SHOULD row's deviation that is gone, or another one, is 1."""

    def code(identity: str) -> int:
        seen = result(requirements=(identity,), outcome=outcome, actual=actual)
        entries = [expectation(requirement=identity)]
        return exit_code(judge([seen], catalogue, entries, claims=[claim(seen.id, identity)]))

    assert (code("REG-04"), code("REG-10"), code("RENEW-09")) == (1, 1, 0)


def test_a_known_deviation_is_no_failure(
    catalogue: Catalogue,
    result: Callable[..., TestResult],
    expectation: Callable[..., Expectation],
    claim: Callable[..., Claim],
) -> None:
    """What is written down, and true, exits 0 even with --strict."""
    seen = result(outcome="failed", actual="500")
    judged = judge([seen], catalogue, [expectation()], claims=[claim()])

    assert exit_code(judged, strict=True) == 0


def test_a_test_without_a_row_that_said_nothing_makes_the_run_inconclusive(
    result: Callable[..., TestResult], catalogue: Catalogue
) -> None:
    """A model-based test has no row that could carry its doubt."""
    judgement = judge([result(requirements=(), outcome="inconclusive", sentence="x.")], catalogue)

    assert exit_code(judgement) == 2
    assert "x." in judgement.doubts[0]


def test_a_model_based_test_that_passed_is_nobodys_problem(
    result: Callable[..., TestResult], catalogue: Catalogue
) -> None:
    """It adds nothing to any row."""
    judgement = judge([result(requirements=())], catalogue)

    assert exit_code(judgement) == 0
    assert judgement.doubts == judgement.problems == ()
