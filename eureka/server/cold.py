"""
What is not asked often:
the node's state for people and tests, and its health for a load balancer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from eureka.server.routes import mounted

if TYPE_CHECKING:
    from starlette.requests import Request

    from eureka.server.cluster import Cluster
    from eureka.server.peers import PeerSender
    from eureka.server.service import Service


def cold_application(service: Service, cluster: Cluster) -> Starlette:
    """Return the application for all paths outside the protocol."""

    async def state(_request: Request) -> Response:
        return _json(_state(service, cluster))

    async def health(_request: Request) -> Response:
        open_ = service.node.registry.opened is not None
        return _json({"status": "UP" if open_ else "OUT_OF_SERVICE"}, 200 if open_ else 503)

    own = [Route("/registry/state", state), Route("/health", health)]
    return Starlette(routes=[*mounted(service, cluster), *own])


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _state(service: Service, cluster: Cluster) -> dict[str, object]:
    registry = service.node.registry
    preservation = registry.preservation
    now = service.clock.now()
    renewals = preservation.renewals_last_minute(now=now.monotonic)
    opened = registry.opened
    waited = opened is not None and (
        now.monotonic > opened.monotonic + registry.policy.wait_when_sync_empty
    )
    return {
        "renewsThreshold": preservation.threshold,
        "renewsLastMinute": renewals,
        "expectedClients": preservation.clients,
        "leaseExpirationEnabled": registry.expiry_enabled(now=now),
        "selfPreservationEnabled": registry.policy.self_preservation,
        "emergency": waited
        and registry.policy.self_preservation
        and renewals <= preservation.threshold,
        "openedAtMs": opened.epoch_ms if opened else 0,
        "evictionRuns": registry.eviction_runs,
        "lastEvictionRunMs": registry.last_eviction_ms,
        "lastCompensationMs": round(registry.last_compensation * 1000),
        "instances": len(registry.leases),
        "peers": [_peer(sender) for sender in cluster.senders],
    }


def _peer(sender: PeerSender) -> dict[str, object]:
    outbox = sender.outbox
    return {
        "url": sender.shown,
        "queued": outbox.waiting if outbox is not None else 0,
        "sent": outbox.sent if outbox is not None else 0,
        "dropped": outbox.dropped if outbox is not None else 0,
        "lastSuccessMs": sender.last_success_ms,
        "lastError": sender.last_error,
    }
