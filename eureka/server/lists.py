"""
What list reads show: the own registry, and other regions' where a read names them.

With fallback on, a read that names none shows what is registered in another region only;
that holds for every list alike, so that a delta covers the instances its full list has.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from eureka.core.errors import RegistryClosed
from eureka.core.instance import Record
from eureka.server.remote import NoRemote
from eureka.wire.writing import JsonWriter, Writer, XmlWriter, by_application, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from eureka.core.instance import Instance, Key
    from eureka.core.lease import Lease
    from eureka.core.registry import Registry
    from eureka.core.status import Status
    from eureka.server.cache import CacheKey
    from eureka.server.remote import Remote
    from eureka.wire.negotiation import Format

_LOCAL = ""  # the name under which the own registry's writers stand


class Lists:
    """Writes the lists of one node."""

    def __init__(self, registry: Registry) -> None:
        self.remote: Remote = NoRemote()
        self.json = JsonWriter()
        self.xml = XmlWriter()
        self._registry = registry
        self._writers: dict[tuple[str, Format], Writer] = {
            (_LOCAL, "json"): self.json,
            (_LOCAL, "xml"): self.xml,
        }
        self._elsewhere = 0  # lists that are written in a thread just now
        self._left: list[Key] = []  # who left meanwhile
        self._written: dict[tuple[str, Format], int] = {}  # versions of regions

    def writer(self, form: Format) -> Writer:
        """Return what writes this registry's instances."""
        return self._writers[_LOCAL, form]

    def forget(self, key: Key) -> None:
        """Drop the bytes of an instance that left."""
        self.json.forget(key)
        self.xml.forget(key)
        if self._elsewhere:
            self._left.append(key)

    @contextmanager
    def written_elsewhere(self) -> Iterator[None]:
        """Let a list be written in a thread, which may write once more who left meanwhile."""
        self._elsewhere += 1
        try:
            yield
        finally:
            self._elsewhere -= 1
            if not self._elsewhere:
                left, self._left = self._left, []
                for key in left:
                    if self._registry.leases.find(key) is None:
                        self.forget(key)

    def picture(self, key: CacheKey) -> Callable[[], list[bytes]]:
        """Note what a full list or a delta shows now; what is returned writes it, in parts."""
        registry = self._registry
        writer = self.writer(key.form)
        counts = dict(registry.leases.counts)
        if key.kind == "apps":
            seen = snapshot(_leases(registry))
            return partial(
                writer.registry_parts, seen, counts=counts, version=1, compact=key.compact
            )
        return partial(
            writer.delta_parts,
            list(registry.recent()),
            counts=counts,
            version=registry.changes.version,
            compact=key.compact,
        )

    def regions(self, named: str | None) -> tuple[str, ...]:
        """
        Return the known ones of the regions a query names;
        refuse while there is nothing of one of them.
        """
        if not named:
            return ()
        known = self.remote.names()
        found = tuple(sorted({one.strip() for one in named.split(",")} & known))
        if not all(self.remote.ready(name) for name in found):
            raise RegistryClosed
        return found

    def versions(self, key: CacheKey) -> tuple[int, ...]:
        """Return what changes when a list shows other regions otherwise."""
        if key.regions:
            return tuple(self.remote.version(name) for name in key.regions)
        if not self.remote.fallback:
            return ()
        # Which applications fall back depends on those registered here.
        known = sorted(self.remote.names())
        return (self._registry.changes.version, *(self.remote.version(name) for name in known))

    def generate(self, key: CacheKey) -> bytes | None:
        """Return a list, None for a name that nobody has."""
        if key.kind == "app":
            return self._application(key)
        if key.kind in ("vip", "svip"):
            return self._addressed(key)
        registry = self._registry
        regions = self._regions(key)
        if key.kind == "apps" and not regions:
            return self.writer(key.form).registry(
                _leases(registry),
                counts=registry.leases.counts,
                version=1,  # only the delta's version counts
                compact=key.compact,
            )
        is_delta = key.kind == "delta"
        local: Mapping[str, Iterable[Lease | Record]] = (
            by_application(registry.recent()) if is_delta else _leases(registry)
        )
        changes = self.remote.recent if is_delta else self.remote.instances
        version = registry.changes.version + sum(self.remote.version(name) for name in regions)
        return self._combined(key, local, regions, changes, version=version if is_delta else 1)

    def no_addresses(self, key: CacheKey) -> bytes:
        """Return the list of an address that nobody has."""
        return self.writer(key.form).applications({}, counts={}, version=-1, compact=key.compact)

    def elsewhere(self, found: Callable[[Instance], bool]) -> Record | None:
        """Return an instance of another region that a single read falls back to."""
        if not self.remote.fallback:
            return None
        for name in self._ready():
            for instance in self.remote.instances(name):
                if instance.key.app not in self._registry.leases.by_app and found(instance):
                    return _record(instance)
        return None

    def _regions(self, key: CacheKey) -> tuple[str, ...]:
        return key.regions or (self._ready() if self.remote.fallback else ())

    def _ready(self) -> tuple[str, ...]:
        return tuple(name for name in sorted(self.remote.names()) if self.remote.ready(name))

    def _combined(
        self,
        key: CacheKey,
        local: Mapping[str, Iterable[Lease | Record]],
        regions: tuple[str, ...],
        changes: Callable[[str], tuple[Instance, ...]],
        *,
        version: int,
    ) -> bytes:
        writer = self.writer(key.form)
        elements = {
            name: writer.elements(name, found, compact=key.compact) for name, found in local.items()
        }
        counts = dict(self._registry.leases.counts)
        for region in regions:
            for instance in self._shown(key, self.remote.instances(region)):
                counts[instance.status] = counts.get(instance.status, 0) + 1
            found = by_application(_record(one) for one in self._shown(key, changes(region)))
            abroad = self._writer_of(region, key.form)
            for name, records in found.items():
                parts = abroad.elements(name, records, compact=key.compact)
                elements[name] = elements.get(name, []) + parts
        return writer.of_elements(elements, counts=counts, version=version, compact=key.compact)

    def _shown(self, key: CacheKey, instances: Iterable[Instance]) -> Iterable[Instance]:
        """Return those of another region that a list shows."""
        if key.regions:
            return instances
        here = self._registry.leases.by_app
        return (instance for instance in instances if instance.key.app not in here)

    def _application(self, key: CacheKey) -> bytes | None:
        leases = self._registry.leases.by_app.get(key.name)
        if leases is not None:
            writer = self.writer(key.form)
            return writer.application(key.name, leases.values(), compact=key.compact)
        for region in self._regions(key):
            instances = self.remote.instances(region)
            records = [_record(one) for one in instances if one.key.app == key.name]
            if records:
                abroad = self._writer_of(region, key.form)
                return abroad.application(key.name, records, compact=key.compact)
        return None

    def _addressed(self, key: CacheKey) -> bytes | None:
        secure = key.kind == "svip"
        writer = self.writer(key.form)
        counts: dict[Status, int] = {}
        local: dict[str, list[Lease]] = {}
        for lease in self._registry.listing(key.name, secure=secure):
            local.setdefault(lease.instance.key.app, []).append(lease)
            counts[lease.instance.status] = counts.get(lease.instance.status, 0) + 1
        elements = {
            name: writer.elements(name, found, compact=key.compact) for name, found in local.items()
        }
        for region in self._regions(key):
            for instance in self._shown(key, self.remote.instances(region)):
                if key.name in (instance.secure_vips if secure else instance.vips):
                    abroad = self._writer_of(region, key.form)
                    name = instance.key.app
                    parts = abroad.elements(name, (_record(instance),), compact=key.compact)
                    elements[name] = elements.get(name, []) + parts
                    counts[instance.status] = counts.get(instance.status, 0) + 1
        if not elements:
            return None
        return writer.of_elements(elements, counts=counts, version=-1, compact=key.compact)

    def _writer_of(self, region: str, form: Format) -> Writer:
        """Return what writes a region's instances; it keeps the bytes of no others."""
        place = region, form
        writer = self._writers.get(place)
        if writer is None:
            writer = JsonWriter() if form == "json" else XmlWriter()
            self._writers[place] = writer
        version = self.remote.version(region)
        if self._written.get(place) != version:
            self._written[place] = version
            living = by_application(_record(one) for one in self.remote.instances(region))
            writer.forget_others(living)
        return writer


def _leases(registry: Registry) -> dict[str, Iterable[Lease]]:
    return {name: leases.values() for name, leases in registry.leases.by_app.items()}


def _record(instance: Instance) -> Record:
    """Return an instance of another region; its registry knows when it renewed, nobody else."""
    return Record(instance, instance.registered_ms)
