"""A server over real connections: what HTTP adds to the calls."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from eureka.server import app, protocol, timers
from eureka.server.cache import CacheKey

if TYPE_CHECKING:
    from eureka.server.cache import ResponseCache
    from tests.eureka.server.conftest import Running, Stage

JSON = "application/json"


def test_a_client_registers_renews_reads_and_cancels(stage: Stage) -> None:
    """All on one connection that is kept alive."""

    async def story() -> None:
        async with stage.running() as server:
            client = await server.connect()
            body = stage.registration()
            assert (
                await client.call("POST", "/eureka/apps/CART", body, Content_Type=JSON)
            ).status == 204
            renewed = await client.call(
                "PUT", "/eureka/apps/CART/1?status=UP&lastDirtyTimestamp=100"
            )
            assert (renewed.status, renewed.headers["content-length"]) == (200, "0")
            assert (await client.call("GET", "/eureka/v2/apps/", Accept=JSON)).status == 200
            assert (await client.call("DELETE", "/eureka/apps/CART/1")).status == 200
            unknown = await client.call("PUT", "/eureka/apps/CART/1")
            assert (unknown.status, unknown.body) == (404, b"")

    stage.play(story())


def test_a_body_may_be_chunked_and_come_in_pieces(stage: Stage) -> None:
    """As Jersey clients and every peer send theirs."""

    async def story() -> None:
        async with stage.running() as server:
            client = await server.connect()
            body = stage.registration()
            await client.send(
                b"POST /eureka/apps/CART HTTP/1.1\r\nHost: x\r\n"
                b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            for half in (body[:50], body[50:]):
                await client.send(b"%x\r\n%b\r\n" % (len(half), half))
                await asyncio.sleep(0.01)
            await client.send(b"0\r\n\r\n")
            reply = await client.receive()
            assert reply is not None
            assert reply.status == 204

    stage.play(story())


@pytest.mark.parametrize("lines", [b"", b"Content-Length: 0\r\n", b"Content-Type: text/odd\r\n"])
def test_a_renewal_may_say_its_length_or_not(stage: Stage, lines: bytes) -> None:
    """And carry a type for the body it has not."""

    async def story() -> None:
        async with stage.running() as server:
            client = await server.connect()
            await client.call("POST", "/eureka/apps/CART", stage.registration(), Content_Type=JSON)
            await client.send(b"PUT /eureka/apps/CART/1 HTTP/1.1\r\nHost: x\r\n" + lines + b"\r\n")
            reply = await client.receive()
            assert reply is not None
            assert reply.status == 200

    stage.play(story())


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("h:cart:80", "h:cart:80"),
        ("h:cart:80", "h%3Acart%3A80"),
        ("a b#%?&+;€", "a%20b%23%25%3F%26+%3B%E2%82%AC"),
        ("a/b\\c", "a%2Fb%5Cc"),
        ("..", "%2E%2E"),
    ],
)
def test_ids_are_addressed_percent_encoded(stage: Stage, name: str, written: str) -> None:
    """Every id that registers can be renewed, changed and cancelled."""

    async def story() -> None:
        async with stage.running() as server:
            client = await server.connect()
            body = stage.registration(name)
            await client.call("POST", "/eureka/apps/CART", body, Content_Type=JSON)
            path = f"/eureka/apps/CART/{written}"
            statuses = [
                (await client.call(method, url)).status
                for method, url in (
                    ("GET", path),
                    ("PUT", path),
                    ("PUT", f"{path}/status?value=DOWN"),
                    ("PUT", f"{path}/metadata?a=b"),
                    ("DELETE", path),
                    ("GET", path),
                )
            ]
            assert statuses == [200, 200, 200, 200, 200, 404]

    stage.play(story())


def test_head_says_the_length_and_sends_no_body(stage: Stage) -> None:
    """As GET would have it."""

    async def story() -> None:
        async with stage.running() as server:
            client = await server.connect()
            head = await client.call("HEAD", "/eureka/apps")
            full = await client.call("GET", "/eureka/apps")
            assert head.headers["content-length"] == str(len(full.body))

    stage.play(story())


@pytest.mark.parametrize(
    "garbage",
    [
        b"NONSENSE\r\n\r\n",
        b"GET /eureka/apps HTTP/9.9\r\n\r\n",
        b"GET /eureka/apps/\xe2\x82 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /eureka/apps/A HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"GET /eureka/apps HTTP/1.1\r\nno colon\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_garbage_is_refused_and_the_next_call_is_served(stage: Stage, garbage: bytes) -> None:
    """With 400 or a closed connection."""

    async def story() -> None:
        async with stage.running() as server:
            client = await server.connect()
            await client.send(garbage)
            reply = await client.receive()
            assert reply is None or reply.status in (400, 404)
            assert (await server.call("GET", "/eureka/apps")).status == 200

    stage.play(story())


def test_a_head_without_end_is_refused(stage: Stage) -> None:
    """Beyond 64 KiB."""

    async def story() -> None:
        async with stage.running() as server:
            client = await server.connect()
            await client.send(b"GET /eureka/apps HTTP/1.1\r\n")
            reply = None
            for number in range(40):
                try:
                    await client.send(b"X-%d: %b\r\n" % (number, b"x" * 4096))
                except ConnectionError:
                    break
            reply = await client.receive()
            assert reply is None or reply.status == 431
            assert (await server.call("GET", "/eureka/apps")).status == 200

    stage.play(story())


def test_a_head_that_does_not_come_ends_the_connection(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it was begun or not; one that comes in two pieces is fine."""
    monkeypatch.setattr(protocol, "HEAD_BUDGET", 0.2)

    async def story() -> None:
        async with stage.running() as server:
            silent, slow, fine = [await server.connect() for _ in range(3)]
            assert (await slow.call("GET", "/eureka/apps")).status == 200
            await fine.send(b"GET /eureka/apps HTTP/1.1\r\n")
            await slow.send(b"GET /eureka/apps HTTP/1.1\r\n")
            await fine.send(b"Host: x\r\n\r\n")
            reply = await fine.receive()
            assert reply is not None
            assert reply.status == 200
            await slow.send(b"X: y\r\n")
            assert await silent.receive() is None
            assert await slow.receive() is None

    stage.play(story())


