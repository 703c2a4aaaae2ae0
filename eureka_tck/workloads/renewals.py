"""
Instances with a client each: they register, then renew on schedule, as Eureka's clients do.

A renewal answered 404 is followed by a registration with a newer T at once; any other failure is
tried again at the next renewal. A client keeps to its home node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from eureka_tck.schedules.schedule import Cast, Member
    from eureka_tck.workloads.caller import Caller
    from eureka_tck.workloads.crew import Crew
    from eureka_tck.workloads.site import Site
    from eureka_tck.workloads.watch import Watch

UNKNOWN_HERE: Final = 404
RETRY: Final = 1.0
"""s between a registration that failed and the next attempt."""


class SteadyRenewals:
    """The workload of that kind."""

    def __init__(self, cast: Cast, site: Site) -> None:
        self.name = cast.name
        self._cast = cast
        self._site = site

    def start(self, crew: Crew, began: float) -> None:
        """Make every instance's first appointment; `began` is the begin of its phase."""
        for member in self._cast.members:
            at = began + member.joins
            crew.appoint(member.home, at, _Client(self.name, member, self._site, at))

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


class _Client:
    """One instance's client; called whenever its appointment is due."""

    def __init__(self, who: str, member: Member, site: Site, due: float) -> None:
        self._who = who
        self._member = member
        self._site = site
        self._due = due
        self._dirty_ms = 0
        self._is_registered = False

    def __call__(self, caller: Caller) -> float:
        clock = self._site.clock
        if self._is_registered:
            done = caller.renew(self._who, self._member, self._dirty_ms)
            if done.status == UNKNOWN_HERE:
                self._register(caller)
        else:
            self._register(caller)
            if not self._is_registered:
                self._due = clock.now() + RETRY
                return self._due
        while self._due <= clock.now():  # renewals that were missed are not made up
            self._due += self._member.interval or self._member.lease
        return self._due

    def _register(self, caller: Caller) -> None:
        # T is the client's own time of its last change; a change within a millisecond is none
        self._dirty_ms = max(self._site.clock.epoch_ms(), self._dirty_ms + 1)
        self._is_registered = (
            caller.register(self._who, self._member, self._dirty_ms).outcome == "ok"
        )
