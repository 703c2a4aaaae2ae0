"""
What is served beside the protocol: each function here returns the routes of one module.

A page for people, figures for a monitoring system and the like are added to `MOUNTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from starlette.routing import BaseRoute

from eureka.server import healing, health, metrics, page, refresh, state

if TYPE_CHECKING:
    from eureka.server.cluster import Cluster
    from eureka.server.service import Service

Mount = Callable[["Service", "Cluster"], Sequence[BaseRoute]]

MOUNTS: Final[tuple[Mount, ...]] = (
    page.routes,
    state.routes,
    health.routes,
    metrics.routes,
    healing.routes,
    refresh.routes,
)


def mounted(service: Service, cluster: Cluster) -> list[BaseRoute]:
    """Return the routes of all of them, the first that fits goes first."""
    return [route for mount in MOUNTS for route in mount(service, cluster)]
