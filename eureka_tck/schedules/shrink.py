"""Smaller schedules: what is tried to find the least that still breaks a promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eureka_tck.schedules.schedule import Schedule

SHORTEST: Final = 4.0
"""s below which a fault is not shortened: the proof of most takes that long."""


def smaller(schedule: Schedule) -> Iterator[tuple[str, Schedule]]:
    """
    Return schedules with one thing less, those that leave out most first, each with what it lacks.

    A fault or a workload is left out, half the instances of a workload, half the time of a fault.
    """
    for number, strike in enumerate(schedule.strikes):
        rest = schedule.strikes[:number] + schedule.strikes[number + 1 :]
        yield f"without the fault {strike.fault.name}", replace(schedule, strikes=rest)
    for number, cast in enumerate(schedule.casts):
        others = schedule.casts[:number] + schedule.casts[number + 1 :]
        if others:
            yield f"without the workload {cast.name}", replace(schedule, casts=others)
    for number, cast in enumerate(schedule.casts):
        if len(cast.members) > 1:
            half = replace(cast, members=cast.members[: len(cast.members) // 2])
            casts = (*schedule.casts[:number], half, *schedule.casts[number + 1 :])
            yield (
                f"with {len(half.members)} of {len(cast.members)} instances of {cast.name}",
                replace(schedule, casts=casts),
            )
    for number, strike in enumerate(schedule.strikes):
        lasts = (strike.ends - strike.begins) / 2
        if lasts >= SHORTEST:
            short = replace(strike, ends=strike.begins + lasts)
            strikes = (*schedule.strikes[:number], short, *schedule.strikes[number + 1 :])
            yield f"with {lasts:g} s of {strike.fault.name}", replace(schedule, strikes=strikes)
