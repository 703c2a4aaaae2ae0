"""When a node compares with a peer: with a cause, at a pace, and only with its own kind."""

from __future__ import annotations

from eureka.core.rift import LONGEST_PAUSE, PACE, SETTLING, Rift


def rift() -> Rift:
    """Return the rift to a peer that can compare."""
    found = Rift()
    found.answered(capable=True, troubles=0, now=0.0)
    return found


def test_a_peer_without_trouble_is_never_asked() -> None:
    """Quiet nodes stay quiet."""
    quiet = rift()
    quiet.answered(capable=True, troubles=0, now=50.0)

    assert quiet.wakes_at() is None


def test_a_peer_of_another_kind_is_never_asked() -> None:
    """Whatever went wrong with it."""
    other = Rift()
    other.answered(capable=False, troubles=3, now=0.0)
    other.cause(now=0.0)

    assert other.wakes_at() is None


def test_trouble_is_a_cause_once_the_peer_answers() -> None:
    """What is under way arrives first."""
    troubled = rift()
    troubled.answered(capable=True, troubles=2, now=50.0)

    assert troubled.wakes_at() == 50.0 + SETTLING


def test_dropped_tasks_are_a_cause_without_any_answer() -> None:
    """The peer may be back, with nothing to be sent to it."""
    troubled = rift()
    troubled.lost(dropped=1, now=50.0)

    assert troubled.wakes_at() == 50.0 + SETTLING


def test_a_comparison_that_found_nothing_ends_it() -> None:
    """The next cause waits for the pace."""
    calm = rift()
    calm.cause(now=0.0)
    calm.begin()
    calm.ended(changed=0, now=2.0)

    assert calm.wakes_at() is None
    calm.cause(now=3.0)
    assert calm.wakes_at() == 2.0 + PACE


def test_a_comparison_that_found_something_is_proven_by_another() -> None:
    """Until nothing is found."""
    busy = rift()
    busy.cause(now=0.0)
    busy.begin()
    assert busy.wakes_at() is None
    busy.ended(changed=4, now=2.0)

    assert busy.wakes_at() == 2.0 + SETTLING


def test_a_peer_that_does_not_answer_is_tried_ever_more_seldom() -> None:
    """The pause doubles to its limit; an answer to a batch ends it at once."""
    down = rift()
    down.cause(now=0.0)
    down.begin()
    down.failed(now=10.0)
    assert down.wakes_at() == 10.0 + PACE
    down.begin()
    down.failed(now=100.0)
    assert down.wakes_at() == 100.0 + LONGEST_PAUSE

    down.answered(capable=True, troubles=5, now=101.0)
    assert down.wakes_at() == 101.0 + SETTLING
