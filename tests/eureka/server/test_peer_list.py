"""The list of peers and the copy at start, over real connections with scripted peers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka.server.settings import Settings
    from tests.eureka.server.conftest import Running, Stage

JSON = "application/json"
FAST = 20.0  # registry seconds in a real one: a batching delay takes 25 ms
OK = b'{"responseList":[{"statusCode":200}]}'


def replicating(*urls: str, **changes: object) -> dict[str, object]:
    """Return the settings of a node with these peers, that copies nothing."""
    return {
        "peers": urls,
        "sync_retries": 0,
        "peer_connect_timeout": 20.0,
        "peer_read_timeout": 20.0,
        **changes,
    }


async def register(server: Running, stage: Stage, name: str = "1", **headers: str) -> None:
    """Register an instance."""
    body = stage.registration(name)
    reply = await server.call("POST", "/eureka/apps/CART", body, Content_Type=JSON, **headers)
    assert reply.status == 204


def kinds(tasks: Sequence[dict[str, object]]) -> list[object]:
    """Return the actions of tasks."""
    return [task["action"] for task in tasks]


async def delivered(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
    """Answer that a single task was carried out."""
    return 200, OK


# The list of peers


def test_own_urls_are_left_out_and_each_peer_counts_once(stage: Stage) -> None:
    """By host name, by my-url, and by being listed twice."""

    async def story() -> None:
        async with stage.running(sync_retries=0, my_url="http://alias:1/eureka/") as server:
            cluster = server.server.cluster
            cluster.set_peers(
                [
                    "http://registry-a:8761/eureka/",
                    "http://REGISTRY-A:9/eureka/",
                    "http://alias:1/eureka/",
                    "http://registry-b:8761/eureka/",
                    "http://registry-b:8761/eureka/",
                ]
            )
            assert [sender.url for sender in cluster.senders] == ["http://registry-b:8761/eureka/"]

    stage.play(story())


def test_a_changed_list_is_taken_up(stage: Stage) -> None:
    """When told at once; an empty or unreadable one changes nothing."""

    async def story() -> None:
        async with (
            stage.scripted(delivered) as old,
            stage.scripted(delivered) as new,
            stage.running(speed=FAST, **replicating(old.url)) as server,
        ):
            await stage.until(lambda: list(server.server.cluster.senders), "the old peer")
            server.settings = msgspec.structs.replace(server.settings, peers=())
            server.server.read_peers_again()
            await asyncio.sleep(0.02)
            assert len(list(server.server.cluster.senders)) == 1

            server.settings = msgspec.structs.replace(server.settings, peers=(new.url,))
            server.server.read_peers_again()
            await stage.until(
                lambda: [one.url for one in server.server.cluster.senders] == [new.url],
                "the new peer",
            )
            await register(server, stage)
            await stage.until(lambda: new.tasks, "the batch")
            assert old.calls == []

            def unreadable() -> Settings:
                raise ConfigurationError("app.yml", "", "is no YAML")

            server.server._reload = unreadable
            server.server.read_peers_again()
            await stage.until(lambda: "peer-list-kept" in server.log, "the complaint")
            assert len(list(server.server.cluster.senders)) == 1

    stage.play(story())


def test_the_list_is_read_again_every_now_and_then(stage: Stage) -> None:
    """After its interval."""

    async def story() -> None:
        async with (
            stage.scripted(delivered) as peer,
            stage.running(speed=FAST, sync_retries=0, peers_update_interval=1.0) as server,
        ):
            server.settings = msgspec.structs.replace(server.settings, peers=(peer.url,))
            await stage.until(lambda: list(server.server.cluster.senders), "the peer")

    stage.play(story())


# The copy at start


def listed(stage: Stage, *names: str) -> bytes:
    """Return a full list of these instances, one of them odd."""
    instances = [stage.registration(name).removeprefix(b'{"instance":')[:-1] for name in names]
    return b'{"applications":{"application":[{"name":"CART","instance":[%b]}]}}' % b",".join(
        [*instances, b"{}"]
    )


def test_a_starting_node_copies_the_first_peer_that_has_instances(stage: Stage) -> None:
    """Lists are refused until then; others are not asked."""

    async def first(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
        await asked.wait()
        return 403, b""

    async def second(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
        return 200, listed(stage, "1", "2")

    asked = asyncio.Event()

    async def story() -> None:
        async with (
            stage.scripted(first) as closed,
            stage.scripted(second) as full,
            stage.scripted(second) as other,
            stage.running(peers=(closed.url, full.url, other.url), sync_retries=3) as server,
        ):
            assert (await server.call("GET", "/eureka/apps")).status == 403
            health = await server.call("GET", "/health")
            assert (health.status, health.json()) == (
                503,
                {"status": "OUT_OF_SERVICE", "reason": "copying"},
            )
            await register(server, stage, "3")
            asked.set()
            await stage.until(lambda: "opened" in server.log, "the registry to open")
            assert b'"apps__hashcode":"UP_3_"' in (await server.call("GET", "/eureka/apps")).body
            ((method, path, headers, _),) = full.calls
            assert (method, path, headers["accept"]) == ("GET", "/eureka/apps/", JSON)
            assert other.calls == []
            assert "instances=2 unreadable=1" in server.log
            assert "opened copied=2 expected=3" in server.log

    stage.play(story())


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ((500, b""), "HTTP status 500"),
        ((200, b"<html>"), "an answer that cannot be read"),
        (None, "Server disconnected"),
    ],
)
def test_a_node_whose_peers_cannot_answer_opens_after_its_rounds(
    stage: Stage, answer: tuple[int, bytes] | None, error: str
) -> None:
    """Empty, and ready to learn."""

    async def script(_method: str, _path: str, _body: bytes) -> tuple[int, bytes] | None:
        return answer

    async def story() -> None:
        async with (
            stage.scripted(script) as peer,
            stage.running(
                peers=(peer.url,), sync_retries=3, sync_retry_wait=0.02, speed=1
            ) as server,
        ):
            await stage.until(lambda: "opened" in server.log, "the registry to open")
            assert len(peer.calls) == 3
            assert server.log.count("copy-failed") == 3
            assert error in server.log
            assert "opened copied=0 expected=1" in server.log

    stage.play(story())


def test_a_fault_during_the_copy_opens_the_registry_all_the_same(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is logged with its place."""
    from eureka.server.cluster import Cluster  # noqa: PLC0415 - to be broken

    async def faulty(_cluster: Cluster) -> int:
        raise ValueError("odd")

    monkeypatch.setattr(Cluster, "copy", faulty)

    async def story() -> None:
        async with stage.running() as server:
            await stage.until(lambda: "opened copied=0" in server.log, "the registry to open")
            assert "error copy-failed" in server.log

    stage.play(story())


