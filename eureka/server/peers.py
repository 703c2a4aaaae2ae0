"""
The connections to the peers:
sends what the outboxes decide, and brings back what was answered.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ssl
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit, urlunsplit

import httpcore
import msgspec

from eureka.core.errors import InvalidRequest
from eureka.core.outbox import DELIVERED
from eureka.server.changing import MISDIRECTED
from eureka.server.healing import PATH, Mender, Unanswered
from eureka.server.tls import context_for
from eureka.wire.batch import read_answers, write_batch
from eureka.wire.healing import ANNOUNCEMENT

if TYPE_CHECKING:
    from eureka.core.outbox import Batch, Outbox
    from eureka.server.clock import Clock
    from eureka.server.log import Log
    from eureka.server.service import Service

SUMMARY: Final = 300.0  # registry seconds between two lines about a peer that goes on failing
QUIET: Final = 60.0  # registry seconds between two lines about a peer that comes and goes
_LARGEST_ANSWER: Final = 64 * 1024 * 1024  # bytes; 250 instances at 16 KiB each would be 4 MiB
_LARGEST_COPY: Final = 1024 * 1024 * 1024  # bytes; a million instances
_LATE: Final = 10  # read time-outs after which a late answer is no longer waited for
_CONNECTIONS: Final = 3  # the batch under way, one that may still answer late, a comparison
TOO_SLOW: Final = (httpcore.TimeoutException, TimeoutError)
BROKEN: Final = (httpcore.NetworkError, httpcore.ProtocolError, OSError, ssl.SSLError)

Headers = list[tuple[bytes, bytes]]


class Reply(msgspec.Struct, frozen=True, gc=False):
    """A peer's HTTP status and body, and the dialect in which it announced to compare, if any."""

    status: int
    parts: list[bytes]
    dialect: str = ""

    @property
    def body(self) -> bytes:
        """The body; to join a hundred megabytes is nothing for the loop."""
        return b"".join(self.parts)


class TooLarge(Exception):  # noqa: N818 - reads as the statement it is
    """A body beyond what any peer has to say."""


