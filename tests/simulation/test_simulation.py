"""A thousand seeded schedules of faults on whole clusters; each broken promise names its seed."""

from __future__ import annotations

from itertools import count

import msgspec
import pytest

from eureka.core.rift import LONGEST_DOUBT
from tests.simulation.run import play, play_seed
from tests.simulation.schedule import Schedule, draw

SEEDS = 1000
SHARES = 10


@pytest.mark.parametrize("share", range(SHARES))
def test_every_seed_keeps_its_promises(share: int) -> None:
    """Nobody alive is evicted, nobody cancelled comes back, and healed nodes end equal."""
    broken = {
        seed: outcome.broken
        for seed in range(share + 1, SEEDS + 1, SHARES)
        if (outcome := play_seed(seed)).broken
    }

    assert broken == {}, "again: python -m tests.simulation --seed N"


def test_a_seed_plays_again_in_just_the_same_way() -> None:
    """Every event of the record is the same, to the last digit."""
    assert play_seed(7).record == play_seed(7).record


def test_a_schedule_that_was_written_down_plays_like_its_seed() -> None:
    """A schedule is plain data, and all that a run needs."""
    written = msgspec.json.encode(draw(11))

    assert play(msgspec.json.decode(written, type=Schedule)).record == play_seed(11).record


def test_nodes_whose_sums_never_agree_compare_ever_more_seldom(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever makes them differ for good, minutes of it cost a handful of comparisons a pair."""
    odd = count()
    for module in ("comparison", "healing"):
        monkeypatch.setattr(f"eureka.core.{module}.digest", lambda _: next(odd))

    outcome = play(draw(7))

    healed = [event for event in outcome.record if getattr(event, "name", "") == "healed"]
    pairs = len(outcome.schedule.nodes) * (len(outcome.schedule.nodes) - 1)
    assert healed
    assert len(healed) / pairs < 8 + outcome.seconds / LONGEST_DOUBT


def test_the_schedules_bite() -> None:
    """Over a hundred seeds every kind of fault is drawn, records are healed, and leases end."""
    outcomes = [play_seed(seed) for seed in range(100)]
    kinds = {fault.kind for outcome in outcomes for fault in outcome.schedule.faults}
    seen = {type(event).__name__ for outcome in outcomes for event in outcome.record}
    healed = sum(
        getattr(event, "name", "") == "healed" for outcome in outcomes for event in outcome.record
    )
    evicted = sum(
        getattr(event, "evicted", False) for outcome in outcomes for event in outcome.record
    )

    assert kinds == {"cut", "lossy", "slow", "twice", "pause", "restart", "step"}
    assert seen == {"Called", "Shown", "Sampled", "Marked"}
    assert healed > 20
    assert evicted > 20
