"""
What became of each instance, as its worst node showed it: stable, stale, lost, ghost, flapping.

This says how bad a run was for whoever called the registry; it is no verdict. Times to be visible
and to be gone are given as quantiles over instances and nodes.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from eureka_tck.promises.absence import absences
from eureka_tck.promises.delays import delays
from eureka_tck.promises.departure import Leavings, departures
from eureka_tck.promises.evidence import Evidence
from eureka_tck.promises.lag import home_says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.history.reader import History
    from eureka_tck.promises.delays import Kind
    from eureka_tck.promises.lives import Life

Fate: TypeAlias = Literal["stable", "stale", "lost", "ghost", "flapping"]

SAID: Final[dict[Fate, str]] = {
    "flapping": "it went and came back at one node at least twice while it lived",
    "ghost": "a node showed it after it was cancelled and had to be gone, or again after it went",
    "lost": "a node did not show it for some time while it lived, having shown it",
    "stale": "a node told other data of it than its home for longer than a change takes",
    "stable": "none of these",
}
"""The fates from the worst on; an instance has the first that is true of it."""

FLAPS: Final = 2

QUANTILES: Final = (0.5, 0.9, 0.99, 1.0)


class Quantiles(Struct, frozen=True, kw_only=True):
    """Seconds by share of the cases: the median, 90 %, 99 % and the worst; `cases` in number."""

    what: str
    cases: int
    never: int
    p50: float
    p90: float
    p99: float
    worst: float


class Fates(Struct, frozen=True, kw_only=True):
    """How many instances had each fate, an example of each, and how long things took."""

    counts: dict[str, int]
    examples: dict[str, str]
    stale_for: float
    times: tuple[Quantiles, ...]


def fates(history: History) -> Fates:
    """Return what became of the instances of a run."""
    evidence = Evidence.of(history)
    ghosts = _ghosts(evidence)
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    longest = 0.0
    for instance in sorted(evidence.who.known):
        fate, stale = _fate(evidence, instance, ghosts)
        counts[fate] += 1
        examples.setdefault(fate, instance)
        longest = max(longest, stale)
    seen = delays(evidence)
    kinds: tuple[tuple[str, Kind], ...] = (
        ("a registration to be visible", "register"),
        ("a cancelled instance to be gone", "cancel"),
        ("a dead instance to be gone", "death"),
        ("a status to be visible", "status"),
    )
    times = []
    for what, kind in kinds:
        some = [one.seconds for one in seen if one.kind == kind and not one.is_client]
        if some:
            times.append(_quantiles(f"for {what} at a node", some))
    return Fates(
        counts={fate: counts[fate] for fate in SAID},
        examples=examples,
        stale_for=round(longest, 2),
        times=tuple(times),
    )


def _ghosts(evidence: Evidence) -> set[str]:
    """Return the instances that a node showed when they had to be gone, or again after that."""
    leavings = Leavings.of(evidence)
    found: set[str] = set()
    for one in departures(evidence):
        for node in evidence.taken:
            stay = leavings.stay(one, node)
            late = _due(evidence, node, one.at)
            if stay and stay.shown and one.is_cancelled and stay.shown.began > late:
                found.add(one.instance)
            if stay and stay.is_over:
                found.add(one.instance)
    return found


def _due(evidence: Evidence, node: str, at: float) -> float:
    """Return when a cancellation at the instant is known at the node if nothing is broken."""
    return at + evidence.rules[node].arriving().seconds


def _fate(evidence: Evidence, instance: str, ghosts: set[str]) -> tuple[Fate, float]:
    """Return the worst that happened to an instance, and for how long it was stale."""
    gone = 0
    flaps = 0
    stale = 0.0
    for life in evidence.who.of(instance):
        for node, of_node in evidence.taken.items():
            missing = absences(life, node, of_node)
            gone += len(missing)
            flaps = max(flaps, sum(one.back_at is not None for one in missing))
            stale = max(stale, _stale_for(evidence, life, node))
    if flaps >= FLAPS:
        return "flapping", stale
    if instance in ghosts:
        return "ghost", stale
    if gone:
        return "lost", stale
    return ("stale", stale) if stale else ("stable", 0.0)


def _stale_for(evidence: Evidence, life: Life, node: str) -> float:
    """Return for how long the node told other data than the home, beyond what a change takes."""
    if node == life.home:
        return 0.0
    longest = 0.0
    since: float | None = None
    for reading in evidence.taken[node]:
        if not life.covers(reading.began, reading.ended):
            continue
        truth = home_says(life, reading, evidence.taken[life.home])
        told = reading.present.get(life.instance)
        if truth is None or told is None or told == truth:
            since = None
            continue
        since = reading.began if since is None else since
        longest = max(longest, reading.ended - since)
    return longest if longest > evidence.rules[node].arriving().seconds else 0.0


def _quantiles(what: str, seconds: Sequence[float | None]) -> Quantiles:
    known = sorted(one for one in seconds if one is not None)

    def at(share: float) -> float:
        return round(known[max(0, math.ceil(share * len(known)) - 1)], 2) if known else 0.0

    p50, p90, p99, worst = (at(share) for share in QUANTILES)
    return Quantiles(
        what=what,
        cases=len(seconds),
        never=len(seconds) - len(known),
        p50=p50,
        p90=p90,
        p99=p99,
        worst=worst,
    )
