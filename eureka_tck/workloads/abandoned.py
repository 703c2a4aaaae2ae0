"""Instances that register once and are never heard of again: they have to go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.workloads.tenant import RETRY

if TYPE_CHECKING:
    from eureka_tck.schedules.schedule import Cast, Member
    from eureka_tck.workloads.caller import Caller
    from eureka_tck.workloads.crew import Appointment, Crew
    from eureka_tck.workloads.site import Site
    from eureka_tck.workloads.watch import Watch


class Abandoned:
    """The workload of that kind."""

    def __init__(self, cast: Cast, site: Site) -> None:
        self.name = cast.name
        self._cast = cast
        self._site = site

    def start(self, crew: Crew, began: float) -> None:
        """Make every instance's only appointment; `began` is the begin of its phase."""
        for member in self._cast.members:
            crew.appoint(member.home, began + member.joins, self._registration(member))

    def turn(self, crew: Crew, began: float) -> None:
        """Do nothing when breaking begins."""

    def is_satisfied(self, watch: Watch) -> bool:
        """Whether all its instances are gone from every node, having been there."""
        return watch.gone(member.instance for member in self._cast.members)

    def lacks(self, watch: Watch) -> str:
        """Return what it still waits for, as the end of a sentence."""
        names = [member.instance for member in self._cast.members]
        left = [node for node in watch.nodes if any(name in watch.latest(node) for name in names)]
        return f"{self.name}: still at {', '.join(left)}" if left else f"{self.name}: not yet seen"

    def _registration(self, member: Member) -> Appointment:
        def register(caller: Caller) -> float | None:
            clock = self._site.clock
            done = caller.register(self.name, member, clock.epoch_ms())
            return None if done.outcome == "ok" else clock.now() + RETRY

        return register
