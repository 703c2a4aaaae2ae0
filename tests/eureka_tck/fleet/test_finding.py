"""What a storm showed is judged from counts alone."""

from __future__ import annotations

import msgspec
import pytest

from eureka_tck.fleet.finding import findings
from eureka_tck.fleet.generator import _at
from eureka_tck.fleet.tally import Tally

FLEET = {f"fleet-{n:07d}" for n in range(10)}
QUIET = Tally(instances=10, registered=10, cancelled=10, intended=20, sent=20, acknowledged=20)


def outcomes(**changes: object) -> dict[str, str]:
    """Return the outcome of each budget of a quiet storm with these counts changed."""
    listed = changes.pop("listed", FLEET)
    left = changes.pop("left", set())
    tally = msgspec.structs.replace(QUIET, **changes)
    return {finding.name: finding.outcome for finding in findings(tally, listed, left, slack=60.0)}  # type: ignore[arg-type] # the cases hand in sets


def test_a_quiet_storm_meets_every_budget() -> None:
    """All sent on time, all acknowledged, all listed, none left."""
    assert set(outcomes().values()) == {"met"}


@pytest.mark.parametrize(
    ("change", "budget", "outcome"),
    [
        ({"refused": 1}, "every renewal acknowledged", "broken"),
        ({"unanswered": 1}, "every renewal acknowledged", "broken"),
        ({"sent": 0, "acknowledged": 0}, "every renewal acknowledged", "inconclusive"),
        ({"registered": 9}, "whole fleet registered", "broken"),
        ({"listed": FLEET - {"fleet-0000003"}}, "no live instance lost", "broken"),
        ({"listed": None}, "no live instance lost", "inconclusive"),
        ({"left": {"fleet-0000003"}}, "nothing left", "broken"),
        ({"left": None}, "nothing left", "inconclusive"),
        ({"missed": 1}, "generator on time", "inconclusive"),
        ({"late": 1}, "generator on time", "inconclusive"),
    ],
    ids=[
        "a-refused-renewal",
        "an-unanswered-renewal",
        "nothing-sent",
        "an-unregistered-instance",
        "a-lost-instance",
        "an-unreadable-list",
        "a-leftover",
        "an-unreadable-end",
        "a-missed-turn",
        "late-sends",
    ],
)
def test_one_wrong_count_breaks_its_own_budget_alone(
    change: dict[str, object], budget: str, outcome: str
) -> None:
    """Each budget reacts to its own counts, and to no other's."""
    seen = outcomes(**change)

    assert seen.pop(budget) == outcome
    assert "broken" not in seen.values()


@pytest.mark.parametrize("starved", [{"missed": 1}, {"worst_start_ms": 60_001.0}])
def test_a_starved_generator_blames_nobody(starved: dict[str, object]) -> None:
    """Renewals that never left, or left later than a lease lives, excuse refusals and losses."""
    seen = outcomes(**starved, refused=1, listed=FLEET - {"fleet-0000003"})

    assert seen["every renewal acknowledged"] == "inconclusive"
    assert seen["no live instance lost"] == "inconclusive"


def test_a_starved_generator_still_has_to_be_answered() -> None:
    """Lateness explains a refusal, never a silence."""
    assert outcomes(missed=1, unanswered=1)["every renewal acknowledged"] == "broken"


def test_a_percentile_is_the_smallest_value_that_covers_its_share() -> None:
    """Of 99 answers in 1 ms and one in 50 ms, p99 is 1 ms and the maximum 50 ms."""
    counts = {50.0: 1, 1.0: 99}

    assert _at(counts, 0.99) == 1.0
    assert _at(counts, 1.0) == 50.0
