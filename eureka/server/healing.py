"""
Comparisons with peers of our own kind: the endpoint, and for each peer the task that asks it.

A registry of 100,000 instances is summed up in slices, so that no other call waits for long.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, cast

from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from eureka.core.comparison import Digest, Summary
from eureka.core.errors import InvalidRequest
from eureka.core.rift import ENDLESS
from eureka.server.alarm import Alarm
from eureka.wire.healing import ANNOUNCEMENT, read_question, read_reply, write_message

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from starlette.requests import Request

    from eureka.core.comparison import Reply
    from eureka.core.event import Event
    from eureka.core.instance import Key
    from eureka.server.clock import Clock
    from eureka.server.cluster import Cluster
    from eureka.server.log import Log
    from eureka.server.service import Service

PATH: Final = "/registry/healing"
"""Beside the protocol's own paths, so that no client meets it."""

_SLICE: Final = 1_000  # leases summed up before other calls are served: some 5 ms
_JSON: Final = "application/json"


def routes(service: Service, _cluster: Cluster) -> list[BaseRoute]:
    """Return the endpoint that answers comparisons."""

    async def answer(request: Request) -> Response:
        if request.headers.get(ANNOUNCEMENT[0].decode(), "").encode() != ANNOUNCEMENT[1]:
            return Response("This node compares in another dialect.", 409, media_type="text/plain")
        body = await _read(request, largest=service.settings.max_body)
        if body is None:
            return Response(status_code=413)
        try:
            question = read_question(body)
        except InvalidRequest as refusal:
            return Response(str(refusal), 400, media_type="text/plain")
        node = service.node
        reply: Reply
        if isinstance(question, Digest):
            own = await summary_of(service)
            reply = node.healer.holdings(question, own, now=service.clock.now())
        else:
            reply, events = node.exchange(question, now=service.clock.now())
            service.happened(events)
        return Response(write_message(reply), media_type=_JSON)

    return [Route(PATH, answer, methods=["POST"])]


async def summary_of(service: Service) -> Summary:
    """Sum up the registry, serving other calls in between."""
    summary = Summary()
    leases = list(service.node.registry.leases)
    for start in range(0, len(leases), _SLICE):
        summary.add(leases[start : start + _SLICE])
        await asyncio.sleep(0)
    return summary


class Unanswered(Exception):  # noqa: N818 - reads as the statement it is
    """No answer to a comparison, or a refusal."""


class Mender:
    """Compares with one peer whenever the node finds a cause, for as long as it is a peer."""

    def __init__(
        self,
        url: str,
        ask: Callable[[bytes], Coroutine[object, object, bytes]],
        service: Service,
        clock: Clock,
        log: Log,
        shown: str,
    ) -> None:
        self._url = url
        self._shown = shown
        self._ask = ask
        self._service = service
        self._peers = service.node.peers
        self._clock = clock
        self._log = log
        self._alarm = Alarm(clock)
        self._asking: asyncio.Task[bytes] | None = None
        self._task = asyncio.create_task(self._run(), name=f"healing with {shown}")

    def look(self) -> None:
        """Look whether there is a cause now, or whether what was asked may be lost."""
        rift = self._peers.rifts.get(self._url)
        if rift is not None and rift.is_overtaken and self._asking is not None:
            self._asking.cancel()
        self._alarm.set(self._peers.compares_at(self._url, now=self._clock.monotonic()))

    async def close(self) -> None:
        """Stop at once."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            now = self._clock.monotonic()
            due = self._peers.compares_at(self._url, now=now)
            if due is not None and now >= due:
                await self._compare()
            else:
                await self._alarm.wait(due)

    async def _compare(self) -> None:
        rift = self._peers.rifts.get(self._url)
        if rift is None:
            return
        rift.begin()
        try:
            changed = await self._converse()
        except Unanswered:  # the replication says that the peer fails
            rift.failed(now=self._clock.monotonic())
        except Exception as error:  # noqa: BLE001 - one odd comparison must not end healing
            self._log.info("not-compared", url=self._shown, error=f"{type(error).__name__} {error}")
            rift.failed(now=self._clock.monotonic())
        else:
            rift.ended(changed=changed, now=self._clock.monotonic())
            self._tell(len(changed), rift.repeats)

    def _tell(self, records: int, repeats: int) -> None:
        """Say what was healed; of what does not end, say so once."""
        if repeats == ENDLESS:
            self._log.warning("healing-does-not-end", url=self._shown, records=records)
        elif records and repeats < ENDLESS:
            self._log.info("healed", url=self._shown, records=records)

    async def _converse(self) -> frozenset[Key]:
        service = self._service
        happened: list[Event] = []
        conversation = service.node.healer.compare(await summary_of(service), happened)
        question = next(conversation)
        reply: Reply  # the first turn is a question
        while True:
            if question is None:
                await asyncio.sleep(0)
            else:
                reply = read_reply(await self._answer_to(write_message(question)))
            try:
                question = conversation.send((reply, self._clock.now()))
            except StopIteration as end:
                return cast("frozenset[Key]", end.value)
            finally:
                service.happened(happened)
                service.node.healed(happened, now=self._clock.now())
                happened.clear()

    async def _answer_to(self, body: bytes) -> bytes:
        self._asking = asking = asyncio.create_task(self._ask(body), name=f"asks {self._shown}")
        try:
            await asyncio.wait({asking})
        finally:
            self._asking = None
            asking.cancel()  # where it is not done, this node is closing
            await asyncio.gather(asking, return_exceptions=True)
        if asking.cancelled():
            raise Unanswered("it was not waited for, since the peer answers again")
        return asking.result()


async def _read(request: Request, *, largest: int) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        parts.append(part)
        size += len(part)
        if size > largest:
            return None
    return b"".join(parts)
