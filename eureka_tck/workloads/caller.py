"""A client of one node that records each call with its beginning and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.history.event import Completed, Invoked
from eureka_tck.wire.errors import NoAnswer
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eureka_tck.history.event import Outcome, Verb
    from eureka_tck.schedules.schedule import Member
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.client import WireClient
    from eureka_tck.workloads.site import Site

NEVER_SENT: Final = frozenset({"refused", "unreachable"})
"""Endings after which the registry certainly did nothing."""

OK: Final = range(200, 300)
SERVER_ERROR: Final = range(500, 600)


class Caller:
    """Calls one node for one workload at a time; used by one thread."""

    def __init__(self, site: Site, node: str) -> None:
        self.node = node
        self._site = site
        self._client: WireClient = site.client(node)

    def register(self, who: str, member: Member, dirty_ms: int) -> Completed:
        """Register the instance as its client would, T being `dirty_ms`."""
        body = sample(
            member.app,
            member.id,
            duration=round(member.lease),
            interval=round(member.interval or member.lease),
            metadata={"number": str(member.number), "home": member.home},
            lastDirtyTimestamp=str(dirty_ms),
            lastUpdatedTimestamp=str(dirty_ms),
        )
        return self._call(
            who,
            "register",
            member,
            lambda: self._client.register(body),
            dirty_ms=dirty_ms,
            value="UP",
        )

    def renew(self, who: str, member: Member, dirty_ms: int) -> Completed:
        """Renew the lease, with status and T as clients send them."""
        return self._call(
            who,
            "renew",
            member,
            lambda: self._client.renew(member.app, member.id, dirty=dirty_ms, status="UP"),
        )

    def cancel(self, who: str, member: Member) -> Completed:
        """Cancel the registration."""
        return self._call(who, "cancel", member, lambda: self._client.cancel(member.app, member.id))

    def set_status(self, who: str, member: Member, status: str) -> Completed:
        """Override the status, as an operator does: without a T."""
        return self._call(
            who,
            "status",
            member,
            lambda: self._client.set_status(member.app, member.id, status),
            value=status,
        )

    def remove_status(self, who: str, member: Member) -> Completed:
        """Free the instance of its override."""
        return self._call(
            who,
            "remove-status",
            member,
            lambda: self._client.remove_status(member.app, member.id, "UP"),
            value="UP",
        )

    def set_metadata(self, who: str, member: Member, entries: Mapping[str, str]) -> Completed:
        """Add or replace keys of the metadata."""
        return self._call(
            who,
            "metadata",
            member,
            lambda: self._client.set_metadata(member.app, member.id, entries),
        )

    def read(self, who: str, *, delta: bool = False) -> Answer | None:
        """Read the whole list, or what has changed lately; None where that came to nothing."""
        kept: list[Answer] = []

        def call() -> Answer:
            kept.append(self._client.delta() if delta else self._client.apps())
            return kept[0]

        done = self._call(who, "read-delta" if delta else "read", None, call)
        return kept[0] if done.outcome == "ok" else None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _call(
        self,
        who: str,
        verb: Verb,
        member: Member | None,
        call: Callable[[], Answer],
        *,
        dirty_ms: int | None = None,
        value: str = "",
    ) -> Completed:
        history = self._site.history
        op = history.number()
        leases = member if verb == "register" else None
        history.write(
            Invoked(
                at=self._site.now(),
                op=op,
                who=who,
                node=self.node,
                verb=verb,
                instance=member.instance if member else "",
                dirty_ms=dirty_ms,
                lease=leases.lease if leases else None,
                interval=leases.interval if leases else None,
                value=value,
            )
        )
        status: int | None = None
        error = ""
        try:
            status = call().status
            outcome = _outcome(status)
        except NoAnswer as why:
            outcome = "refused" if why.kind in NEVER_SENT else "unknown"
            error = f"{why.kind}: {why.detail}"
        done = Completed(at=self._site.now(), op=op, outcome=outcome, status=status, error=error)
        history.write(done)
        if outcome == "ok" and member is not None:
            self._note(verb, member, dirty_ms)
        return done

    def _note(self, verb: Verb, member: Member, dirty_ms: int | None) -> None:
        if verb == "register" and dirty_ms is not None:
            self._site.watch.registered(member.instance, dirty_ms)
        elif verb == "cancel":
            self._site.watch.cancelled(member.instance)


def _outcome(status: int) -> Outcome:
    if status in OK:
        return "ok"
    return "unknown" if status in SERVER_ERROR else "refused"
