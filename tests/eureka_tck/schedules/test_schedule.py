"""Schedules: drawn from a scenario by a seed, the same every time."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from eureka_tck.schedules import draw, load_scenario
from eureka_tck.schedules.schedule import Schedule

SCENARIO = load_scenario("partition-one")


def test_seed_decides_all_of_a_schedule() -> None:
    """The same seed draws the same, another one does not."""
    assert draw(SCENARIO, 7) == draw(SCENARIO, 7)
    assert draw(SCENARIO, 7) != draw(SCENARIO, 8)


def test_homes_are_dealt_evenly() -> None:
    """As many instances live at each node, so that each node loses the same share in a cut."""
    homes = Counter(member.home for member in draw(SCENARIO, 7).casts[0].members)

    assert homes == {"a": 20, "b": 20, "c": 20}


def test_every_instance_has_its_own_name() -> None:
    """No two instances of a run are one lease."""
    names = [m.instance for cast in draw(SCENARIO, 7).casts for m in cast.members]

    assert len(set(names)) == len(names)


def test_any_node_becomes_one_of_them() -> None:
    """The seed names the node that is cut off, and over many seeds each is."""
    cut = {draw(SCENARIO, seed).strikes[0].fault.node for seed in range(30)}

    assert cut == {"a", "b", "c"}


def test_instances_join_within_their_stretch() -> None:
    """Nobody joins before its workload begins or after it has."""
    newcomers = next(cast for cast in draw(SCENARIO, 7).casts if cast.name == "newcomers")

    assert all(20.0 <= member.joins <= 80.0 for member in newcomers.members)


def test_faults_keep_their_instants() -> None:
    """A fault begins and ends as the scenario says."""
    (strike,) = draw(SCENARIO, 7).strikes

    assert (strike.begins, strike.ends) == (5.0, 140.0)


def test_schedule_survives_the_header_of_a_history() -> None:
    """A schedule can be read back from plain values and played again."""
    drawn = draw(SCENARIO, 7)

    assert msgspec.convert(msgspec.to_builtins(drawn), Schedule) == drawn


@pytest.mark.parametrize("phase", ["settling", "breaking", "recovering"])
def test_every_phase_of_the_partition_has_its_workload(phase: str) -> None:
    """Each phase has something that renews or dies in it."""
    assert any(cast.phase == phase for cast in draw(SCENARIO, 7).casts)