class PeerClient:
    """HTTP to one peer: bounded in time and bytes, no redirects, no proxies."""

    def __init__(self, url: str, *, idle: float, tls: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        self.host = parts.hostname or ""
        self.shown = urlunsplit((parts.scheme, host, parts.path, "", ""))
        context = parts.path.rpartition("/eureka/")[0]
        self._root = urlunsplit((parts.scheme, host, context, "", ""))
        self._headers: Headers = [(b"Accept", b"application/json")]
        if parts.username is not None:
            login = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
            self._headers.append((b"Authorization", b"Basic " + base64.b64encode(login)))
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls, max_connections=_CONNECTIONS, keepalive_expiry=idle
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()

    async def fetch(
        self, path: str, *, connect: float, read: float, headers: Headers | None = None
    ) -> Reply:
        """Return the answer to a GET; time-outs in real seconds."""
        return await self._call("GET", path, None, headers or [], (connect, read), _LARGEST_COPY)

    async def post(
        self, path: str, body: bytes, headers: Headers, *, connect: float, read: float
    ) -> Reply:
        """
        Return the answer to a POST of JSON; time-outs in real seconds.

        A path with a slash before it is counted from the server's root.
        """
        headers = [*headers, (b"Content-Type", b"application/json")]
        return await self._call("POST", path, body, headers, (connect, read), _LARGEST_ANSWER)

    async def _call(
        self,
        method: str,
        path: str,
        body: bytes | None,
        headers: Headers,
        timeouts: tuple[float, float],
        largest: int,
    ) -> Reply:
        connect, read = timeouts
        timeout = {"connect": connect, "read": read, "write": read, "pool": connect}
        parts: list[bytes] = []
        size = 0
        async with self._pool.stream(
            method,
            (self._root if path.startswith("/") else self.shown) + path,
            headers=[*self._headers, *headers],
            content=body,
            extensions={"timeout": timeout},
        ) as response:
            async for part in response.aiter_stream():
                parts.append(part)
                size += len(part)
                if size > largest:
                    raise TooLarge
        dialect = next((v for name, v in response.headers if name.lower() == ANNOUNCEMENT[0]), b"")
        return Reply(response.status, parts, dialect.decode("latin-1"))


class PeerSender:
    """Replicates to one peer, for as long as it is one."""

    def __init__(self, url: str, service: Service, clock: Clock, log: Log, node_id: str) -> None:
        settings = service.settings
        self.url = url
        self.is_self = False
        self.last_success_ms = 0
        self.last_error = ""
        self.answers = 0
        self.answer_seconds = 0.0  # real seconds from the beginnings of batches to their answers
        self._told_of_failure = False
        self._quiet_until = 0.0
        self._failing_since = 0.0
        self._summary_at = 0.0
        self._service = service
        self._clock = clock
        self._log = log
        self._connect = clock.real(settings.peer_connect_timeout)
        self._read = clock.real(settings.peer_read_timeout)
        self._client = PeerClient(url, idle=30.0, tls=context_for(url, settings.security))
        self._node_id = node_id.encode()
        self._wanted = asyncio.Event()
        self._sleeps_until: float | None = None
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
        return self._service.node.outboxes.get(self.url)

    def nudge(self) -> None:
        """Look again: a task came."""
        outbox = self.outbox
        due = outbox.wakes_at() if outbox is not None else None
        if due is not None and (self._sleeps_until is None or due < self._sleeps_until):
            self._wanted.set()

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
                await self._rest(None if outbox is None else outbox.wakes_at())
                continue
            try:
                await self._send(batch)
            except Exception as error:  # noqa: BLE001 - one odd batch must not end replication
                self._log.failure("batch-failed", error, url=self.shown)
                outbox.timed_out(batch, now=self._clock.monotonic())

    async def _rest(self, due: float | None) -> None:
        """Wait for a moment, a task or a late answer."""
        self._sleeps_until = due
        self._wanted.clear()
        rest = None if due is None else self._clock.real(due - self._clock.monotonic())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None if rest is None else max(rest, 0.001)):
                await self._wanted.wait()
        self._sleeps_until = None

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
        self._failed("no answer within the read time-out")
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
        self._wanted.set()
        if self._current is not None and not self.last_error:
            self._current.cancel()

    async def _post(self, batch: Batch) -> Reply:
        headers = [*self._identity(), (b"X-Eureka-Batch-Id", b"%d" % batch.number)]
        rift = self._service.node.rifts.get(self.url)
        marked = rift is not None and rift.akin
        body = write_batch(batch.tasks, self._service.writer, marked=marked)
        started = self._clock.monotonic()
        reply = await self._client.post(
            "peerreplication/batch/", body, headers, connect=self._connect, read=self._read * _LATE
        )
        self.answers += 1
        self.answer_seconds += self._clock.real(self._clock.monotonic() - started)
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
            self._failed(type(error).__name__)
        except (InvalidRequest, TooLarge) as error:
            outbox.timed_out(batch, now=now.monotonic)
            self._failed(f"an answer that cannot be read: {error}")
        except BROKEN as error:
            outbox.broken(batch, now=now.monotonic)
            self._failed(str(error) or type(error).__name__)
        else:
            if reply.status == MISDIRECTED:
                self._found_itself()
            elif reply.status == DELIVERED:
                self._succeeded(now.epoch_ms)
                events = self._service.node.peer_answered(
                    self.url, batch, answers, now=now, dialect=reply.dialect
                )
                self._service.happened(events)
            else:
                outbox.refused(batch, reply.status, now=now.monotonic)
                self._failed(f"HTTP status {reply.status}")
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
        self._service.node.outboxes.pop(self.url, None)
        self._log.info("peer-is-this-node", url=self.shown)

    def _succeeded(self, epoch_ms: int) -> None:
        if self._told_of_failure:
            self._told_of_failure = False
            lasted = self._clock.monotonic() - self._failing_since
            self._log.info("peer-answers-again", url=self.shown, after=lasted)
        self.last_success_ms = epoch_ms
        self.last_error = ""

    def _failed(self, error: str) -> None:
        """
        Say once that a peer fails, not at every attempt; of one that comes and goes, seldom;
        of one that goes on failing, now and then.
        """
        now = self._clock.monotonic()
        if not self.last_error and now >= self._quiet_until:
            self._quiet_until = now + QUIET
            self._told_of_failure = True
            self._failing_since = now
            self._summary_at = now + SUMMARY
            self._log.warning("peer-fails", url=self.shown, error=error)
        elif self._told_of_failure and now >= self._summary_at:
            self._summary_at = now + SUMMARY
            outbox = self.outbox
            self._log.warning(
                "peer-still-fails",
                url=self.shown,
                error=error,
                since=now - self._failing_since,
                queued=outbox.waiting if outbox is not None else 0,
                dropped=outbox.dropped if outbox is not None else 0,
            )
        self.last_error = error


async def _end(task: asyncio.Task[object]) -> None:
    """Cancel a task and wait until it is gone."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
