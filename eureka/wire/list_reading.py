"""
The list of another registry, read piece by piece.

Whatever is done with a hundred megabytes in one go (to join them, to find where the instances end)
keeps the interpreter from the loop for 50 ms or more, in whichever thread; no step does so here.

A piece is cut off where one object of a list ends and the next one begins, at `},{"`.
A text may hold these characters too, so a piece counts only if it is JSON behind what is known to
stand before it: then its end is where it seems to be. A list that cannot be cut is read as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from eureka.core.errors import InvalidRequest
from eureka.core.instance import Instance
from eureka.core.status import Action
from eureka.wire.fields import text, timestamp
from eureka.wire.reading import BROKEN, InstanceBody, decoded, mapping, read_instance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PIECE: Final = 256 * 1024
"""Bytes of a piece, at least: a step of half a millisecond."""

_MOST: Final = 8  # times its size in which a piece must end
_TRIES: Final = 20  # looks for its end
_OPENING: Final = b'"application":['
_BETWEEN: Final = b'},{"'
_INSIDE: Final = b'{"instance":['  # how a piece begins whose application began in an earlier one
_MARKER: Final = b"0"

_ACTIONS = frozenset(Action)


class Listed(msgspec.Struct, frozen=True):
    """The instances of a list, how many of it could not be read, and the hash it came with."""

    instances: list[Instance]
    unreadable: int
    hash: object  # a text, or what else stands in its place


class _Application(msgspec.Struct, gc=False):
    instance: msgspec.Raw = msgspec.Raw(b"null")


class _Applications(msgspec.Struct, gc=False):
    application: list[msgspec.Raw] | None = None
    hash: object = msgspec.field(default=None, name="apps__hashcode")


class _List(msgspec.Struct, gc=False):
    applications: _Applications


class _Uncut(Exception):  # noqa: N818 - it reads as the statement it is
    """There is no telling where pieces of this list end."""


_list = msgspec.json.Decoder(_List)
_piece = msgspec.json.Decoder(list[msgspec.Raw])
_application = msgspec.json.Decoder(_Application)
_instances = msgspec.json.Decoder(list[msgspec.Raw] | None)
_instance = msgspec.json.Decoder(InstanceBody)


def read_applications(parts: Sequence[bytes], *, arrived_ms: int, piece: int = PIECE) -> Listed:
    """Return the instances of a list with their stamps; its bytes come in parts."""
    try:
        return _read(_Pieces(parts, piece), arrived_ms)
    except (_Uncut, InvalidRequest):
        return _read(_Whole(parts), arrived_ms)


class _Whole:
    """The applications of a list that is taken apart in one go."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self.hash: object = None
        self._parts = parts

    def __iter__(self) -> Iterator[msgspec.Raw]:
        found = decoded(_list, b"".join(self._parts)).applications
        self.hash = found.hash
        yield from found.application or ()


class _Pieces:
    """The applications of a list that is taken apart piece by piece; some come in several parts."""

    def __init__(self, parts: Iterable[bytes], size: int) -> None:
        self.hash: object = None
        self._parts = parts
        self._size = size
        self._before = b""  # all that stands before the first application
        self._inside = False  # whether the next piece begins inside an application
        self._is_cut = False

    def __iter__(self) -> Iterator[msgspec.Raw]:
        pending = b""
        for part in self._parts:
            pending += part
            while len(pending) > 2 * self._size:
                if not self._before:
                    pending = self._behind_opening(pending)
                cut = self._cut(pending)
                if cut is None:
                    break
                found, pending = cut
                yield from found
        yield from self._rest(pending)

    def _behind_opening(self, pending: bytes) -> bytes:
        """Take off what stands before the applications."""
        before, opening, behind = pending.partition(_OPENING)
        if not opening:
            raise _Uncut
        self._before = before + opening
        return behind

    def _cut(self, pending: bytes) -> tuple[list[msgspec.Raw], bytes] | None:
        """Return the applications of a piece and what stands behind it; None if no end is there."""
        beginning = b"[" + self._beginning()
        end = self._size
        for _ in range(_TRIES):
            end = pending.find(_BETWEEN, end) + 1
            if not end:
                if len(pending) > _MOST * self._size:
                    raise _Uncut
                return None
            piece = beginning + pending[:end]
            for inside, closing in ((True, b"]}]"), (False, b"]")):
                try:
                    found = _piece.decode(piece + closing)
                except BROKEN:
                    continue
                self._inside = inside
                self._is_cut = True
                return found, pending[end + 1 :]
        raise _Uncut

    def _rest(self, pending: bytes) -> Iterator[msgspec.Raw]:
        """
        Yield the applications behind the last piece.

        With a marker in place of what was cut off this is a whole list again:
        it shows that the applications stood where they have to.
        """
        marker = _MARKER + b"," if self._is_cut else b""
        found = decoded(_list, self._before + marker + self._beginning() + pending).applications
        self.hash = found.hash
        applications = found.application or []
        if self._is_cut and (not applications or bytes(applications.pop(0)) != _MARKER):
            raise _Uncut
        yield from applications

    def _beginning(self) -> bytes:
        return _INSIDE if self._inside else b""


def _read(applications: _Whole | _Pieces, arrived_ms: int) -> Listed:
    instances = []
    unreadable = 0
    for application in applications:
        found = decoded(_application, application).instance
        # Some programs write a list of one without the brackets.
        is_alone = bytes(memoryview(found)[:1]) == b"{"
        for one in (found,) if is_alone else decoded(_instances, found) or ():
            try:
                instances.append(_read_held(decoded(_instance, one), arrived_ms=arrived_ms))
            except InvalidRequest:
                unreadable += 1
    return Listed(instances, unreadable, applications.hash)


def _read_held(body: InstanceBody, *, arrived_ms: int) -> Instance:
    """Return an instance as another registry holds it: with what that one added."""
    instance = read_instance(body, arrived_ms=arrived_ms)
    lease_info = mapping(body.lease_info, "leaseInfo")
    action = text(body.action_type, "actionType")
    return replace(
        instance,
        registered_ms=_stamp(lease_info.get("registrationTimestamp")),
        service_up_ms=_stamp(lease_info.get("serviceUpTimestamp")),
        evicted_ms=_stamp(lease_info.get("evictionTimestamp")),
        updated_ms=_stamp(body.last_updated_timestamp),
        action=Action(action) if action in _ACTIONS else Action.ADDED,
    )


def _stamp(value: object) -> int:
    try:
        return timestamp(value, "a stamp") or 0
    except InvalidRequest:
        return 0
