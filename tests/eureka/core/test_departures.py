"""Who left is remembered for a while, and not without limit."""

from __future__ import annotations

from eureka.core.departures import REMEMBERED, REMEMBERED_FOR, Cancelled, Departures
from eureka.core.instance import Key
from eureka.core.revision import Stamp

ONE, TWO = Key("CART", "1"), Key("CART", "2")


def cancelled(at: float) -> Cancelled:
    """Return a cancellation of that moment."""
    return Cancelled(100, Stamp(round(at * 1000), "a"), at)


def test_who_comes_back_is_forgotten() -> None:
    """And told how it had left."""
    departures = Departures()
    departures.cancelled(ONE, cancelled(5.0))
    departures.evicted(TWO, now=6.0)

    assert departures.came_back(ONE) == (cancelled(5.0), None)
    assert departures.came_back(TWO) == (None, 6.0)
    assert departures.find_cancelled(ONE) is None
    assert departures.evicted_at(TWO) is None


def test_a_cancellation_is_forgotten_in_the_end() -> None:
    """No ghost lives that long."""
    departures = Departures()
    departures.cancelled(ONE, cancelled(0.0))
    departures.cancelled(TWO, cancelled(REMEMBERED_FOR + 1))

    assert departures.find_cancelled(ONE) is None
    assert departures.find_cancelled(TWO) is not None


def test_no_more_are_remembered_than_the_limit() -> None:
    """The oldest are forgotten first, of each kind."""
    departures = Departures()
    for number in range(REMEMBERED + 10):
        departures.cancelled(Key("GONE", str(number)), cancelled(number / 1000))
        departures.evicted(Key("LOST", str(number)), now=number / 1000)

    assert len(departures.all_cancelled()) == REMEMBERED
    assert departures.find_cancelled(Key("GONE", "9")) is None
    assert departures.evicted_at(Key("LOST", "9")) is None
    assert departures.evicted_at(Key("LOST", "10")) is not None
