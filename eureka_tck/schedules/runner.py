"""
Plays a schedule on a cluster and records all of it; judges nothing.

Whatever happens, Ctrl-C too, the faults are healed, the threads ended and the history closed, in
this order.
"""

from __future__ import annotations

import heapq
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from eureka_tck.clock import WaitedInVain
from eureka_tck.errors import NodeFailed
from eureka_tck.faults import make_fault
from eureka_tck.history.event import Ended, Marked
from eureka_tck.workloads.abandoned import Abandoned
from eureka_tck.workloads.changes import MetadataChanges, Overrides
from eureka_tck.workloads.crew import Crew
from eureka_tck.workloads.gauges import Gauges
from eureka_tck.workloads.leaving import Churn, Leaving, Moving
from eureka_tck.workloads.readers import Readers
from eureka_tck.workloads.renewals import FailoverRenewals, SteadyRenewals
from eureka_tck.workloads.sampler import Samplers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eureka_tck.faults import Fault
    from eureka_tck.schedules.fault import Fault as FaultData
    from eureka_tck.schedules.scenario import Budgets, Phase
    from eureka_tck.schedules.schedule import Cast, Schedule
    from eureka_tck.workloads.site import Site
    from eureka_tck.workloads.watch import Watch

PACE: Final = 0.5
"""s between two looks at whether something awaited has come."""


class Unheard(Exception):  # noqa: N818 - it reads as the statement it prints
    """No node answers, so there is nothing to break: that ends the run, as a node's death does."""


class Workload(Protocol):
    """What plays a cast: see `workloads`."""

    name: str

    def start(self, crew: Crew, began: float) -> None:
        """Make the first appointments; `began` is the begin of its phase."""

    def turn(self, crew: Crew, began: float) -> None:
        """Appoint what begins with breaking; `began` is its begin."""

    def is_satisfied(self, watch: Watch) -> bool:
        """Whether it has reached what it is there for."""

    def lacks(self, watch: Watch) -> str:
        """Return what it still waits for."""


WORKLOADS: Final[Mapping[str, Callable[[Cast, Site], Workload]]] = {
    "steady-renewals": SteadyRenewals,
    "failover-renewals": FailoverRenewals,
    "leaving": Leaving,
    "churn": Churn,
    "redeploy": Churn,
    "moving": Moving,
    "overrides": Overrides,
    "metadata-changes": MetadataChanges,
    "abandoned": Abandoned,
    "readers": Readers,
}

Told: TypeAlias = "Callable[[str, str], None]"
"""Takes the name of what goes on and what is seen of it, for the terminal."""


def play(schedule: Schedule, site: Site, budgets: Budgets, sample_every: float, told: Told) -> None:
    """
    Play the schedule from its first registration to the last sample.

    A node that dies by itself ends the run, and the history says so: that is a finding, not an
    error of the run.
    """
    error = "it was stopped"
    try:
        with Crew(site) as crew, Samplers(site, sample_every) as samplers, Gauges(site) as gauges:
            Play(schedule, site, budgets, crew, samplers, gauges, told).through()
        error = ""
    except Unheard as silent:
        error = str(silent)
    except NodeFailed as failed:
        error = failed.problem.removesuffix(".")
    except Exception as failed:
        error = str(failed) or type(failed).__name__
        raise
    finally:
        site.history.write(Ended(at=site.now(), error=error))


