"""Where the time of a gate went: each profile from its first test to its last, and its starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.report.model import Span
from eureka_tck.verdict.execution import Begun, Ended

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from eureka_tck.starts import Start
    from eureka_tck.verdict.execution import Event


class Timesheet:
    """The account of all passes; `now` tells real seconds since the gate began."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._profiles: dict[tuple[str, int], tuple[float, float]] = {}

    def note(self, event: Event, profiles: Mapping[str, str], attempt: int) -> None:
        """Take an event in: a test that begins opens its profile, one that ends prolongs it."""
        if isinstance(event, Begun):
            name = profiles.get(event.test, "")
        elif isinstance(event, Ended):
            name = event.result.profile
        else:
            return
        if name:
            begin, _ = self._profiles.get((name, attempt), (self._now(), 0.0))
            self._profiles[name, attempt] = (begin, self._now())

    def spans(self, starts: Iterable[Start], began: float) -> tuple[Span, ...]:
        """Return all spans; `began` is the unix time of the gate's begin."""
        found = [
            Span(profile=name, kind="judged", begin=begin, end=end, attempt=attempt)
            for (name, attempt), (begin, end) in self._profiles.items()
        ]
        for start in starts:
            asked, begun, over = (at - began for at in (start.asked, start.begun, start.over))
            found.append(
                Span(profile=start.cluster, kind="waiting", begin=asked, end=begun, node=start.node)
            )
            found.append(
                Span(profile=start.cluster, kind="starting", begin=begun, end=over, node=start.node)
            )
        return tuple(found)
