"""
A node whose wall clock is not its peers': it jumps, and then goes at a rate of its own.

Leases are no affair of the wall clock; a registry that reckons them by it evicts the living when
it jumps forwards and keeps the dead when it jumps backwards. So no node is put out of action here,
and every promise is judged as if nothing had happened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from eureka_tck.faults.beat import Beat
from eureka_tck.faults.fault import Fault
from eureka_tck.faults.probe import Probe
from eureka_tck.history.event import NodeClockRead
from eureka_tck.wire.errors import WireError

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.schedules import scenario
    from eureka_tck.workloads.site import Site

PACE: Final = 1.0
"""s between two changes of a clock that goes at a rate of its own."""

SEEN: Final = 0.5
"""The share of the shift that a node's stamp has to show for certain."""

FAR: Final = 5.0
"""s that a clock of its own rate has to be ahead or behind before it is looked at."""


class ClockShift(Fault):
    """Steps a node's wall clock and leaves it right."""

    kind: ClassVar[str] = "clock-shift"
    needs: ClassVar[frozenset[str]] = frozenset({"step"})

    def __init__(self, data: scenario.ClockShift, site: Site) -> None:
        super().__init__(data.name, site)
        self._data = data
        self._beat = Beat(data.name, site.clock, self._turn)

    def said(self) -> str:
        """Return what it does."""
        data = self._data
        jump = f"jumps by {data.jump:+g} s" if data.jump else ""
        rate = f"goes {data.rate:g} times as fast" if data.rate != 1 else ""
        return f"the clock of node {data.node} {' and '.join(filter(None, [jump, rate]))}"

    def can_bite(self, cluster: Cluster) -> str:
        """Return why it can have no effect in this cluster; empty if it can have one."""
        if not cluster.spec.wall_steps:
            return "the cluster was made without clocks that can be stepped"
        return super().can_bite(cluster)

    def strike(self) -> None:
        """Make the jump; a clock with a rate of its own drifts from then on."""
        self._set(self._data.jump)
        if self._data.rate != 1:
            self._beat.start()

    def heal(self) -> None:
        """Put the clock right."""
        try:
            self._beat.stop()
        finally:
            self._set(0.0)

    def proof(self) -> tuple[str, ...]:
        """Return what the node stamps on a registration, beside the cluster's clock."""
        node, clock = self._data.node, self.site.clock
        if not self._data.jump:  # what drifts is seen when it is far enough
            drifts = FAR / abs(self._data.rate - 1)
            clock.reach(self.began_at + min(drifts, self._data.lasts))
        owed, before = self._shift(), self.site.now()
        with Probe(self.name, node, (), self.site) as probe:
            within = round(probe.registered_at - before, 4)  # it was stamped in between
            ahead = self._ahead(probe)
        if ahead is None:
            self.doubt(f"node {node} stamped no registration")
            return ()
        at = self.site.now()
        self.site.history.write(NodeClockRead(at=at, node=node, ahead=ahead, within=within))
        if ahead * owed <= 0 or abs(ahead) - within < SEEN * abs(owed):
            self.doubt(f"the clock of node {node} was {ahead:+.1f} s, not {owed:+.1f} s")
            return ()
        return (
            (
                f"node {node} stamped a registration {ahead:+.1f} s beside the cluster's clock, "
                f"asked at {at:.1f} s"
            ),
        )

    def _ahead(self, probe: Probe) -> float | None:
        client = self.site.client(self._data.node)
        app, _, identity = probe.instance.partition("/")
        try:
            stamped = client.instance(app, identity).record().leased.registered_ms
        except WireError:
            return None
        finally:
            client.close()
        if not stamped:
            return None
        return round(self.site.clock.at_epoch_ms(stamped) - probe.registered_at, 3)

    def _shift(self) -> float:
        """Return how far the clock is from the right time now."""
        drift = (self._data.rate - 1) * (self.site.now() - self.began_at)
        return self._data.jump + drift

    def _turn(self) -> float:
        self._set(self._shift())
        return PACE

    def _set(self, seconds: float) -> None:
        self.site.cluster[self._data.node].step_wall_clock(seconds)
