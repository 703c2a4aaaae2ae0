"""
The minutes in which a registry counts renewals: where they begin, told from its own counters.

A registry counts from when it opens, which nobody outside sees; the figure of the last minute
changes exactly when one ends. The first change gives the phase of all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.verdict import Inconclusive

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.clock import Clock

MINUTE: Final = 60.0  # s, eureka-core MeasuredRate(1000 * 60)
BEFORE: Final = 2.0  # s before the earliest instant of a change the watch begins
PATIENCE: Final = 15.0  # s after the latest instant of a change until it has failed to come
POLL: Final = 0.5  # registry s between two looks: how exactly a change is known
FIRST_CALL: Final = (
    5.0  # s after the beginning of a minute: what is sent then counts in it for sure
)
LAST_CALL: Final = 55.0  # s after it: what is answered then counted in it for sure
VAGUE: Final = 4.0  # s: known less exactly, a call could fall into either minute
SLOWEST_START: Final = 100.0  # registry s from its start until a node is ready: 20 s at speed 5
READING: Final = 3.0  # s after the beginning of a minute its counters are read


@dataclass(frozen=True, slots=True)
class Change:
    """A minute's end: the figure was still the old one at `after` and a new one at `before`."""

    after: float
    before: float


def opened_lately(clock: Clock, started_at: float) -> float:
    """Return now, at the latest the instant of opening; Inconclusive if it may be too long ago."""
    ready = clock.now()
    if ready - started_at > SLOWEST_START:
        raise Inconclusive(
            f"the node was started {ready - started_at:.0f} s ago: "
            "its first minute may be over before anything is seen of it.",
            late=True,
        )
    return ready


def watch_change(clock: Clock, figure: Callable[[], int], earliest: float, latest: float) -> Change:
    """
    Wait for the figure to change between two instants (registry s) and say when it did.

    Inconclusive if it does not: then no minute can be told from another.
    """
    clock.reach(earliest - BEFORE)
    after = clock.now()
    old = figure()
    while True:
        asked = clock.now()
        seen = figure()
        if seen != old:
            return _exact(Change(after, clock.now()))
        after = asked
        if asked > latest + PATIENCE:
            raise Inconclusive(
                f"the renewals of the last minute stayed {old} from {earliest:.1f} s to "
                f"{asked:.1f} s, though a minute with other renewals ended in that time."
            )
        clock.reach(asked + POLL)


def _exact(change: Change) -> Change:
    if change.before - change.after > VAGUE:
        raise Inconclusive(
            f"the end of a minute is only known to lie between {change.after:.1f} s and "
            f"{change.before:.1f} s.",
            late=True,
        )
    return change


@dataclass(frozen=True, slots=True)
class Minutes:
    """The minutes counted from the change that ended the first one, which is number 0."""

    clock: Clock
    first: Change

    def begin(self, number: int) -> float:
        """Return the latest instant at which minute `number` can have begun."""
        return self.first.before + (number - 1) * MINUTE

    def reach(self, number: int, seconds: float) -> None:
        """Wait until so many seconds into that minute; negative: before it begins."""
        self.clock.reach(self.begin(number) + seconds)

    def within(self, number: int) -> None:
        """Raise Inconclusive unless what has just been answered counted in that minute."""
        into = self.clock.now() - self.begin(number)
        if not 0 <= into <= LAST_CALL:
            raise Inconclusive(
                f"renewals meant for minute {number} were answered {into:.1f} s after it began.",
                late=True,
            )
