"""
A schedule: what a seed makes of a scenario, down to who lives where and what is cut when.

The same scenario and seed always give the same schedule, and a schedule alone can be played:
it stands in the header of the run's history.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from eureka_tck.schedules.fault import Death, Fault, RollingRestart
from eureka_tck.schedules.workload import Phase, Readers, Renewing, Workload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eureka_tck.schedules.scenario import Scenario


class Member(Struct, frozen=True, kw_only=True):
    """
    One instance: it registers at its `home`, `joins` seconds after its phase began.

    `interval` is None for one that never renews; `number` tells it from all others of the run.
    """

    app: str
    id: str
    number: int
    home: str
    joins: float
    lease: float
    interval: float | None
    elsewhere: str = ""
    """Another node, for whoever goes or calls there."""

    @property
    def instance(self) -> str:
        """The name under which it stands in histories."""
        return f"{self.app}/{self.id}"


class Cast(Struct, frozen=True, kw_only=True):
    """A workload and its instances; `data` is what the scenario says of it."""

    name: str
    kind: str
    phase: Phase
    members: tuple[Member, ...]
    data: Workload | None = None


class Strike(Struct, frozen=True, kw_only=True):
    """A fault with everything decided; it begins and ends so long after breaking began."""

    fault: Fault
    begins: float
    ends: float


class Schedule(Struct, frozen=True, kw_only=True):
    """
    All that will happen in a run, but for what the registries make of it.

    Breaking and recovering last so many seconds at least.
    """

    scenario: str
    seed: int
    nodes: tuple[str, ...]
    casts: tuple[Cast, ...]
    strikes: tuple[Strike, ...]
    breaking: float = 0.0
    recovering: float = 0.0

    def of_phase(self, phase: Phase) -> tuple[Cast, ...]:
        """Return the workloads that begin in a phase."""
        return tuple(cast for cast in self.casts if cast.phase == phase)


def draw(scenario: Scenario, seed: int) -> Schedule:
    """Decide by the seed all that the scenario leaves open."""
    # Each part has a generator of its own, so that a change to one leaves the others as they were.
    casts: list[Cast] = []
    number = 0
    for workload in scenario.workload:
        chance = random.Random(f"{seed}/{workload.name}")
        members = _members(workload, number, scenario.letters, chance)
        number += len(members)
        casts.append(
            Cast(
                name=workload.name,
                kind=str(workload.__struct_config__.tag),
                phase=workload.phase,
                members=members,
                data=workload,
            )
        )
    return Schedule(
        scenario=scenario.name,
        seed=seed,
        nodes=scenario.letters,
        casts=tuple(casts),
        strikes=tuple(
            strike
            for fault in scenario.fault
            for strike in _strikes(fault, scenario.letters, random.Random(f"{seed}/{fault.name}"))
        ),
        breaking=scenario.lasts.breaking,
        recovering=scenario.lasts.recovering,
    )


def _members(
    workload: Workload, first: int, nodes: Sequence[str], chance: random.Random
) -> tuple[Member, ...]:
    applications, interval, over, lease = 1, None, 0.0, 0.0
    if isinstance(workload, Renewing):
        applications, interval = workload.applications, workload.interval
        over = workload.interval if workload.over is None else workload.over
    number = workload.clients if isinstance(workload, Readers) else workload.instances
    if not isinstance(workload, Readers):
        lease = workload.lease
    homes = chance.sample(list(nodes), len(nodes))  # dealt in turn: as many on each node
    return tuple(
        Member(
            app=f"{workload.name}-{index % applications + 1}".upper(),
            id=f"{workload.name}-{index + 1:03}",
            number=first + index,
            home=homes[index % len(homes)],
            joins=round(workload.at + chance.uniform(0.0, over), 3),
            lease=lease,
            interval=interval,
            elsewhere=homes[(index + 1 + index // len(homes)) % len(homes)],
        )
        for index in range(number)
    )


def _strikes(
    fault: Fault | RollingRestart, nodes: Sequence[str], chance: random.Random
) -> Iterator[Strike]:
    if isinstance(fault, RollingRestart):
        begins = fault.at
        for node in nodes:
            ends = begins + fault.down
            death = Death(
                name=f"{fault.name}-{node}", at=begins, lasts=fault.down, node=node, how=fault.how
            )
            yield Strike(fault=death, begins=begins, ends=ends)
            begins = ends + fault.between
        return
    node = chance.choice(list(nodes)) if fault.node == "any" else fault.node
    yield Strike(fault=replace(fault, node=node), begins=fault.at, ends=fault.at + fault.lasts)