def test_an_answer_that_nobody_reads_ends_the_connection(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever takes some of it every now and then gets all of it."""
    monkeypatch.setattr(protocol, "READ_BUDGET", 0.2)
    size = 12 * 1024 * 1024  # bytes; more than the system keeps for a connection
    asked = b"GET /eureka/apps/CART/1 HTTP/1.1\r\nHost: x\r\n\r\n"

    async def read(server: Running, *, first_after: float) -> int:
        """Return how many bytes come, in pieces a tenth of a second apart."""
        url = urlsplit(server.url)
        reader, writer = await asyncio.open_connection(url.hostname, url.port, limit=64 * 1024)
        writer.write(asked)
        await asyncio.sleep(first_after)
        got = 0
        with contextlib.suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(10):
                while got < size and (piece := await reader.read(1024 * 1024)):
                    got += len(piece)
                    await asyncio.sleep(0.001)
        writer.close()
        return got

    async def story() -> None:
        async with stage.running() as server:
            body = stage.registration(metadata={"a": "x" * size})
            await server.call("POST", "/eureka/apps/CART", body, Content_Type="application/json")
            assert await read(server, first_after=0.0) >= size
            assert await read(server, first_after=1.0) < size

    stage.play(story())


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_beyond_the_limit_is_refused(stage: Stage, declared: bool) -> None:
    """Before it is read, if its length is told, else as soon as it is too long."""

    async def story() -> None:
        async with stage.running(max_body=2000) as server:
            client = await server.connect()
            head = b"POST /eureka/apps/A HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            if declared:
                await client.send(head + b"Content-Length: 3000\r\n\r\n")
            else:
                await client.send(head + b"Transfer-Encoding: chunked\r\n\r\n")
                await client.send(b"bb8\r\n" + b"x" * 3000 + b"\r\n")
            reply = await client.receive()
            assert reply is not None
            assert (reply.status, reply.body) == (413, b"A body may have 2000 bytes.")

    stage.play(story())


def test_a_body_that_does_not_come_is_given_up(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others are served meanwhile."""
    monkeypatch.setattr(app, "BODY_BUDGET", 0.2)

    async def story() -> None:
        async with stage.running() as server:
            client = await server.connect()
            await client.send(
                b"POST /eureka/apps/A HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{"
            )
            assert (await server.call("GET", "/eureka/apps")).status == 200
            reply = await client.receive()
            assert reply is not None
            assert reply.status == 408

    stage.play(story())


def test_a_caller_that_leaves_before_its_body_came_is_forgotten(stage: Stage) -> None:
    """Nothing is logged and nothing is stored."""

    async def story() -> None:
        async with stage.running() as server:
            client = await server.connect()
            await client.send(
                b"POST /eureka/apps/A HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{"
            )
            await client.close()
            assert (await server.call("GET", "/eureka/apps")).status == 200
            assert "error" not in server.log

    stage.play(story())


def test_a_fault_of_the_server_is_answered_500_and_logged(stage: Stage) -> None:
    """One line says which call it was."""

    async def story() -> None:
        async with stage.running() as server:
            server.server.service.reading.cache = None  # type: ignore[assignment] # the fault
            assert (await server.call("GET", "/eureka/apps")).status == 500
            assert "error request-failed method=GET path=/eureka/apps" in server.log

    stage.play(story())


@pytest.mark.parametrize("path", ["/eureka", "/eureka/", "/eureka//apps", "/eurekas", "/nothing"])
def test_paths_that_mean_nothing_are_answered_404(stage: Stage, path: str) -> None:
    """Below /eureka and beside it."""

    async def story() -> None:
        async with stage.running() as server:
            assert (await server.call("GET", path)).status == 404

    stage.play(story())


def test_health_and_state_tell_that_the_registry_is_open(stage: Stage) -> None:
    """The state is what tests and people read."""

    async def story() -> None:
        async with stage.running(open_count=10) as server:
            await stage.until(lambda: "opened" in server.log, "the registry to open")
            health = await server.call("GET", "/health")
            assert (health.status, health.json()) == (200, {"status": "UP"})
            await server.call("POST", "/eureka/apps/CART", stage.registration(), Content_Type=JSON)
            state = (await server.call("GET", "/registry/state")).json()
            opened = server.server.service.node.registry.opened
            assert opened is not None
            assert isinstance(state, dict)
            assert state == state | {
                "renewsThreshold": 18,
                "renewsLastMinute": 0,
                "expectedClients": 11,
                "leaseExpirationEnabled": False,
                "selfPreservationEnabled": True,
                "emergency": False,
                "openedAtMs": opened.epoch_ms,
                "evictionRuns": 0,
                "lastEvictionRunMs": 0,
                "lastCompensationMs": 0,
                "instances": 1,
                "peers": [],
            }

    stage.play(story())


def test_the_emergency_is_told_after_the_wait(stage: Stage) -> None:
    """At or below the threshold, and not before."""

    async def story() -> None:
        async with stage.running(speed=100, wait_when_sync_empty=1.0, open_count=10) as server:
            await stage.until(lambda: "opened" in server.log, "the registry to open")
            opened = server.server.service.node.registry.opened
            assert opened is not None
            await stage.until(
                lambda: server.clock.monotonic() > opened.monotonic + 1, "the wait to be over"
            )
            state = (await server.call("GET", "/registry/state")).json()
            assert isinstance(state, dict)
            assert state["emergency"] is True

    stage.play(story())


def test_time_evicts_recounts_and_refreshes(stage: Stage) -> None:
    """A fast clock shows each of them in the log and in the lists."""

    async def story() -> None:
        async with stage.running(
            speed=100,
            open_count=1,
            eviction_interval=7.0,
            recount_interval=11.0,
            expected_renewal_interval=60,
            renewal_percent_threshold=0.5,
            read_only_cache=True,
            cache_update_interval=3.0,
        ) as server:
            client = await server.connect()
            for name, duration in (("short", 1), ("long", 9000)):
                body = stage.registration(name, leaseInfo={"durationInSecs": duration})
                await client.call("POST", "/eureka/apps/CART", body, Content_Type=JSON)
            assert b"short" in (await client.call("GET", "/eureka/apps")).body

            for _ in range(5):
                await client.call("PUT", "/eureka/apps/CART/long")
            await stage.until(lambda: " evicted " in server.log, "an eviction")
            cache = server.server.service.cache
            await stage.until(lambda: b"short" not in shown(cache), "the list to show it")

            assert " info recounted clients=2 threshold=1" in server.log
            line = ' warning expiry-enabled reason="enough renewals" renewals=5 threshold=1'
            assert line in server.log
            assert " info evicted instances=1 overdue=1 limit=1 " in server.log
            assert " names=CART/short\n" in server.log

    def shown(cache: ResponseCache) -> bytes:
        payload = cache.get(CacheKey("apps"), now=0.0)
        return payload.body if payload else b""

    stage.play(story())


@pytest.mark.parametrize(
    ("part", "name", "complaint"),
    [("registry", "tick", "tick-failed"), ("cache", "refreshing", "refresh-failed")],
)
def test_a_fault_in_what_happens_by_itself_does_not_end_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, part: str, name: str, complaint: str
) -> None:
    """It is logged, and the next time it is done again."""
    monkeypatch.setattr(timers, "PAUSE_AFTER_FAULT", 0.01)

    async def story() -> None:
        async with stage.running(
            speed=100, read_only_cache=True, cache_update_interval=1.0, eviction_interval=1.0
        ) as server:
            service = server.server.service
            broken = service.cache if part == "cache" else service.node.registry
            with monkeypatch.context() as patch:
                patch.setattr(broken, name, None)
                await stage.until(lambda: complaint in server.log, "the complaint")
            runs = service.node.registry.eviction.runs
            await stage.until(lambda: service.node.registry.eviction.runs > runs, "a run")

    stage.play(story())


def test_a_server_told_to_stop_stops_whoever_is_connected(stage: Stage) -> None:
    """An idle connection and one that never finishes its call are both closed, within 3 s."""

    async def story() -> None:
        async with stage.running() as server:
            idle, hanging = [await server.connect() for _ in range(2)]
            await idle.call("GET", "/eureka/apps")
            await hanging.send(
                b"POST /eureka/apps/A HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{"
            )
            server.server.stop()
            async with asyncio.timeout(3):
                await stage.until(lambda: server.log.endswith("ended\n"), "the end")
            assert await idle.receive() is None

    stage.play(story())


@pytest.mark.parametrize(("interval", "kept"), [(30, 75), (60, 150), (2, 75)])
def test_an_idle_connection_is_kept_longer_than_two_renewals_are_apart(
    stage: Stage, interval: int, kept: int
) -> None:
    """A client renews on one connection."""

    async def story() -> None:
        async with stage.running(expected_renewal_interval=interval) as server:
            assert server.server._uvicorn.config.timeout_keep_alive == kept

    stage.play(story())
