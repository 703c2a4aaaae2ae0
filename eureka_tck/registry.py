"""
The client that a test of the suites speaks through: to node a by itself, to others by name.

    registry.renew(app, id)            node a
    registry.of("b").renew(app, id)    node b
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.wire.client import WireClient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.recorder import Recorder


class Registry(WireClient):
    """A wire client of a cluster's node a; all its exchanges go to one recorder."""

    def __init__(self, cluster: Cluster, recorder: Recorder, node: str = "a") -> None:
        super().__init__(cluster[node].root, recorder=recorder)
        self._cluster = cluster
        self._visit = cluster.visit
        if self._visit is not None:
            self._visit.arrive()
        self._others: dict[str, WireClient] = {}

    def of(self, node: str) -> WireClient:
        """Return the client of a node; the same one each time."""
        if node not in self._others:
            root = self._cluster[node].root
            self._others[node] = WireClient(root, recorder=self.recorder)
        return self._others[node]

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int | None] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: bytes = b"",
    ) -> Answer:
        """Send any request; at a registry that is somebody's, only what is for a guest."""
        if self._visit is not None:
            self._visit.check(method, path, body)
        return super().call(method, path, params=params, headers=headers, body=body)

    def close(self) -> None:
        """Close the kept connections of all of them."""
        for other in self._others.values():
            other.close()
        super().close()
