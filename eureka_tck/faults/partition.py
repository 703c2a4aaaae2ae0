"""
A partition: the links between one node and its peers are cut, in one direction or both.

Its proof is twofold. A connection over each cut link is refused, where the link can be dialled from
here; and a change does not arrive across it in the time in which one did before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from eureka_tck.faults.fault import Fault
from eureka_tck.faults.probe import Probe
from eureka_tck.history.event import Marked
from eureka_tck.links import CLIENT
from eureka_tck.promises.rules import SLACK, Rules
from eureka_tck.promises.words import listed
from eureka_tck.wire.errors import NoAnswer

if TYPE_CHECKING:
    from eureka_tck.schedules import scenario
    from eureka_tck.workloads.site import Site

TURNED_AWAY: Final = frozenset({"refused", "reset", "closed"})
"""How a call over a cut link ends: refused by Toxiproxy itself, closed by what stands before it."""

NO_WAY_THERE: Final = "unreachable"
"""How a call ends whose address only the containers know: it says nothing about the link."""


class Partition(Fault):
    """Cuts `data.node` off from its peers, and from its clients too if so told."""

    kind: ClassVar[str] = "partition"
    needs: ClassVar[frozenset[str]] = frozenset({"links", "peers"})

    def __init__(self, data: scenario.Partition, site: Site) -> None:
        super().__init__(data.name, site)
        self._data = data
        self._node = data.node
        self._others = tuple(node for node in site.nodes if node != data.node)
        self._crossing: dict[str, float] = {}

    def said(self) -> str:
        """Return what it does."""
        cut = {
            "both": f"node {self._node} is cut off from its peers",
            "out": f"what node {self._node} sends its peers is cut off",
            "in": f"what the peers send node {self._node} is cut off",
        }[self._data.direction]
        return f"{cut}, and the node from its clients" if self._data.clients else cut

    def links(self) -> tuple[str, ...]:
        """Return the links it cuts."""
        outward = tuple(f"{self._node}>{other}" for other in self._others)
        inward = tuple(f"{other}>{self._node}" for other in self._others)
        between = {"both": outward + inward, "out": outward, "in": inward}[self._data.direction]
        return (*between, f"{CLIENT}>{self._node}") if self._data.clients else between

    def prepare(self) -> None:
        """See a probe cross each way while the links are whole: the control of the proof."""
        for source, sinks in self._ways():
            with Probe(f"{self.name}-before-{source}", source, sinks, self.site) as probe:
                took = probe.await_arrival()
                if took is None:
                    self._doubt(f"{probe.instance} never arrived at {listed(sinks)} before the cut")
                else:
                    self._crossing[source] = took
                probe.await_end()

    def strike(self) -> None:
        """Cut the links."""
        for link in self.links():
            self.site.cluster.links.cut(link)

    def heal(self) -> None:
        """Restore the links, each of them even if another one fails."""
        errors: list[Exception] = []
        for link in self.links():
            try:
                self.site.cluster.links.restore(link)
            except Exception as error:  # noqa: BLE001 - raised below, after the other links
                errors.append(error)
        if errors:
            raise errors[0]

    def proof(self) -> tuple[str, ...]:
        """Return which links refuse connections and which probes did not arrive."""
        refused, carried = self._dial()
        if carried:
            self._doubt(f"the cut link {listed(carried)} still carried a call")
            return ()
        missing: list[str] = []
        for source, sinks in self._ways():
            sentence = self._stays_away(source, sinks)
            if sentence is None:
                return ()
            missing += [sentence] if sentence else []
        at = f"asked at {self.site.now():.1f} s"
        dialled = [f"connections over {listed(refused, len(refused))} are refused, {at}"]
        return (*(dialled if refused else []), *missing)

    def _ways(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return where a change is made and where it may not arrive, one entry a direction."""
        if self._data.clients:  # then nobody of us can ask the node
            return []
        outward = [(self._node, self._others)]
        inward: list[tuple[str, tuple[str, ...]]] = [(self._others[0], (self._node,))]
        return {"both": outward + inward, "out": outward, "in": inward}[self._data.direction]

    def _dial(self) -> tuple[list[str], list[str]]:
        """Call over each cut link; return those that turned us away and those that did not."""
        refused: list[str] = []
        carried: list[str] = []
        for link in self.links():
            ended = self._ending(self._address(link))
            if ended in TURNED_AWAY:
                refused.append(link)
            elif ended != NO_WAY_THERE:
                carried.append(link)
        return refused, carried

    def _ending(self, root: str) -> str:
        client = self.site.client_of(root)
        try:
            return f"status {client.apps().status}"
        except NoAnswer as why:
            return why.kind
        finally:
            client.close()

    def _address(self, link: str) -> str:
        """Return where the source of the link reaches its sink."""
        source, sink = link.split(">")
        if source == CLIENT:
            return self.site.cluster[sink].root
        others = [node for node in self.site.nodes if node != source]
        url = self.site.cluster[source].plan.peers[others.index(sink)]
        return url.removesuffix("/").removesuffix("/eureka")

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
            self._doubt(f"{probe.instance} was not kept from {listed(sinks)}")
            return None
        return (
            f"{probe.instance}, registered at {source} at {probe.registered_at:.1f} s, had not "
            f"arrived at {listed(sinks)} at {asked:.1f} s; before the cut one took {crossing:.1f} s"
        )

    def _doubt(self, said: str) -> None:
        self.site.history.write(
            Marked(at=self.site.now(), name=f"{self.name} is in doubt", said=said)
        )
