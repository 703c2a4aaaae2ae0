"""Instances with a client each that renew on schedule: the ground of every other workload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.workloads.tenant import Tenant

if TYPE_CHECKING:
    from eureka_tck.schedules.schedule import Cast
    from eureka_tck.workloads.crew import Crew
    from eureka_tck.workloads.site import Site
    from eureka_tck.workloads.watch import Watch


class SteadyRenewals:
    """The workload of that kind; a client keeps to its home node."""

    fails_over = False

    def __init__(self, cast: Cast, site: Site) -> None:
        self.name = cast.name
        self.tenants: tuple[Tenant, ...] = ()
        self._cast = cast
        self._site = site

    def start(self, crew: Crew, began: float) -> None:
        """Make every instance's first appointment; `began` is the begin of its phase."""
        self.tenants = tuple(
            Tenant(
                self.name,
                member,
                self._site,
                crew,
                began + member.joins,
                fails_over=self.fails_over,
            )
            for member in self._cast.members
        )

    def turn(self, crew: Crew, began: float) -> None:
        """Go on renewing when breaking begins."""

    def is_satisfied(self, watch: Watch) -> bool:
        """Whether every node shows all its instances alike."""
        return watch.everywhere(member.instance for member in self._cast.members)

    def lacks(self, watch: Watch) -> str:
        """Return what it still waits for, as the end of a sentence."""
        names = [member.instance for member in self._cast.members]
        missing = {
            node: sum(name not in watch.latest(node) for name in names) for node in watch.nodes
        }
        found = [f"{number} missing at {node}" for node, number in missing.items() if number]
        return f"{self.name}: {', '.join(found) or 'the nodes do not tell the same'}"


class FailoverRenewals(SteadyRenewals):
    """The workload of that kind: a client goes on to the next node as the real one does."""

    fails_over = True
