"""The open model: a schedule decides when to send, whatever the answers do."""

from __future__ import annotations

from random import Random

import pytest

from eureka_tck.fleet.schedule import Schedule, Turn, even_phases


def schedule(phases: list[float], interval: float = 30.0, jitter: float = 0.0) -> Schedule:
    """Return a schedule with a fixed seed."""
    return Schedule(phases, interval, jitter=jitter, rng=Random(7))


def test_turns_come_in_the_order_of_their_intended_times() -> None:
    """Members with scrambled phases are due by phase, not by number."""
    plan = schedule([3.0, 1.0, 2.0])

    assert plan.due(now=3.0) == [Turn(1, 1.0), Turn(2, 2.0), Turn(0, 3.0)]


def test_nothing_is_due_before_its_time() -> None:
    """A turn at 5 s is not due at 4.9 s, and the schedule says when it is."""
    plan = schedule([5.0])

    assert plan.due(now=4.9) == []
    assert plan.next_at() == 5.0


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


@pytest.mark.parametrize("members", [1, 7, 1000])
def test_even_phases_fill_one_interval(members: int) -> None:
    """Phases start at the start, end before start + interval, and are equally far apart."""
    phases = even_phases(members, interval=30.0, start=100.0)

    assert phases[0] == 100.0
    assert phases[-1] == pytest.approx(130.0 - 30.0 / members)
