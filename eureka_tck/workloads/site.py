"""Where a chaos run happens: the cluster, its history, and what was seen of it last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.wire.client import WireClient
from eureka_tck.wire.recorder import Recorder

if TYPE_CHECKING:
    from eureka_tck.clock import Clock
    from eureka_tck.cluster import Cluster
    from eureka_tck.history import HistoryWriter
    from eureka_tck.wire.client import ReadBudget
    from eureka_tck.workloads.watch import Watch

EXCHANGES_KEPT = 20  # a client; the history is the evidence, these are for a debugger


@dataclass(frozen=True, slots=True)
class Site:
    """All that workloads and faults act on; `watch` is what the samplers saw last."""

    cluster: Cluster
    history: HistoryWriter
    watch: Watch

    @property
    def clock(self) -> Clock:
        """The cluster's clock."""
        return self.cluster.clock

    def now(self) -> float:
        """Return the instant it is, as a history keeps it: to a tenth of a registry ms."""
        return round(self.clock.now(), 4)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return tuple(self.cluster.nodes)

    def client(self, node: str) -> WireClient:
        """Return a new client of a node; it belongs to one thread, which closes it."""
        return self.client_of(self.cluster[node].root)

    def client_of(self, root: str, budget: ReadBudget | None = None) -> WireClient:
        """Return a new client of any address."""
        recorder = Recorder(now=self.clock.now, kept=EXCHANGES_KEPT)
        return WireClient(root, recorder=recorder, budget=budget)
