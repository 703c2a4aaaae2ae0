"""Large lists are made beside the loop, and show what was true when they were asked for."""

from __future__ import annotations

import asyncio
import gzip
from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka.core.instance import Key
from eureka.core.node import Node
from eureka.core.status import Status
from eureka.server import preparation
from eureka.server.cache import CacheKey
from eureka.server.clock import Clock
from eureka.server.preparation import Later
from eureka.server.reading import Reading
from eureka.server.settings import Settings

if TYPE_CHECKING:
    from eureka.server.cache import Payload
    from tests.eureka.conftest import Builder

APPS = CacheKey("apps")
DELTA = CacheKey("delta")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let three instances be many."""
    monkeypatch.setattr(preparation, "LARGE", 3)


class Stage:
    """A node with three instances, and its reads."""

    def __init__(self, build: Builder, *, read_only: bool) -> None:
        settings = msgspec.structs.replace(Settings(), read_only_cache=read_only)
        self.clock = Clock()
        self.build = build
        self.node = Node(settings.policy(), settings.replication())
        self.reading = Reading(self.node, settings, self.clock)
        for name in "123":
            self.register(name)
        self.node.open(3, now=self.clock.now())

    def register(self, name: str, *, vip: str | None = None, svip: str | None = None) -> None:
        """Register one, and drop the lists that became wrong."""
        instance = self.build(name, vip_address=vip, secure_vip_address=svip)
        answer = self.node.register(instance, now=self.clock.now(), replicated=False)
        for event in answer.events:
            self.reading.cache.changed(event)  # type: ignore[arg-type] # a registration's only event

    def list_now(self, key: CacheKey) -> bytes:
        """Return the list as it is made on the loop."""
        made = self.reading.lists.generate(key)
        assert made is not None
        return made

    async def prepared(self, key: CacheKey, *, zipped: bool = False, fresh: bool = True) -> Payload:
        """Return the list as it is made beside the loop."""
        made = await self.reading.preparation.payload(Later(key, zipped=zipped, fresh=fresh))
        assert made is not None
        return made


@pytest.fixture
def stage(build: Builder) -> Stage:
    """Return a stage without the read-only layer."""
    return Stage(build, read_only=False)


@pytest.mark.parametrize("form", ["json", "xml"])
@pytest.mark.parametrize("compact", [True, False])
@pytest.mark.parametrize("kind", ["apps", "delta"])
def test_a_list_made_beside_the_loop_is_the_one_made_on_it(
    stage: Stage, kind: str, form: str, compact: bool
) -> None:
    """Byte for byte, plain and zipped, in each form."""
    key = msgspec.convert({"kind": kind, "form": form, "compact": compact}, CacheKey)
    expected = stage.list_now(key)

    assert asyncio.run(stage.prepared(key)).body == expected
    stage.register("3")
    expected = stage.list_now(key)
    zipped = asyncio.run(stage.prepared(key, zipped=True))
    assert zipped.has(zipped=True)
    assert not zipped.has(zipped=False)
    assert gzip.decompress(zipped.zipped) == expected == zipped.body


@pytest.mark.parametrize("form", ["json", "xml"])
@pytest.mark.parametrize("compact", [True, False])
@pytest.mark.parametrize(("kind", "name"), [("app", "CART"), ("vip", "v"), ("svip", "s")])
def test_a_large_application_or_address_is_made_beside_the_loop_too(
    stage: Stage, kind: str, name: str, form: str, compact: bool
) -> None:
    """One application may be the whole registry."""
    for one in "123":
        stage.register(one, vip="v", svip="s")
    key = msgspec.convert({"kind": kind, "name": name, "form": form, "compact": compact}, CacheKey)
    assert stage.reading.preparation.is_large(key)

    assert asyncio.run(stage.prepared(key)).body == stage.list_now(key)


def test_a_list_of_a_name_that_nobody_has_any_more_is_none(stage: Stage) -> None:
    """It was large when it was asked for."""
    gone = Later(CacheKey("app", "GONE"), zipped=False, fresh=True)

    assert asyncio.run(stage.reading.preparation.payload(gone)) is None


def test_a_list_is_kept_until_something_changes(stage: Stage) -> None:
    """Then it is needed again."""
    wanted = {"zipped": False, "fresh": True}
    assert stage.reading.preparation.is_needed(APPS, **wanted)

    first = asyncio.run(stage.prepared(APPS))
    assert not stage.reading.preparation.is_needed(APPS, **wanted)
    assert asyncio.run(stage.prepared(APPS)) is first

    stage.register("4")
    assert stage.reading.preparation.is_needed(APPS, **wanted)


def test_another_form_of_a_list_that_is_there_is_made_beside_the_loop_too(stage: Stage) -> None:
    """Zipping a hundred megabytes takes as long as writing them."""
    first = asyncio.run(stage.prepared(APPS))
    assert stage.reading.preparation.is_needed(APPS, zipped=True, fresh=True)

    again = asyncio.run(stage.prepared(APPS, zipped=True))

    assert again is first
    assert not stage.reading.preparation.is_needed(APPS, zipped=True, fresh=True)


def test_who_asks_together_shares_one_list_and_who_asks_after_a_change_finds_it(
    stage: Stage,
) -> None:
    """Three callers, two lists; the one under way is not kept, as it is out of date."""
    made = stage.reading.cache.misses

    async def story() -> tuple[Payload, Payload, Payload]:
        calls = [asyncio.create_task(stage.prepared(APPS)) for _ in range(2)]
        await asyncio.sleep(0)
        stage.register("4")
        calls.append(asyncio.create_task(stage.prepared(APPS)))
        first, second, third = await asyncio.gather(*calls)
        return first, second, third

    first, second, third = asyncio.run(story())

    assert first is second
    assert b'"4"' not in first.body
    assert b'"instanceId":"4"' in third.body
    assert stage.reading.cache.misses == made + 2
    assert stage.reading.cache.ready(APPS, now=stage.clock.monotonic()) is third


def test_what_changes_while_a_list_is_written_does_not_show_in_it(stage: Stage) -> None:
    """The hash and the statuses are those of one moment, and nobody's bytes are left behind."""
    expected = stage.list_now(APPS)
    writer = stage.reading.lists.json

    async def story() -> Payload:
        call = asyncio.create_task(stage.prepared(APPS))
        await asyncio.sleep(0)
        now = stage.clock.now()
        stage.node.set_status(Key("CART", "1"), Status.DOWN, now=now, replicated=False)
        stage.node.cancel(Key("CART", "2"), now=now, replicated=False)
        stage.reading.lists.forget(Key("CART", "2"))
        return await call

    assert asyncio.run(story()).body == expected
    assert writer.kept == 2


def test_the_read_only_layer_shows_a_prepared_list_until_the_refresh(build: Builder) -> None:
    """As it shows small ones."""
    stage = Stage(build, read_only=True)

    async def story() -> list[bool]:
        shown = await stage.prepared(APPS, fresh=False)
        stage.register("4")
        same = await stage.prepared(APPS, fresh=False) is shown
        await stage.reading.preparation.refresh()
        anew = await stage.prepared(APPS, fresh=False)
        return [same, anew is not shown, b'"instanceId":"4"' in anew.body]

    assert asyncio.run(story()) == [True, True, True]
