"""Figures for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.parser import text_string_to_metric_families

from eureka.server.instruments import Instruments
from eureka.server.renewals import Counts

if TYPE_CHECKING:
    from tests.eureka.server.conftest import Reply, Running, Stage

JSON = "application/json"
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(reply: Reply) -> Samples:
    """Return what a scrape reads."""
    assert reply.status == 200
    assert reply.headers["content-type"].startswith("text/plain; version=")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(reply.body.decode())
        for sample in family.samples
    }


async def scrape(server: Running) -> Samples:
    """Return the figures of a server."""
    return samples(await server.call("GET", "/metrics"))


def test_calls_instances_and_protection_are_measured(stage: Stage) -> None:
    """As they are at the moment of asking."""

    async def story() -> None:
        async with stage.running() as server:
            await stage.until(lambda: "opened" in server.log, "the registry to open")
            await server.call("POST", "/eureka/apps/CART", stage.registration(), Content_Type=JSON)
            for _ in range(3):
                await server.call("PUT", "/eureka/apps/CART/1")
            await server.call("PUT", "/eureka/apps/CART/2")
            await server.call("PUT", "/eureka/apps/CART/1/status?value=DOWN")
            for _ in range(2):
                await server.call("GET", "/eureka/apps/CART")
            await server.call("DELETE", "/eureka/apps/CART/1")
            found = await scrape(server)

            for name, value in (
                ("eureka_renewals_total", 3),
                ("eureka_registrations_total", 1),
                ("eureka_new_leases_total", 1),
                ("eureka_status_changes_total", 1),
                ("eureka_cancellations_total", 1),
                ("eureka_evictions_total", 0),
                ("eureka_expected_clients", 1),
                ("eureka_renewal_threshold", 1),
                ("eureka_expiry_enabled", 0),
                ("eureka_open", 1),
            ):
                assert found[name, ()] == value, name
            assert found["eureka_instances", (("status", "UP"),)] == 0
            assert found["eureka_protection_reason", (("reason", "first minute"),)] == 1
            assert found["eureka_protection_reason", (("reason", "switched off"),)] == 0
            assert found["eureka_cache_reads_total", (("result", "hit"),)] == 1
            assert found["eureka_cache_reads_total", (("result", "miss"),)] == 1
            put = ("method", "PUT"), ("resource", "instance")
            assert found["eureka_requests_total", (*put, ("status", "200"))] == 3
            assert found["eureka_requests_total", (*put, ("status", "404"))] == 1
            assert found["eureka_loop_worst_pause_seconds", ()] >= 0
            assert found["process_open_fds", ()] > 0

    stage.play(story())


def test_peers_are_measured_by_their_urls_without_logins(stage: Stage) -> None:
    """Their queue, what they took, and how long that took them."""

    async def takes(_method: str, _path: str, _body: bytes) -> tuple[int, bytes]:
        return 200, b'{"responseList":[{"statusCode":200}]}'

    async def story() -> None:
        async with stage.scripted(takes) as peer:
            url = peer.url.replace("//", "//node:s3cret@")
            async with stage.running(
                speed=10, peers=(url,), sync_retries=0, peer_read_timeout=30.0
            ) as server:
                before = await scrape(server)
                label = (("peer", peer.url),)
                assert ("eureka_peer_up", label) not in before
                await server.call(
                    "POST", "/eureka/apps/CART", stage.registration(), Content_Type=JSON
                )
                (sender,) = server.server.cluster.senders
                await stage.until(lambda: sender.standing.last_success_ms, "the answer")
                found = await scrape(server)

                assert found["eureka_peer_up", label] == 1
                assert found["eureka_peer_sent_tasks_total", label] == 1
                assert found["eureka_peer_dropped_tasks_total", label] == 0
                assert found["eureka_peer_queue_tasks", label] == 0
                assert found["eureka_peer_answer_seconds_count", label] == 1
                assert 0 < found["eureka_peer_answer_seconds_sum", label] < 10
                assert found["eureka_peer_last_success_timestamp_seconds", label] > 1e9

    stage.play(story())


def test_callers_cannot_invent_labels(stage: Stage) -> None:
    """However many names they call by, the figures stay as many."""

    async def story() -> None:
        async with stage.running() as server:
            await server.call("GET", "/eureka/apps/FIRST")
            before = len(await scrape(server))
            for number in range(50):
                await server.call("GET", f"/eureka/apps/X{number}")
                await server.call("GET", f"/eureka/y{number}")

            assert len(await scrape(server)) == before

    stage.play(story())


def test_odd_methods_and_statuses_are_counted_together() -> None:
    """As other, and as the last."""
    instruments = Instruments()
    instruments.answered("BREW", "apps", 405)
    instruments.answered("POUR", "apps", 405)
    instruments.answered("GET", "apps", 1000)

    assert instruments.answers() == {("other", "apps", 405): 2, ("GET", "apps", 599): 1}


def test_renewals_of_the_short_route_count_as_answers() -> None:
    """With those of the ordinary route."""
    instruments = Instruments()
    instruments.answered("PUT", "instance", 200)
    instruments.shortcut = Counts(renewed=4)

    assert instruments.answers() == {("PUT", "instance", 200): 5}


def test_protection_that_begins_is_told_and_counted(stage: Stage) -> None:
    """In the log, in a figure and, by the core's event, once."""

    async def story() -> None:
        async with stage.running(speed=200, open_count=0, eviction_interval=20.0) as server:
            clock, log = server.server.service.clock, server
            for number in range(2):
                await server.call(
                    "POST",
                    "/eureka/apps/CART",
                    stage.registration(str(number)),
                    Content_Type=JSON,
                )
            for _ in range(4):
                await server.call("PUT", "/eureka/apps/CART/1")
                await server.call("PUT", "/eureka/apps/CART/0")
            await stage.until(lambda: "expiry-enabled" in log.log, "protection to end")
            await stage.until(lambda: " self-preservation " in log.log, "protection to begin")
            assert clock.monotonic() > 120
            line = next(one for one in log.log.splitlines() if " self-preservation " in one)
            assert 'reason="too few renewals"' in line or 'reason="nobody expected"' in line
            found = await scrape(server)

            assert found["eureka_protections_total", ()] == 1
            assert found["eureka_expiry_enabled", ()] == 0

    stage.play(story())
