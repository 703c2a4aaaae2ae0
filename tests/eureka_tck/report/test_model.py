"""The schema's own statements: totals and what counts as judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.report.model import ATTENTION, tally

if TYPE_CHECKING:
    from tests.eureka_tck.report.conftest import Samples


def test_totals_count_each_row_once(samples: Samples) -> None:
    """Verdicts and rows without one add up to all rows of the level."""
    must, should, ref = tally(samples.rows(*ATTENTION, None, None, "passed"))

    assert must.rows == 9
    assert must["passed"] == 2
    assert must.not_judged == 2
    assert should.rows == ref.rows == 0


def test_inconclusive_and_not_applicable_are_not_judged(samples: Samples) -> None:
    """The denominator of a level leaves out rows that say nothing about the target."""
    must, _, _ = tally(samples.rows("passed", "failed", "inconclusive", "not applicable", None))

    assert must.judged == 2


def test_a_row_is_unbuilt_if_all_its_deviations_are(samples: Samples) -> None:
    """A row counts as not built yet only while every expectation says so."""
    unbuilt = samples.row("REG-04", "known deviation", kind="not built yet")
    deviating = samples.row("REG-04", "known deviation")

    assert unbuilt.is_unbuilt
    assert not deviating.is_unbuilt
    assert not samples.row("REG-04").is_unbuilt
