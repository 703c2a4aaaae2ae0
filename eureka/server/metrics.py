"""
Figures for Prometheus, at `/metrics`.

Everything is read when it is asked for: nothing is counted a second time where a renewal passes.
Labels have few values: statuses, reasons, resources, configured peers and regions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from prometheus_client import GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    InfoMetricFamily,
    SummaryMetricFamily,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector, CollectorRegistry
from starlette.responses import Response
from starlette.routing import Route

from eureka import __version__
from eureka.core.preservation import Reason
from eureka.core.status import Status
from eureka.server.overview import state_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from prometheus_client.core import Metric
    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from eureka.server.cluster import Cluster
    from eureka.server.overview import State
    from eureka.server.service import Service

PATH: Final = "/metrics"
_SECOND: Final = 1000  # ms


def routes(service: Service, cluster: Cluster) -> Sequence[BaseRoute]:
    """Return the route."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(NodeCollector(service, cluster))
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)

    async def metrics(request: Request) -> Response:
        encode, content_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(registry), headers={"content-type": content_type})

    return (Route(PATH, metrics),)


class NodeCollector(Collector):
    """Reads a node's figures."""

    def __init__(self, service: Service, cluster: Cluster) -> None:
        self._service = service
        self._cluster = cluster

    def describe(self) -> Iterable[Metric]:
        """Describe nothing beforehand: the names are those that `collect` yields."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield the figures of this moment."""
        state = state_of(self._service, self._cluster)
        yield InfoMetricFamily(
            "eureka_server", "This server.", {"version": __version__, "host": _host(self._service)}
        )
        yield from _registry(state)
        yield from self._changes(state)
        yield from _preservation(state)
        yield from self._reads()
        yield from self._peers(state)
        yield from self._loop()

    def _changes(self, state: State) -> Iterator[Metric]:
        account = self._service.account
        for name, text, value in (
            ("renewals", "Renewals that were counted, replicated ones included", state.renewals),
            ("registrations", "Registrations, repeated ones included", account.registrations),
            (
                "new_leases",
                "Registrations of unknown instances",
                account.first_registrations,
            ),
            ("status_changes", "Changes of statuses and overrides", account.status_changes),
            ("cancellations", "Leases cancelled by clients and peers", account.cancels),
            ("evictions", "Leases that expired and were evicted", account.evictions),
            ("eviction_runs", "Eviction runs, those that evicted nothing too", state.eviction_runs),
            ("protections", "Times that self-preservation began", account.protections),
        ):
            yield CounterMetricFamily(f"eureka_{name}", f"{text}, since the start.", value)

    def _reads(self) -> Iterator[Metric]:
        service = self._service
        answers = CounterMetricFamily(
            "eureka_requests",
            "Answers to calls of the protocol, since the start.",
            labels=("method", "resource", "status"),
        )
        for (method, resource, status), count in sorted(service.instruments.answers().items()):
            answers.add_metric((method, resource, str(status)), count)
        yield answers
        cache = service.cache
        reads = CounterMetricFamily(
            "eureka_cache_reads",
            "List reads by what the response cache had for them, since the start.",
            labels=("result",),
        )
        reads.add_metric(("hit",), cache.hits)
        reads.add_metric(("miss",), cache.misses)
        yield reads
        yield GaugeMetricFamily("eureka_cache_entries", "Lists held ready.", len(cache))
        yield CounterMetricFamily(
            "eureka_limited_reads",
            "List reads refused by the rate limit, since the start.",
            service.limiter.refused,
        )
        regions = GaugeMetricFamily(
            "eureka_region_ready", "Whether a copy of the region is held.", labels=("region",)
        )
        for name in sorted(service.remote.names()):
            regions.add_metric((name,), float(service.remote.ready(name)))
        yield regions

    def _peers(self, state: State) -> Iterator[Metric]:
        gauges = {
            "up": "Whether the peer answered last time; absent until it was asked",
            "queue_tasks": "Replication tasks not delivered yet",
            "last_success_timestamp_seconds": "When the peer last took a batch; 0: never",
        }
        families = {
            name: GaugeMetricFamily(f"eureka_peer_{name}", f"{text}.", labels=("peer",))
            for name, text in gauges.items()
        }
        sent = CounterMetricFamily(
            "eureka_peer_sent_tasks", "Tasks the peer took, since the start.", labels=("peer",)
        )
        dropped = CounterMetricFamily(
            "eureka_peer_dropped_tasks", "Tasks given up, since the start.", labels=("peer",)
        )
        for peer in state.peers:
            label = (peer.url,)
            if peer.word != "not asked yet":
                families["up"].add_metric(label, float(peer.word == "answers"))
            families["queue_tasks"].add_metric(label, peer.queued)
            families["last_success_timestamp_seconds"].add_metric(
                label, peer.last_success_ms / _SECOND
            )
            sent.add_metric(label, peer.sent)
            dropped.add_metric(label, peer.dropped)
        yield from (*families.values(), sent, dropped)
        latency = SummaryMetricFamily(
            "eureka_peer_answer_seconds", "Time to the answer to a batch.", labels=("peer",)
        )
        for sender in self._cluster.senders:
            standing = sender.standing
            latency.add_metric((sender.shown,), standing.answers, standing.answer_seconds)
        yield latency

    def _loop(self) -> Iterator[Metric]:
        watchdog = self._service.instruments.watchdog
        if watchdog is None:
            return
        for name, text, value in (
            ("worst_pause", "The longest pause of the loop since the start", watchdog.worst),
            ("worst_busy_pause", "The longest that was this process's doing", watchdog.busy),
            ("recent_pause", "The longest pause of the last minute or two", watchdog.recent),
        ):
            yield GaugeMetricFamily(f"eureka_loop_{name}_seconds", f"{text}.", value)
        yield GaugeMetricFamily("eureka_loop_tasks", "Tasks under way.", watchdog.tasks)
        yield CounterMetricFamily(
            "eureka_loop_stalls", "Pauses of more than 50 ms, since the start.", watchdog.stalls
        )


def _host(service: Service) -> str:
    return service.settings.own_host


def _registry(state: State) -> Iterator[Metric]:
    instances = GaugeMetricFamily(
        "eureka_instances", "Instances that hold a lease.", labels=("status",)
    )
    for status in Status:
        instances.add_metric((str(status),), state.by_status.get(str(status), 0))
    yield instances
    yield GaugeMetricFamily(
        "eureka_applications", "Applications with an instance.", state.applications
    )
    yield GaugeMetricFamily(
        "eureka_open", "Whether list reads are served.", float(state.phase == "open")
    )


def _preservation(state: State) -> Iterator[Metric]:
    for name, text, value in (
        ("renewal_threshold", "Renewals a minute that must be exceeded", state.renews_threshold),
        ("renewals_last_minute", "Renewals of the last whole minute", state.renews_last_minute),
        ("expected_clients", "Clients that are expected to renew", state.expected_clients),
        ("expiry_enabled", "Whether leases may expire", float(state.lease_expiration_enabled)),
        (
            "protection_since_timestamp_seconds",
            "Since when leases may expire, or may not",
            state.protection.since_ms / _SECOND,
        ),
    ):
        yield GaugeMetricFamily(f"eureka_{name}", f"{text}.", value)
    reasons = GaugeMetricFamily(
        "eureka_protection_reason",
        "Why leases may expire, or may not: 1 for the one reason that holds.",
        labels=("reason",),
    )
    for reason in Reason:
        reasons.add_metric((str(reason),), float(reason == state.protection.reason))
    yield reasons
