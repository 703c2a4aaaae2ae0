"""A client of one simulated node, as the judge's workloads and faults use it over HTTP."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka.core.instance import DataCenter, Instance, Key
from eureka.core.status import Action, Status, hash_of
from eureka_tck.links import CLIENT
from eureka_tck.wire.errors import NoAnswer
from eureka_tck.wire.exchange import Exchange
from eureka_tck.wire.record import Application, Applications, Lease, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from eureka.core.instance import Record as Held
    from eureka.core.lease import Lease as HeldLease
    from eureka.core.node import Answer as Done
    from eureka_tck.wire.errors import Ending
    from tests.simulation.station import Station
    from tests.simulation.terrain import Links
    from tests.simulation.world import World


@dataclass(frozen=True, slots=True)
class Told:
    """An answer: its status, and the records that it lists."""

    status: int
    records: tuple[Record, ...] = ()
    hash: str | None = None

    def record(self) -> Record:
        """Return the one instance."""
        return self.records[0]

    def applications(self) -> Applications:
        """Return the list."""
        found: dict[str, list[Record]] = {}
        for record in self.records:
            found.setdefault(record.app, []).append(record)
        return Applications(
            application=tuple(
                Application(name=name, instance=tuple(some)) for name, some in found.items()
            ),
            hash=self.hash,
        )


class Door:
    """`eureka_tck.wire.client.WireClient`, as far as it is used; `link` leads to the node."""

    def __init__(self, world: World, links: Links, link: str) -> None:
        self._world = world
        self._links = links
        self._link = link
        self._node = link.partition(">")[2]

    def register(self, body: Mapping[str, object]) -> Told:
        """Register what a client of the judge sends."""
        lease, metadata = body["leaseInfo"], body["metadata"]
        assert isinstance(lease, dict)
        assert isinstance(metadata, dict)
        instance = Instance(
            key=Key(str(body["app"]), str(body["instanceId"])),
            host_name=str(body["hostName"]),
            ip_address=str(body["ipAddr"]),
            status=Status(str(body["status"])),
            data_center=DataCenter("MyOwn"),
            metadata=metadata,
            dirty_ms=int(str(body["lastDirtyTimestamp"])),
            duration=int(lease["durationInSecs"]),
            renewal_interval=int(lease["renewalIntervalInSecs"]),
        )
        status = self._call(
            lambda at: at.node.register(instance, now=at.now, replicated=False)
        ).status
        return Told(204 if status == 200 else status)

    def renew(self, app: str, instance_id: str, *, dirty: int, status: str) -> Told:  # noqa: ARG002 - the node has no use for what a client thinks its status is
        """Renew a lease."""
        key = Key(app, instance_id)
        return self._call(
            lambda at: at.node.renew(key, now=at.now, replicated=False, dirty_ms=dirty)
        )

    def cancel(self, app: str, instance_id: str) -> Told:
        """Cancel a lease."""
        key = Key(app, instance_id)
        return self._call(lambda at: at.node.cancel(key, now=at.now, replicated=False))

    def set_status(self, app: str, instance_id: str, status: str) -> Told:
        """Override a status."""
        key, to = Key(app, instance_id), Status(status)
        return self._call(lambda at: at.node.set_status(key, to, now=at.now, replicated=False))

    def remove_status(self, app: str, instance_id: str, status: str) -> Told:
        """Remove an override."""
        key, to = Key(app, instance_id), Status(status)
        return self._call(lambda at: at.node.remove_status(key, to, now=at.now, replicated=False))

    def set_metadata(self, app: str, instance_id: str, entries: Mapping[str, str]) -> Told:
        """Add metadata."""
        key = Key(app, instance_id)
        return self._call(
            lambda at: at.node.set_metadata(key, entries, now=at.now, replicated=False)
        )

    def instance(self, app: str, instance_id: str) -> Told:
        """Read one instance."""
        lease = self.station().node.registry.leases.find(Key(app, instance_id))
        return Told(404) if lease is None else Told(200, (_record(lease),))

    def apps(self) -> Told:
        """Read all instances."""
        return self._listed(self.station(), self.station().node.registry.leases)

    def delta(self) -> Told:
        """Read what changed lately."""
        return self._listed(self.station(), self.station().node.registry.changes)

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def station(self) -> Station:
        """Return the node that answers; NoAnswer says how a call ends where none does."""
        station = self._world.stations[self._node]
        if self._links.is_cut(self._link) or not station.alive:
            raise self._unanswered("refused")
        if station.paused:
            raise self._unanswered("timed out")
        return station

    def _call(self, do: Callable[[Station], Done]) -> Told:
        station = self.station()
        return Told(station.call(lambda: do(station))[0])

    def _listed(self, station: Station, some: Iterable[HeldLease | Held]) -> Told:
        held = Counter(lease.instance.status for lease in station.node.registry.leases)
        return Told(200, tuple(_record(one) for one in some), hash_of(held))

    def _unanswered(self, ending: Ending) -> NoAnswer:
        who = "a client" if self._link.startswith(CLIENT) else "a peer"
        exchange = Exchange(method="CALL", url=f"node {self._node} by {who}", error=ending)
        return NoAnswer(ending, f"{self._link} in a simulation", exchange)


def _record(one: HeldLease | Held) -> Record:
    instance = one.instance
    return Record(
        app=instance.key.app,
        instance_id=instance.key.id,
        status=instance.status.value,
        overridden_status=instance.overridden_status.value,
        action="DELETED" if instance.action is Action.DELETED else "MODIFIED",
        lease=Lease(
            renewal_interval=instance.renewal_interval,
            duration=instance.duration,
            registered_ms=instance.registered_ms,
        ),
        metadata=dict(instance.metadata),
        dirty_ms=instance.dirty_ms,
    )
