"""Copies of other regions, over HTTP."""

from __future__ import annotations

import gzip
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka.core.errors import InvalidRequest
from eureka.server.regions import _plain
from eureka.server.settings import RegionSettings
from eureka.wire.reading import PLAIN

if TYPE_CHECKING:
    from tests.eureka.server.conftest import Running, ScriptedPeer, Stage

SPEED = 20.0
Remote = tuple[int, bytes]


def listing(*ids: str, app: str = "FAR", deleted: tuple[str, ...] = ()) -> bytes:
    """Return a list of another registry, with the hash of those that are not deleted."""
    instances = [
        {
            "instanceId": name,
            "app": app,
            "hostName": "far",
            "ipAddr": "10.9.0.1",
            "status": "UP",
            "dataCenterInfo": {"@class": PLAIN, "name": "MyOwn"},
            "lastDirtyTimestamp": "100",
            "actionType": "DELETED" if name in deleted else "ADDED",
        }
        for name in ids
    ]
    applications = {
        "versions__delta": "1",
        "apps__hashcode": f"UP_{len(ids)}_" if ids else "",
        "application": [{"name": app, "instance": instances}] if ids else [],
    }
    return msgspec.json.encode({"applications": applications})


class Region:
    """A remote registry as it is told to be."""

    def __init__(self) -> None:
        self.answers: dict[str, Remote | None] = {}

    async def __call__(self, _method: str, path: str, _body: bytes) -> Remote | None:
        """Answer by the path; nothing closes the connection."""
        return self.answers.get(path.removeprefix("/eureka/"))


def settings(url: str, **more: object) -> RegionSettings:
    """Return the settings of one region there, fetched every registry second."""
    fields = {"urls": {"north": url}, "fetch_interval": 1.0, "read_timeout": 20.0, **more}
    return msgspec.convert(fields, RegionSettings)


def held(server: Running) -> list[str]:
    """Return the ids of what is held."""
    remote = server.server.service.remote
    return [instance.key.id for instance in remote.instances("north")]


def asked(there: ScriptedPeer, times: int) -> bool:
    """Tell whether a region was asked so often."""
    return len(there.calls) >= times


def test_a_region_is_fetched_and_its_changes_followed(stage: Stage) -> None:
    """Everything first, then changes; everything again where the hash does not fit."""

    async def story() -> None:
        region = Region()
        async with stage.scripted(region) as there:
            region.answers["apps/"] = 200, gzip.compress(listing("1"))
            region.answers["apps/delta"] = 200, listing("1")
            async with stage.running(speed=SPEED, regions=settings(there.url)) as server:
                await stage.until(lambda: held(server) == ["1"], "the copy")
                await stage.until(lambda: len(there.calls) > 3, "some fetches")
                assert [path for _, path, _, _ in there.calls[1:4]] == ["/eureka/apps/delta"] * 3
                _, _, headers, _ = there.calls[0]
                assert headers["accept-encoding"] == "gzip"
                assert headers["discoveryidentity-name"] == "DefaultServer"

                changed = msgspec.json.decode(listing("2", "1"))
                region.answers["apps/delta"] = 200, msgspec.json.encode(changed)
                await stage.until(lambda: held(server) == ["1", "2"], "the change")

                region.answers["apps/"] = 200, listing("7")
                region.answers["apps/delta"] = 200, listing("7")
                await stage.until(lambda: held(server) == ["7"], "the whole list")

    stage.play(story())


def test_the_last_copy_is_kept_while_a_region_is_away(stage: Stage) -> None:
    """That is told once, and once when it is back; local reads go on."""

    async def story() -> None:
        region = Region()
        async with stage.scripted(region) as there:
            region.answers["apps/"] = 200, listing("1")
            chosen = settings(there.url, no_delta=True, gzip=False)
            async with stage.running(speed=SPEED, regions=chosen) as server:
                await stage.until(lambda: held(server) == ["1"], "the copy")
                assert "accept-encoding" not in there.calls[0][2]
                for answer in (
                    (503, b""),
                    (200, b"{"),
                    (200, b"\x1f\x8bodd"),
                    (200, gzip.compress(listing("1"))[:-9]),
                    None,
                ):
                    region.answers["apps/"] = answer
                    before = len(there.calls)
                    await stage.until(partial(asked, there, before + 2), "two more fetches")
                    assert held(server) == ["1"]
                assert server.log.count("region-fails region=north") == 1
                region.answers["apps/"] = 200, listing("1", "2")
                await stage.until(lambda: held(server) == ["1", "2"], "the new copy")
                assert server.log.count("region-answers-again") == 1
                assert "region-failed" not in server.log

    stage.play(story())


def test_a_region_that_never_answered_is_not_ready(stage: Stage) -> None:
    """Reads that name it are refused, others are served; the page and the figures say so."""

    async def story() -> None:
        url = "http://reader:s3cret@127.0.0.1:1/eureka/"
        async with stage.running(speed=SPEED, regions=settings(url)) as server:
            await stage.until(lambda: "region-fails" in server.log, "the failure")
            assert (await server.call("GET", "/eureka/apps?regions=north")).status == 403
            assert (await server.call("GET", "/eureka/apps")).status == 200
            state = (await server.call("GET", "/registry/state")).json()
            assert msgspec.convert(state, dict[str, object])["regions"] == {"north": False}
            metrics = (await server.call("GET", "/metrics")).body
            assert b'eureka_region_ready{region="north"} 0.0' in metrics
            page = (await server.call("GET", "/")).body
            assert b"none yet: reads that name it are refused" in page
            for text in (server.log, page.decode(), metrics.decode()):
                assert "s3cret" not in text

    stage.play(story())


def test_only_whole_bodies_count() -> None:
    """A gzipped one that ends too early is none."""
    with pytest.raises(InvalidRequest, match="it ends too early"):
        _plain([gzip.compress(b"x" * 100)[:-10]])
    assert _plain([b"plain", b"ly"]) == [b"plain", b"ly"]


def test_a_body_is_decompressed_in_parts() -> None:
    """However its bytes came."""
    body = bytes(range(256)) * 3000
    zipped = gzip.compress(body)

    plain = _plain([zipped[at : at + 1] for at in range(len(zipped))])

    assert b"".join(plain) == body
    assert max(map(len, _plain([zipped]))) <= 256 * 1024
