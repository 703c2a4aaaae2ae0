"""
What was seen while a storm went on: nodes, the fleet, delays to a peer, and what was done. Pure.

All instants are seconds since the fleet began to register. Nothing here reads anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eureka_tck.fleet.histogram import between, percentile_ms

if TYPE_CHECKING:
    from eureka_tck.fleet.storm import Storm
    from eureka_tck.fleet.tally import Tally

RENEW = "PUT renew"


class Sample(msgspec.Struct, frozen=True):
    """
    A node as seen at an instant: processor seconds so far, bytes of memory, its own counters.

    `registered` and `acknowledged` are the fleet's: instances that renew, renewals answered 200.
    """

    at: float
    node: str
    cpu: float
    memory: int
    threshold: int | None
    renewals: int | None
    acknowledged: int
    registered: int


class Pulse(msgspec.Struct, frozen=True, kw_only=True):
    """
    The fleet between two instants, `began` and `at`.

    Renewals that were sent, of those the late ones, renewals never sent, renewals acknowledged and
    requests that failed, all of this stretch alone; latencies of its renewals in ms, from the
    intended time, None where none was answered. `generator_cpu` are the processor seconds that the
    generator has used so far, 0 where they are not known.
    """

    began: float
    at: float
    sent: int
    late: int
    missed: int
    acknowledged: int
    failures: int
    median_ms: float | None
    p99_ms: float | None
    worst_ms: float | None
    generator_cpu: float = 0.0


class Delay(msgspec.Struct, frozen=True):
    """A change made at node a at that instant, and how long, in ms, node b took to show it."""

    at: float
    ms: float
    arrived: bool


class Deed(msgspec.Struct, frozen=True):
    """What was done, from and to those instants; what was never undone lasts to the storm's end."""

    begins: float
    ends: float
    said: str


class Size(msgspec.Struct, frozen=True):
    """Bytes of one call as they crossed the network: the request, the answer, heads and all."""

    request: int
    answer: int


def pulse(began: float, at: float, early: Tally, late: Tally, cpu: float) -> Pulse:
    """Return what the fleet did from one instant to another, by its counts at both."""
    answered = between(early.intended_us.get(RENEW, {}), late.intended_us.get(RENEW, {}))
    return Pulse(
        began=round(began, 2),
        at=round(at, 2),
        sent=late.sent - early.sent,
        late=late.late - early.late,
        missed=late.missed - early.missed,
        acknowledged=late.acknowledged - early.acknowledged,
        failures=late.failures - early.failures,
        median_ms=percentile_ms(answered, 0.5),
        p99_ms=percentile_ms(answered, 0.99),
        worst_ms=percentile_ms(answered, 1),
        generator_cpu=round(cpu, 3),
    )


_TOLD = {
    "restart": "{share} of the fleet restarts, {away:g} s away",
    "redeploy": "{share} of the fleet is redeployed, {away:g} s away",
    "die": "{share} of the fleet falls silent",
    "status": "{share} of the fleet is out of service for {away:g} s",
    "reconcile": "{share} of the fleet reads the delta, then all",
}


def own_deeds(storm: Storm) -> list[Deed]:
    """Return what the fleet itself does at once, as the storm plans it."""
    found = []
    for moment in storm.moments:
        if (words := _TOLD.get(moment.does)) is not None:
            begins = storm.arrive_over + moment.at * storm.minutes * 60
            ends = min(begins + moment.over + moment.away, storm.length)
            said = words.format(share=f"{moment.share:.0%}", away=moment.away)
            found.append(Deed(begins, ends, said))
    return found
