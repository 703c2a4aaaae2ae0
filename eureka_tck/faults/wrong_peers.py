"""A node with a wrong list of peers: it sends to where nobody listens, and to nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from eureka_tck.faults.fault import Fault
from eureka_tck.faults.probe import Probe
from eureka_tck.faults.shape import crossing
from eureka_tck.promises.rules import SLACK, Rules
from eureka_tck.promises.words import listed

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.schedules import scenario
    from eureka_tck.workloads.site import Site

LIST: Final = "eureka.client.serviceUrl.defaultZone"
REREAD: Final = "eureka.server.peerEurekaNodesUpdateIntervalMs"
DEFAULT_MS: Final = 600_000.0  # eureka-core DefaultEurekaServerConfig
LONGEST: Final = 60.0
"""s after which a changed list has to be in force, or the fault would be over before it began."""

NOBODY: Final = "http://127.0.0.1:9/eureka/"
"""The discard port: nothing listens there on a machine of our days."""


class WrongPeers(Fault):
    """Tells a node of other peers than there are; healing tells it the truth."""

    kind: ClassVar[str] = "wrong-peers"
    needs: ClassVar[frozenset[str]] = frozenset({"peers", "reload"})

    def __init__(self, data: scenario.WrongPeers, site: Site) -> None:
        super().__init__(data.name, site)
        self._node = data.node
        self._others = tuple(node for node in site.nodes if node != data.node)
        self._truth = ""

    def said(self) -> str:
        """Return what it does."""
        return f"node {self._node} is told of a peer that is not there, and of no other"

    def links(self) -> tuple[str, ...]:
        """Return the links that it no longer uses."""
        return crossing(self._node, self._others, "out")

    def can_bite(self, cluster: Cluster) -> str:
        """Return why it can have no effect in this cluster; empty if it can have one."""
        every = self._interval(cluster)
        if every > LONGEST:
            return f"node {self._node} reads its peers every {every:g} s only ({REREAD})"
        return super().can_bite(cluster)

    def strike(self) -> None:
        """Change the list, and wait until the node has read it."""
        node = self.site.cluster[self._node]
        self._truth = node.plan.settings[LIST]
        node.change_settings({LIST: NOBODY})
        self._await_reading()

    def heal(self) -> None:
        """Put the list right, and wait until the node has read it."""
        if self._truth:
            self.site.cluster[self._node].change_settings({LIST: self._truth})
            self._truth = ""
            self._await_reading()

    def proof(self) -> tuple[str, ...]:
        """Return that a registration at the node does not arrive anywhere else."""
        rules = Rules.of(self.site.cluster.settings[self._node])
        with Probe(self.name, self._node, self._others, self.site) as probe:
            self.site.clock.reach(probe.registered_at + rules.propagation())
            stayed, asked = probe.has_stayed_away(), self.site.now()
        if not stayed:
            self.doubt(f"{probe.instance} was not kept from {listed(self._others)}")
            return ()
        return (
            (
                f"{probe.instance}, registered at {self._node} at {probe.registered_at:.1f} s, "
                f"had not arrived at {listed(self._others)} at {asked:.1f} s"
            ),
        )

    def _await_reading(self) -> None:
        clock = self.site.clock
        clock.reach(clock.now() + self._interval(self.site.cluster) + SLACK)

    def _interval(self, cluster: Cluster) -> float:
        return float(cluster.settings[self._node].get(REREAD, DEFAULT_MS)) / 1000
