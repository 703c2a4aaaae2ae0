"""The table of leases: by application and id, with the number of instances in each status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka.core.addresses import Addresses
from eureka.core.due import DueLeases
from eureka.core.status import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eureka.core.instance import Instance, Key
    from eureka.core.lease import Lease


class Leases:
    """All leases; no application is empty, and the counts always agree with what is held."""

    def __init__(self) -> None:
        self._by_app: dict[str, dict[str, Lease]] = {}
        self._size = 0
        self.due = DueLeases()
        self._addresses = Addresses(secure=False), Addresses(secure=True)
        self.counts: dict[Status, int] = dict.fromkeys(Status, 0)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Lease]:
        return (lease for leases in self._by_app.values() for lease in leases.values())

    @property
    def by_app(self) -> Mapping[str, Mapping[str, Lease]]:
        """The leases by application and id."""
        return self._by_app

    def find(self, key: Key) -> Lease | None:
        """Return the lease of an instance."""
        leases = self._by_app.get(key.app)
        return leases.get(key.id) if leases else None

    def held(self, key: Key) -> Lease:
        """Return the lease of an instance that is known to have one."""
        return self._by_app[key.app][key.id]

    def with_id(self, instance_id: str) -> Iterator[Lease]:
        """Yield the leases of that id, in whichever application."""
        for leases in self._by_app.values():
            lease = leases.get(instance_id)
            if lease is not None:
                yield lease

    def listing(self, vip: str, *, secure: bool) -> dict[str, list[Lease]]:
        """Return the leases of the instances that list this address, by application."""
        addresses = self._addresses[secure]
        return {
            app: [
                lease
                for lease in self._by_app[app].values()
                if addresses.names(lease.instance) == vip or vip in addresses.of(lease.instance)
            ]
            for app in addresses.applications(vip)
        }

    def most_listing(self, vip: str, *, secure: bool) -> int:
        """Return how many instances list this address, or more: all of their applications."""
        return sum(len(self._by_app[app]) for app in self._addresses[secure].applications(vip))

    def put(self, lease: Lease) -> None:
        """Hold a lease, in place of the one its instance had."""
        key = lease.instance.key
        leases = self._by_app.setdefault(key.app, {})
        earlier = leases.get(key.id)
        if earlier is None:
            self._size += 1
            for addresses in self._addresses:
                addresses.add(lease.instance)
        else:
            for addresses in self._addresses:
                addresses.change(earlier.instance, lease.instance)
            self.counts[earlier.instance.status] -= 1
            self.due.remove(earlier)
        leases[key.id] = lease
        self.due.put(lease)
        self.counts[lease.instance.status] += 1

    def change(self, lease: Lease, instance: Instance) -> None:
        """Let a lease that is held be of this record from now on."""
        self.counts[lease.instance.status] -= 1
        self.counts[instance.status] += 1
        for addresses in self._addresses:
            addresses.change(lease.instance, instance)
        lease.hold(instance)
        self.due.put(lease)  # it may have a shorter duration now

    def remove(self, lease: Lease) -> None:
        """Give up a lease that is held."""
        key = lease.instance.key
        leases = self._by_app[key.app]
        del leases[key.id]
        if not leases:
            del self._by_app[key.app]
        self._size -= 1
        for addresses in self._addresses:
            addresses.remove(lease.instance)
        self.due.remove(lease)
        self.counts[lease.instance.status] -= 1
