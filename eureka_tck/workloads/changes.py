"""Instances whose status or metadata somebody else changes while the registries are broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.schedules import workload
from eureka_tck.workloads.renewals import SteadyRenewals

if TYPE_CHECKING:
    from eureka_tck.schedules.schedule import Member
    from eureka_tck.workloads.caller import Caller
    from eureka_tck.workloads.crew import Appointment, Crew


class Overrides(SteadyRenewals):
    """The workload of that kind: an operator takes instances out of service and puts them back."""

    def turn(self, crew: Crew, began: float) -> None:
        """Appoint every change."""
        data = self._cast.data
        assert isinstance(data, workload.Overrides)  # noqa: S101 - the runner pairs kinds and data
        for member in self._cast.members:
            for number in range(data.changes):
                chosen = (member.home, member.elsewhere)[number % 2]
                node = member.home if data.by == "home" else chosen
                at = began + data.begins + number * data.every
                crew.appoint(node, at, self._change(member, sets=number % 2 == 0))

    def _change(self, member: Member, *, sets: bool) -> Appointment:
        def change(caller: Caller) -> None:
            if sets:
                caller.set_status(self.name, member, "OUT_OF_SERVICE")
            else:
                caller.remove_status(self.name, member)

        return change


class MetadataChanges(SteadyRenewals):
    """The workload of that kind."""

    def turn(self, crew: Crew, began: float) -> None:
        """Appoint every change."""
        data = self._cast.data
        assert isinstance(data, workload.MetadataChanges)  # noqa: S101 - the same
        for member in self._cast.members:
            for number in range(data.changes):
                at = began + data.begins + number * data.every
                crew.appoint(member.home, at, self._change(member, number + 1))

    def _change(self, member: Member, version: int) -> Appointment:
        def change(caller: Caller) -> None:
            caller.set_metadata(self.name, member, {"version": str(version)})

        return change
