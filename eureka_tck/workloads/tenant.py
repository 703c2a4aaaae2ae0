"""
The client of one instance: it registers, renews on schedule, and leaves, returns or moves.

A renewal answered 404 is followed by a registration with a newer T at once; any other failure is
tried again at the next renewal, or at once at the next node by a client that fails over.
All it does is an appointment with the thread of the node that it is at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from eureka_tck.history.event import Completed
    from eureka_tck.schedules.schedule import Member
    from eureka_tck.workloads.caller import Caller
    from eureka_tck.workloads.crew import Crew
    from eureka_tck.workloads.site import Site

UNKNOWN_HERE: Final = 404
SERVER_ERRORS: Final = 500
RETRY: Final = 1.0
"""s between a registration that failed and the next attempt."""


class Tenant:
    """One instance's client; called whenever its appointment is due."""

    def __init__(
        self,
        who: str,
        member: Member,
        site: Site,
        crew: Crew,
        due: float,
        *,
        fails_over: bool = False,
    ) -> None:
        self.member = member
        self.node = member.home
        self._who = who
        self._site = site
        self._crew = crew
        self._due = due
        self._fails_over = fails_over
        self._dirty_ms = 0
        self._is_registered = False
        self._is_away = False
        self._is_silent = False
        crew.appoint(self.node, due, self)

    def __call__(self, caller: Caller) -> float | None:
        """Make the call that is due; return when the next one is."""
        if self._is_silent or caller.node != self.node:
            return None
        if not self._is_away:
            done = self._call(caller)
            if self._fails_over and self._gave_no_answer(done):
                self._go(self._next_node())
                return None
            if not self._is_registered:
                self._due = self._site.clock.now() + RETRY
                return self._due
        while self._due <= self._site.clock.now():  # renewals that were missed are not made up
            self._due += self.member.interval or self.member.lease
        return self._due

    def leave(self, caller: Caller) -> None:
        """Cancel, as a client does that shuts down; once, whatever comes of it."""
        self._is_away = True
        self._is_registered = False
        caller.cancel(self._who, self.member)

    def fall_silent(self, _: Caller) -> None:
        """Never call again, as one that is killed."""
        self._is_silent = True

    def return_(self, caller: Caller) -> None:
        """Register again, with a newer T; the next renewal tries again what failed."""
        self._is_away = False
        self._register(caller)

    def move(self, _: Caller) -> None:
        """Go to the other node, register there, and renew there from then on."""
        self._is_registered = False
        self._go(self.member.elsewhere)

    def _call(self, caller: Caller) -> Completed:
        if not self._is_registered:
            return self._register(caller)
        done = caller.renew(self._who, self.member, self._dirty_ms)
        return self._register(caller) if done.status == UNKNOWN_HERE else done

    def _register(self, caller: Caller) -> Completed:
        # T is the client's own time of its last change; a change within a millisecond is none
        self._dirty_ms = max(self._site.clock.epoch_ms(), self._dirty_ms + 1)
        done = caller.register(self._who, self.member, self._dirty_ms)
        self._is_registered = done.outcome == "ok"
        return done

    def _gave_no_answer(self, done: Completed) -> bool:
        return done.status is None or done.status >= SERVER_ERRORS

    def _next_node(self) -> str:
        nodes = self._site.nodes
        return nodes[(nodes.index(self.node) + 1) % len(nodes)]

    def _go(self, node: str) -> None:
        """Go on at another node, at once but not oftener than a retry."""
        self.node = node
        self._due = self._site.clock.now() + RETRY
        self._crew.appoint(node, self._due, self)
