"""
The calls of the protocol that change something: each is parse, one call of the core, render.

Bodies are registrations in JSON or XML, and batches of peers in JSON, the only form peers send.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec

from eureka.core.errors import InvalidRequest
from eureka.core.inbox import Inbox
from eureka.core.instance import Key
from eureka.core.status import Status
from eureka.server.described import Described
from eureka.server.exchange import JSON, XML, Request, Response
from eureka.wire.batch import read_batch, write_answers
from eureka.wire.batch_xml import write_xml_answers
from eureka.wire.fields import commanded_status, known_status, query_timestamp
from eureka.wire.healing import ANNOUNCEMENT
from eureka.wire.negotiation import accepted_formats, content_format
from eureka.wire.reading import read_registration
from eureka.wire.xml_reading import read_xml_registration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from eureka.core.event import Event
    from eureka.core.instance import Instance
    from eureka.core.node import Answer, Node
    from eureka.core.task import Task, TaskAnswer, Unreadable
    from eureka.server.clock import Clock
    from eureka.server.reading import Reading
    from eureka.wire.paths import Resource

    Tasks = Sequence[Task | Unreadable]

MISDIRECTED: Final = 421
"""The answer to a batch that a node sent to itself: the URL is another name for the sender."""

MOST_TASKS: Final = 250
"""Tasks of a batch that are carried out in one go; our own kind sends no more, nor does Java."""

OK: Final = Response(200)
STORED: Final = Response(204)

_COMMANDS = frozenset(Status) - {Status.UNKNOWN}  # an override UNKNOWN would lock its client out
_REMOVALS = frozenset(Status)
_READERS: Final = {"json": read_registration, "xml": read_xml_registration}


class Unsupported(InvalidRequest):
    """A body of a type that means nothing here."""

    status = 415


class Misdirected(InvalidRequest):
    """A batch that came back to its sender."""

    status = MISDIRECTED


class Changing:
    """
    Answers changes on one node.

    `happened` is told what each change did; `told` is called
    when there may be something to replicate.
    """

    def __init__(
        self,
        node: Node,
        clock: Clock,
        reading: Reading,
        happened: Callable[[Iterable[Event]], None],
    ) -> None:
        self.node_id = ""  # what this node calls itself in its batches
        self.told: Callable[[], None] = _nobody
        self._node = node
        self._inbox = Inbox(node)
        self._clock = clock
        self._reading = reading
        self._happened = happened

    @property
    def handlers(self) -> dict[tuple[Resource, str], Callable[[Request], Response]]:
        """What answers which call without a body."""
        return {
            ("instance", "PUT"): self._renew,
            ("instance", "DELETE"): self._cancel,
            ("status", "PUT"): self._set_status,
            ("status", "DELETE"): self._remove_status,
            ("metadata", "PUT"): self._set_metadata,
        }

    @property
    def body_handlers(self) -> dict[tuple[Resource, str], Described[Any]]:
        """What answers which call that is described by its body."""
        return {
            ("app", "POST"): Described(self._read_registration, self._register),
            ("batch", "POST"): Described(self._read_batch, self._batch, self._large_batch),
        }

    def _read_registration(self, request: Request, body: bytes) -> Instance:
        form = content_format(request.content_type)
        if form is None:
            raise Unsupported("A registration comes as application/json or application/xml.")
        instance = _READERS[form](body, arrived_ms=self._clock.now().epoch_ms)
        if instance.key.app != request.target.name:
            raise InvalidRequest(
                f"Mismatched appName, expecting {request.target.name} but was {instance.key.app}"
            )
        return instance

    def _register(self, request: Request, instance: Instance) -> Response:
        now = self._clock.now()
        answer = self._node.register(instance, now=now, replicated=request.replicated)
        self._done(request, answer)
        return STORED

    def _renew(self, request: Request) -> Response:
        query = request.query()
        dirty_ms = query_timestamp(query.get("lastDirtyTimestamp"))
        answer = self._node.renew(
            Key(request.target.name, request.target.id),
            now=self._clock.now(),
            replicated=request.replicated,
            dirty_ms=dirty_ms,
            override=known_status(query.get("overriddenstatus")),
        )
        return self._done(request, answer)

    def _cancel(self, request: Request) -> Response:
        key = Key(request.target.name, request.target.id)
        answer = self._node.cancel(key, now=self._clock.now(), replicated=request.replicated)
        return self._done(request, answer)

    def _set_status(self, request: Request) -> Response:
        query = request.query()
        answer = self._node.set_status(
            Key(request.target.name, request.target.id),
            commanded_status(query.get("value"), allowed=_COMMANDS),
            now=self._clock.now(),
            replicated=request.replicated,
            dirty_ms=query_timestamp(query.get("lastDirtyTimestamp")),
        )
        return self._done(request, answer)

    def _remove_status(self, request: Request) -> Response:
        query = request.query()
        answer = self._node.remove_status(
            Key(request.target.name, request.target.id),
            commanded_status(query.get("value", Status.UNKNOWN), allowed=_REMOVALS),
            now=self._clock.now(),
            replicated=request.replicated,
            dirty_ms=query_timestamp(query.get("lastDirtyTimestamp")),
        )
        return self._done(request, answer)

    def _set_metadata(self, request: Request) -> Response:
        answer = self._node.set_metadata(
            Key(request.target.name, request.target.id),
            request.query(),
            now=self._clock.now(),
            replicated=request.replicated,
        )
        return self._done(request, answer)

    def _read_batch(self, request: Request, body: bytes) -> Tasks:
        if request.content_type and content_format(request.content_type) != "json":
            raise Unsupported("A batch comes as application/json.")
        if request.sender and request.sender == self.node_id:
            raise Misdirected("This node sent that itself.")
        return read_batch(body, arrived_ms=self._clock.now().epoch_ms)

    def _batch(self, request: Request, tasks: Tasks) -> Response:
        return self._batch_answered(request, self._carried_out(request, tasks))

    async def _large_batch(self, request: Request, tasks: Tasks) -> Response:
        """Carry out many tasks in slices; our own kind, which numbers its batches, sends fewer."""
        if len(tasks) <= MOST_TASKS:
            return self._batch(request, tasks)
        unnumbered = msgspec.structs.replace(request, batch_id="")
        answers: list[TaskAnswer] = []
        for start in range(0, len(tasks), MOST_TASKS):
            answers += self._carried_out(unnumbered, tasks[start : start + MOST_TASKS])
            await asyncio.sleep(0)
        return self._batch_answered(request, answers)

    def _carried_out(self, request: Request, tasks: Tasks) -> Sequence[TaskAnswer]:
        done = self._inbox.apply(
            tasks,
            now=self._clock.now(),
            sender=request.sender,
            batch=request.batch_id,
            dialect=request.dialect,
        )
        self._happened(done.events)
        return done.answers

    def _batch_answered(self, request: Request, answers: Sequence[TaskAnswer]) -> Response:
        lists = self._reading.lists
        if accepted_formats(request.accept)[0] == "xml":
            return Response(200, write_xml_answers(answers, lists.xml), (XML, ANNOUNCEMENT))
        return Response(200, write_answers(answers, lists.json), (JSON, ANNOUNCEMENT))

    def _done(self, request: Request, answer: Answer) -> Response:
        if answer.events:
            self._happened(answer.events)
        self.told()
        if answer.record is not None:
            return self._reading.written(request, answer.record, answer.status)
        return OK if answer.status == OK.status else Response(answer.status)


def _nobody() -> None:
    """Tell nobody: a node without peers."""
