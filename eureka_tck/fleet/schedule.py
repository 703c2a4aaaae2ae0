"""
When each instance means to renew: the open model.

A send time is decided by the schedule alone, never by when the last answer came.
What is sent late is sent late and counted; what cannot be sent before the instance's next turn
is counted as missed.
Latency is measured from the *intended* time, so that a registry that stalls cannot hide behind
a client that waits for it (coordinated omission).

Pure: seconds come in, the caller waits.
"""

from __future__ import annotations

import heapq
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random

Phases: TypeAlias = Literal["even", "aligned", "random"]


class Turn(NamedTuple):
    """One intended renewal: `member` is the instance's number, `at` the intended send time in s."""

    member: int
    at: float


class Schedule:
    """
    The turns of some members, in order of their intended times.

    Every member has a phase within the interval and keeps to it: turn n is at phase + n × interval,
    moved by up to `jitter` × interval for that turn only, so that errors never add up.
    With `drift` a member's own interval is longer or shorter by up to that share, for good.
    """

    def __init__(
        self,
        phases: Iterable[tuple[int, float]],
        interval: float,
        *,
        jitter: float = 0.0,
        drift: float = 0.0,
        rng: Random,
    ) -> None:
        self._interval = interval
        self._drift = drift
        self._jitter = jitter * interval
        self._rng = rng
        self._heap = [(self._moved(phase), member, phase) for member, phase in phases]
        heapq.heapify(self._heap)

    def change(self, keeps: Callable[[int], bool], more: Iterable[tuple[int, float]]) -> None:
        """Forget the members that are not kept, and take more; the kept ones' turns stay."""
        self._heap = [entry for entry in self._heap if keeps(entry[1])]
        self._heap += [(self._moved(phase), member, phase) for member, phase in more]
        heapq.heapify(self._heap)

    def next_at(self) -> float:
        """Return the intended time of the next turn, in s; infinity without any member."""
        return self._heap[0][0] if self._heap else float("inf")

    def due(self, now: float) -> list[Turn]:
        """Return the turns intended at or before `now`, in order, and plan each member's next."""
        turns = []
        heap = self._heap
        while heap and heap[0][0] <= now:
            at, member, base = heap[0]
            turns.append(Turn(member, at))
            base += self._interval
            if self._drift:
                base += self._interval * self._drift * (2 * spread(member, "drift") - 1)
            heapq.heapreplace(heap, (self._moved(base), member, base))
        return turns

    def _moved(self, base: float) -> float:
        return base + self._rng.uniform(-self._jitter, self._jitter) if self._jitter else base


def spread(member: int, salt: str) -> float:
    """Return a number from 0 to 1 that its arguments alone decide: chance that workers share."""
    digest = blake2b(f"{salt}:{member}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") / 2**32


def phases(
    kind: Phases, share: Iterable[int], members: int, interval: float, start: float
) -> Iterator[tuple[int, float]]:
    """
    Yield members with their phases in [start, start + interval).

    Even: at equal distances. Aligned: all at once, as clocks set by the same cron do.
    Random: anywhere, but the same at each call.
    """
    for member in share:
        if kind == "even":
            yield member, start + interval * member / members
        elif kind == "random":
            yield member, start + interval * spread(member, "phase")
        else:
            yield member, start


def later(
    turns: Iterable[tuple[int, float]], now: float, interval: float
) -> list[tuple[int, float]]:
    """Return the phases moved by whole intervals so that none lies before `now`."""
    return [
        (member, at if at >= now else at + interval * -((at - now) // interval))
        for member, at in turns
    ]
