"""Where the minutes of a registry begin and end."""

from __future__ import annotations

import pytest

from eureka_tck.clock import Clock
from eureka_tck.observe.minutes import Change, Minutes, watch_change
from eureka_tck.verdict import Inconclusive


class Standing(Clock):
    """A clock that stands where the test puts it; every look at it takes a tenth of a second."""

    def __init__(self, at: float = 0.0) -> None:
        super().__init__()
        self.at = at

    def now(self) -> float:
        """Return the instant, and move on a little."""
        self.at += 0.1
        return self.at

    def reach(self, instant: float) -> None:
        """Be there."""
        self.at = max(self.at, instant)


def test_a_change_lies_between_the_last_old_and_the_first_new_figure() -> None:
    """The two instants enclose the change, half a second apart."""
    clock = Standing()

    change = watch_change(clock, lambda: 7 if clock.at >= 62.3 else 0, 0, 60, 65)

    assert change.after <= 62.3 <= change.before
    assert change.before - change.after < 1


def test_a_change_before_the_first_look_is_enclosed_by_what_was_known() -> None:
    """A harness that comes too late knows only that the change was not before its earliest time."""
    clock = Standing(at=70)

    change = watch_change(clock, lambda: 7, 0, 60, 65)

    assert change.after == 60
    assert change.before > 70


def test_a_figure_that_never_changes_is_inconclusive() -> None:
    """The sentence says which figure stayed, and from when to when."""
    with pytest.raises(Inconclusive, match=r"stayed 3 from 60.0 s to 8\d\.\d s"):
        watch_change(Standing(), lambda: 3, 3, 60, 65)


def test_minutes_follow_the_first_change() -> None:
    """Minute 1 begins at the latest at the change, minute 2 a minute later."""
    minutes = Minutes.after(Standing(), Change(60.0, 60.5))

    assert (minutes.begin(1), minutes.begin(2)) == (60.5, 120.5)
    assert (minutes.end(0), minutes.end(1)) == (60.0, 120.0)


def test_a_vague_change_is_inconclusive_and_late() -> None:
    """A first minute whose end is known to ten seconds only cannot carry the others."""
    with pytest.raises(Inconclusive) as raised:
        Minutes.after(Standing(), Change(60.0, 70.5))

    assert raised.value.late
    assert "between 60.0 s and 70.5 s" in str(raised.value)


def test_what_was_answered_after_the_minute_is_inconclusive() -> None:
    """The sentence says how long after the earliest end of the minute the answer came."""
    minutes = Minutes.after(Standing(at=121), Change(60.0, 60.5))

    with pytest.raises(Inconclusive, match=r"minute 1 was answered 1\.1 s after its end"):
        minutes.within(1)


def test_what_was_answered_in_the_minute_counts() -> None:
    """Nothing is raised while the minute cannot be over."""
    Minutes.after(Standing(at=119), Change(60.0, 60.5)).within(1)


def test_the_last_look_is_before_the_minute_can_be_over() -> None:
    """However vague the change, the look falls into the minute."""
    clock = Standing(at=100)

    Minutes.after(clock, Change(60.0, 69.5)).reach_end(1)

    assert clock.at == 116
