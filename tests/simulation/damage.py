"""
The judge's faults in a simulated cluster: what they break, mend and prove there.

Most are the judge's own, proofs and all; here is what needs a thread, a socket or Toxiproxy there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.faults import FAULTS
from eureka_tck.faults.clock_shift import ClockShift
from eureka_tck.faults.flapping import Flapping
from eureka_tck.faults.poison import Poison
from eureka_tck.faults.starvation import Starvation, _Freezing
from eureka_tck.faults.wrong_answers import WrongAnswers
from eureka_tck.faults.wrong_peers import WrongPeers
from eureka_tck.report.figures import counted
from eureka_tck.schedules import fault as data
from tests.simulation.schedule import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eureka_tck import faults
    from eureka_tck.cluster import Cluster
    from eureka_tck.workloads.site import Site
    from tests.simulation.schedule import FaultKind
    from tests.simulation.terrain import SimulatedSite
    from tests.simulation.world import World

PROOF_BUDGET: Final = 30.0
"""s until something is sent over a poisoned link: instances renew every 10 s."""

NOWHERE: Final = "nowhere"
"""A peer that is none."""

KINDS: Final[Mapping[str, FaultKind]] = {
    "latency": "slow",
    "timeout": "cut",
    "reset": "reset",
    "limit-data": "reset",
}
"""What a toxic is in this network; the others depend on bytes or connections."""


def make_damage(what: data.Fault, site: Site) -> faults.Fault:
    """Return the fault that the data describes: one of these, or the judge's own."""
    own: Mapping[type[data.Fault], Callable[..., faults.Fault]] = {
        data.Poison: PoisonHere,
        data.Flapping: FlappingHere,
        data.Starvation: StarvationHere,
        data.ClockShift: ClockShiftHere,
        data.WrongAnswers: WrongAnswersHere,
        data.WrongPeers: WrongPeersHere,
    }
    kind: Callable[..., faults.Fault] = own.get(type(what), FAULTS[type(what)])
    return kind(what, site)


class Beat:
    """`eureka_tck.faults.beat.Beat` without a thread."""

    def __init__(self, world: World, step: Callable[[], float]) -> None:
        self._world = world
        self._step = step
        self._is_over = False

    def start(self) -> None:
        """Begin with the first step."""
        self._turn()

    def stop(self) -> None:
        """Make no further step."""
        self._is_over = True

    def _turn(self) -> None:
        if not self._is_over:
            self._world.at(self._world.time + self._step(), self._turn)


class FlappingHere(Flapping):
    """Links that come and go."""

    def __init__(self, what: data.Flapping, site: SimulatedSite) -> None:
        super().__init__(what, site)
        self._beat = Beat(site.terrain.world, self._turn)  # type: ignore[assignment] # a stand-in


class StarvationHere(Starvation):
    """A node that stands still most of the time."""

    def __init__(self, what: data.Starvation, site: SimulatedSite) -> None:
        super().__init__(what, site)
        hold = self._hold
        assert isinstance(hold, _Freezing)
        hold._beat = Beat(site.terrain.world, hold._turn)  # type: ignore[assignment] # a stand-in


class ClockShiftHere(ClockShift):
    """A wall clock that is wrong."""

    def __init__(self, what: data.ClockShift, site: SimulatedSite) -> None:
        super().__init__(what, site)
        self._beat = Beat(site.terrain.world, self._turn)  # type: ignore[assignment] # a stand-in


class PoisonHere(Poison):
    """Links that carry badly."""

    def __init__(self, what: data.Poison, site: SimulatedSite) -> None:
        super().__init__(what, site)
        self._bite = Bite(
            site,
            Fault(
                kind=KINDS[what.toxic],
                begins=0,
                ends=0,
                links=self._links,
                stream=what.stream,
                amount=what.delay,
                jitter=what.jitter,
            ),
        )

    def prepare(self) -> None:
        """Need no control: the network itself counts what it poisons."""

    def strike(self) -> None:
        """Poison the links."""
        self._bite.begin()

    def heal(self) -> None:
        """Take the poison away."""
        self._bite.end()

    def proof(self) -> tuple[str, ...]:
        """Return how often it bit."""
        return self._bite.proof("were carried badly")


class WrongAnswersHere(WrongAnswers):
    """A liar before a node."""

    def __init__(self, what: data.WrongAnswers, site: SimulatedSite) -> None:
        super().__init__(what, site)
        fault = Fault(kind="lie", begins=0, ends=0, links=self._links, lie=what.lie)
        self._bite = Bite(site, fault)

    def strike(self) -> None:
        """Let it lie."""
        self._bite.begin()

    def heal(self) -> None:
        """Let it be gone."""
        self._bite.end()

    def proof(self) -> tuple[str, ...]:
        """Return how often it lied."""
        return self._bite.proof("were answered wrongly")


class WrongPeersHere(WrongPeers):
    """A node with a wrong list of peers."""

    def __init__(self, what: data.WrongPeers, site: SimulatedSite) -> None:
        super().__init__(what, site)
        self._world = site.terrain.world

    def can_bite(self, cluster: Cluster) -> str:  # noqa: ARG002 - it reads no list, it is told
        """Return nothing: it always can."""
        return ""

    def strike(self) -> None:
        """Tell it of a peer that is none."""
        self._world.name_peers(self._node, (NOWHERE,))

    def heal(self) -> None:
        """Tell it of those that there are."""
        self._world.name_peers(self._node, self._others)

    def proof(self) -> tuple[str, ...]:
        """Return that it sends to nobody else."""
        sends_to = ", ".join(self._world.stations[self._node].couriers)
        return (f"node {self._node} sends to {sends_to} alone at {self.site.now():.1f} s",)


class Bite:
    """A fault of links in the network, and what it was seen to do."""

    def __init__(self, site: SimulatedSite, fault: Fault) -> None:
        self._site = site
        self._network = site.terrain.world.network
        self._fault = fault
        self._before = 0
        self._is_on = False

    def begin(self) -> None:
        """Break the links."""
        self._before, self._is_on = self._count(), True
        self._network.breaks(self._fault)

    def end(self) -> None:
        """Mend them."""
        if self._is_on:
            self._is_on = False
            self._network.heals(self._fault)

    def proof(self, what: str) -> tuple[str, ...]:
        """Return how many messages it met by the time it met one; none if it met none."""
        clock = self._site.clock
        try:
            clock.wait_until(lambda: self._count() > self._before, PROOF_BUDGET, "a bite")
        except WaitedInVain:
            return ()
        met = counted(self._count() - self._before, "message")
        return (f"{met} over {', '.join(self._fault.links)} {what} by {clock.now():.1f} s",)

    def _count(self) -> int:
        return sum(self._network.bites.get(link, 0) for link in self._fault.links)


def inexpressible(strikes: Sequence[data.Fault]) -> str:
    """Return why a fault cannot be played here, empty where all can."""
    for one in strikes:
        if isinstance(one, data.Poison) and one.toxic not in KINDS:
            return f"the toxic {one.toxic} counts bytes or connections, and here are none"
    return ""
