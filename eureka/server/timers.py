"""What happens by itself: the registry's deadlines and the refresh of the read-only cache."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from eureka.core.event import Evicted, EvictionRan, PreservationChanged, Recounted

if TYPE_CHECKING:
    from random import Random
    from types import TracebackType

    from eureka.core.event import Event
    from eureka.server.clock import Clock
    from eureka.server.log import Log
    from eureka.server.service import Service

SHOWN = 10  # evicted instances that the log names
PAUSE_AFTER_FAULT = 1.0  # real seconds
SHORTEST = 0.001  # real seconds; the loop's timers are no finer


class Timers:
    """The tasks of a server that wait; leaving the block ends them."""

    def __init__(self, service: Service, clock: Clock, log: Log, rng: Random) -> None:
        self._service = service
        self._clock = clock
        self._log = log
        self._rng = rng
        self._tasks: list[asyncio.Task[None]] = []
        self._opened = asyncio.Event()
        self._gone: list[str] = []  # by the run of eviction under way

    async def __aenter__(self) -> Self:
        self._tasks.append(asyncio.create_task(self._tick(), name="registry-deadlines"))
        if self._service.settings.read_only_cache:
            self._tasks.append(asyncio.create_task(self._refresh(), name="cache-refresh"))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def opened(self) -> None:
        """Tell that the registry opened: it has deadlines now."""
        self._opened.set()

    async def _tick(self) -> None:
        node = self._service.node
        await self._opened.wait()
        while (due := node.next_deadline()) is not None:
            # Always a turn for others: a large run of eviction is due again at once.
            await asyncio.sleep(0)
            await self._until(due)
            try:
                events = node.tick(now=self._clock.now(), rng=self._rng)
                self._service.happened(events)
            except Exception as error:  # noqa: BLE001 - the next run may be fine
                await self._survive("tick-failed", error)
            else:
                self._tell(events)

    async def _refresh(self) -> None:
        interval = self._service.settings.cache_update_interval
        due = self._clock.monotonic()
        while True:
            due = max(due + interval, self._clock.monotonic())
            await self._until(due)
            try:
                preparation = self._service.reading.preparation
                await preparation.refresh()
                cache, now = self._service.cache, self._clock.monotonic()
                for _ in cache.refreshing(now=now, but=preparation.is_large):
                    await asyncio.sleep(0)
            except Exception as error:  # noqa: BLE001 - the same
                await self._survive("refresh-failed", error)

    async def _survive(self, event: str, error: Exception) -> None:
        """Go on after a fault of this program, but not at full speed."""
        self._log.failure(event, error)
        await asyncio.sleep(PAUSE_AFTER_FAULT)

    async def _until(self, due: float) -> None:
        """Wait for a moment; the loop's timers may wake up to a millisecond early."""
        while True:
            rest = self._clock.real(due - self._clock.monotonic())
            if rest <= 0:
                return
            await asyncio.sleep(max(rest, SHORTEST))

    def _tell(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Evicted):
                if len(self._gone) <= SHOWN:
                    self._gone.append(str(event.instance.key))
            elif isinstance(event, EvictionRan):
                gone, self._gone = self._gone, []
                if not event.evicted:
                    continue
                self._log.info(
                    "evicted",
                    instances=event.evicted,
                    overdue=event.overdue,
                    limit=event.limit,
                    compensation=event.compensation,
                    names=",".join(gone[:SHOWN]) + (",…" if len(gone) > SHOWN else ""),
                )
            elif isinstance(event, PreservationChanged):
                self._log.warning(
                    "expiry-enabled" if event.expiry_enabled else "self-preservation",
                    reason=event.reason,
                    renewals=event.renewals,
                    threshold=event.threshold,
                )
            elif isinstance(event, Recounted):
                self._log.info("recounted", clients=event.clients, threshold=event.threshold)
