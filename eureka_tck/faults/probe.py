"""An instance that is registered at one node only to see whether it arrives at others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.history.event import PROBE
from eureka_tck.schedules.schedule import Member
from eureka_tck.wire.errors import WireError
from eureka_tck.workloads.caller import Caller

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Self

    from eureka_tck.workloads.site import Site

APP: Final = "PROBE"
WHO: Final = PROBE
LEASE: Final = 60.0  # s: it is cancelled long before; should that fail, it dies as others do
INTERVAL: Final = 10.0  # s: R, for so long its registration is tried again (REPL-06)
CROSSING_BUDGET: Final = 30.0  # s to arrive or to go over a healthy link: 0.5 s, or the retry after
FOUND: Final = 200
ABSENT: Final = 404


class Probe:
    """A context manager: registered at `source` inside the block, cancelled on leaving."""

    def __init__(self, name: str, source: str, sinks: Sequence[str], site: Site) -> None:
        self.source = source
        self.sinks = tuple(sinks)
        self.registered_at = 0.0
        self.is_registered = False
        self._site = site
        self._member = Member(
            app=APP, id=name, number=0, home=source, joins=0.0, lease=LEASE, interval=INTERVAL
        )
        self._caller = Caller(site, source)
        self._readers = {sink: site.client(sink) for sink in sinks}

    @property
    def instance(self) -> str:
        """The name under which it stands in the history."""
        return self._member.instance

    def __enter__(self) -> Self:
        clock = self._site.clock
        done = self._caller.register(WHO, self._member, clock.epoch_ms())
        self.is_registered = done.outcome == "ok"
        self.registered_at = done.at
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._cancel()
        self._caller.close()
        for reader in self._readers.values():
            reader.close()

    def has_stayed_away(self) -> bool:
        """Whether it is at its source, and every other node says that it does not know it."""
        return self.is_registered and self._sinks_that_answer(ABSENT) == self.sinks

    def await_arrival(self) -> float | None:
        """Return how long it took to arrive everywhere, in registry seconds; None if it did not."""
        return self._await(FOUND, "to arrive")

    def await_end(self) -> float | None:
        """Cancel it and return how long it took to be gone from everywhere; None if it was not."""
        self._cancel()
        return self._await(ABSENT, "to be gone")

    def _cancel(self) -> None:
        if self.is_registered:
            self.is_registered = self._caller.cancel(WHO, self._member).outcome != "ok"

    def _await(self, status: int, what: str) -> float | None:
        clock = self._site.clock
        began = clock.now()
        try:
            clock.wait_until(
                lambda: self._sinks_that_answer(status) == self.sinks,
                within=CROSSING_BUDGET,
                what=f"{self.instance} {what}",
            )
        except WaitedInVain:
            return None
        return clock.now() - began

    def _sinks_that_answer(self, status: int) -> tuple[str, ...]:
        return tuple(sink for sink in self.sinks if self._status(sink) == status)

    def _status(self, sink: str) -> int | None:
        try:
            return self._readers[sink].instance(self._member.app, self._member.id).status
        except WireError:
            return None
