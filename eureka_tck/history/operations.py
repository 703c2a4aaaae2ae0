"""Client calls, each with its beginning and its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.history.event import Completed, Invoked

if TYPE_CHECKING:
    from eureka_tck.history.event import Outcome, Verb
    from eureka_tck.history.reader import History


@dataclass(frozen=True, slots=True)
class Operation:
    """
    One call: the registry acted on it at some instant between `invoked` and `completed`.

    A call whose end was never recorded is unknown, and `completed` is None.
    """

    op: int
    who: str
    node: str
    verb: Verb
    instance: str
    invoked: float
    completed: float | None
    outcome: Outcome
    status: int | None = None
    error: str = ""
    dirty_ms: int | None = None
    lease: float | None = None
    interval: float | None = None
    value: str = ""

    @property
    def ok(self) -> bool:
        """Whether the registry certainly did it."""
        return self.outcome == "ok"


def operations(history: History) -> tuple[Operation, ...]:
    """Return the calls in the order in which they began."""
    ends = {event.op: event for event in history.events if isinstance(event, Completed)}
    return tuple(
        _operation(event, ends.get(event.op))
        for event in history.events
        if isinstance(event, Invoked)
    )


def _operation(begin: Invoked, end: Completed | None) -> Operation:
    return Operation(
        op=begin.op,
        who=begin.who,
        node=begin.node,
        verb=begin.verb,
        instance=begin.instance,
        invoked=begin.at,
        completed=end.at if end else None,
        outcome=end.outcome if end else "unknown",
        status=end.status if end else None,
        error=end.error if end else "",
        dirty_ms=begin.dirty_ms,
        lease=begin.lease,
        interval=begin.interval,
        value=begin.value,
    )
