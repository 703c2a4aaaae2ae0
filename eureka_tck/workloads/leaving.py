"""Instances that leave while the registries are broken, for good or for a while, or that move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.schedules import workload
from eureka_tck.workloads.renewals import SteadyRenewals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eureka_tck.workloads.crew import Appointment, Crew
    from eureka_tck.workloads.tenant import Tenant
    from eureka_tck.workloads.watch import Watch


class Leaving(SteadyRenewals):
    """The workload of that kind."""

    has_left = False

    def turn(self, crew: Crew, began: float) -> None:
        """Appoint when each of them leaves."""
        data = self._cast.data
        assert isinstance(data, workload.Leaving)  # noqa: S101 - the runner pairs kinds and data
        for tenant, share in _shares(self.tenants):
            act: Appointment = tenant.leave if data.how == "cancel" else tenant.fall_silent
            crew.appoint(tenant.node, began + data.leaves + share * data.spread, act)
        self.has_left = True

    def is_satisfied(self, watch: Watch) -> bool:
        """Whether all are shown, or all are gone once they had to leave."""
        if not self.has_left:
            return super().is_satisfied(watch)
        return watch.gone(member.instance for member in self._cast.members)

    def lacks(self, watch: Watch) -> str:
        """Return what it still waits for, as the end of a sentence."""
        if not self.has_left:
            return super().lacks(watch)
        names = [member.instance for member in self._cast.members]
        left = {node: sum(name in watch.latest(node) for name in names) for node in watch.nodes}
        found = [f"{number} still at {node}" for node, number in left.items() if number]
        return f"{self.name}: {', '.join(found) or 'not yet seen everywhere'}"


class Churn(SteadyRenewals):
    """The workload of that kind, and a rolling redeploy."""

    def turn(self, crew: Crew, began: float) -> None:
        """Appoint when each of them leaves and returns."""
        data = self._cast.data
        for number, (tenant, share) in enumerate(_shares(self.tenants)):
            if isinstance(data, workload.Redeploy):
                at, times, away, stays = data.leaves + number * data.every, 1, data.away, 0.0
            else:
                assert isinstance(data, workload.Churn)  # noqa: S101 - the runner pairs them
                at, times = data.leaves + share * data.spread, data.times
                away, stays = data.away, data.stays
            for _ in range(times):
                crew.appoint(tenant.node, began + at, tenant.leave)
                crew.appoint(tenant.node, began + at + away, tenant.return_)
                at += away + stays


class Moving(SteadyRenewals):
    """The workload of that kind."""

    def turn(self, crew: Crew, began: float) -> None:
        """Appoint when each of them moves."""
        data = self._cast.data
        assert isinstance(data, workload.Moving)  # noqa: S101 - the runner pairs kinds and data
        for tenant, share in _shares(self.tenants):
            crew.appoint(tenant.node, began + data.moves + share * data.spread, tenant.move)


def _shares(tenants: tuple[Tenant, ...]) -> Iterator[tuple[Tenant, float]]:
    """Return each with its place between the first, 0, and the end, 1."""
    for number, tenant in enumerate(tenants):
        yield tenant, number / len(tenants)
