"""
What the registry tells of itself beside its leases, where Netflix's server has it:
`/status` and `/serverinfo/statusoverrides`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import msgspec
import psutil

from eureka.core.status import Status
from eureka.server.exchange import JSON, XML, Request, Response
from eureka.wire.negotiation import accepted_formats
from eureka.wire.xml_form import leaf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from eureka.core.node import Node
    from eureka.server.clock import Clock
    from eureka.wire.paths import Resource

_MEBIBYTE: Final = 1024 * 1024
_STATUS_INFO: Final = "com.netflix.eureka.util.StatusInfo"


class Replica(msgspec.Struct, frozen=True):
    """A peer, by its URL without credentials, and whether it answered last time."""

    url: str
    available: bool


class Information:
    """Answers what is asked of the server itself; `replicas` tells the peers of now."""

    def __init__(self, node: Node, clock: Clock) -> None:
        self.replicas: Callable[[], Iterable[Replica]] = tuple
        self._node = node
        self._clock = clock

    @property
    def handlers(self) -> dict[tuple[Resource, str], Callable[[Request], Response]]:
        """What answers which call."""
        return {("overrides", "GET"): self._overrides, ("server-status", "GET"): self._status}

    def _overrides(self, _request: Request) -> Response:
        """
        Return the overrides by instance id, as Netflix's server does;
        of two applications with the same id the names tell them apart.
        """
        found: dict[str, dict[str, Status]] = {}
        for lease in self._node.registry.leases:
            instance = lease.instance
            if instance.overridden_status is not Status.UNKNOWN:
                key = instance.key
                found.setdefault(key.id, {})[str(key)] = instance.overridden_status
        named: dict[str, Status] = {}
        for instance_id, overrides in found.items():
            if len(overrides) == 1:
                named[instance_id] = next(iter(overrides.values()))
            else:
                named |= overrides
        return Response(200, msgspec.json.encode(named), (JSON,))

    def _status(self, request: Request) -> Response:
        groups = {
            "generalStats": self._general(),
            "applicationStats": self._replication(),
        }
        if accepted_formats(request.accept)[0] == "json":
            return Response(200, msgspec.json.encode(groups), (JSON,))
        written = "".join(
            f"<{group}>{''.join(leaf(name, value) for name, value in facts.items())}</{group}>"
            for group, facts in groups.items()
        )
        return Response(200, f"<{_STATUS_INFO}>{written}</{_STATUS_INFO}>".encode(), (XML,))

    def _general(self) -> dict[str, str]:
        used = psutil.Process().memory_info().rss // _MEBIBYTE
        available = psutil.virtual_memory().total // _MEBIBYTE
        minutes = int(self._clock.monotonic() // 60)
        return {
            "num-of-cpus": str(os.cpu_count() or 1),
            "total-avail-memory": f"{available}mb",
            "current-memory-usage": f"{used}mb ({100 * used // max(available, 1)}%)",
            "server-uptime": f"{minutes // 60:02d}:{minutes % 60:02d}",
        }

    def _replication(self) -> dict[str, str]:
        replicas = tuple(self.replicas())
        return {
            "registered-replicas": ",".join(one.url for one in replicas),
            "available-replicas": ",".join(one.url for one in replicas if one.available),
            "unavailable-replicas": ",".join(one.url for one in replicas if not one.available),
        }
