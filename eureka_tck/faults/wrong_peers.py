"""
A node with a wrong list of peers: it sends to what is none, and to nobody else.

What stands at the wrong address is ours: it closes every connection, and counts them as the proof.
That a change stays away is none: a registry may be asked for it by the peers that know it still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from eureka_tck.actors.peer_server import PeerServer
from eureka_tck.actors.reaction import Close
from eureka_tck.clock import WaitedInVain
from eureka_tck.faults.fault import Fault
from eureka_tck.faults.probe import Probe
from eureka_tck.faults.shape import crossing
from eureka_tck.promises.rules import SLACK
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.schedules import scenario
    from eureka_tck.workloads.site import Site

LIST: Final = "eureka.client.serviceUrl.defaultZone"
EXPOSED: Final = "management.endpoints.web.exposure.include"
REREAD: Final = "eureka.server.peerEurekaNodesUpdateIntervalMs"
DEFAULT_MS: Final = 600_000.0  # eureka-core DefaultEurekaServerConfig
PROOF_BUDGET: Final = 30.0
"""s in which a change at the node has to be sent: a batch leaves after 0.5 s."""

LONGEST: Final = 60.0
"""s after which a changed list has to be in force, or the fault would be over before it began."""


class WrongPeers(Fault):
    """Tells a node of other peers than there are; healing tells it the truth."""

    kind: ClassVar[str] = "wrong-peers"
    needs: ClassVar[frozenset[str]] = frozenset({"peers", "reload"})

    def __init__(self, data: scenario.WrongPeers, site: Site) -> None:
        super().__init__(data.name, site)
        self._node = data.node
        self._others = tuple(node for node in site.nodes if node != data.node)
        self._truth = ""
        self._pit: PeerServer | None = None

    def said(self) -> str:
        """Return what it does."""
        return f"node {self._node} is told of a peer that is none, and of no other"

    def links(self) -> tuple[str, ...]:
        """Return the links that it no longer uses."""
        return crossing(self._node, self._others, "out")

    def can_bite(self, cluster: Cluster) -> str:
        """Return why it can have no effect in this cluster; empty if it can have one."""
        if (path := cluster[self._node].target.reload_path) is not None:
            shown = {
                one.strip() for one in cluster.settings[self._node].get(EXPOSED, "").split(",")
            }
            if not shown & {path.rpartition("/")[2], "*"}:
                return (
                    f"node {self._node} has to be told to read its peers again, and serves no "
                    f"{path}: set {EXPOSED} = refresh"
                )
        every = self._interval(cluster)
        if every > LONGEST:
            return f"node {self._node} reads its peers every {every:g} s only ({REREAD})"
        return super().can_bite(cluster)

    def strike(self) -> None:
        """Change the list, and wait until the node has read it."""
        node = self.site.cluster[self._node]
        self._truth = node.plan.settings[LIST]
        self._pit = pit = PeerServer(self.site.cluster.here, 0, lambda _: Close(), lambda _: True)
        pit.listen()
        node.change_settings({LIST: f"http://{pit.host}:{pit.port}/eureka/"})
        self._await_reading()

    def heal(self) -> None:
        """Put the list right, and wait until the node has read it."""
        try:
            if self._truth:
                self.site.cluster[self._node].change_settings({LIST: self._truth})
                self._truth = ""
                self._await_reading()
        finally:
            if self._pit is not None:
                self._pit.close()

    def proof(self) -> tuple[str, ...]:
        """Return that the node sent to the wrong address what changed at it."""
        clock = self.site.clock
        with Probe(self.name, self._node, (), self.site):
            try:
                clock.wait_until(lambda: self._visits, PROOF_BUDGET, "the node to send")
            except WaitedInVain:
                self.doubt(f"node {self._node} sent nothing to the wrong address")
                return ()
        return (
            (
                f"node {self._node} had connected to the wrong address "
                f"{counted(self._visits, 'time')} at {self.site.now():.1f} s"
            ),
        )

    @property
    def _visits(self) -> int:
        return self._pit.accepted if self._pit is not None else 0

    def _await_reading(self) -> None:
        clock = self.site.clock
        clock.reach(clock.now() + self._interval(self.site.cluster) + SLACK)

    def _interval(self, cluster: Cluster) -> float:
        return float(cluster.settings[self._node].get(REREAD, DEFAULT_MS)) / 1000
