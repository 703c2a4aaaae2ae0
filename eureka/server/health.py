"""
Health for load balancers and Kubernetes.

Live: this process answers. Ready: it knows what its clients want to know,
so not while it copies a peer's registry and not while lists are refused after an empty start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from starlette.responses import Response
from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from eureka.server.cluster import Cluster
    from eureka.server.service import Service

READY = ("/health", "/health/ready", "/actuator/health", "/actuator/health/readiness")
LIVE = ("/health/live", "/actuator/health/liveness")
PATHS = (*READY, *LIVE)
"""Those below `/actuator` are where a Spring server has them, so that probes need no change."""
_NOT_READY = 503


def routes(service: Service, _cluster: Cluster) -> Sequence[BaseRoute]:
    """Return the routes."""

    async def live(_request: Request) -> Response:
        return _answer({"status": "UP"}, 200)

    async def ready(_request: Request) -> Response:
        registry = service.node.registry
        if registry.opened is None:
            return _answer({"status": "OUT_OF_SERVICE", "reason": "copying"}, _NOT_READY)
        if not registry.lists_open(now=service.clock.now()):
            return _answer({"status": "OUT_OF_SERVICE", "reason": "waiting"}, _NOT_READY)
        return _answer({"status": "UP"}, 200)

    return (*(Route(path, ready) for path in READY), *(Route(path, live) for path in LIVE))


def _answer(value: dict[str, str], status: int) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")
