"""Replication over real connections with scripted peers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from eureka.core.instance import Key
from eureka.server import client
from eureka.wire.batch import write_batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eureka.core.task import Task
    from eureka.wire.writing import JsonWriter
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


# Sending


def test_a_call_is_sent_as_a_batch(stage: Stage) -> None:
    """To the peer's batch path, as JSON, by a sender that says who it is."""

    async def story() -> None:
        async with (
            stage.scripted(delivered) as peer,
            stage.running(speed=FAST, **replicating(peer.url)) as server,
        ):
            await register(server, stage)
            await stage.until(lambda: peer.calls, "the batch")
            ((method, path, headers, _),) = peer.calls
            assert (method, path) == ("POST", "/eureka/peerreplication/batch/")
            assert headers["content-type"] == headers["accept"] == JSON
            assert headers["discoveryidentity-name"] == "DefaultServer"
            assert headers["discoveryidentity-id"] == "registry-a"
            assert "x-netflix-discovery-replication" not in headers
            assert kinds(peer.tasks) == ["Register"]
            (sender,) = server.server.cluster.senders
            await stage.until(lambda: sender.standing.last_success_ms, "the answer")
            state = (await server.call("GET", "/registry/state")).json()
            assert isinstance(state, dict)
            assert state["peers"] == [
                {
                    "url": peer.url,
                    "word": "answers",
                    "queued": 0,
                    "sent": 1,
                    "dropped": 0,
                    "lastSuccessMs": sender.standing.last_success_ms,
                    "lastError": "",
                }
            ]

    stage.play(story())


def test_a_peer_that_misses_an_instance_gets_it(stage: Stage) -> None:
    """A renewal answered 404 is followed by the registration."""

    async def script(_method: str, _path: str, body: bytes) -> tuple[int, bytes]:
        code = 404 if b"Heartbeat" in body else 200
        return 200, b'{"responseList":[{"statusCode":%d}]}' % code

    async def story() -> None:
        async with (
            stage.scripted(script) as peer,
            stage.running(speed=FAST, **replicating(peer.url)) as server,
        ):
            await register(server, stage, x_netflix_discovery_replication="true")
            await server.call("PUT", "/eureka/apps/CART/1")
            await stage.until(lambda: len(peer.tasks) == 2, "both tasks")
            assert kinds(peer.tasks) == ["Heartbeat", "Register"]

    stage.play(story())


