"""What becomes of the instances of a worker that was lost."""

from __future__ import annotations

import pytest

from eureka_tck.fleet.handover import adopt, orphaned
from eureka_tck.fleet.member import OUT, OUTSIDE, SILENT, UP, Members


def held(*states: int) -> Members:
    """Return members with these states."""
    made = Members(len(states), 1)
    made.state[:] = bytes(states)
    return made


def test_who_may_not_have_arrived_registers_once_more() -> None:
    """A worker that is lost during the arrival may have registered anybody, or nobody."""
    members = held(OUTSIDE, OUTSIDE)

    assert adopt(members, [0, 1], set(), late=False) == [0, 1]

    assert members.arrived == bytes([0, 0])


def test_who_must_have_arrived_long_ago_is_up() -> None:
    """Its next renewal shows whether that is so: 404 would make it register."""
    members = held(OUTSIDE, OUTSIDE)

    assert adopt(members, [1], set(), late=True) == []

    assert (members.state[1], members.known[1], members.arrived[1]) == (UP, 1, 1)
    assert members.state[0] == OUTSIDE


@pytest.mark.parametrize("late", [True, False])
def test_who_is_being_redeployed_comes_back_by_itself(late: bool) -> None:
    """It is cancelled, not lost."""
    members = held(OUTSIDE)

    assert adopt(members, [0], {0}, late=late) == []

    assert (members.state[0], members.known[0], members.arrived[0]) == (OUTSIDE, 0, 1)


@pytest.mark.parametrize("state", [UP, OUT, SILENT])
def test_what_the_storms_moments_did_stays(state: int) -> None:
    """The silent may still be listed, the others renew."""
    members = held(state)

    assert adopt(members, [0], set(), late=False) == []

    assert (members.state[0], members.known[0], members.arrived[0]) == (state, 1, 1)


@pytest.mark.parametrize(
    ("lost", "until", "count"),
    [(95.0, 160.0, 3), (100.0, 130.0, 1), (100.1, 129.9, 0), (0.0, 99.0, 0), (0.0, 100.0, 1)],
    ids=["from-before", "after-one", "between", "not-yet", "the-first"],
)
def test_turns_that_fell_between_two_owners_are_counted(
    lost: float, until: float, count: int
) -> None:
    """One is due at 100 s, 130 s, 160 s, …: those after the loss, up to the new owner's first."""
    assert orphaned([(0, 100.0)], held(UP), 30.0, lost, until) == count


def test_nobody_misses_the_turns_of_the_silent() -> None:
    """They have none."""
    assert orphaned([(0, 100.0), (1, 100.0)], held(SILENT, OUTSIDE), 30.0, 0.0, 500.0) == 0
