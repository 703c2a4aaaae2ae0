"""A node's death: it ends, killed or because it was asked to, and comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from eureka_tck.faults.dial import ANSWERED, ending_at
from eureka_tck.faults.fault import Fault

if TYPE_CHECKING:
    from eureka_tck.schedules import scenario
    from eureka_tck.workloads.site import Site


class Death(Fault):
    """Ends a node; healing starts it again with the same identity and an empty memory."""

    kind: ClassVar[str] = "death"
    needs: ClassVar[frozenset[str]] = frozenset({"kill"})

    def __init__(self, data: scenario.Death, site: Site) -> None:
        super().__init__(data.name, site)
        self._data = data
        self._is_down = False

    def said(self) -> str:
        """Return what it does."""
        how = {"kill": "is killed", "stop": "is stopped"}[self._data.how]
        return f"node {self._data.node} {how} and started again"

    def nodes(self) -> tuple[str, ...]:
        """Return the node that dies."""
        return (self._data.node,)

    def forgets(self) -> tuple[str, ...]:
        """Return the node that dies: it starts again with nothing."""
        return (self._data.node,)

    def strike(self) -> None:
        """End the node."""
        node = self.site.cluster[self._data.node]
        self._is_down = True
        if self._data.how == "kill":
            node.kill()
        else:
            node.stop()

    def heal(self) -> None:
        """Start the node again and wait until it is ready."""
        if self._is_down:
            self.site.cluster[self._data.node].start()
            self._is_down = False

    def proof(self) -> tuple[str, ...]:
        """Return that the process is gone and nothing answers in its place."""
        node = self.site.cluster[self._data.node]
        ended = ending_at(self.site, node.root)
        if node.is_alive() or ended == ANSWERED:
            self.doubt(f"{node} still runs, and a read of it ended with {ended}")
            return ()
        return (
            (
                f"the process of node {node.name} is gone and a read of it ended with {ended} at "
                f"{self.site.now():.1f} s"
            ),
        )
