"""The two commands of endurance, as short as they still say something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.run import Run
from tests.endurance import pauses
from tests.endurance.churn import Figures, Runs, churn, missing
from tests.endurance.line import hash_of
from tests.endurance.restart import restarts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Return a run whose processes end with the test."""
    with Run.create("endurance", "python", tmp_path, 1).owned() as run:
        yield run


@pytest.mark.slow
def test_a_quarter_of_an_hour_of_churn_leave_the_lists_right_and_nothing_behind(run: Run) -> None:
    """500 instances come, renew, change, leave and die at speed 100."""
    figures = churn(run, hours=0.25, instances=500, speed=100, seed=1, say=lambda _: None)

    assert figures.faults() == []
    assert min(figures.cancels, figures.deaths, figures.overrides) > 50
    assert figures.renewals > 8_000
    assert figures.lists >= 4
    assert figures.gone > 50


@pytest.mark.slow
def test_who_goes_on_renewing_is_there_again_after_a_node_was_killed(run: Run) -> None:
    """Two restarts of a node of three, under load."""
    figures = restarts(run, times=2, instances=90, speed=10, seed=1, say=lambda _: None)

    assert figures.wrong == []
    assert (figures.times, len(figures.took)) == (2, 2)
    assert figures.renewals > 90


@pytest.mark.slow
def test_each_phase_of_a_large_registry_tells_its_longest_pause(run: Run) -> None:
    """With a small one: that every phase is gone through."""
    figures = pauses.pauses(run, instances=300, speed=5, say=lambda _: None)

    assert len(figures.pauses) == 7
    assert min(figures.pauses.values()) >= 0


def test_a_pause_of_more_than_fifty_milliseconds_is_a_fault() -> None:
    """It is told with its phase."""
    figures = pauses.Figures(1, {"copying": 0.0501, "fetching": 0.05})

    assert figures.faults() == ["copying kept the loop for 50 ms"]


def test_growth_is_what_came_after_a_quarter_of_the_time() -> None:
    """Memory that grows at first is no fault, memory that goes on growing is one."""
    figures = Figures(hours=10)
    mib = 2**20
    figures.memory = [(hour * 3600.0, (50 + min(hour, 2) * 20) * mib) for hour in range(11)]
    assert figures.growth() < mib * 8
    assert figures.faults() == []

    figures.memory = [(hour * 3600.0, (50 + hour * 5) * mib) for hour in range(11)]
    assert [fault.startswith("memory grew by") for fault in figures.faults()] == [True]


def test_what_is_left_over_is_a_fault() -> None:
    """More tasks at the end than at the beginning are told with both figures."""
    figures = Figures(left_over={"tasks": (3, 5), "threads": (2, 2)})

    assert figures.faults() == ["tasks: 3 before, 5 after"]


def test_the_hash_sums_statuses_up_in_their_order() -> None:
    """As clients compute it."""
    assert hash_of(["UP", "DOWN", "UP"]) == "DOWN_1_UP_2_"


@pytest.mark.parametrize(
    ("renewed", "lost", "late"),
    [(0.0, [], 0), (30.0, [], 1), (50.0, ["b"], 0)],
    ids=["expired when asked", "expired while the answer came", "alive"],
)
def test_who_must_be_listed_is_decided_by_the_moment_after_the_answer(
    renewed: float, lost: list[str], late: int
) -> None:
    """A list asked for at 100 s that came at 130 s says nothing of a lease that ended at 120 s."""
    found = missing({"a": 99.0, "b": renewed}, ["a"], asked=100.0, answered=130.0)

    assert found == (lost, late)


def test_runs_are_counted_from_the_first_look_after_a_moment() -> None:
    """What ran before that look may have been too early."""
    runs = Runs()
    for at, counted in ((10.0, 1), (20.0, 5), (30.0, 7)):
        runs.note(counted, at=at)

    assert [runs.since(moment) for moment in (5.0, 10.0, 15.0, 25.0, 35.0)] == [6, 6, 2, 0, 0]
