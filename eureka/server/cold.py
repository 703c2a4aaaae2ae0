"""The application for all paths outside the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette

from eureka.server.routes import mounted

if TYPE_CHECKING:
    from eureka.server.cluster import Cluster
    from eureka.server.service import Service


def cold_application(service: Service, cluster: Cluster) -> Starlette:
    """Return the application for all paths outside the protocol."""
    return Starlette(routes=mounted(service, cluster))
