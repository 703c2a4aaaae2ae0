"""The counts of several workers are one fleet's."""

from __future__ import annotations

import msgspec

from eureka_tck.fleet.tally import MOST_PROBLEMS, Tally, together


def test_what_was_done_is_summed_and_what_is_held_is_of_the_living() -> None:
    """A dead worker's renewals happened; its instances are another's now."""
    dead = Tally(instances=10, sent=5, up=5, worst_own_ms=9.0, statuses={"200": 5})
    alive = Tally(
        instances=10, sent=7, up=10, worst_own_ms=2.0, statuses={"200": 6, "404": 1},
        intended_us={"PUT renew": {1000: 7}}, own_us={8: 7},
    )  # fmt: skip

    whole = together([dead, alive], [alive])

    assert (whole.instances, whole.sent, whole.up, whole.worst_own_ms) == (10, 12, 10, 9.0)
    assert whole.statuses == {"200": 11, "404": 1}
    assert whole.intended_us == {"PUT renew": {1000: 7}}
    assert whole.own_us == {8: 7}


def test_the_parts_are_left_as_they_are() -> None:
    """Adding up twice gives the same."""
    part = Tally(intended_us={"PUT renew": {1000: 7}})

    together([part, part], [part])

    assert part.intended_us == {"PUT renew": {1000: 7}}


def test_only_the_first_problems_are_kept_in_words() -> None:
    """A storm of failures fills no disk."""
    tally = Tally()
    for number in range(2 * MOST_PROBLEMS):
        tally.note(str(number))

    assert len(tally.problems) == MOST_PROBLEMS
    assert len(together([tally, tally], []).problems) == MOST_PROBLEMS


def test_counts_travel_as_json() -> None:
    """What is written is what is read."""
    tally = Tally(sent=3, intended_us={"PUT renew": {1000: 7}}, own_us={8: 1})

    assert msgspec.json.decode(msgspec.json.encode(tally), type=Tally) == tally
