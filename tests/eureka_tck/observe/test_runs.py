"""Eviction runs, told from stamps."""

from __future__ import annotations

import pytest

from eureka_tck.observe.runs import Run, gaps_of, runs_of, usual_gap, worst_lateness


def run(start_ms: int, *victims: str) -> Run:
    """Return a run of one instant."""
    return Run(start_ms, start_ms, victims)


def test_stamps_close_together_are_one_run() -> None:
    """What was evicted within half an interval of the first belongs to its run, in that order."""
    runs = runs_of({"b": 1114, "a": 1000, "c": 6000}, interval_ms=5000)

    assert runs == (Run(1000, 1114, ("a", "b")), Run(6000, 6000, ("c",)))


def test_a_run_that_spreads_is_not_split() -> None:
    """The limit counts from the first stamp of a run, not from the stamp before."""
    runs = runs_of({"a": 0, "b": 2000, "c": 2499, "d": 2500}, interval_ms=5000)

    assert [run.victims for run in runs] == [("a", "b", "c"), ("d",)]


def test_equal_stamps_are_ordered_by_name() -> None:
    """Runs do not depend on the order in which a list named its instances."""
    assert runs_of({"b": 1, "a": 1}, 1000) == runs_of({"a": 1, "b": 1}, 1000)


def test_no_evictions_are_no_runs() -> None:
    """Nothing evicted gives no run, no gap and no usual gap."""
    assert runs_of({}, 1000) == ()
    assert gaps_of(()) == ()
    assert usual_gap(()) is None


def test_the_usual_gap_is_the_median() -> None:
    """One late run among many does not change the usual gap."""
    runs = [run(0), run(5000), run(10_000), run(19_000), run(24_000)]

    assert gaps_of(runs) == (5, 5, 9, 5)
    assert usual_gap(runs) == 5


def test_the_size_of_a_run_is_its_victims() -> None:
    """`len` of a run counts whom it evicted."""
    assert len(run(0, "a", "b")) == 2


@pytest.mark.parametrize(
    ("since_ms", "until_ms", "late"),
    [
        pytest.param(0, 3000, 1.5, id="whole-span"),
        pytest.param(2600, 3000, 0.0, id="after-the-late-one"),
        pytest.param(2000, 2100, 1.5, id="gap-reaches-into-it"),
        pytest.param(9000, 9900, 0.0, id="nothing-there"),
    ],
)
def test_the_worst_lateness_is_that_of_the_span(since_ms: int, until_ms: int, late: float) -> None:
    """A run is late by what its gap exceeds the interval, and counts where it falls in the span."""
    runs = [run(0), run(2500), run(3500)]

    assert worst_lateness(runs, 1000, since_ms, until_ms) == late
