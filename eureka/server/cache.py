"""
The response cache: list reads, ready to send.

A read-write layer holds each list until something it shows changes, or it is too old.
In front of it a read-only layer, if switched on, shows each list as it was at the last refresh.
Only names that exist are kept, so arbitrary ones cost no memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from eureka.core.event import Changed

Kind = Literal["apps", "delta", "app", "vip", "svip"]


class CacheKey(msgspec.Struct, frozen=True, gc=False):
    """One representation of one list."""

    kind: Kind
    name: str = ""
    compact: bool = False


class Payload(msgspec.Struct, gc=False):
    """
    A body, its gzipped form once somebody wanted it,
    and when it was made (monotonic seconds).
    """

    body: bytes
    made_at: float
    zipped: bytes | None = None


class ResponseCache:
    """Keeps payloads; `generate` makes one, or returns None for a name that does not exist."""

    def __init__(
        self,
        generate: Callable[[CacheKey], bytes | None],
        *,
        read_only: bool,
        expiry: float,
    ) -> None:
        self._generate = generate
        self._read_only = read_only
        self._expiry = expiry
        self._current: dict[CacheKey, Payload] = {}
        self._shown: dict[CacheKey, Payload] = {}

    def __len__(self) -> int:
        return len(self._current) + len(self._shown)

    def get(self, key: CacheKey, *, now: float, fresh: bool = False) -> Payload | None:
        """Return the list as clients see it; `fresh` passes by the read-only layer."""
        if not self._read_only or fresh:
            return self._read(key, now=now)
        shown = self._shown.get(key)
        if shown is None:
            shown = self._read(key, now=now)
            if shown is not None:
                self._shown[key] = shown
        return shown

    def refresh(self, *, now: float) -> None:
        """Bring the read-only layer up to date; lists nobody can name any more leave it."""
        for key in list(self._shown):
            payload = self._read(key, now=now)
            if payload is None:
                del self._shown[key]
            else:
                self._shown[key] = payload

    def changed(self, change: Changed) -> None:
        """
        Drop what a change made wrong:
        before and after it, an instance may list different addresses.
        """
        for key in _touched(change):
            self._current.pop(key, None)

    def forgot(self) -> None:
        """Drop the delta: it lists changes that are forgotten now."""
        for compact in (False, True):
            self._current.pop(CacheKey("delta", compact=compact), None)

    def _read(self, key: CacheKey, *, now: float) -> Payload | None:
        payload = self._current.get(key)
        if payload is not None and now - payload.made_at < self._expiry:
            return payload
        body = self._generate(key)
        if body is None:
            self._current.pop(key, None)
            return None
        payload = Payload(body, now)
        self._current[key] = payload
        return payload


def _touched(change: Changed) -> Iterable[CacheKey]:
    instances = (change.after,) if change.before is None else (change.before, change.after)
    vips = {vip for instance in instances for vip in instance.vips}
    secure = {vip for instance in instances for vip in instance.secure_vips}
    for compact in (False, True):
        yield CacheKey("apps", compact=compact)
        yield CacheKey("delta", compact=compact)
        yield CacheKey("app", change.after.key.app, compact)
        for vip in vips:
            yield CacheKey("vip", vip, compact)
        for vip in secure:
            yield CacheKey("svip", vip, compact)
