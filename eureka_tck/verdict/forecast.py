"""
How long a pass will take: what the profiles wait for, side by side, and what starts cost.

A forecast for people, shown before and while a gate runs; nothing is judged by it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from eureka_tck.profile import Profile
    from eureka_tck.verdict.selection import Claim

HARNESS_SECONDS: Final = 2.0
"""Real seconds of pytest, its workers and the report."""

START_SECONDS: Final = {"python": 0.8, "java": 2.5}
"""Real seconds a node costs at its start, two starting at a time on two cores."""

CALL_SECONDS: Final = 0.02
"""Real seconds a test costs beside what it waits for: some calls of a few milliseconds; the median
of 1,400 tests was 9 ms, and pytest takes as much again."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Predicted real seconds, by profile and on the whole."""

    profiles: Mapping[str, float]
    seconds: float


def forecast(
    claims: Sequence[Claim],
    profiles: Mapping[str, Profile],
    speeds: Mapping[str, float],
    families: Collection[str],
    workers: int,
    *,
    quick: bool = False,
) -> Forecast:
    """
    Predict how long these tests take.

    Args:
        claims: the tests.
        profiles: their profiles by name.
        speeds: the speed of each.
        families: kinds of target that are judged; the dearest start counts.
        workers: how many profiles run side by side.
        quick: whether recordings are short and long tests left out.
    """
    start = max((START_SECONDS.get(family, 1.0) for family in families), default=1.0)
    expected = {
        name: _profile_seconds(
            [claim for claim in claims if claim.profile == name],
            profile,
            speeds[name],
            start,
            quick=quick,
        )
        for name, profile in profiles.items()
    }
    return Forecast(expected, HARNESS_SECONDS + _side_by_side(expected.values(), workers))


def _profile_seconds(
    claims: Sequence[Claim], profile: Profile, speed: float, start: float, *, quick: bool
) -> float:
    most = profile.seconds
    if quick and profile.quick_seconds is not None:
        most = profile.quick_seconds
    waits = min(most, sum(claim.seconds for claim in claims))
    longest = max((claim.seconds for claim in claims), default=0.0)
    return profile.nodes * start + max(waits, longest) / speed + CALL_SECONDS * len(claims)


def _side_by_side(parts: Iterable[float], workers: int) -> float:
    """Return when the last part ends if the longest is always begun first."""
    busy = [0.0] * max(1, workers)
    for part in sorted(parts, reverse=True):
        heapq.heappush(busy, heapq.heappop(busy) + part)
    return max(busy)