def test_a_newer_record_of_a_peer_shows_in_lists(stage: Stage) -> None:
    """What a 409 brings is adopted."""
    newer = stage.registration(lastDirtyTimestamp=500, metadata={"newer": "yes"})
    entity = newer.removeprefix(b'{"instance":')[:-1]

    async def script(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
        return 200, b'{"responseList":[{"statusCode":409,"responseEntity":%b}]}' % entity

    async def story() -> None:
        async with (
            stage.scripted(script) as peer,
            stage.running(speed=FAST, **replicating(peer.url)) as server,
        ):
            await register(server, stage, x_netflix_discovery_replication="true")
            await server.call("GET", "/eureka/apps")
            await server.call("PUT", "/eureka/apps/CART/1")
            registry = server.server.service.node.registry
            await stage.until(
                lambda: (
                    (lease := registry.leases.find(Key("CART", "1")))
                    and lease.instance.dirty_ms == 500
                ),
                "the adoption",
            )
            assert b'"newer":"yes"' in (await server.call("GET", "/eureka/apps")).body

    stage.play(story())


@pytest.mark.parametrize(
    ("status", "content", "error"),
    [
        (503, b"", "HTTP status 503"),
        (None, b"", "Server disconnected without sending a response."),
        (200, b"<html>", "an answer that cannot be read: cannot parse the answer to a batch"),
    ],
)
def test_a_batch_is_sent_until_it_is_answered(
    stage: Stage, status: int | None, content: bytes, error: str
) -> None:
    """The failure is told once in the log, and in the state until it is over."""
    failures = 3

    async def script(_method: str, _path: str, _body: bytes) -> tuple[int, bytes] | None:
        if len(peers_seen[0].calls) > failures:
            return 200, OK
        return None if status is None else (status, content)

    peers_seen = []

    async def story() -> None:
        async with (
            stage.scripted(script) as peer,
            stage.running(speed=FAST, **replicating(peer.url)) as server,
        ):
            peers_seen.append(peer)
            await register(server, stage)
            (sender,) = server.server.cluster.senders
            await stage.until(lambda: sender.standing.last_error, "a failure")
            assert sender.standing.last_error.startswith(error)
            await stage.until(lambda: sender.standing.last_success_ms, "the success")
            assert sender.standing.last_error == ""
            assert kinds(peer.tasks) == ["Register"] * (failures + 1)
            assert len({headers["x-eureka-batch-id"] for _, _, headers, _ in peer.calls}) == 1
            assert server.log.count("peer-fails") == 1
            assert server.log.count("peer-answers-again") == 1

    stage.play(story())


def test_a_peer_that_comes_and_goes_is_told_of_seldom(stage: Stage) -> None:
    """Once in a minute, with its return."""

    async def script(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
        return (503, b"") if len(seen[0].calls) % 2 else (200, OK)

    seen = []

    async def story() -> None:
        async with (
            stage.scripted(script) as peer,
            stage.running(speed=FAST, **replicating(peer.url)) as server,
        ):
            seen.append(peer)
            for number in range(3):
                await register(server, stage, str(number))
                await stage.until(lambda: len(peer.calls) % 2, "the failure")
                await stage.until(lambda: not len(peer.calls) % 2, "the success")
            (sender,) = server.server.cluster.senders
            await stage.until(lambda: not sender.standing.last_error, "the last success")
            assert server.log.count("peer-fails") == 1
            assert server.log.count("peer-answers-again") == 1

    stage.play(story())


def test_a_peer_that_is_down_gets_everything_when_it_is_back(stage: Stage) -> None:
    """A refused connection is tried again soon."""

    async def story() -> None:
        async with stage.scripted(delivered) as peer:
            port = peer.port
            await peer.stop()
            async with stage.running(speed=FAST, **replicating(peer.url)) as server:
                await register(server, stage)
                (sender,) = server.server.cluster.senders
                await stage.until(lambda: sender.standing.last_error, "a failure")
                await peer.start(port)
                await stage.until(lambda: sender.standing.last_success_ms, "the success")
                assert kinds(peer.tasks) == ["Register"]

    stage.play(story())


def test_a_late_answer_heals(stage: Stage) -> None:
    """A peer slower than the read time-out still gets what it misses."""

    async def script(_method: str, _path: str, body: bytes) -> tuple[int, bytes]:
        await asyncio.sleep(0.3)
        code = 404 if b"Heartbeat" in body else 200
        return 200, b'{"responseList":[{"statusCode":%d}]}' % code

    async def story() -> None:
        settings = replicating(peer_read_timeout=1.0, peer_connect_timeout=1.0)
        async with (
            stage.scripted(script) as peer,
            stage.running(speed=FAST, **settings | {"peers": (peer.url,)}) as server,
        ):
            await register(server, stage, x_netflix_discovery_replication="true")
            await server.call("PUT", "/eureka/apps/CART/1")
            await stage.until(lambda: "Register" in kinds(peer.tasks), "the registration")

    stage.play(story())


def test_a_hanging_peer_costs_two_connections_and_ends_with_the_server(stage: Stage) -> None:
    """One is waited for, one tries again; other peers do not notice."""
    hung = asyncio.Event()

    async def script(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
        await hung.wait()
        return 200, OK

    async def story() -> None:
        async with stage.scripted(script) as peer, stage.scripted(delivered) as other:
            settings = replicating(peer.url, other.url, peer_read_timeout=1.0)
            settings["peer_connect_timeout"] = 1.0
            async with stage.running(speed=FAST, **settings) as server:
                await register(server, stage)
                await stage.until(lambda: len(peer.calls) >= 4, "four attempts")
                assert kinds(other.tasks) == ["Register"]
                senders = {sender.url: sender for sender in server.server.cluster.senders}
                assert len(senders[peer.url]._client._pool.connections) <= 2
            hung.set()

    stage.play(story())


def test_a_peer_removed_while_it_hangs_is_left_alone(stage: Stage) -> None:
    """Its batch is given up at once."""
    hung = asyncio.Event()

    async def script(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
        await hung.wait()
        return 200, OK

    async def story() -> None:
        async with (
            stage.scripted(script) as peer,
            stage.scripted(delivered) as other,
            stage.running(speed=FAST, **replicating(peer.url)) as server,
        ):
            await register(server, stage)
            await stage.until(lambda: peer.calls, "the batch")
            (sender,) = server.server.cluster.senders
            server.server.cluster.set_peers([other.url])
            await stage.until(sender._task.done, "its end")
            assert sender._client._pool.connections == []
            hung.set()
            assert len(peer.calls) == 1

    stage.play(story())


def test_a_late_failure_changes_nothing(stage: Stage) -> None:
    """The batch is sent again as after any time-out."""

    async def script(_method: str, _path: str, _body: bytes) -> tuple[int, bytes] | None:
        if len(seen[0].calls) > 1:
            return 200, OK
        await asyncio.sleep(0.08)
        return None

    seen = []

    async def story() -> None:
        settings = replicating(peer_read_timeout=1.0, peer_connect_timeout=1.0)
        async with (
            stage.scripted(script) as peer,
            stage.running(speed=FAST, **settings | {"peers": (peer.url,)}) as server,
        ):
            seen.append(peer)
            await register(server, stage)
            (sender,) = server.server.cluster.senders
            await stage.until(lambda: sender.standing.last_success_ms, "the success")
            assert kinds(peer.tasks) == ["Register", "Register"]

    stage.play(story())


def test_an_answer_beyond_all_bounds_is_given_up(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no registry that answers so."""
    monkeypatch.setattr(client, "_LARGEST_ANSWER", 1000)

    async def script(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
        return 200, b" " * 1001

    async def story() -> None:
        async with (
            stage.scripted(script) as peer,
            stage.running(speed=FAST, **replicating(peer.url)) as server,
        ):
            await register(server, stage)
            (sender,) = server.server.cluster.senders
            await stage.until(lambda: sender.standing.last_error, "a failure")
            assert sender.standing.last_error.startswith("an answer that cannot be read")

    stage.play(story())


def test_a_fault_of_the_sender_does_not_end_replication(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is logged, and the batch is tried again."""
    faults = [ValueError("odd")]

    def faulty(tasks: Iterable[Task], writer: JsonWriter, *, marked: bool) -> bytes:
        if faults:
            raise faults.pop()
        return write_batch(tasks, writer, marked=marked)

    monkeypatch.setattr("eureka.server.peers.write_batch", faulty)

    async def story() -> None:
        async with (
            stage.scripted(delivered) as peer,
            stage.running(speed=FAST, **replicating(peer.url)) as server,
        ):
            await register(server, stage)
            await stage.until(lambda: kinds(peer.tasks) == ["Register"], "the second attempt")
            assert "error batch-failed" in server.log

    stage.play(story())


def test_credentials_of_a_url_are_sent_and_never_shown(stage: Stage) -> None:
    """Neither in the log nor in the state."""

    async def script(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
        return 401, b""

    async def story() -> None:
        async with stage.scripted(script) as peer:
            url = peer.url.replace("http://", "http://me:s%40cret@")
            async with stage.running(speed=FAST, **replicating(url)) as server:
                await register(server, stage)
                await stage.until(lambda: "peer-fails" in server.log, "the refusal")
                ((_, _, headers, _),) = peer.calls
                assert headers["authorization"] == "Basic bWU6c0BjcmV0"
                state = (await server.call("GET", "/registry/state")).body.decode()
                assert "cret" not in state + server.log
                assert "HTTP status 401" in state

    stage.play(story())


def test_a_node_does_not_replicate_to_itself_under_another_name(stage: Stage) -> None:
    """Its own batch tells it, and nothing of it is counted."""

    async def story() -> None:
        async with stage.running(speed=FAST, sync_retries=0) as server:
            server.server.cluster.set_peers([server.url])
            await register(server, stage)
            await server.call("PUT", "/eureka/apps/CART/1")
            await stage.until(lambda: "peer-is-this-node" in server.log, "the discovery")
            server.server.cluster.set_peers([server.url])
            assert list(server.server.cluster.senders) == []
            assert server.server.service.node.peers.outboxes == {}

    stage.play(story())
