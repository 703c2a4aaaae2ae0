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
FIRST_CALL: Final = 5.0  # s after a minute began: what is sent then counts in it for sure
LAST_LOOK: Final = 4.0  # s before the end of a minute its last look is taken
VAGUE: Final = 10.0  # s: known less exactly, too little of a minute is certainly its own
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


def watch_change(
    clock: Clock, figure: Callable[[], int], old: int, earliest: float, latest: float
) -> Change:
    """
    Wait for the figure to change from `old` between two instants (registry s); say when it did.

    Inconclusive if it does not: then no minute can be told from another.
    """
    clock.reach(earliest - BEFORE)
    after = earliest
    while True:
        asked = clock.now()
        if figure() != old:
            return Change(after, clock.now())
        after = max(earliest, asked)
        if asked > latest + PATIENCE:
            raise Inconclusive(
                f"the renewals of the last minute stayed {old} from {earliest:.1f} s to "
                f"{asked:.1f} s, though a minute with other renewals ended in that time."
            )
        clock.reach(asked + POLL)


@dataclass(frozen=True, slots=True)
class Minutes:
    """The minutes counted from the change that ended the first one, which is number 0."""

    clock: Clock
    first: Change

    @classmethod
    def after(cls, clock: Clock, first: Change) -> Minutes:
        """Return the minutes; Inconclusive where the change is not known well enough."""
        if first.before - first.after > VAGUE:
            raise Inconclusive(
                f"the end of the first minute is only known to lie between {first.after:.1f} s "
                f"and {first.before:.1f} s.",
                late=True,
            )
        return cls(clock, first)

    def begin(self, number: int) -> float:
        """Return the latest instant at which minute `number` can have begun."""
        return self.first.before + (number - 1) * MINUTE

    def end(self, number: int) -> float:
        """Return the earliest instant at which minute `number` can be over."""
        return self.first.after + number * MINUTE

    def reach(self, number: int, seconds: float) -> None:
        """Wait until so many seconds into that minute."""
        self.clock.reach(self.begin(number) + seconds)

    def reach_end(self, number: int) -> None:
        """Wait until shortly before that minute can be over."""
        self.clock.reach(self.end(number) - LAST_LOOK)

    def within(self, number: int) -> None:
        """Raise Inconclusive unless what was just answered still belonged to that minute."""
        if (now := self.clock.now()) > self.end(number):
            raise Inconclusive(
                f"what belongs into minute {number} was answered {now - self.end(number):.1f} s "
                "after its end.",
                late=True,
            )
