"""When a fleet rests before it looks at its answers: where it is busy, and never long."""

from __future__ import annotations

import pytest

from eureka_tck.fleet.pulse import BRISK, GATHER, Pulse


def test_a_fleet_that_has_time_looks_at_once() -> None:
    """Up to the pace from which it pays, nothing rests."""
    pulse = Pulse()
    pulse.count(0, 1.0)
    pulse.count(BRISK, 2.0)

    assert [pulse.rest(2.0), pulse.rest(2.0)] == [0.0, 0.0]


def test_a_busy_fleet_looks_once_in_a_while() -> None:
    """The first look is at once; the next one so much later, less what the work between took."""
    pulse = Pulse()
    pulse.count(0, 1.0)
    pulse.count(BRISK + 1, 2.0)

    assert pulse.rest(2.0) == 0.0
    assert pulse.rest(2.0 + GATHER / 4) == pytest.approx(GATHER * 3 / 4)
    assert pulse.rest(2.0 + GATHER) == pytest.approx(GATHER)
    assert pulse.rest(3.0) == 0.0


def test_the_pace_is_that_of_the_last_stretch() -> None:
    """What a fleet once did, does not keep it resting."""
    pulse = Pulse()
    pulse.count(0, 1.0)
    pulse.count(1_000_000, 2.0)
    pulse.count(1_000_100, 3.0)

    assert [pulse.rest(3.0), pulse.rest(3.0)] == [0.0, 0.0]
