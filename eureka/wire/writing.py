"""
Lists and single instances as bytes; what did not change is not written again.

An instance is two parts, around the stamp of its last renewal, so that a renewal writes nothing.
An application of a full list is kept joined while neither a record nor a stamp in it changed;
after one change among 10,000 instances a full list costs little more than copying its bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from typing import TYPE_CHECKING, Final

import msgspec

from eureka.core.instance import Instance, Key, Record
from eureka.wire.json_form import JsonForm
from eureka.wire.xml_form import XmlForm, renamed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka.core.lease import Lease
    from eureka.core.status import Status
    from eureka.wire.form import Form

_JOINED: Final = 3_000
"""Parts that are joined in one go, so no step takes long: a thousand instances, some 900 KB."""

_MOST_NAMES: Final = 100_000  # applications whose surroundings are kept; about 200 bytes each


class _Fragment(msgspec.Struct, gc=False):
    """An instance as bytes, open where the stamp of its last renewal goes."""

    instance: Instance
    head: bytes
    tail: bytes  # with the separator that stands behind it in a list
    compact: bytes | None = None  # the same


class _Block(msgspec.Struct, gc=False):
    """An application of a full list as bytes, and what they show."""

    instances: list[Instance]
    stamps: list[int]
    pieces: list[bytes]


Snapshot = Mapping[str, tuple[list[Instance], list[int]]]
"""By application: its instances, and the stamp of the last renewal of each."""


class Writer:
    """Writes in one form; keeps the bytes of each instance until it changes."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._cut = len(form.separator)
        self._fragments: dict[str, dict[str, _Fragment]] = {}  # by application and id
        self._blocks: dict[bool, dict[str, _Block]] = {}  # by form (compact or not), application
        self._surroundings: dict[str, tuple[bytes, bytes]] = {}

    @property
    def kept(self) -> int:
        """How many instances' bytes are kept."""
        return sum(len(fragments) for fragments in self._fragments.values())

    def forget(self, key: Key) -> None:
        """Drop the bytes of an instance that left."""
        fragments = self._fragments.get(key.app)
        if fragments is None:
            return
        fragments.pop(key.id, None)
        if not fragments:
            del self._fragments[key.app]
            self._surroundings.pop(key.app, None)

    def forget_others(self, living: Mapping[str, Iterable[Record]]) -> None:
        """Drop the bytes of all but these instances."""
        ids = {name: {one.instance.key.id for one in found} for name, found in living.items()}
        for name, fragments in list(self._fragments.items()):
            for instance_id in fragments.keys() - ids.get(name, set()):
                self.forget(Key(name, instance_id))

    def instance(self, record: Record) -> bytes:
        """Return an instance as a document."""
        before, behind = self._form.alone()
        return before + self.bare_instance(record.instance, record.renewed_ms) + behind

    def bare_instance(self, instance: Instance, renewed_ms: int, *, keep: bool = True) -> bytes:
        """Return an instance as it stands in a list; `keep` its bytes if it is the living one."""
        fragment = self._fragment(instance, keep=keep)
        return self._trimmed(b"%b%d%b" % (fragment.head, renewed_ms, fragment.tail))

    def application(self, name: str, leases: Iterable[Lease | Record], *, compact: bool) -> bytes:
        """Return an application as a document."""
        return b"".join(self.application_parts(name, leases, compact=compact))

    def application_parts(
        self, name: str, leases: Iterable[Lease | Record], *, compact: bool
    ) -> list[bytes]:
        """Return the same in parts."""
        before, behind = self._form.application_alone()
        block = self._wrapped(name, self.elements(name, leases, compact=compact))
        block[-1] = self._trimmed(block[-1])
        return [before, *block, behind]

    def registry(
        self,
        leases: Mapping[str, Iterable[Lease]],
        *,
        counts: Mapping[Status, int],
        version: int,
        compact: bool,
    ) -> bytes:
        """Return the list of all living instances; what this joins is kept for the next time."""
        parts = self.registry_parts(
            snapshot(leases), counts=counts, version=version, compact=compact
        )
        return b"".join(parts)

    def registry_parts(
        self, seen: Snapshot, *, counts: Mapping[Status, int], version: int, compact: bool
    ) -> list[bytes]:
        """
        Return the same list in parts.

        It may run in a thread beside the loop: what others change meanwhile is in `seen` as it was.
        """
        blocks = self._blocks.setdefault(compact, {})
        parts = [
            piece
            for name, (instances, stamps) in seen.items()
            for piece in self._block(
                blocks, name, instances, [] if compact else stamps, compact=compact
            )
        ]
        if len(blocks) > len(seen):
            for name in [name for name in list(blocks) if name not in seen]:
                del blocks[name]
        return self._listed(parts, counts=counts, version=version, compact=compact)

    def applications(
        self,
        leases: Mapping[str, Iterable[Lease | Record]],
        *,
        counts: Mapping[Status, int],
        version: int,
        compact: bool,
    ) -> bytes:
        """Return a list of some living instances, or of changes, by application."""
        elements = {
            name: self.elements(name, found, compact=compact) for name, found in leases.items()
        }
        parts = self.of_elements(elements, counts=counts, version=version, compact=compact)
        return b"".join(parts)

    def delta(
        self,
        records: Iterable[Record],
        *,
        counts: Mapping[Status, int],
        version: int,
        compact: bool,
    ) -> bytes:
        """Return a list of the recent changes; the hash is that of the whole registry."""
        parts = self.delta_parts(records, counts=counts, version=version, compact=compact)
        return b"".join(parts)

    def delta_parts(
        self,
        records: Iterable[Record],
        *,
        counts: Mapping[Status, int],
        version: int,
        compact: bool,
    ) -> list[bytes]:
        """Return the same in parts."""
        parts = [
            piece
            for name, found in by_application(records).items()
            for piece in self._wrapped(name, self.elements(name, found, compact=compact))
        ]
        return self._listed(parts, counts=counts, version=version, compact=compact)

    def elements(self, name: str, found: Iterable[Lease | Record], *, compact: bool) -> list[bytes]:
        """Return instances of one application as parts of a list, to be joined by `of_elements`."""
        parts: list[bytes] = []
        fragments = self._fragments.get(name, {})
        for one in found:
            instance = one.instance
            fragment = fragments.get(instance.key.id)
            if fragment is None or fragment.instance is not instance:
                fragment = self._fragment(instance)
                fragments = self._fragments.get(name, {})
            if compact:
                parts.append(fragment.compact or self._compacted(fragment))
            else:
                parts += (fragment.head, b"%d" % one.renewed_ms, fragment.tail)
        return parts

    def of_elements(
        self,
        elements: Mapping[str, list[bytes]],
        *,
        counts: Mapping[Status, int],
        version: int,
        compact: bool,
    ) -> list[bytes]:
        """Return a list of what `elements` returned, in parts."""
        parts = [piece for name, found in elements.items() for piece in self._wrapped(name, found)]
        return self._listed(parts, counts=counts, version=version, compact=compact)

    def _listed(
        self, parts: list[bytes], *, counts: Mapping[Status, int], version: int, compact: bool
    ) -> list[bytes]:
        before, behind = self._form.applications(counts, version=version, compact=compact)
        if parts:
            parts[-1] = self._trimmed(parts[-1])
        return [before, *parts, behind]

    def _block(
        self,
        blocks: dict[str, _Block],
        name: str,
        instances: list[Instance],
        stamps: list[int],
        *,
        compact: bool,
    ) -> list[bytes]:
        """Return an application of a list; joined anew if anything in it is not as it was."""
        block = blocks.get(name)
        if block is None or block.instances != instances or block.stamps != stamps:
            shown = zip(instances, stamps or repeat(0), strict=False)
            records = (Record(instance, stamp) for instance, stamp in shown)
            pieces = self._wrapped(name, self.elements(name, records, compact=compact))
            block = _Block(instances, stamps, pieces)
            blocks[name] = block
        return block.pieces

    def _wrapped(self, name: str, parts: list[bytes]) -> list[bytes]:
        """Return an application, all that surrounds it and a separator behind it, in pieces."""
        if parts:
            parts[-1] = self._trimmed(parts[-1])
        before, behind = self._around(name)
        if len(parts) <= _JOINED:
            return [b"".join((before, *parts, behind))]
        pieces = [
            b"".join(parts[start : start + _JOINED]) for start in range(0, len(parts), _JOINED)
        ]
        return [before, *pieces, behind]

    def _around(self, name: str) -> tuple[bytes, bytes]:
        around = self._surroundings.get(name)
        if around is None:
            before, behind = self._form.application(name)
            around = before, behind + self._form.separator
            if len(self._surroundings) < _MOST_NAMES:
                self._surroundings[name] = around
        return around

    def _trimmed(self, part: bytes) -> bytes:
        """Return a part without the separator behind it."""
        return part[: -self._cut] if self._cut else part

    def _compacted(self, fragment: _Fragment) -> bytes:
        fragment.compact = self._form.compact_element(fragment.instance) + self._form.separator
        return fragment.compact

    def _fragment(self, instance: Instance, *, keep: bool = True) -> _Fragment:
        fragments = self._fragments.get(instance.key.app)
        fragment = fragments.get(instance.key.id) if fragments else None
        if fragment is not None and (
            fragment.instance is instance or fragment.instance == instance
        ):
            return fragment
        head, tail = self._form.element(instance)
        fragment = _Fragment(instance, head, tail + self._form.separator)
        if keep and not instance.evicted_ms:  # who left is written once or twice more
            self._fragments.setdefault(instance.key.app, {})[instance.key.id] = fragment
        return fragment


def snapshot(leases: Mapping[str, Iterable[Lease]]) -> Snapshot:
    """Return what a list of these leases shows, as it is now."""
    seen = {}
    for name, found in leases.items():
        held = list(found)
        seen[name] = [one.instance for one in held], [one.renewed_ms for one in held]
    return seen


def by_application(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Return records by application, in the order the applications came."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record.instance.key.app, []).append(record)
    return found


class JsonWriter(Writer):
    """Writes JSON."""

    def __init__(self) -> None:
        super().__init__(JsonForm())


class XmlWriter(Writer):
    """Writes XML."""

    def __init__(self) -> None:
        super().__init__(XmlForm())

    def entity(self, record: Record) -> bytes:
        """Return an instance as the answer to a batch carries it."""
        return renamed(self.bare_instance(record.instance, record.renewed_ms), "responseEntity")
