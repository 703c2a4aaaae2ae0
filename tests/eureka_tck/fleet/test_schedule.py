"""The open model: a schedule decides when to send, whatever the answers do."""

from __future__ import annotations

from random import Random

import pytest

from eureka_tck.fleet.schedule import SLOT, Schedule, Turn, later, phases, spread


def schedule(
    at: list[float], interval: float = 30.0, jitter: float = 0.0, drift: float = 0.0
) -> Schedule:
    """Return a schedule with a fixed seed."""
    return Schedule(enumerate(at), interval, jitter=jitter, drift=drift, rng=Random(7))


def test_turns_come_in_the_order_of_their_intended_times() -> None:
    """Members with scrambled phases are due by phase, not by number."""
    plan = schedule([3.0, 1.0, 2.0])

    assert plan.due(now=3.0) == [Turn(1, 1.0), Turn(2, 2.0), Turn(0, 3.0)]


def test_nothing_is_due_before_its_time() -> None:
    """A turn at 5 s is not due at 4.9 s, and the schedule says when it is."""
    plan = schedule([5.0])

    assert plan.due(now=4.9) == []
    assert plan.next_at() == 5.0


def test_nobody_is_never_due() -> None:
    """A schedule without members has no turn, ever."""
    plan = schedule([])

    assert plan.next_at() == float("inf")
    assert plan.due(now=1e9) == []


def test_a_stall_hides_no_turn() -> None:
    """After 100 s without a look, every turn of those 100 s is still due, each at its own time."""
    plan = schedule([0.0], interval=30.0)

    assert [turn.at for turn in plan.due(now=100.0)] == [0.0, 30.0, 60.0, 90.0]


def test_jitter_moves_a_turn_but_never_the_phase() -> None:
    """With jitter of 10 %, turn n stays within 3 s of phase + n × 30 s, for a thousand turns."""
    plan = schedule([0.0], interval=30.0, jitter=0.1)

    turns = plan.due(now=30.0 * 1000)

    assert max(abs(turn.at - 30.0 * n) for n, turn in enumerate(turns)) <= 3.0
    assert len({turn.at % 30.0 for turn in turns}) > 900


def test_drift_moves_members_apart_for_good() -> None:
    """With drift of 1 % two members that began together are apart after a thousand turns."""
    plan = schedule([0.0, 0.0], interval=30.0, drift=0.01)

    turns = plan.due(now=30.0 * 1000)
    first, second = ([turn.at for turn in turns if turn.member == n] for n in (0, 1))

    assert abs(first[900] - second[900]) > 1.0
    assert {abs(len(one) - 1000) <= 11 for one in (first, second)} == {True}


@pytest.mark.parametrize("members", [1, 7, 1000])
def test_even_phases_fill_one_interval(members: int) -> None:
    """Phases start at the start, end before start + interval, and are equally far apart."""
    found = [at for _, at in phases("even", range(members), members, 30.0, 100.0)]

    assert found[0] == 100.0
    assert found[-1] == pytest.approx(130.0 - 30.0 / members)


def test_aligned_clocks_tick_at_once() -> None:
    """Every member has the same phase."""
    assert {at for _, at in phases("aligned", range(50), 50, 30.0, 5.0)} == {5.0}


def test_random_phases_are_the_same_for_every_worker() -> None:
    """A member's phase depends on its number alone, so that another process can take it over."""
    whole = dict(phases("random", range(100), 100, 30.0, 0.0))
    part = dict(phases("random", range(1, 100, 2), 100, 30.0, 0.0))

    assert part.items() <= whole.items()
    assert len(set(whole.values())) > 90


def test_what_is_taken_over_keeps_its_phase() -> None:
    """Phases that lie in the past move on by whole intervals."""
    assert list(later([(0, 10.0), (1, 95.0)], 100.0, 30.0)) == [(0, 100.0), (1, 125.0)]


def test_a_share_is_spread_evenly() -> None:
    """About a third of the members is below a third."""
    assert sum(spread(n, "moment-0") < 1 / 3 for n in range(3000)) == pytest.approx(1000, abs=100)


def test_nobody_has_a_turn_after_the_end() -> None:
    """The last turn is the one at the end itself, however late one looks."""
    plan = Schedule(enumerate([0.0, 10.0]), 30.0, ends=60.0, rng=Random(7))

    assert plan.due(now=1e6) == [
        Turn(0, 0.0),
        Turn(1, 10.0),
        Turn(0, 30.0),
        Turn(1, 40.0),
        Turn(0, 60.0),
    ]
    assert plan.next_at() == float("inf")


def test_a_turn_that_falls_among_those_of_now_is_not_lost() -> None:
    """An interval shorter than a slot plans into the slot that is being taken."""
    plan = Schedule(enumerate([10.0, 10.0012]), SLOT / 5, rng=Random(7))

    turns = plan.due(now=10.0045)

    assert sorted(turn.member for turn in turns) == [0] * 5 + [1] * 4
