"""What is seen of a fleet between two instants, and what it does at once."""

from __future__ import annotations

from eureka_tck.fleet.histogram import between
from eureka_tck.fleet.sighting import own_deeds, pulse
from eureka_tck.fleet.storm import Moment, Storm
from eureka_tck.fleet.tally import Tally

EARLY = Tally(
    sent=100, late=1, acknowledged=90, requests=100, intended_us={"PUT renew": {1_000: 90}}
)
LATE = Tally(
    sent=150, late=6, missed=2, failures=1, acknowledged=140, requests=150,
    intended_us={"PUT renew": {1_000: 138, 1_900_000: 2}},
)  # fmt: skip


def test_a_pulse_is_what_happened_between_two_counts_alone() -> None:
    """The one slow stretch is not diluted by what went before."""
    seen = pulse(10.0, 12.0, EARLY, LATE, 3.5)

    assert (seen.sent, seen.late, seen.missed, seen.acknowledged) == (50, 5, 2, 50)
    assert (seen.median_ms, seen.p99_ms, seen.worst_ms) == (1.0, 1900.0, 1900.0)
    assert (seen.failures, seen.generator_cpu) == (1, 3.5)


def test_a_pulse_without_an_answer_has_no_latency() -> None:
    """None, and not nothing."""
    assert pulse(10.0, 12.0, EARLY, EARLY, 0.0).p99_ms is None


def test_what_lies_between_two_histograms_are_the_later_values() -> None:
    """Buckets that did not grow are left out."""
    assert between({1: 5, 2: 3}, {1: 5, 2: 4, 3: 1}) == {2: 1, 3: 1}


def test_what_the_fleet_does_at_once_is_a_deed_with_its_share() -> None:
    """From its moment until the last is back, and no later than the storm's end."""
    storm = Storm(
        name="x", story="", instances=10, minutes=1, arrive_over=5, settle=5,
        moments=(
            Moment(does="restart", at=0.5, share=0.3, over=2, away=10),
            Moment(does="die", at=0.9, over=60),
            Moment(does="kill-node", at=0.5),
        ),
    )  # fmt: skip

    assert [(one.begins, one.ends, one.said) for one in own_deeds(storm)] == [
        (35.0, 47.0, "30% of the fleet restarts, 10 s away"),
        (59.0, 70.0, "100% of the fleet falls silent"),
    ]
