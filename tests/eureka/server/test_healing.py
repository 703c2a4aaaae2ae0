"""Nodes of our own kind compare over HTTP; a peer of another kind never hears of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from eureka.core.comparison import Digest, Summary
from eureka.core.instance import Key
from eureka.core.merge import DIALECT
from eureka.core.rift import SETTLING
from eureka.core.status import Status
from eureka.server.healing import PATH, Mender
from eureka.wire.healing import read_question, write_message

if TYPE_CHECKING:
    from tests.eureka.server.conftest import Running, Stage

JSON = "application/json"
FAST = 20.0  # registry seconds in a real one
ONE = Key("CART", "1")
NOWHERE = "http://nowhere:8761/eureka/"


def with_peer(url: str) -> dict[str, object]:
    """Return the settings of a node with a peer, that copies nothing and gives up tasks soon."""
    return {
        "peers": (url,),
        "sync_retries": 0,
        "peer_connect_timeout": 20.0,
        "peer_read_timeout": 20.0,
        "replication_life": 2.0,
    }


async def register(server: Running, stage: Stage, name: str = "1") -> None:
    """Register an instance."""
    body = stage.registration(name)
    reply = await server.call("POST", "/eureka/apps/CART", body, Content_Type=JSON)
    assert reply.status == 204


def test_an_override_that_was_dropped_is_made_up_for(stage: Stage) -> None:
    """The task is gone; one more call that is delivered gives cause to compare."""

    async def story() -> None:
        async with (
            stage.running(speed=FAST, host_name="registry-b", sync_retries=0) as b,
            stage.running(speed=FAST, **with_peer(b.url)) as a,
        ):
            await register(a, stage)
            theirs = b.server.service.node.registry.leases
            await stage.until(lambda: theirs.find(ONE), "the instance at the peer")
            outbox = a.server.service.node.peers.outboxes[b.url]
            await a.call("PUT", "/eureka/apps/CART/1/status?value=OUT_OF_SERVICE")
            outbox.withdraw(ONE, a.server.service.node.registry.leases.held(ONE))
            outbox.dropped += 1

            await register(a, stage, "2")
            await stage.until(
                lambda: theirs.held(ONE).instance.overridden_status is Status.OUT_OF_SERVICE,
                "the override at the peer",
            )
            await stage.until(lambda: "healed" in a.log, "the word of it")

    stage.play(story())


def test_a_question_that_may_be_lost_is_asked_anew(stage: Stage) -> None:
    """Nobody waits ten time-outs for what a black hole swallowed, once batches are answered."""
    asked: list[bytes] = []

    async def story() -> None:
        async with stage.running(speed=FAST) as server:
            service, log = server.server.service, server.server._log
            node = service.node

            async def ask(body: bytes) -> bytes:
                asked.append(body)
                if len(asked) == 1:
                    await asyncio.Event().wait()
                question = read_question(body)
                assert isinstance(question, Digest)
                own = Summary(node.registry.leases)
                return write_message(node.healer.holdings(question, own, now=service.clock.now()))

            await stage.until(lambda: node.registry.opened, "the opening")
            node.peers.set([NOWHERE])
            rift = node.peers.rifts[NOWHERE]
            rift.answered(dialect=DIALECT, troubles=0, now=service.clock.monotonic())
            rift.cause(now=service.clock.monotonic())
            mender = Mender(NOWHERE, ask, service, service.clock, log, NOWHERE)
            await stage.until(lambda: len(asked) == 1, "the question that is lost")
            rift.answered(dialect=DIALECT, troubles=1, now=service.clock.monotonic())
            mender.look()
            await stage.until(lambda: rift.compared == 1, "the end of the comparison after it")
            await mender.close()

    stage.play(story())
    assert len(asked) == 2


def test_a_peer_of_another_kind_is_told_no_marks_and_never_asked(stage: Stage) -> None:
    """Batches to it are as the protocol has them, whatever went wrong."""
    failures = [503, 503]

    async def failing(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
        if failures:
            return failures.pop(), b""
        return 200, b'{"responseList":[{"statusCode":200}]}'

    async def story() -> None:
        async with (
            stage.scripted(failing) as peer,
            stage.running(speed=FAST, **with_peer(peer.url)) as server,
        ):
            await register(server, stage)
            await stage.until(lambda: len(peer.calls) == 3, "the batch that is taken")
            await register(server, stage, "2")
            await stage.until(lambda: len(peer.calls) == 4, "another batch")
            assert {path for _, path, _, _ in peer.calls} == {"/eureka/peerreplication/batch/"}
            assert all("mark" not in task for task in peer.tasks)

    stage.play(story())


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"null", 400),
        (b'{"type":"digest","sums":[]}', 400),
        (b'{"type":"digest","sums":[%b]}' % b",".join([b"0"] * 256), 200),
        (b'{"type":"exchange","records":[{"instance":{}}]}', 400),
        (b'{"type":"exchange","records":[],"wanted":[{"app":"CART","id":"1"}]}', 200),
        (b'{"type":"exchange","records":[],"gone":[[{"app":"A","id":"1"},1,[-1,"x"],0]]}', 400),
    ],
)
def test_odd_questions_are_refused(stage: Stage, body: bytes, status: int) -> None:
    """With a sentence, and nothing changes."""

    async def story() -> None:
        async with stage.running() as server:
            reply = await server.call(
                "POST", PATH, body, Content_Type=JSON, X_Eureka_Healing=DIALECT
            )
            assert reply.status == status
            assert (await server.call("GET", PATH)).status == 405
            assert "error" not in server.log

    stage.play(story())


@pytest.mark.parametrize("dialect", ["", "1", DIALECT + "0"])
def test_a_node_of_another_release_is_refused(stage: Stage, dialect: str) -> None:
    """Its sums would differ for good; it compares again once both are of one release."""

    async def story() -> None:
        async with stage.running() as server:
            reply = await server.call(
                "POST", PATH, b"{}", Content_Type=JSON, X_Eureka_Healing=dialect
            )
            assert reply.status == 409

    stage.play(story())


def test_two_releases_replicate_and_do_not_compare(stage: Stage) -> None:
    """A rolling upgrade: marks go on, comparisons wait for the same release."""
    failures = [503, 503]

    async def older(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
        if failures:
            return failures.pop(), b""
        return 200, b'{"responseList":[{"statusCode":200}]}'

    async def story() -> None:
        async with (
            stage.scripted(older, announcing="1") as peer,
            stage.running(speed=FAST, **with_peer(peer.url)) as server,
        ):
            await register(server, stage)
            await stage.until(lambda: len(peer.calls) == 3, "the batch that is taken")
            await register(server, stage, "2")
            await stage.until(lambda: len(peer.calls) == 4, "another batch")
            rift = server.server.service.node.peers.rifts[peer.url]
            due = server.server.service.clock.monotonic() + 2 * SETTLING
            await stage.until(
                lambda: server.server.service.clock.monotonic() > due, "the time of a comparison"
            )
            assert (rift.akin, rift.capable, rift.compared) == (True, False, 0)
            assert all("mark" in task for task in peer.tasks[-1:])
            assert {path for _, path, _, _ in peer.calls} == {"/eureka/peerreplication/batch/"}

    stage.play(story())