def test_two_nodes_agree(stage: Stage) -> None:
    """What a client does at one is soon at the other."""

    async def story() -> None:
        async with stage.running(speed=FAST, host_name="registry-b", sync_retries=0) as b:
            settings = replicating(b.url)
            async with stage.running(speed=FAST, **settings) as a:
                await register(a, stage)
                await a.call("PUT", "/eureka/apps/CART/1/status?value=OUT_OF_SERVICE")
                await a.call("PUT", "/eureka/apps/CART/1/metadata?a=b")
                registry = b.server.service.node.registry
                await stage.until(lambda: len(registry.leases), "the instance")
                one, other = [
                    (await node.call("GET", "/eureka/apps/CART/1")).body for node in (a, b)
                ]
                for text in (b'"overriddenStatus":"OUT_OF_SERVICE"', b'"metadata":{"a":"b"}'):
                    assert text in one
                    assert text in other

    stage.play(story())


def test_the_status_of_the_server_tells_which_peers_answer(stage: Stage) -> None:
    """By their URLs, in both formats."""

    async def story() -> None:
        async with stage.scripted(delivered) as peer:
            urls = (peer.url, "http://127.0.0.1:1/eureka/")
            async with stage.running(**replicating(*urls), speed=FAST) as server:
                await stage.until(lambda: "opened" in server.log, "the registry to open")
                await register(server, stage)
                await stage.until(
                    lambda: any(one.available for one in server.server.cluster.replicas()),
                    "the peer's answer",
                )
                told = (await server.call("GET", "/eureka/status", Accept=JSON)).json()
                assert isinstance(told, dict)
                assert told["applicationStats"] == {
                    "registered-replicas": ",".join(urls),
                    "available-replicas": urls[0],
                    "unavailable-replicas": urls[1],
                }
                xml = (await server.call("GET", "/eureka/status", Accept="application/xml")).body
                expected = f"<available-replicas>{urls[0]}</available-replicas>"
                assert expected.encode() in xml

    stage.play(story())


def test_a_refresh_takes_up_a_changed_list_at_once(stage: Stage) -> None:
    """Where a Spring server is told so (REPL-12)."""

    async def story() -> None:
        async with stage.running(speed=FAST, **replicating()) as server:
            read: list[str] = []
            server.server.cluster.refresh = lambda: read.append("again")
            reply = await server.call("POST", "/actuator/refresh")
            assert (reply.status, read) == (200, ["again"])
            assert (await server.call("GET", "/actuator/refresh")).status == 405

    stage.play(story())
