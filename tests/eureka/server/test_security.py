"""The login, for clients and for peers."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from eureka.server.settings import Security

if TYPE_CHECKING:
    from tests.eureka.server.conftest import Running, Stage

JSON = "application/json"
LOCKED = Security(user="node", password="pass:wörd")  # noqa: S106 - of a test


def basic(login: str, scheme: str = "Basic") -> str:
    """Return the header that says it."""
    return f"{scheme} {base64.b64encode(login.encode()).decode()}"


def test_without_a_login_nothing_is_told_but_health(stage: Stage) -> None:
    """Reads, renewals, pages and figures are refused alike, and change nothing."""

    async def story() -> None:
        async with stage.running(security=LOCKED) as server:
            registry = server.server.service.node.registry
            for method, path in (
                ("GET", "/eureka/apps"),
                ("POST", "/eureka/apps/CART"),
                ("PUT", "/eureka/apps/CART/1"),
                ("POST", "/eureka/peerreplication/batch/"),
                ("POST", "/registry/healing"),
                ("GET", "/registry/state"),
                ("GET", "/metrics"),
                ("GET", "/lastn"),
                ("GET", "/"),
                ("GET", "/health/../metrics"),
            ):
                reply = await server.call(method, path, b"" if method != "POST" else b"{}")
                assert (reply.status, reply.body) == (401, b""), (method, path)
                assert reply.headers["www-authenticate"].startswith("Basic realm=")
            for path in ("/health", "/health/live", "/health/ready"):
                assert (await server.call("GET", path)).status == 200
            assert len(registry.leases) == 0

    stage.play(story())


def test_a_renewal_without_a_login_is_refused_and_not_counted(stage: Stage) -> None:
    """However short its route is otherwise."""

    async def story() -> None:
        async with stage.running(security=LOCKED) as server:
            login = basic("node:pass:wörd")
            await server.call(
                "POST",
                "/eureka/apps/CART",
                stage.registration(),
                Content_Type=JSON,
                Authorization=login,
            )
            path = "/eureka/apps/CART/1?status=UP&lastDirtyTimestamp=100"
            assert (await server.call("PUT", path)).status == 401
            assert server.server.service.node.registry.preservation.renewals == 0
            assert (await server.call("PUT", path, Authorization=login)).status == 200
            assert server.server.service.node.registry.preservation.renewals == 1

    stage.play(story())


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (basic("node:pass:wörd"), 200),
        (basic("node:pass:wörd", "bAsIc"), 200),
        (basic("node:wrong"), 401),
        (basic("other:pass:wörd"), 401),
        (basic("node:pass:wör"), 401),
        (basic("node"), 401),
        ("Basic ?", 401),
        ("Basic", 401),
        (basic("node:pass:wörd").replace("Basic", "Bearer"), 401),
        ("", 401),
    ],
)
def test_only_the_right_login_passes(stage: Stage, header: str, status: int) -> None:
    """Name and password as they are, in HTTP's basic form."""

    async def story() -> None:
        async with stage.running(security=LOCKED) as server:
            reply = await server.call("GET", "/eureka/apps", Authorization=header)
            assert reply.status == status

    stage.play(story())


async def call_with(server: Running, body: bytes) -> None:
    """Register an instance."""
    reply = await server.call("POST", "/eureka/apps/CART", body, Content_Type=JSON)
    assert reply.status == 204


def test_peers_log_in_by_their_urls(stage: Stage) -> None:
    """A password with reserved characters is escaped there; without a login nothing arrives."""

    async def story() -> None:
        speed = 10.0
        async with stage.running(
            speed=speed, host_name="registry-b", security=LOCKED, sync_retries=0
        ) as b:
            right = b.url.replace("//", "//node:pass%3Aw%C3%B6rd@")
            timeouts = {"peer_connect_timeout": 30.0, "peer_read_timeout": 30.0}
            async with stage.running(
                speed=speed, peers=(right,), sync_retries=0, **timeouts
            ) as known:
                await call_with(known, stage.registration("known"))
                (sender,) = known.server.cluster.senders
                await stage.until(lambda: sender.standing.last_success_ms, "success")
            async with stage.running(
                speed=speed, peers=(b.url,), sync_retries=0, **timeouts
            ) as stranger:
                await call_with(stranger, stage.registration("stranger"))
                (sender,) = stranger.server.cluster.senders
                await stage.until(lambda: "401" in sender.standing.last_error, "the refusal")
            leases = b.server.service.node.registry.leases
            assert [lease.instance.key.id for lease in leases] == ["known"]

    stage.play(story())
