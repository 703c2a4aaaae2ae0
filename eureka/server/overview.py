"""
The node as people and monitors see it: one set of values for the page, the JSON and the metrics.

Nothing here costs more than a few microseconds an instance; what lists instances is lazy.
"""

from __future__ import annotations

import asyncio
import os
import platform
import resource
from collections import Counter
from functools import partial
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from eureka import __version__
from eureka.core.status import Status
from eureka.server.beside import beside
from eureka.server.explanation import Explanation, explained

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from eureka.core.instance import Instance
    from eureka.core.lease import Lease
    from eureka.server.cluster import Cluster
    from eureka.server.peers import PeerSender
    from eureka.server.service import Service

NO_ZONE = "default"  # what an instance that names no zone is counted under
_KIBIBYTE = 1024
_LARGE = 2000  # instances that are summed up in some 5 ms

Phase = Literal["copying", "waiting", "open"]
PeerWord = Literal["not asked yet", "answers", "fails"]


class PeerHealth(msgspec.Struct, frozen=True, rename="camel"):
    """A peer as it answered lately; `url` has no credentials."""

    url: str
    word: PeerWord
    queued: int
    sent: int
    dropped: int
    last_success_ms: int
    last_error: str


class ProtectionState(msgspec.Struct, frozen=True, rename="camel"):
    """Self-preservation: figures, and the same in words."""

    reason: str
    since_ms: int
    counting: int
    minute_ends_in_ms: int
    words: Explanation


class RunState(msgspec.Struct, frozen=True, rename="camel"):
    """What the last eviction run found and did."""

    expired: int
    limit: int
    evicted: int


class State(msgspec.Struct, frozen=True, rename="camel"):
    """The node at one moment."""

    now_ms: int
    phase: Phase
    renews_threshold: int
    renews_last_minute: int
    expected_clients: int
    lease_expiration_enabled: bool
    self_preservation_enabled: bool
    emergency: bool
    opened_at_ms: int
    eviction_runs: int
    last_eviction_run_ms: int
    last_compensation_ms: int
    last_run: RunState | None
    applications: int
    instances: int
    by_status: dict[str, int]
    renewals: int
    registrations: int
    cancels: int
    evictions: int
    protection: ProtectionState
    peers: list[PeerHealth]
    regions: dict[str, bool]
    general: dict[str, str]


class ShownInstance(msgspec.Struct, frozen=True, rename="camel"):
    """An instance in a list of its application."""

    id: str
    status: str
    overridden: bool
    zone: str
    host_name: str
    url: str


class ShownApplication(msgspec.Struct, frozen=True, rename="camel"):
    """An application: its instances by zone, machine image and status, and some of them."""

    name: str
    size: int
    zones: dict[str, int]
    images: dict[str, int]
    by_status: dict[str, int]
    instances: list[ShownInstance]


def state_of(service: Service, cluster: Cluster) -> State:
    """Return the node's state."""
    registry = service.node.registry
    preservation = registry.preservation
    policy = registry.policy
    now = service.clock.now()
    opened = registry.opened
    protection = preservation.explain(now=now)
    waited = opened is not None and (now.monotonic > opened.monotonic + policy.wait_when_sync_empty)
    few = protection.renewals <= protection.threshold
    account = service.account
    run = account.last_run
    return State(
        now_ms=now.epoch_ms,
        phase=_phase(service),
        renews_threshold=preservation.threshold,
        renews_last_minute=protection.renewals,
        expected_clients=preservation.clients,
        lease_expiration_enabled=protection.expiry_enabled,
        self_preservation_enabled=policy.self_preservation,
        emergency=waited and policy.self_preservation and few,
        opened_at_ms=opened.epoch_ms if opened else 0,
        eviction_runs=registry.eviction.runs,
        last_eviction_run_ms=registry.eviction.last_ms,
        last_compensation_ms=round(registry.eviction.last_compensation * 1000),
        last_run=None if run is None else RunState(run.overdue, run.limit, run.evicted),
        applications=len(registry.leases.by_app),
        instances=len(registry.leases),
        by_status={str(status): count for status, count in registry.leases.counts.items() if count},
        renewals=preservation.renewals,
        registrations=account.registrations,
        cancels=account.cancels,
        evictions=account.evictions,
        protection=ProtectionState(
            str(protection.reason),
            protection.since.epoch_ms,
            protection.counting,
            round(protection.minute_ends_in * 1000),
            explained(
                protection,
                now=now,
                waited=waited,
                recount_share=policy.renewal_percent_threshold,
            ),
        ),
        peers=[_peer(sender) for sender in cluster.senders],
        regions={name: service.remote.ready(name) for name in sorted(service.remote.names())},
        general=_general(service, cluster),
    )


