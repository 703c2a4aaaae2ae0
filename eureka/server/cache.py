"""
The response cache: list reads, ready to send.

A read-write layer holds each list until something it shows changes, or it is too old.
In front of it a read-only layer, if switched on, shows each list as it was at the last refresh.
A list is made in one go, between two calls, so no change can fall into its making.

Only names that exist are kept, and few lists that name regions, so reads of arbitrary names cost no
memory. For that a 404 is not kept either, as the reference does with its read-only layer:
an application that came since the last refresh would stay unknown for no gain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from eureka.server.zipping import unzipped, zipped_from
from eureka.wire.negotiation import Format

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from eureka.core.event import Changed

Kind = Literal["apps", "delta", "app", "vip", "svip"]

MOST_REGIONAL: Final = 32
"""Lists that name regions and are kept; each may be as large as the registry."""

_PIECE: Final = 1024 * 1024  # bytes
_LARGE: Final = 256 * 1024
"""Bytes of a body that is not kept beside its gzipped form before somebody wants it plain too."""


class CacheKey(msgspec.Struct, frozen=True, gc=False):
    """One representation of one list; `regions` are those beside the own one."""

    kind: Kind
    name: str = ""
    compact: bool = False
    form: Format = "json"
    regions: tuple[str, ...] = ()


class Payload:
    """
    A list, plain and gzipped as somebody wanted it,
    when it was made (monotonic seconds), and which versions of other lists it shows.
    """

    __slots__ = ("_plain", "_zipped", "made_at", "versions")

    def __init__(
        self, body: bytes | tuple[bytes, ...], made_at: float, versions: tuple[int, ...] = ()
    ) -> None:
        self.made_at = made_at
        self.versions = versions
        self._plain = body if isinstance(body, tuple) else (body,)
        self._zipped: bytes | None = None

    @property
    def body(self) -> bytes:
        """The list."""
        if len(self.pieces) > 1:
            self._plain = (b"".join(self.pieces),)
        return self._plain[0]

    @property
    def pieces(self) -> tuple[bytes, ...]:
        """The list in pieces: to join a hundred megabytes keeps everybody waiting."""
        if not self._plain:
            self._plain = tuple(unzipped(self.zipped, piece=_PIECE))
        return self._plain

    @property
    def zipped(self) -> bytes:
        """The list, gzipped."""
        if self._zipped is None:
            self._zipped = zipped_from(self.pieces)
            if sum(map(len, self.pieces)) > _LARGE:
                self._plain = ()
        return self._zipped

    @classmethod
    def of_zipped(cls, zipped: bytes, made_at: float, versions: tuple[int, ...]) -> Payload:
        """Return a list that nobody wanted plain yet."""
        payload = cls((), made_at, versions)
        payload._zipped = zipped
        return payload

    def has(self, *, zipped: bool) -> bool:
        """Tell whether this form is there."""
        return self._zipped is not None if zipped else bool(self._plain)

    def make(self, *, zipped: bool) -> Payload:
        """Have this form ready."""
        _ = self.zipped if zipped else self.pieces
        return self

    def be_ready_as(self, earlier: Payload) -> None:
        """Have ready what was wanted of the list before this one."""
        if earlier._zipped is not None:
            _ = self.zipped
            if earlier._plain:
                _ = self.pieces


class ResponseCache:
    """
    Keeps payloads; `generate` makes one, or returns None for a name that does not exist.

    `versions` tells what a list shows besides this registry; another answer makes it wrong.
    """

    def __init__(
        self,
        generate: Callable[[CacheKey], bytes | None],
        *,
        read_only: bool,
        expiry: float,
        versions: Callable[[CacheKey], tuple[int, ...]] = lambda _: (),
    ) -> None:
        self._generate = generate
        self._read_only = read_only
        self._expiry = expiry
        self.versions = versions
        # By what the list is of; the representations of each go together.
        self.hits = 0  # reads of what was ready
        self.misses = 0  # reads that had to wait until a list was made
        self._made = 0
        self._current: dict[tuple[Kind, str], dict[CacheKey, Payload]] = {}
        self._shown: dict[CacheKey, Payload] = {}
        self._regional: dict[CacheKey, None] = {}  # the one kept longest first

    def __len__(self) -> int:
        return len(self._shown) + sum(len(payloads) for payloads in self._current.values())

    def get(self, key: CacheKey, *, now: float, fresh: bool = False) -> Payload | None:
        """Return the list as clients see it; `fresh` passes by the read-only layer."""
        made = self._made
        payload = self._get(key, now=now, fresh=fresh)
        if made == self._made:
            self.hits += 1
        else:
            self.misses += 1
        return payload

    def ready(self, key: CacheKey, *, now: float, fresh: bool = False) -> Payload | None:
        """Return the list as clients see it if it is there."""
        if self._read_only and not fresh and key in self._shown:
            return self._shown[key]
        payloads = self._current.get((key.kind, key.name))
        payload = payloads.get(key) if payloads else None
        if (
            payload is None
            or now - payload.made_at >= self._expiry
            or payload.versions != self.versions(key)
        ):
            return None
        return payload

    def keep(self, key: CacheKey, payload: Payload) -> None:
        """Keep a list that was made elsewhere, since nothing it shows has changed meanwhile."""
        self._current.setdefault((key.kind, key.name), {})[key] = payload
        if key.regions:
            self._keep_few(key)

    def show(self, key: CacheKey, payload: Payload) -> None:
        """Show a list that was made elsewhere until the next refresh, if there is such a layer."""
        if self._read_only:
            self._shown[key] = payload

    def shown(self) -> list[tuple[CacheKey, Payload]]:
        """Return what the read-only layer shows."""
        return list(self._shown.items())

    def refresh(self, *, now: float) -> None:
        """Bring the read-only layer up to date; lists nobody can name any more leave it."""
        for _ in self.refreshing(now=now):
            pass

    def refreshing(
        self, *, now: float, but: Callable[[CacheKey], bool] = lambda _: False
    ) -> Iterator[None]:
        """Do the same, list by list: other calls may be served in between; `but` leaves some."""
        for key in [key for key in self._shown if not but(key)]:
            shown = self._shown.get(key)
            payload = self._read(key, now=now)
            if payload is None:
                self._shown.pop(key, None)
            elif shown is not None and payload is not shown:
                payload.be_ready_as(shown)
                self._shown[key] = payload
                yield

    def changed(self, change: Changed) -> None:
        """
        Drop what a change made wrong:
        before and after it, an instance may list different addresses.
        """
        for what in _touched(change):
            self._current.pop(what, None)

    def forgot(self) -> None:
        """Drop the delta: it lists changes that are forgotten now."""
        self._current.pop(("delta", ""), None)

    def _get(self, key: CacheKey, *, now: float, fresh: bool) -> Payload | None:
        if not self._read_only or fresh:
            return self._read(key, now=now)
        shown = self._shown.get(key)
        if shown is None:
            shown = self._read(key, now=now)
            if shown is not None:
                self._shown[key] = shown
        return shown

    def _read(self, key: CacheKey, *, now: float) -> Payload | None:
        payload = self.ready(key, now=now, fresh=True)
        if payload is not None:
            return payload
        versions = self.versions(key)
        self._made += 1
        body = self._generate(key)
        if body is None:
            self._forget(key)
            return None
        payload = Payload(body, now, versions)
        self._current.setdefault((key.kind, key.name), {})[key] = payload
        if key.regions:
            self._keep_few(key)
        return payload

    def _keep_few(self, key: CacheKey) -> None:
        self._regional.pop(key, None)
        self._regional[key] = None
        if len(self._regional) > MOST_REGIONAL:
            oldest = next(iter(self._regional))
            del self._regional[oldest]
            self._forget(oldest)
            self._shown.pop(oldest, None)

    def _forget(self, key: CacheKey) -> None:
        payloads = self._current.get((key.kind, key.name))
        if payloads is not None:
            payloads.pop(key, None)
            if not payloads:
                del self._current[key.kind, key.name]


def _touched(change: Changed) -> Iterable[tuple[Kind, str]]:
    instances = (change.after,) if change.before is None else (change.before, change.after)
    yield "apps", ""
    yield "delta", ""
    yield "app", change.after.key.app
    for vip in {vip for instance in instances for vip in instance.vips}:
        yield "vip", vip
    for vip in {vip for instance in instances for vip in instance.secure_vips}:
        yield "svip", vip
