"""The search for the largest fleet is a search over a function."""

from __future__ import annotations

import pytest

from eureka_tck.fleet.capacity import Capacity, Trial, search


def searched(largest: int, first: int = 1000, most: int = 1_000_000, **broken: object) -> Capacity:
    """Search a registry that carries exactly `largest` instances."""

    def attempt(size: int, step: str) -> Trial:
        if size <= largest:
            return Trial(size, step, "met")
        return Trial(size, step, **{"outcome": "broken", "failed": ("renew_p99_ms",), **broken})  # type: ignore[arg-type] # fields of a trial

    return search(attempt, first, most)


@pytest.mark.parametrize("largest", [1000, 1500, 7300, 100_000])
def test_the_largest_fleet_is_found_within_an_eighth(largest: int) -> None:
    """What is confirmed keeps the budgets, and is not far below what would."""
    found = searched(largest)

    assert 0.8 * largest <= found.largest <= largest
    assert found.trials[-1].step == "confirmation"
    assert found.exit_code == 0


def test_a_first_size_that_is_too_large_is_halved() -> None:
    """The search goes down too."""
    assert 80 <= searched(100, first=1000).largest <= 100


def test_a_registry_that_carries_nothing_is_said_to() -> None:
    """The search ends, with exit code 1 and what ran out."""
    found = searched(0, first=64)

    assert (found.largest, found.exit_code) == (0, 1)
    assert found.sentence == (
        "No fleet that was tried kept the budgets; ran out first: renew_p99_ms."
    )


def test_a_registry_that_carries_all_is_not_asked_for_more() -> None:
    """Beyond the most that may be tried nothing is tried."""
    found = searched(10**9, most=4000)

    assert found.largest == 4000
    assert found.sentence == "4,000 instances kept the budgets; more were not asked for."


def test_a_generator_that_was_the_limit_decides_nothing_about_the_registry() -> None:
    """Then the answer is "at least", and inconclusive."""
    found = searched(2000, outcome="inconclusive")

    assert found.exit_code == 2
    assert "at least 2,000 instances" in found.sentence


def test_a_size_that_is_not_confirmed_gives_way_to_the_next_smaller() -> None:
    """A lucky trial is no capacity."""

    def attempt(size: int, step: str) -> Trial:
        kept = size <= 2000 and not (step == "confirmation" and size == 2000)
        return Trial(size, step, "met" if kept else "broken")

    assert search(attempt, 1000).largest == 1000


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        (Trial(1, "doubling", "broken", busiest=0.97, failed=("late",)), "processor of a node"),
        (Trial(1, "doubling", "broken", failed=("late", "memory_growth_mib")), "memory"),
        (Trial(1, "doubling", "broken", failed=("replication_p99_ms",)), "replication"),
        (Trial(1, "doubling", "broken", failed=("late",)), "late"),
        (Trial(1, "doubling", "inconclusive"), "the generator"),
        (Trial(1, "doubling", "met"), ""),
    ],
)
def test_what_ran_out_first_is_named(trial: Trial, words: str) -> None:
    """The processor where it was busy, else what the broken budget costs."""
    assert trial.ran_out == words
