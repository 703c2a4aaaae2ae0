"""
A node that gets too little of a processor: what too many containers on one machine do to it.

In a container it gets a share of what it used before, by a quota of its control group; an absolute
one would hold nobody up, since a registry needs a twentieth of a processor. A process, whose
limits would need root, is frozen for the rest of every period.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from eureka_tck.faults.beat import Beat
from eureka_tck.faults.fault import Fault

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.schedules import scenario
    from eureka_tck.workloads.site import Site

ENOUGH: Final = 0.5
"""The share of what is due to be withheld, of time or of periods, from which a node starves."""

CONTROL: Final = 2.0
"""Real seconds for which is measured what a node uses, and in which a quota has to be felt."""


class Starvation(Fault):
    """Lets a node have a share of what it needs."""

    kind: ClassVar[str] = "starvation"
    needs: ClassVar[frozenset[str]] = frozenset({"pause"})

    def __init__(self, data: scenario.Starvation, site: Site) -> None:
        super().__init__(data.name, site)
        self._data = data
        limited = site.cluster.limits_processors
        self._hold: _Hold = _Quota(data, site) if limited else _Freezing(data, site)

    def said(self) -> str:
        """Return what it does."""
        return f"node {self._data.node} gets {self._data.share:.0%} of {self._hold.of}"

    def nodes(self) -> tuple[str, ...]:
        """Return the node that starves."""
        return (self._data.node,)

    def can_bite(self, cluster: Cluster) -> str:
        """Return why it can have no effect in this cluster; empty if it can have one."""
        return self._hold.lacks(cluster) or super().can_bite(cluster)

    def prepare(self) -> None:
        """See what the node uses while nothing ails it."""
        self._hold.prepare()

    def strike(self) -> None:
        """Begin to withhold."""
        self._hold.begin()

    def heal(self) -> None:
        """Let the node have what it needs, whatever has happened."""
        self._hold.end()

    def proof(self) -> tuple[str, ...]:
        """Return how much was withheld, if it was enough to starve on."""
        said, share = self._hold.withheld(self.began_at)
        if share < ENOUGH:
            self.doubt(said)
            return ()
        return (said,)


class _Hold(Protocol):
    """A way to withhold a processor; `of` is what a share of it is meant of."""

    of: str

    def lacks(self, cluster: Cluster) -> str:
        """Return what it needs and the cluster has not; empty if there is nothing."""

    def prepare(self) -> None:
        """Do what comes before."""

    def begin(self) -> None:
        """Withhold."""

    def end(self) -> None:
        """Withhold nothing any more."""

    def withheld(self, since: float) -> tuple[str, float]:
        """Return what was seen as a sentence, and the share of what was due to be withheld."""


class _Freezing:
    """Freezes the node for what it is not to have of every period."""

    of: str = "a processor"

    def __init__(self, data: scenario.Starvation, site: Site) -> None:
        self._data = data
        self._site = site
        self._is_frozen = False
        self._frozen_at = self._frozen = 0.0
        self._beat = Beat(data.name, site.clock, self._turn)

    def lacks(self, cluster: Cluster) -> str:  # noqa: ARG002 - a pause is all it takes
        """Return nothing."""
        return ""

    def prepare(self) -> None:
        """Do nothing."""

    def begin(self) -> None:
        """Begin with a stretch in which it gets nothing."""
        self._beat.start()

    def end(self) -> None:
        """End it, and let the node go on whatever has happened."""
        try:
            self._beat.stop()
        finally:
            if self._is_frozen:
                self._site.cluster[self._data.node].resume()
                self._is_frozen = False

    def withheld(self, since: float) -> tuple[str, float]:
        """Return for how much of the first periods the node stood still."""
        clock = self._site.clock
        clock.reach(since + 3 * self._data.period)
        passed = max(clock.now() - since, self._data.period)
        said = f"node {self._data.node} stood still for {self._frozen:.1f} s of {passed:.1f} s"
        return said, self._frozen / passed / (1 - self._data.share)

    def _turn(self) -> float:
        node, now = self._site.cluster[self._data.node], self._site.now()
        if self._is_frozen:
            node.resume()
            self._frozen += now - self._frozen_at
            self._is_frozen = False
            return self._data.period * self._data.share
        self._is_frozen, self._frozen_at = True, now
        node.pause()
        return self._data.period * (1 - self._data.share)


class _Quota:
    """Sets a quota of the node's control group; what that counts is the proof."""

    of: str = "the processor time that it used"

    def __init__(self, data: scenario.Starvation, site: Site) -> None:
        self._data = data
        self._site = site
        self._used = 0.0
        self._before = (0, 0)

    def lacks(self, cluster: Cluster) -> str:
        """Return that what a node uses has to be read."""
        able = "memory" in cluster.capabilities
        return "" if able else "it has to be seen what the node uses, and nothing shows that here"

    def prepare(self) -> None:
        """Measure what the node uses of a processor."""
        node, clock = self._site.cluster[self._data.node], self._site.clock
        used, began = node.cpu_seconds(), clock.now()
        clock.reach(began + CONTROL * clock.speed)
        self._used = (node.cpu_seconds() - used) / clock.real(clock.now() - began)

    def begin(self) -> None:
        """Set the quota."""
        node = self._site.cluster[self._data.node]
        self._before = node.throttled()
        node.limit_processor(self._data.share * self._used)

    def end(self) -> None:
        """Take it away."""
        self._site.cluster[self._data.node].limit_processor(None)

    def withheld(self, since: float) -> tuple[str, float]:
        """Return in how many of the kernel's periods the node was held up."""
        clock = self._site.clock
        clock.reach(since + CONTROL * clock.speed)
        now = self._site.cluster[self._data.node].throttled()
        held, all_of_them = (
            after - before for after, before in zip(now, self._before, strict=True)
        )
        said = (
            f"node {self._data.node}, which used {self._used:.1%} of a processor, was held up in "
            f"{held} of {all_of_them} periods of its quota of {self._data.share * self._used:.1%}"
        )
        return said, held / max(all_of_them, 1)
