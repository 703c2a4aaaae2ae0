"""
Locust's `events.request` of a fleet: an event for each request, and Locust's statistics in bulk.

Locust's own listener enters each request into the statistics, which costs as much as the request.
What it would enter is entered in bulk; every other listener hears an event for each request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from locust.event import EventHook

from eureka_tck.fleet.stats_ledger import StatsLedger

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from locust.env import Environment

    from eureka_tck.fleet.call import Call

_OWN: Final = ("locust.runners", "Runner.__init__.<locals>.on_request")
"""Module and name of the listener that makes Locust's statistics; unknown, it is fired at too."""


class RefusedError(Exception):
    """A request was not answered as it should be."""


class Events:
    """Tells Locust of a fleet's requests; `silent` fires no event at all."""

    def __init__(self, environment: Environment, *, silent: bool = False) -> None:
        self._silent = silent
        self._hook = environment.events.request
        self._ledger = StatsLedger(environment.stats)
        self._seen: list[Callable[..., Any]] | None = None
        self._others = EventHook()  # type: ignore[no-untyped-call] # Locust leaves it so
        self._in_bulk = True

    def tell(self, calls: Sequence[Call], latencies: Sequence[float]) -> None:
        """Tell of finished requests, all of one kind and answered alike; latencies are in s."""
        if self._silent:
            self._ledger.note(calls, latencies)
            return
        if self._hook._handlers != self._seen:  # noqa: SLF001 - Locust has no other way to ask
            self._look()
        if self._in_bulk:
            self._ledger.note(calls, latencies)
        fire: Any = self._others.fire
        kind = calls[0].kind
        verb, name = kind.verb, kind.name
        for call, latency in zip(calls, latencies, strict=True):
            fire(
                request_type=verb,
                name=name,
                response_time=latency * 1000,
                response_length=call.size,
                exception=RefusedError(call.problem) if call.problem else None,
                context={},
            )

    def flush(self) -> None:
        """Enter into Locust's statistics what was told."""
        self._ledger.flush()

    def _look(self) -> None:
        """Tell Locust's own listener from the others; they may come and go."""
        self._seen = list(self._hook._handlers)  # noqa: SLF001 - the same
        others = [one for one in self._seen if not _is_locusts(one)]
        self._in_bulk = len(others) == len(self._seen) - 1
        self._others._handlers = others if self._in_bulk else self._seen  # noqa: SLF001 - the same


def _is_locusts(listener: Callable[..., Any]) -> bool:
    module = getattr(listener, "__module__", None)
    return (module, getattr(listener, "__qualname__", None)) == _OWN
