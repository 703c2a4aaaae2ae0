"""What a gate prints when it has judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eureka_tck.report.model import Machine
from eureka_tck.verdict.account import Facts, report_of
from eureka_tck.verdict.judgement import judge
from eureka_tck.verdict.order import Order
from eureka_tck.verdict.summary import meaning, summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.report.model import Expectation, Report, TestResult
    from eureka_tck.verdict.catalogue import Catalogue
    from eureka_tck.verdict.selection import Claim

ORDER = Order(target="python", backend="process", seed=7)
FACTS = Facts(
    suite="conformance",
    order=ORDER,
    command="eureka-tck gate",
    started="2026-11-30T12:00:00+00:00",
    seconds=10.0,
    strict=False,
    targets=(),
    profiles={},
    speeds={"open": 10.0},
    machine=Machine(system="Linux", cores=2, memory_bytes=1),
)


@pytest.fixture
def report(
    catalogue: Catalogue,
    result: Callable[..., TestResult],
    expectation: Callable[..., Expectation],
    claim: Callable[..., Claim],
) -> Report:
    """Give a report with one row of each kind that is not a pass."""
    results = [
        result(id="t::a", requirements=("REG-01",), outcome="failed", sentence="it broke.",
               seconds=2.0, speed=10.0),
        result(outcome="failed", actual="500", sentence="it was\n500.", lateness=0.5),
        result(id="t::c", requirements=("REG-10",), outcome="inconclusive", sentence="no run."),
        result(id="t::d", requirements=("RENEW-01",), outcome="not applicable", sentence="no."),
    ]  # fmt: skip
    claims = [claim(), claim("t::x", "RENEW-09")]
    judged = judge(results, catalogue, [expectation()], claims=claims)
    return report_of(judged, catalogue, results, FACTS)


def test_every_row_that_did_not_pass_is_listed(report: Report, catalogue: Catalogue) -> None:
    """One line a row, the failures last and in full, then totals, words, report and code."""
    lines = summary(report, catalogue, ORDER, Path("reports/x/index.html")).splitlines()

    assert lines[:12] == [
        "not applicable (1)",
        "  RENEW-01     MUST    no.",
        "",
        "known deviation (1)",
        "  REG-04       MUST    it was 500.",
        "",
        "inconclusive (1)",
        "  REG-10       SHOULD  no run.",
        "",
        "failed (1)",
        "  REG-01: it broke.",
        "    Requirement  REG-01 is kept.  [MUST]",
    ]
    assert "                            MUST  SHOULD  REF  all" in lines
    assert lines[-2:] == ["Report  reports/x/index.html", "Exit    1: 1 MUST row failed (REG-01)"]


def test_what_is_not_built_yet_is_called_so(
    catalogue: Catalogue,
    result: Callable[..., TestResult],
    expectation: Callable[..., Expectation],
) -> None:
    """A row that the target does not claim to have yet is no deviation of a finished one."""
    seen = result(outcome="failed", actual="500", sentence="it was 500.")
    judged = judge([seen], catalogue, [expectation(kind="not built yet")])
    report = report_of(judged, catalogue, [seen], FACTS)

    lines = summary(report, catalogue, ORDER, Path("index.html")).splitlines()

    assert lines[:2] == ["not built yet (1)", "  REG-04       MUST    it was 500."]


def test_a_ref_row_that_differs_is_observed_not_failed(
    catalogue: Catalogue, result: Callable[..., TestResult]
) -> None:
    """What the reference happens to do binds nobody: one line, and exit code 0."""
    seen = result(requirements=("RENEW-09",), outcome="failed", sentence="it was 200.")
    report = report_of(judge([seen], catalogue), catalogue, [seen], FACTS)

    lines = summary(report, catalogue, ORDER, Path("index.html")).splitlines()

    assert lines[:3] == [
        "other than in the reference, observed only (1)",
        "  RENEW-09     REF     it was 200.",
        "",
    ]
    assert lines[-1] == "Exit    0: all that was judged is kept, or known"


def test_a_report_counts_time_speed_and_lateness(report: Report) -> None:
    """Registry seconds are what the clusters lived while their tests ran."""
    assert (report.registry_seconds, report.speed, report.lateness) == (20.0, 10.0, 0.5)
    assert report.versions["eureka-tck"]
    assert report.exit_code == 1


def test_a_run_that_broke_off_is_3(catalogue: Catalogue) -> None:
    """What stopped it stands among the problems."""
    report = report_of(judge([], catalogue), catalogue, [], FACTS, could_not_run="no Java.")

    assert (report.exit_code, report.problems) == (3, ("no Java.",))


@pytest.mark.parametrize(
    ("outcome", "actual", "says"),
    [
        ("passed", "", "1 expectation not met (REG-04)"),
        ("failed", "400", "1 MUST row failed (REG-04) and 1 expectation not met (REG-04)"),
        ("failed", "500", "all that was judged is kept, or known"),
        ("inconclusive", "", "1 row inconclusive (REG-04)"),
    ],
)
def test_the_code_is_explained(
    catalogue: Catalogue,
    result: Callable[..., TestResult],
    expectation: Callable[..., Expectation],
    claim: Callable[..., Claim],
    outcome: str,
    actual: str,
    says: str,
) -> None:
    """The last line says why the code is what it is."""
    seen = result(outcome=outcome, actual=actual)
    judged = judge([seen], catalogue, [expectation()], claims=[claim()])

    assert meaning(report_of(judged, catalogue, [seen], FACTS)) == says