@dataclass(slots=True)
class Play:
    """The three phases of a schedule; `make` returns the fault that data describe."""

    schedule: Schedule
    site: Site
    budgets: Budgets
    crew: Crew
    samplers: Samplers
    gauges: Gauges
    told: Told
    make: Callable[[FaultData, Site], Fault] = make_fault
    phase: str = ""
    began: float = 0.0

    def through(self) -> None:
        """Play all three phases."""
        faults = [self.make(strike.fault, self.site) for strike in self.schedule.strikes]
        for fault in faults:
            fault.refuse_where_useless()
        settled = self._begin("settling")
        self._until_satisfied(settled, self.budgets.settling)
        for fault in faults:  # what takes time comes before the phase, whose instants are exact
            self._look(f"controls of {fault.name}")
            fault.get_ready()
        joined = self._begin("breaking")
        for workload in (*settled, *joined):
            workload.turn(self.crew, self.began)
        self._break(faults)
        self._reach(self.began + self.schedule.breaking)
        recovering = self._begin("recovering")
        self._until_satisfied([*settled, *joined, *recovering], self.budgets.recovering)
        self._reach(self.began + self.schedule.recovering)
        self.samplers.finish(self._living())

    def _begin(self, phase: Phase) -> list[Workload]:
        """Begin a phase and its workloads; return them."""
        self.phase = phase
        self._mark(phase, "")
        began = self.began = self.site.now()
        workloads = [
            WORKLOADS[cast.kind](cast, self.site) for cast in self.schedule.of_phase(phase)
        ]
        for workload in workloads:
            workload.start(self.crew, began)
        return workloads

    def _living(self) -> list[str]:
        return [
            member.instance
            for cast in self.schedule.casts
            for member in cast.members
            if member.interval is not None
        ]

    def _until_satisfied(self, workloads: list[Workload], budget: float) -> None:
        """Wait until each has reached what it is for; go on without it when the budget is over."""
        watch = self.site.watch

        def satisfied() -> bool:
            lacking = [one for one in workloads if not one.is_satisfied(watch)]
            self._look(lacking[0].lacks(watch) if lacking else "all is there")
            return not lacking

        try:
            self.site.clock.wait_until(satisfied, budget, f"the end of {self.phase}", pace=PACE)
        except WaitedInVain:
            lacks = [one.lacks(watch) for one in workloads if not one.is_satisfied(watch)]
            self._mark(f"{self.phase} took too long", "; ".join(lacks))
            if self.phase == "settling" and (silence := watch.silence()):
                raise Unheard(f"{silence}, after {budget:g} s of settling") from None

    def _break(self, faults: list[Fault]) -> None:
        """Begin and end each fault at its instant; all are healed when this is left."""
        began = self.site.now()
        strikes = list(zip(self.schedule.strikes, faults, strict=True))
        agenda = [(began + strike.begins, number) for number, (strike, _) in enumerate(strikes)]
        heapq.heapify(agenda)
        endings: dict[int, ExitStack] = {}
        with ExitStack() as all_faults:
            while agenda:
                at, number = heapq.heappop(agenda)
                self._reach(at)
                strike, fault = strikes[number]
                if number in endings:
                    endings[number].close()
                    self._look(f"{fault.name} is healed")
                    continue
                endings[number] = all_faults.enter_context(ExitStack())
                endings[number].enter_context(fault)
                self._look(fault.said())
                fault.prove()
                lasts = strike.ends - strike.begins
                heapq.heappush(agenda, (fault.began_at + lasts, number))

    def _reach(self, at: float) -> None:
        clock = self.site.clock

        def reached() -> bool:
            self._look(f"{max(0.0, at - clock.now()):.0f} s to go")
            return clock.now() >= at

        left = max(0.0, at - clock.now())
        if not left:
            return
        clock.wait_until(reached, left + PACE, f"the instant {at:.1f} s", pace=min(PACE, left))

    def _look(self, seen: str) -> None:
        """Tell what is seen, and raise what broke in another thread or node meanwhile."""
        self.crew.check()
        self.samplers.check()
        self.gauges.check()
        for node in self.site.cluster:
            if node.has_died():
                raise NodeFailed(f"node {node.name} died by itself.", node.log_tail())
        if silence := self.site.watch.silence():
            self.told("silent", f"{self.phase}: {silence}")
        else:
            self.told(self.phase, seen)

    def _mark(self, name: str, said: str) -> None:
        self.site.history.write(Marked(at=self.site.now(), name=name, said=said))
