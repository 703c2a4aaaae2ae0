"""What the status page shows, as JSON, for programs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from eureka.server.overview import applications_of, state_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from eureka.server.cluster import Cluster
    from eureka.server.service import Service

STATE = "/registry/state"
APPLICATIONS = "/registry/applications"
RECENT = "/registry/recent"
_JSON = "application/json"
_SLICE = 2000  # instances


def routes(service: Service, cluster: Cluster) -> Sequence[BaseRoute]:
    """Return the routes."""

    async def state(_request: Request) -> Response:
        return _json(state_of(service, cluster))

    async def applications(_request: Request) -> Response:
        return StreamingResponse(_applications(service), media_type=_JSON)

    async def recent(_request: Request) -> Response:
        account = service.account
        return _json(
            {
                "registered": [
                    {"atMs": one.at_ms, "app": one.key.app, "id": one.key.id, "again": one.again}
                    for one in reversed(account.came)
                ],
                "cancelled": [
                    {"atMs": one.at_ms, "app": one.key.app, "id": one.key.id, "how": one.how}
                    for one in reversed(account.went)
                ],
            }
        )

    return (Route(STATE, state), Route(APPLICATIONS, applications), Route(RECENT, recent))


async def _applications(service: Service) -> AsyncIterator[bytes]:
    """Yield the list piece by piece: however many there are, other calls are served between."""
    separator = b"["
    async for application in applications_of(service):
        shown = application.instances
        # The list of instances stands last, and is written in slices of a few milliseconds.
        head = msgspec.json.encode(msgspec.structs.replace(application, instances=[]))
        yield separator + head.removesuffix(b"]}")
        for start in range(0, len(shown), _SLICE):
            part = msgspec.json.encode(shown[start : start + _SLICE])[1:-1]
            yield b"," + part if start else part
            await asyncio.sleep(0)
        yield b"]}"
        separator = b","
    yield b"[]" if separator == b"[" else b"]"


def _json(value: object) -> Response:
    return Response(msgspec.json.encode(value), media_type=_JSON)
