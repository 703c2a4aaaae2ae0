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
from eureka.wire.writing import JsonWriter, Snapshot, Writer, XmlWriter, by_application, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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

    def size(self, key: CacheKey) -> int:
        """Return how many instances a list shows, or more."""
        leases = self._registry.leases
        if key.kind == "app":
            return len(leases.by_app.get(key.name, ()))
        if key.kind in ("vip", "svip"):
            return leases.most_listing(key.name, secure=key.kind == "svip")
        own = len(leases) if key.kind == "apps" else len(self._registry.changes)
        return own + sum(len(self.remote.instances(region)) for region in self._regions(key))

    def shows_regions(self, key: CacheKey) -> bool:
        """Tell whether a list shows other regions too."""
        return bool(self._regions(key))

    def picture(self, key: CacheKey) -> Callable[[], list[bytes]] | None:
        """
        Note what a list shows now, None for a name that nobody has.

        What is returned writes it, in parts; it may run in a thread beside the loop.
        """
        if key.kind == "app":
            return self._application(key)
        if key.kind in ("vip", "svip"):
            return self._addressed(key)
        regions = self._regions(key)
        if regions:
            return self._combined(key, regions)
        registry = self._registry
        writer = self.writer(key.form)
        counts = dict(registry.leases.counts)
        if key.kind == "apps":
            return partial(
                writer.registry_parts,
                snapshot(_leases(registry)),
                counts=counts,
                version=1,  # only the delta's version counts
                compact=key.compact,
            )
        return partial(
            writer.delta_parts,
            list(registry.recent()),
            counts=counts,
            version=registry.changes.version,
            compact=key.compact,
        )

    def generate(self, key: CacheKey) -> bytes | None:
        """Return a list, None for a name that nobody has."""
        write = self.picture(key)
        return None if write is None else b"".join(write())

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

    def _combined(self, key: CacheKey, regions: tuple[str, ...]) -> Callable[[], list[bytes]]:
        registry, remote = self._registry, self.remote
        is_delta = key.kind == "delta"
        version = registry.changes.version + sum(remote.version(name) for name in regions)
        counts = dict(registry.leases.counts)
        seen = (
            by_application(registry.recent()) if is_delta else _records(snapshot(_leases(registry)))
        )
        shown = self._shown(key)
        abroad = {
            name: (
                remote.instances(name),
                remote.recent(name) if is_delta else remote.instances(name),
            )
            for name in regions
        }

        def write() -> list[bytes]:
            writer = self.writer(key.form)
            elements = {
                name: writer.elements(name, found, compact=key.compact)
                for name, found in seen.items()
            }
            for region, (instances, told) in abroad.items():
                _count(counts, filter(shown, instances))
                self._add(elements, region, filter(shown, told), key)
            return writer.of_elements(
                elements, counts=counts, version=version if is_delta else 1, compact=key.compact
            )

        return write

    def _shown(self, key: CacheKey) -> Callable[[Instance], bool]:
        """Return what tells which instances of another region a list shows."""
        if key.regions:
            return lambda _: True
        here = frozenset(self._registry.leases.by_app)
        return lambda instance: instance.key.app not in here

    def _add(
        self,
        elements: dict[str, list[bytes]],
        region: str,
        instances: Iterable[Instance],
        key: CacheKey,
    ) -> None:
        """Add instances of another region to the elements of a list."""
        writer = self._writer_of(region, key.form)
        for name, records in by_application(map(_record, instances)).items():
            parts = writer.elements(name, records, compact=key.compact)
            elements[name] = elements.get(name, []) + parts

    def _application(self, key: CacheKey) -> Callable[[], list[bytes]] | None:
        leases = self._registry.leases.by_app.get(key.name)
        if leases is not None:
            seen = _records(snapshot({key.name: leases.values()}))[key.name]
            writer = self.writer(key.form)
            return partial(writer.application_parts, key.name, seen, compact=key.compact)
        for region in self._regions(key):
            instances = self.remote.instances(region)
            records = [_record(one) for one in instances if one.key.app == key.name]
            if records:
                writer = self._writer_of(region, key.form)
                return partial(writer.application_parts, key.name, records, compact=key.compact)
        return None

    def _addressed(self, key: CacheKey) -> Callable[[], list[bytes]] | None:
        secure = key.kind == "svip"
        local = self._registry.listing(key.name, secure=secure)
        shown = self._shown(key) if self._regions(key) else None
        abroad = {
            region: [
                one
                for one in self.remote.instances(region)
                if key.name in (one.secure_vips if secure else one.vips) and shown and shown(one)
            ]
            for region in self._regions(key)
        }
        if not local and not any(abroad.values()):
            return None
        seen = snapshot(local)

        def write() -> list[bytes]:
            writer = self.writer(key.form)
            counts: dict[Status, int] = {}
            elements: dict[str, list[bytes]] = {}
            for name, records in _records(seen).items():
                _count(counts, (record.instance for record in records))
                elements[name] = writer.elements(name, records, compact=key.compact)
            for region, instances in abroad.items():
                _count(counts, instances)
                self._add(elements, region, instances, key)
            return writer.of_elements(elements, counts=counts, version=-1, compact=key.compact)

        return write

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


def _records(seen: Snapshot) -> dict[str, list[Record]]:
    return {name: list(map(Record, *shown)) for name, shown in seen.items()}


def _count(counts: dict[Status, int], instances: Iterable[Instance]) -> None:
    for instance in instances:
        counts[instance.status] = counts.get(instance.status, 0) + 1


def _record(instance: Instance) -> Record:
    """Return an instance of another region; its registry knows when it renewed, nobody else."""
    return Record(instance, instance.registered_ms)