async def applications_of(
    service: Service, *, most: int | None = None, instances: int | None = None
) -> AsyncIterator[ShownApplication]:
    """
    Yield the applications by name, at most so many, each with at most so many instances.

    The names are those of the moment it starts; one that is gone meanwhile is left out.
    Other calls are served in between; a large application is summed up beside the loop.
    """
    by_app = service.node.registry.leases.by_app
    for name in sorted(by_app)[:most]:
        leases = by_app.get(name)
        if not leases:
            continue
        held = list(leases.values())
        if len(held) > _LARGE:
            yield await beside(partial(_application, name, held, most=instances), name="sum")
        else:
            yield _application(name, held, most=instances)
            await asyncio.sleep(0)


def _application(name: str, leases: list[Lease], *, most: int | None) -> ShownApplication:
    zones: Counter[str] = Counter()
    images: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    for lease in leases:
        instance = lease.instance
        zones[zone_of(instance)] += 1
        images[_image(instance)] += 1
        statuses[str(instance.status)] += 1
    # Those that need attention first, then by id.
    ordered: list[Lease] = []
    for up in (False, True):
        found = [lease for lease in leases if (lease.instance.status is Status.UP) is up]
        if most is None:
            ordered += sorted(found, key=_id)
        else:  # to sort them all would keep the interpreter from the loop
            ordered += nsmallest(most - len(ordered), found, key=_id)
    return ShownApplication(
        name,
        len(leases),
        dict(sorted(zones.items())),
        dict(sorted(images.items())),
        dict(sorted(statuses.items())),
        [_instance(lease.instance) for lease in ordered],
    )


def _id(lease: Lease) -> str:
    return lease.instance.key.id


def _instance(instance: Instance) -> ShownInstance:
    url = instance.status_page_url or ""
    return ShownInstance(
        instance.key.id,
        str(instance.status),
        instance.overridden_status is not Status.UNKNOWN,
        zone_of(instance),
        instance.host_name,
        # Anybody may register; a link to anything but a page would be a trap.
        url if url.lower().startswith(("http://", "https://")) else "",
    )


def zone_of(instance: Instance) -> str:
    """Return the availability zone an instance says it is in: Amazon's, else its metadata's."""
    amazon = instance.data_center.metadata or {}
    return amazon.get("availability-zone") or instance.metadata.get("zone") or NO_ZONE


def _image(instance: Instance) -> str:
    return (instance.data_center.metadata or {}).get("ami-id") or "n/a"


def _phase(service: Service) -> Phase:
    registry = service.node.registry
    if registry.opened is None:
        return "copying"
    return "open" if registry.lists_open(now=service.clock.now()) else "waiting"


def _peer(sender: PeerSender) -> PeerHealth:
    outbox, standing = sender.outbox, sender.standing
    return PeerHealth(
        sender.shown,
        "fails" if standing.last_error else "answers" if standing.is_good else "not asked yet",
        outbox.waiting if outbox is not None else 0,
        outbox.sent if outbox is not None else 0,
        outbox.dropped if outbox is not None else 0,
        standing.last_success_ms,
        standing.last_error,
    )


def _general(service: Service, cluster: Cluster) -> dict[str, str]:
    """Return what people know as general information, by the names they know."""
    settings = service.settings
    peers = [_peer(sender) for sender in cluster.senders]
    return {
        "version": __version__,
        "environment": settings.environment,
        "data center": settings.data_center,
        "region and zone": f"{settings.region}, {settings.zone}",
        "host name": settings.own_host,
        "node": service.node_id,
        "registered-replicas": _listed(peers),
        "available-replicas": _listed(peer for peer in peers if peer.word == "answers"),
        "unavailable-replicas": _listed(peer for peer in peers if peer.word == "fails"),
        "num-of-cpus": str(os.cpu_count()),
        "current-memory-usage": f"{resident_bytes() / _KIBIBYTE**2:.0f} MiB",
        "worst-pause-of-the-loop": _pause(service),
        "python": platform.python_version(),
    }


def _pause(service: Service) -> str:
    watchdog = service.instruments.watchdog
    return "" if watchdog is None else f"{watchdog.worst * 1000:.0f} ms"


def _listed(peers: Iterable[PeerHealth]) -> str:
    return ", ".join(peer.url for peer in peers)


def resident_bytes() -> int:
    """Return how much memory this process holds now; where nobody says, how much it ever held."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIBIBYTE
    return pages * resource.getpagesize()
