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
import math
from array import array
from bisect import bisect_right, insort
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random

Phases: TypeAlias = Literal["even", "aligned", "random"]


SLOT: Final = 0.005
"""Seconds; a hundred thousand members that renew every 30 s have 17 turns in one."""


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
    Nobody has a turn after `ends`.

    Turns lie in slots of `SLOT` seconds, unsorted until their slot is reached: to plan one costs
    the same for ten members and for a million.
    """

    def __init__(
        self,
        phases: Iterable[tuple[int, float]],
        interval: float,
        *,
        jitter: float = 0.0,
        drift: float = 0.0,
        ends: float = math.inf,
        rng: Random,
    ) -> None:
        self._jitter = jitter * interval
        self._random = rng.random
        self._slots: dict[int, list[tuple[float, int]]] = {}
        self._order: list[int] = []
        self._slot = -1
        self._soon: list[tuple[float, int]] = []
        self._place = 0
        """The turns of the slot that was reached, in order, and how many of them are taken."""
        self._ends = ends
        self._interval = interval
        self._bases = array("d")
        self._intervals = array("d") if drift else None
        self._drift = drift
        self._take(phases)

    def change(self, keeps: Callable[[int], bool], more: Iterable[tuple[int, float]]) -> None:
        """Forget the members that are not kept, and take more; the kept ones' turns stay."""
        self._soon = [turn for turn in self._soon[self._place :] if keeps(turn[1])]
        self._place = 0
        for slot, planned in self._slots.items():
            self._slots[slot] = [turn for turn in planned if keeps(turn[1])]
        self._take(more)

    def next_at(self) -> float:
        """Return the intended time of the next turn, in s; infinity without any member."""
        if self._place == len(self._soon) and not self._reach():
            return math.inf
        at = self._soon[self._place][0]
        return at if at <= self._ends else math.inf

    def due(self, now: float) -> list[Turn]:
        """Return the turns intended at or before `now`, in order, and plan each member's next."""
        return [Turn(member, at) for at, member in self.taken(now)]

    def taken(self, now: float) -> list[tuple[float, int]]:
        """Return the same as plain pairs, the instant first: a fleet has many."""
        turns: list[tuple[float, int]] = []
        bases, intervals, interval = self._bases, self._intervals, self._interval
        slots, jitter, random = self._slots, self._jitter, self._random
        until = (min(now, self._ends), math.inf)
        while self.next_at() <= now:
            soon, begin, reached = self._soon, self._place, self._slot
            self._place = end = bisect_right(soon, until, begin)
            taken = soon[begin:end]
            turns += taken
            for _, member in taken:
                at = bases[member] + (interval if intervals is None else intervals[member])
                bases[member] = at
                if jitter:
                    at += jitter * (2 * random() - 1)
                slot = int(at / SLOT)
                if slot > reached and slot in slots:  # nearly always
                    slots[slot].append((at, member))
                else:
                    self._plan_at(member, at, slot)
        return turns

    def _take(self, phases: Iterable[tuple[int, float]]) -> None:
        for member, base in phases:
            _put(self._bases, member, base)
            if self._intervals is not None:
                own = self._interval * (1 + self._drift * (2 * spread(member, "drift") - 1))
                _put(self._intervals, member, own)
            self._plan(member, base)

    def _plan(self, member: int, base: float) -> None:
        at = base + self._jitter * (2 * self._random() - 1) if self._jitter else base
        self._plan_at(member, at, int(at / SLOT))

    def _plan_at(self, member: int, at: float, slot: int) -> None:
        if slot <= self._slot:
            insort(self._soon, (at, member), self._place)
            return
        planned = self._slots.get(slot)
        if planned is None:
            self._slots[slot] = [(at, member)]
            heapq.heappush(self._order, slot)
        else:
            planned.append((at, member))

    def _reach(self) -> bool:
        """Take up the next slot that holds any turn; return whether there is one."""
        self._soon, self._place = [], 0
        while self._order and not self._soon:
            self._slot = heapq.heappop(self._order)
            self._soon = sorted(self._slots.pop(self._slot))
        return bool(self._soon)


def _put(values: array[float], place: int, value: float) -> None:
    if place >= len(values):
        values.extend([0.0] * (place + 1 - len(values)))
    values[place] = value


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
) -> Iterator[tuple[int, float]]:
    """Yield the phases moved by whole intervals so that none lies before `now`."""
    for member, at in turns:
        yield member, at if at >= now else at + interval * -((at - now) // interval)
