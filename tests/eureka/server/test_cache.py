"""How fresh lists are, and what is kept of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from eureka.core.event import Changed
from eureka.server.cache import CacheKey, Kind, ResponseCache

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder

APPS = CacheKey("apps")


class Source:
    """Makes a payload that says how often it was asked; knows every name but `nobody`."""

    def __init__(self) -> None:
        self.asked = 0
        self.unknown = {"nobody"}

    def generate(self, key: CacheKey) -> bytes | None:
        """Return the next payload."""
        self.asked += 1
        return None if key.name in self.unknown else b"%d" % self.asked


def cache_of(source: Source, *, read_only: bool = False) -> ResponseCache:
    """Return a cache whose entries live 20 s."""
    return ResponseCache(source.generate, read_only=read_only, expiry=20)


def body(cache: ResponseCache, key: CacheKey = APPS, *, now: float, fresh: bool = False) -> bytes:
    """Return the body of a list that exists."""
    payload = cache.get(key, now=now, fresh=fresh)
    assert payload is not None
    return payload.body


def test_a_list_is_made_once_until_it_is_too_old() -> None:
    """An entry is never older than its expiry."""
    cache = cache_of(Source())

    assert [body(cache, now=now) for now in (0, 19.9, 20, 39.9)] == [b"1", b"1", b"2", b"2"]


def test_a_change_shows_at_once_without_the_read_only_layer(build: Builder) -> None:
    """The entry it made wrong is dropped."""
    cache = cache_of(Source())
    body(cache, now=0)

    cache.changed(Changed(None, build()))

    assert body(cache, now=0) == b"2"


def test_a_change_shows_with_the_next_refresh_of_the_read_only_layer(build: Builder) -> None:
    """Until then the list is as it was; who passes by the layer sees it already."""
    cache = cache_of(Source(), read_only=True)
    assert body(cache, now=0) == b"1"

    cache.changed(Changed(None, build()))

    assert body(cache, now=0) == b"1"
    assert body(cache, now=0, fresh=True) == b"2"
    cache.refresh(now=0)
    assert body(cache, now=0) == b"2"


def test_a_refresh_makes_nothing_new_that_did_not_change() -> None:
    """It reads the entry, which is made anew when it is too old only."""
    source = Source()
    cache = cache_of(source, read_only=True)
    body(cache, now=0)

    cache.refresh(now=5)
    assert source.asked == 1

    cache.refresh(now=20)
    assert body(cache, now=20) == b"2"


@pytest.mark.parametrize(
    ("kind", "name", "dropped"),
    [
        ("apps", "", True),
        ("delta", "", True),
        ("app", "CART", True),
        ("app", "PAY", False),
        ("vip", "old", True),
        ("vip", "a", True),
        ("vip", "b", True),
        ("vip", "s", False),
        ("svip", "s", True),
        ("svip", "a", False),
    ],
)
@pytest.mark.parametrize("compact", [False, True])
def test_a_change_drops_what_it_made_wrong(
    build: Builder, kind: Kind, name: str, dropped: bool, compact: bool
) -> None:
    """Each address it lists and listed before, in full and compact form, and nothing else."""
    cache = cache_of(Source())
    key = CacheKey(kind, name, compact)
    before = build(vip_address="old")
    body(cache, key, now=0)

    cache.changed(Changed(before, replace(before, vip_address="a,b", secure_vip_address="s")))

    assert (body(cache, key, now=0) != b"1") is dropped


@pytest.mark.parametrize(("kind", "dropped"), [("delta", True), ("apps", False)])
def test_forgotten_changes_leave_the_delta(kind: Kind, dropped: bool) -> None:
    """The other lists do not show them."""
    cache = cache_of(Source())
    key = CacheKey(kind)
    body(cache, key, now=0)

    cache.forgot()

    assert (body(cache, key, now=0) != b"1") is dropped


def test_names_that_do_not_exist_are_not_kept() -> None:
    """However many are asked for, and once they are gone they leave the read-only layer too."""
    source = Source()
    cache = cache_of(source, read_only=True)

    assert cache.get(CacheKey("app", "nobody"), now=0) is None
    assert len(cache) == 0

    key = CacheKey("app", "CART")
    body(cache, key, now=0)
    source.unknown.add("CART")
    cache.refresh(now=20)
    assert len(cache) == 0
