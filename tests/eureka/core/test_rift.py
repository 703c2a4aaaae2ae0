"""When a node compares with a peer: with a cause, at a pace, and only with its own kind."""

from __future__ import annotations

import pytest

from eureka.core.instance import Key
from eureka.core.merge import DIALECT
from eureka.core.rift import LONGEST_DOUBT, LONGEST_PAUSE, PACE, SETTLING, Rift

ONE = Key("CART", "1")


def rift() -> Rift:
    """Return the rift to a peer that can compare."""
    found = Rift()
    found.answered(dialect=DIALECT, troubles=0, now=0.0)
    return found


def test_a_peer_without_trouble_is_never_asked() -> None:
    """Quiet nodes stay quiet."""
    quiet = rift()
    quiet.answered(dialect=DIALECT, troubles=0, now=50.0)

    assert quiet.wakes_at() is None


@pytest.mark.parametrize("dialect", ["", "1", DIALECT + "0"])
def test_a_peer_of_another_kind_or_release_is_never_asked(dialect: str) -> None:
    """Whatever went wrong with it; another release of our own kind still understands marks."""
    other = Rift()
    other.answered(dialect=dialect, troubles=3, now=0.0)
    other.cause(now=0.0)

    assert other.wakes_at() is None
    assert other.akin == bool(dialect)


def test_trouble_is_a_cause_once_the_peer_answers() -> None:
    """What is under way arrives first."""
    troubled = rift()
    troubled.answered(dialect=DIALECT, troubles=2, now=50.0)

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
    calm.ended(changed=frozenset(), now=2.0)

    assert calm.wakes_at() is None
    calm.cause(now=3.0)
    assert calm.wakes_at() == 2.0 + PACE


def test_a_comparison_that_found_something_is_proven_by_another() -> None:
    """Until nothing is found."""
    busy = rift()
    busy.cause(now=0.0)
    busy.begin()
    assert busy.wakes_at() is None
    busy.ended(changed=frozenset({ONE}), now=2.0)

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

    down.answered(dialect=DIALECT, troubles=5, now=101.0)
    assert down.wakes_at() == 101.0 + SETTLING


def overtaken() -> Rift:
    """Return a rift whose comparison is out while a batch fails and is answered after all."""
    found = rift()
    found.cause(now=0.0)
    found.begin()
    found.answered(dialect=DIALECT, troubles=1, now=8.0)
    return found


def test_a_question_that_may_be_lost_is_asked_anew_once_the_peer_answers() -> None:
    """Nobody waits for an answer to what a black hole swallowed."""
    again = overtaken()
    assert again.is_overtaken
    again.failed(now=8.0)

    assert (again.is_overtaken, again.wakes_at()) == (False, 8.0 + SETTLING)


def test_no_two_questions_in_a_row_are_given_up() -> None:
    """Over a slow link batches fail all the time, and a comparison has to come to its end."""
    slow = overtaken()
    slow.failed(now=8.0)
    slow.begin()
    slow.answered(dialect=DIALECT, troubles=2, now=12.0)
    assert not slow.is_overtaken

    slow.ended(changed=frozenset(), now=20.0)
    slow.begin()
    slow.answered(dialect=DIALECT, troubles=3, now=22.0)
    assert slow.is_overtaken


def test_an_answer_without_trouble_overtakes_nothing() -> None:
    """A peer that sums up much takes its time."""
    patient = rift()
    patient.cause(now=0.0)
    patient.begin()
    patient.answered(dialect=DIALECT, troubles=0, now=8.0)

    assert not patient.is_overtaken


def compare(with_peer: Rift, changed: frozenset[Key]) -> float:
    """Let a comparison begin when it is due and end at once; return the seconds to the next."""
    begun = with_peer.wakes_at()
    assert begun is not None
    with_peer.begin()
    with_peer.ended(changed=changed, now=begun)
    due = with_peer.wakes_at()
    return float("inf") if due is None else due - begun


def test_what_merging_does_not_end_is_compared_ever_more_seldom() -> None:
    """Nodes that differ for good ask each other once a minute, however much else changes."""
    odd = rift()
    odd.cause(now=0.0)

    pauses = [compare(odd, frozenset({ONE, Key("CART", str(turn + 2))})) for turn in range(10)]

    assert pauses == [1, 1, 2, 4, 8, 16, 32, LONGEST_DOUBT, LONGEST_DOUBT, LONGEST_DOUBT]


def test_records_that_are_new_each_time_are_compared_at_once() -> None:
    """A registry that is healed in many goes does not wait."""
    large = rift()
    large.cause(now=0.0)

    pauses = [compare(large, frozenset({Key("CART", str(turn))})) for turn in range(10)]

    assert pauses == [SETTLING] * 10


def test_a_comparison_that_finds_nothing_ends_all_doubt() -> None:
    """What differs later is another matter."""
    odd = rift()
    odd.cause(now=0.0)
    for _ in range(6):
        compare(odd, frozenset({ONE}))
    assert compare(odd, frozenset()) == float("inf")
    odd.cause(now=1000.0)

    assert compare(odd, frozenset({ONE})) == SETTLING


def test_trouble_does_not_hasten_what_merging_does_not_end() -> None:
    """A peer whose answers are late every now and then is not asked each second for that."""
    odd = rift()
    odd.cause(now=0.0)
    for _ in range(8):
        compare(odd, frozenset({ONE}))
    due = odd.wakes_at()
    odd.answered(dialect=DIALECT, troubles=9, now=0.0)

    assert odd.wakes_at() == due
