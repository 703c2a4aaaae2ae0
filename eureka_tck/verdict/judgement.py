"""
From results to verdicts: a pure function of results, catalogue and expectations.

A test's verdict is its outcome, unless an expectation says otherwise;
a row's verdict is the worst of its tests'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.report.model import JudgedTest, RowVerdict, TestResult, Verdict
from eureka_tck.verdict.expectations import shows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from eureka_tck.report.model import Expectation
    from eureka_tck.verdict.catalogue import Catalogue, Requirement
    from eureka_tck.verdict.selection import Claim

WORST_FIRST: Final[tuple[Verdict, ...]] = (
    "failed",
    "unexpected pass",
    "inconclusive",
    "known deviation",
    "passed",
    "not applicable",
)
"""A row that is kept where it can be shown is kept: `not applicable` needs all of its tests."""

COMPLAINTS: Final[frozenset[Verdict]] = frozenset({"failed", "unexpected pass"})
"""Verdicts that fail a gate."""

NOT_SELECTED: Final = "not selected"
NOT_IN_QUICK: Final = "left out of a quick gate"


@dataclass(frozen=True, slots=True)
class Judgement:
    """
    All rows of the catalogue with their verdicts, and what is wrong beside them.

    `doubts` tell of tests without a row that were inconclusive.
    """

    rows: tuple[RowVerdict, ...]
    problems: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def judge(
    results: Iterable[TestResult],
    catalogue: Catalogue,
    expectations: Sequence[Expectation] = (),
    *,
    claims: Sequence[Claim] = (),
    wanted: Collection[str] = (),
    quick: bool = False,
) -> Judgement:
    """
    Judge every row.

    Args:
        results: what the tests found, one a test.
        catalogue: the rows.
        expectations: what the target is known to break.
        claims: all tests of the suite, chosen or not.
        wanted: the ids of the chosen ones; one without a result did not end: inconclusive.
        quick: whether long tests were left out.
    """
    by_test = {result.id: result for result in results}
    claimed = {claim.test: claim for claim in claims}
    for test in wanted:
        if test not in by_test:
            by_test[test] = _unfinished(claimed[test])
    expected = {(entry.requirement, entry.test): entry for entry in expectations}
    rows = tuple(
        _row(
            row,
            [result for result in by_test.values() if row.id in result.requirements],
            expected,
            _reason([claim for claim in claims if row.id in claim.requirements], quick=quick),
        )
        for row in catalogue
    )
    rowless = [result for result in by_test.values() if not result.requirements]
    return Judgement(
        rows,
        problems=(
            *_strays(expectations, claimed),
            *(_told(result) for result in rowless if result.outcome == "failed"),
        ),
        doubts=tuple(_told(result) for result in rowless if result.outcome == "inconclusive"),
    )


def judge_test(result: TestResult, entry: Expectation | None) -> JudgedTest:
    """Return what a result means for its row where `entry` is expected, or nothing."""
    if entry is None or result.outcome in {"inconclusive", "not applicable"}:
        verdict: Verdict = result.outcome
        return JudgedTest(
            result=result, verdict=verdict, sentence=result.sentence, expectation=entry
        )
    if result.outcome == "passed":
        if entry.frequency == "sometimes":
            sentence = f"the deviation, which shows sometimes, was not seen: {entry.reason}"
            return JudgedTest(result=result, verdict="passed", sentence=sentence, expectation=entry)
        sentence = (
            f"it passed, and the expectations list it as {entry.kind} "
            f"({entry.reason.rstrip('.')}): remove the entry, or find out why it passes."
        )
        return JudgedTest(
            result=result, verdict="unexpected pass", sentence=sentence, expectation=entry
        )
    if shows(entry, result):
        return JudgedTest(
            result=result,
            verdict="known deviation",
            sentence=result.sentence,
            expectation=entry,
        )
    listed = " or ".join(map(repr, entry.wrong_answers))
    sentence = f"{result.sentence} The {entry.kind} listed is another one: {listed}."
    return JudgedTest(result=result, verdict="failed", sentence=sentence, expectation=entry)


def verdict_of(result: TestResult, expectations: Sequence[Expectation]) -> Verdict:
    """Return what a single result means: the worst of its verdicts over the rows it judges."""
    entries = {entry.requirement: entry for entry in expectations if entry.test == result.id}
    verdicts = [judge_test(result, entries.get(row)).verdict for row in result.requirements]
    return min(verdicts, key=WORST_FIRST.index, default=result.outcome)


def complaints(
    results: Iterable[TestResult], expectations: Sequence[Expectation], observed: Collection[str]
) -> tuple[TestResult, ...]:
    """
    Return the results that a gate would complain of.

    Args:
        results: what the tests found, one a test.
        expectations: what the target is known to break.
        observed: rows that fail nobody, however they turn out.
    """
    return tuple(
        result
        for result in results
        if verdict_of(result, expectations) in COMPLAINTS
        and not (result.requirements and set(result.requirements) <= set(observed))
    )


def exit_code(judgement: Judgement, *, strict: bool = False) -> int:
    """
    Return 1 where a MUST row failed or an expectation was not met, else 2 where a row is
    inconclusive, else 0; with `strict` a SHOULD row counts as a MUST row does.

    REF rows are observed: they never fail a registry.
    """
    counted = [row for row in judgement.rows if row.level != "REF"]
    levels = {"MUST", "SHOULD"} if strict else {"MUST"}
    broken = any(row.verdict == "failed" and row.level in levels for row in counted)
    unmet = any(is_unmet(test) for row in counted for test in row.tests)
    if broken or unmet or judgement.problems:
        return 1
    unsure = any(row.verdict == "inconclusive" for row in judgement.rows) or judgement.doubts
    return 2 if unsure else 0


def is_unmet(test: JudgedTest) -> bool:
    """Say whether an expectation stood for this test and was not met."""
    return test.expectation is not None and test.verdict in {"unexpected pass", "failed"}


def _row(
    row: Requirement,
    results: list[TestResult],
    expected: Mapping[tuple[str, str], Expectation],
    reason: str,
) -> RowVerdict:
    tests = [judge_test(result, expected.get((row.id, result.id))) for result in results]
    tests.sort(key=lambda test: WORST_FIRST.index(test.verdict))
    if tests:
        reason = tests[0].sentence if tests[0].verdict == "not applicable" else ""
    return RowVerdict(
        id=row.id,
        level=row.level,
        chapter=row.chapter,
        text=row.text,
        why=row.why,
        verdict=tests[0].verdict if tests else None,
        sentence=tests[0].sentence if tests else "",
        reason=reason,
        tests=tuple(tests),
    )


def _told(result: TestResult) -> str:
    """Tell of a test that belongs to no row."""
    return f"{result.id} {result.outcome}: {result.sentence}"


def _reason(claims: list[Claim], *, quick: bool) -> str:
    """Say why a row without a result has none; empty where no test of the suite judges it."""
    if not claims:
        return ""
    long = quick and all(claim.depth == "full" for claim in claims)
    return NOT_IN_QUICK if long else NOT_SELECTED


def _unfinished(claim: Claim) -> TestResult:
    return TestResult(
        id=claim.test,
        requirements=claim.requirements,
        outcome="inconclusive",
        sentence="the test did not end: the run was cut short, or its process died.",
        profile=claim.profile,
    )


def _strays(expectations: Sequence[Expectation], claimed: Mapping[str, Claim]) -> Iterable[str]:
    """Name the expectations that no test of the suite can meet."""
    for entry in expectations:
        claim = claimed.get(entry.test)
        if claim is None:
            yield f"an expectation for {entry.requirement} names no test: {entry.test}."
        elif entry.requirement not in claim.requirements:
            yield f"an expectation names {entry.test} for {entry.requirement}, which it judges not."
