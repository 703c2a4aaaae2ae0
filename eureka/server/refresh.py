"""`POST /actuator/refresh`: read the list of peers again now, where a Spring server does so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

if TYPE_CHECKING:
    from starlette.requests import Request

    from eureka.server.cluster import Cluster
    from eureka.server.service import Service

PATH: Final = "/actuator/refresh"


def routes(_service: Service, cluster: Cluster) -> list[BaseRoute]:
    """Return the endpoint; it answers at once, the list is taken up right after."""

    async def refresh(_request: Request) -> Response:
        cluster.refresh()
        return JSONResponse([])

    return [Route(PATH, refresh, methods=["POST"])]
