"""
The connections to the peers:
sends what the outboxes decide, and brings back what was answered.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

from eureka.core.errors import InvalidRequest
from eureka.core.outbox import DELIVERED
from eureka.server.alarm import Alarm
from eureka.server.changing import MISDIRECTED
from eureka.server.client import BROKEN, TOO_SLOW, RegistryClient, TooLarge
from eureka.server.healing import PATH, Mender, Unanswered
from eureka.server.standing import Standing
from eureka.server.tls import context_for
from eureka.wire.batch import read_answers, write_batch
from eureka.wire.healing import ANNOUNCEMENT

if TYPE_CHECKING:
    from eureka.core.outbox import Batch, Outbox
    from eureka.server.client import Headers, Reply
    from eureka.server.clock import Clock
    from eureka.server.log import Log
    from eureka.server.service import Service

_LATE: Final = 10  # read time-outs after which a late answer is no longer waited for


class PeerSender:
    """Replicates to one peer, for as long as it is one."""

    def __init__(self, url: str, service: Service, clock: Clock, log: Log, node_id: str) -> None:
        settings = service.settings
        self.url = url
        self.is_self = False
        self._service = service
        self._peers = service.node.peers
        self._clock = clock
        self._log = log
        self._connect = clock.real(settings.peer_connect_timeout)
        self._read = clock.real(settings.peer_read_timeout)
        self._client = RegistryClient(url, idle=30.0, tls=context_for(url, settings.security))
        self.standing = Standing(self._client.shown, clock, log)
        self._node_id = node_id.encode()
        self._alarm = Alarm(clock)
        self._current: asyncio.Task[Reply] | None = None
        self._late: asyncio.Task[Reply] | None = None
        self._task = asyncio.create_task(self._run(), name=f"replication to {self._client.shown}")
        self._mender = Mender(url, self._ask, service, clock, log, self._client.shown)

    @property
    def shown(self) -> str:
        """The URL without credentials."""
        return self._client.shown

    @property
    def outbox(self) -> Outbox | None:
        """What waits for this peer; None once it is no peer any more."""
        return self._peers.outboxes.get(self.url)

    def nudge(self) -> None:
        """Look again: a task came."""
        outbox = self.outbox
        if outbox is not None:
            self._alarm.set(outbox.wakes_at())

    async def close(self) -> None:
        """Stop at once; what waits is lost, the next renewals heal it."""
        await self._mender.close()
        await _end(self._task)
        if self._late is not None:
            await _end(self._late)
        await self._client.close()

    async def _run(self) -> None:
        while True:
            outbox = self.outbox
            batch = None if outbox is None else outbox.take(now=self._clock.monotonic())
            if outbox is None or batch is None:
                await self._alarm.wait(None if outbox is None else outbox.wakes_at())
                continue
            try:
                await self._send(batch)
            except Exception as error:  # noqa: BLE001 - one odd batch must not end replication
                self._log.failure("batch-failed", error, url=self.shown)
                outbox.timed_out(batch, now=self._clock.monotonic())

    async def _send(self, batch: Batch) -> None:
        """
        Send a batch and wait for its answer, but no longer than the read time-out.

        An answer that comes later still counts: over a slow link all of them do.
        One request at most is waited for that way,
        so a peer that hangs costs one connection more and no more.
        """
        request = asyncio.create_task(self._post(batch), name=f"batch to {self.shown}")
        self._current = request
        try:
            await asyncio.wait({request}, timeout=max(self._connect, self._read))
        except asyncio.CancelledError:
            await _end(request)
            raise
        finally:
            self._current = None
        outbox = self.outbox
        if request.cancelled():
            # The answer to an earlier attempt came meanwhile. If that was a batch of more tasks,
            # this one is still to be sent: nobody else would end its way.
            if outbox is not None:
                outbox.failed(batch, pause=0.0, now=self._clock.monotonic())
            return
        if request.done():
            self._answered(batch, request)
            return
        if outbox is not None:
            outbox.timed_out(batch, now=self._clock.monotonic())
        self.standing.failed("no answer within the read time-out", outbox)
        if self._late is None:
            self._late = request
            request.add_done_callback(partial(self._answered_late, batch))
        else:
            await _end(request)

    def _answered_late(self, batch: Batch, request: asyncio.Task[Reply]) -> None:
        self._late = None
        if request.cancelled() or request.exception() is not None:
            return
        self._answered(batch, request)
        self._alarm.ring()
        if self._current is not None and not self.standing.last_error:
            self._current.cancel()

    async def _post(self, batch: Batch) -> Reply:
        headers = [*self._identity(), (b"X-Eureka-Batch-Id", b"%d" % batch.number)]
        rift = self._peers.rifts.get(self.url)
        marked = rift is not None and rift.akin
        body = write_batch(batch.tasks, self._service.writer, marked=marked)
        started = self._clock.monotonic()
        reply = await self._client.post(
            "peerreplication/batch/", body, headers, connect=self._connect, read=self._read * _LATE
        )
        self.standing.answered(after=self._clock.real(self._clock.monotonic() - started))
        return reply

    def _answered(self, batch: Batch, request: asyncio.Task[Reply]) -> None:
        outbox = self.outbox
        if outbox is None:
            return
        now = self._clock.now()
        try:
            reply = request.result()
            answers = (
                read_answers(reply.body, arrived_ms=now.epoch_ms)
                if reply.status == DELIVERED
                else []
            )
        except TOO_SLOW as error:
            outbox.timed_out(batch, now=now.monotonic)
            self.standing.failed(type(error).__name__, outbox)
        except (InvalidRequest, TooLarge) as error:
            outbox.timed_out(batch, now=now.monotonic)
            self.standing.failed(f"an answer that cannot be read: {error}", outbox)
        except BROKEN as error:
            outbox.broken(batch, now=now.monotonic)
            self.standing.failed(str(error) or type(error).__name__, outbox)
        else:
            if reply.status == MISDIRECTED:
                self._found_itself()
            elif reply.status == DELIVERED:
                self.standing.succeeded(now)
                events = self._service.node.peer_answered(
                    self.url, batch, answers, now=now, dialect=reply.dialect
                )
                self._service.happened(events)
            else:
                outbox.refused(batch, reply.status, now=now.monotonic)
                self.standing.failed(f"HTTP status {reply.status}", outbox)
        self._mender.look()

    def _identity(self) -> Headers:
        return [
            (b"DiscoveryIdentity-Name", b"DefaultServer"),
            (b"DiscoveryIdentity-Version", b"1.0"),
            (b"DiscoveryIdentity-Id", self._service.settings.own_host.encode()),
            (b"X-Eureka-Node-Id", self._node_id),
            ANNOUNCEMENT,
        ]

    async def _ask(self, body: bytes) -> bytes:
        """
        Return the reply of a peer of our own kind to a comparison.

        It may take longer than a batch: the peer sums up all it holds.
        """
        try:
            reply = await self._client.post(
                PATH, body, self._identity(), connect=self._connect, read=self._read * _LATE
            )
        except (*TOO_SLOW, *BROKEN) as error:
            raise Unanswered(str(error)) from error
        if reply.status != DELIVERED:
            raise Unanswered(f"HTTP status {reply.status}")
        return reply.body

    def _found_itself(self) -> None:
        self.is_self = True
        self._peers.outboxes.pop(self.url, None)
        self._log.info("peer-is-this-node", url=self.shown)


async def _end(task: asyncio.Task[object]) -> None:
    """Cancel a task and wait until it is gone."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
