"""
A partition: links between nodes are cut, in one direction or both.

Its proof is twofold. A connection over each cut link is refused, where the link can be dialled from
here; and a change does not arrive across it in the time in which one did before, where no way round
is left: a registry may ask over a link what it was not told over the other.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from eureka_tck.faults.dial import NO_WAY_THERE, TURNED_AWAY, ending
from eureka_tck.faults.fault import Fault, mend_all
from eureka_tck.faults.probe import Probe
from eureka_tck.faults.shape import FEWEST, cut_links, still_joined, told
from eureka_tck.promises.rules import SLACK, Rules
from eureka_tck.promises.words import listed

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.schedules import scenario
    from eureka_tck.workloads.site import Site


class Partition(Fault):
    """Cuts links between nodes: one node off, halves, a bridge, a ring, or clients alone."""

    kind: ClassVar[str] = "partition"
    needs: ClassVar[frozenset[str]] = frozenset({"links", "peers"})

    def __init__(self, data: scenario.Partition, site: Site) -> None:
        super().__init__(data.name, site)
        self._data = data
        self._links = cut_links(data, site.nodes)
        self._crossing: dict[str, float] = {}

    def said(self) -> str:
        """Return what it does."""
        return told(self._data, self.site.nodes)

    def links(self) -> tuple[str, ...]:
        """Return the links it cuts."""
        return self._links

    def can_bite(self, cluster: Cluster) -> str:
        """Return why it can have no effect in this cluster; empty if it can have one."""
        fewest = FEWEST[self._data.shape]
        if len(cluster) < fewest:
            return (
                f"the shape {self._data.shape} needs {fewest} nodes, and there are {len(cluster)}"
            )
        return super().can_bite(cluster)

    def prepare(self) -> None:
        """See a probe cross each way while the links are whole: the control of the proof."""
        for source, sinks in self._ways():
            with Probe(f"{self.name}-before-{source}", source, sinks, self.site) as probe:
                took = probe.await_arrival()
                if took is None:
                    self.doubt(f"{probe.instance} never arrived at {listed(sinks)} before the cut")
                else:
                    self._crossing[source] = took
                probe.await_end()

    def strike(self) -> None:
        """Cut the links."""
        for link in self.links():
            self.site.cluster.links.cut(link)

    def heal(self) -> None:
        """Restore the links, each of them even if another one fails."""
        mend_all(partial(self.site.cluster.links.restore, link) for link in self.links())

    def proof(self) -> tuple[str, ...]:
        """Return which links refuse connections and which probes did not arrive."""
        refused, carried = self._dial()
        if carried:
            self.doubt(f"the cut link {listed(carried)} still carried a call")
            return ()
        missing: list[str] = []
        for source, sinks in self._ways():
            sentence = self._stays_away(source, sinks)
            if sentence is None:
                return ()
            missing += [sentence] if sentence else []
        unseen = sorted(set(self.links()) - set(refused))
        if unseen and not missing:
            self.doubt(f"nothing shows that the link {listed(unseen)} is cut")
            return ()
        at = f"asked at {self.site.now():.1f} s"
        dialled = [f"connections over {listed(refused, len(refused))} are refused, {at}"]
        return (*(dialled if refused else []), *missing)

    def _ways(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return where a change is made and where it may not arrive, one entry a direction."""
        if self._data.clients or self._data.shape == "clients":
            return []  # nobody of us can ask the node
        pairs = [(link.split(">")[0], link.split(">")[1]) for link in self._links]
        # All that one node cannot send, and one thing that it cannot be sent.
        first = self._data.node if self._data.shape == "one" else pairs[0][0]
        reached = still_joined(first, self.site.nodes, self._links)
        sinks = tuple(sink for source, sink in pairs if source == first and sink not in reached)
        sources = [source for source, sink in pairs if sink == first and source not in reached]
        return ([(first, sinks)] if sinks else []) + [(one, (first,)) for one in sources[:1]]

    def _dial(self) -> tuple[list[str], list[str]]:
        """Call over each cut link; return those that turned us away and those that did not."""
        refused: list[str] = []
        carried: list[str] = []
        for link in self.links():
            ended = ending(self.site, link)
            if ended in TURNED_AWAY:
                refused.append(link)
            elif ended != NO_WAY_THERE:
                carried.append(link)
        return refused, carried

    def _stays_away(self, source: str, sinks: tuple[str, ...]) -> str | None:
        """
        Return the sentence that a probe registered now does not arrive; None if it did.

        It is empty where no probe arrived before the cut either, so that nothing follows from it.
        """
        crossing = self._crossing.get(source)
        if crossing is None:
            return ""
        rules = Rules.of(self.site.cluster.settings[source])
        with Probe(f"{self.name}-{source}", source, sinks, self.site) as probe:
            self.site.clock.reach(probe.registered_at + max(rules.propagation(), crossing + SLACK))
            stayed_away, asked = probe.has_stayed_away(), self.site.now()
        if not stayed_away:
            self.doubt(f"{probe.instance} was not kept from {listed(sinks)}")
            return None
        return (
            f"{probe.instance}, registered at {source} at {probe.registered_at:.1f} s, had not "
            f"arrived at {listed(sinks)} at {asked:.1f} s; before the cut one took {crossing:.1f} s"
        )
