"""Who uses and watches a simulated cluster: the judge's threads as appointments in its time."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.history.event import ClockRead, Counted, Sampled, Seen
from eureka_tck.links import CLIENT, link_name
from eureka_tck.wire.errors import NoAnswer
from eureka_tck.workloads.caller import Caller
from eureka_tck.workloads.gauges import EVERY
from tests.simulation.door import Door

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from eureka.core.instance import Instance
    from eureka_tck.history.event import Source
    from eureka_tck.workloads.crew import Appointment
    from tests.simulation.terrain import SimulatedSite


OFF_BEAT: Final = 0.0373
"""s by which samples are beside all calls, whose instants are whole milliseconds: of two things at
one instant nobody can say which came first."""


class Crew:
    """`eureka_tck.workloads.crew.Crew`: calls take no time, and none waits for another."""

    def __init__(self, site: SimulatedSite) -> None:
        self._world = site.terrain.world
        self._callers = {node: Caller(site, node) for node in site.nodes}

    def appoint(self, node: str, at: float, appointment: Appointment) -> None:
        """Make an appointment with a node."""
        self._world.at(max(at, self._world.time), lambda: self._keep(node, appointment))

    def check(self) -> None:
        """Do nothing: what breaks is raised where it breaks."""

    def _keep(self, node: str, appointment: Appointment) -> None:
        again = appointment(self._callers[node])
        if again is not None:
            self.appoint(node, again, appointment)


class Samplers:
    """`eureka_tck.workloads.sampler.Samplers`: what a node holds, without a list between."""

    def __init__(self, site: SimulatedSite, every: float) -> None:
        self._world = site.terrain.world
        self._samplers = tuple(_Sampler(site, node) for node in site.nodes)
        self._is_over = False
        for sampler in self._samplers:
            _again(site, every, sampler.sample, lambda: self._is_over, OFF_BEAT)

    def finish(self, instances: Iterable[str]) -> None:  # noqa: ARG002 - all of them, always
        """Read every node once more, and no more after that."""
        self._is_over = True
        self._world.run(self._world.time + OFF_BEAT)
        for sampler in self._samplers:
            sampler.sample("single")

    def check(self) -> None:
        """Do nothing: what breaks is raised where it breaks."""


class _Sampler:
    def __init__(self, site: SimulatedSite, node: str) -> None:
        self._site = site
        self._node = node
        self._door = Door(site.terrain.world, site.terrain.links, link_name(CLIENT, node))
        self._known: dict[str, Seen] = {}
        self._digests: dict[str, tuple[Instance, Seen]] = {}
        self._is_first = True

    def sample(self, source: Source = "list") -> None:
        now = self._site.now()
        try:
            station = self._door.station()
        except NoAnswer as why:
            error = f"{why.kind}: {why.detail}"
            self._site.history.write(Sampled(at=now, began=now, node=self._node, error=error))
            self._site.watch.failed(self._node, error)
            return
        present = dict(self._seen(lease.instance) for lease in station.node.registry.leases)
        known = self._known
        self._site.history.write(
            Sampled(
                at=now,
                began=now,
                node=self._node,
                source=source,
                whole=self._is_first,
                present={name: one for name, one in present.items() if known.get(name) != one},
                absent=tuple(sorted(known.keys() - present.keys())),
            )
        )
        self._known, self._is_first = present, False
        self._site.watch.saw(self._node, present)

    def _seen(self, instance: Instance) -> tuple[str, Seen]:
        name = f"{instance.key.app}/{instance.key.id}"
        before = self._digests.get(name)
        if before is None or before[0] is not instance:
            data = msgspec.json.encode(dict(instance.metadata), order="sorted")
            seen = Seen(
                status=instance.status.value,
                overridden=instance.overridden_status.value,
                dirty_ms=instance.dirty_ms,
                data=hashlib.blake2s(data, digest_size=4).hexdigest(),
            )
            before = self._digests[name] = (instance, seen)
        return name, before[1]


class Gauges:
    """`eureka_tck.workloads.gauges.Gauges`: thresholds, renewals, protection, our own clock."""

    def __init__(self, site: SimulatedSite) -> None:
        self._site = site
        _again(site, EVERY, self._read, lambda: False)

    def check(self) -> None:
        """Do nothing: what breaks is raised where it breaks."""

    def _read(self) -> None:
        site, now = self._site, self._site.now()
        site.history.write(ClockRead(at=now, epoch_ms=site.clock.epoch_ms()))
        for letter, station in site.terrain.world.stations.items():
            if not station.answers:
                continue
            registry = station.node.registry
            told = registry.preservation.explain(now=station.now)
            preserves = registry.policy.self_preservation
            site.history.write(
                Counted(
                    at=now,
                    node=letter,
                    threshold=told.threshold,
                    renewals=told.renewals,
                    expiration_enabled=told.expiry_enabled,
                    self_preservation=preserves,
                    emergency=preserves and not told.expiry_enabled,
                )
            )


def _again(
    site: SimulatedSite,
    every: float,
    do: Callable[[], None],
    is_over: Callable[[], bool],
    after: float = 0.0,
) -> None:
    """Do something after so many seconds and then every so many, until it is over."""
    world = site.terrain.world

    def turn() -> None:
        if not is_over():
            do()
            world.at(world.time + every, turn)

    world.at(world.time + after, turn)
