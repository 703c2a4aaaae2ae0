"""How fresh lists are, and what is kept of them."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from eureka.core.event import Changed
from eureka.server.cache import MOST_REGIONAL, CacheKey, Kind, Payload, ResponseCache

if TYPE_CHECKING:
    from eureka.wire.negotiation import Format
    from tests.eureka.conftest import Builder

FORMATS: Final[tuple[Format, ...]] = ("json", "xml")
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


def test_representations_of_one_list_go_together(build: Builder) -> None:
    """A change drops them in both formats, both forms, and with whatever regions."""
    source = Source()
    cache = cache_of(source)
    keys = [
        CacheKey("apps", compact=compact, form=form, regions=regions)
        for compact in (False, True)
        for form in FORMATS
        for regions in ((), ("r2",))
    ]
    for key in keys:
        body(cache, key, now=0)

    cache.changed(Changed(None, build()))

    assert [body(cache, key, now=0) for key in keys] == [b"%d" % n for n in range(9, 17)]


def test_another_version_of_what_a_list_shows_makes_it_anew() -> None:
    """That of another region, say."""
    versions = [1]
    source = Source()
    cache = ResponseCache(
        source.generate, read_only=True, expiry=20, versions=lambda _: tuple(versions)
    )
    assert body(cache, now=0) == b"1"

    versions[0] = 2

    assert body(cache, now=0, fresh=True) == b"2"
    cache.refresh(now=0)
    assert body(cache, now=0) == b"2"


def test_lists_that_name_regions_are_few_in_both_layers() -> None:
    """The one kept longest goes first."""
    cache = cache_of(Source(), read_only=True)
    keys = [CacheKey("apps", regions=(f"r{n}",)) for n in range(MOST_REGIONAL + 5)]

    for key in keys:
        body(cache, key, now=0)

    assert len(cache) == 2 * MOST_REGIONAL
    assert body(cache, keys[-1], now=0) == b"%d" % len(keys)
    assert body(cache, keys[0], now=0) == b"%d" % (len(keys) + 1)


def test_a_large_list_is_kept_in_the_form_somebody_wants() -> None:
    """Once zipped the plain form goes; who wants it all the same gets the same bytes."""
    large = b"x" * 1_000_000
    payload = Payload(large, 0)

    zipped = payload.zipped
    assert payload.zipped is zipped
    assert gzip.decompress(zipped) == large
    assert not payload._plain
    assert payload.body == large
    assert payload.body is payload.body
    assert payload.zipped is zipped


def test_a_refreshed_list_is_ready_as_the_one_before(build: Builder) -> None:
    """What was wanted zipped is zipped before somebody asks."""
    cache = cache_of(Source(), read_only=True)
    first = cache.get(APPS, now=0)
    assert first is not None
    assert first.zipped
    cache.changed(Changed(None, build()))

    cache.refresh(now=0)

    second = cache.get(APPS, now=0)
    assert second is not None
    assert second is not first
    assert second._zipped is not None
    assert gzip.decompress(second.zipped) == second.body == b"2"
