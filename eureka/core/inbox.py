"""
What peers tell a node: their batches, carried out task by task, and each only once.

Nothing of it is told to other peers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eureka.core.arrival import Arrivals
from eureka.core.errors import InvalidRequest, RequestError
from eureka.core.event import Event
from eureka.core.node import Answer
from eureka.core.receipts import Receipts
from eureka.core.status import Status
from eureka.core.task import Kind, TaskAnswer, Unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka.core.event import Changed
    from eureka.core.instance import Instance
    from eureka.core.instant import Instant
    from eureka.core.node import Node
    from eureka.core.task import Mark, Task

_DONE = TaskAnswer(200)


class BatchAnswer(msgspec.Struct, frozen=True, gc=False):
    """One answer a task, in order, and what the tasks made happen."""

    answers: tuple[TaskAnswer, ...]
    events: tuple[Event, ...] = ()


class Inbox:
    """Carries out batches on one node."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self._arrivals = Arrivals(node.registry, node.revisions, node.departures)
        self._receipts = Receipts()

    def apply(
        self,
        tasks: Sequence[Task | Unreadable],
        *,
        now: Instant,
        sender: str = "",
        batch: str = "",
        dialect: str = "",
    ) -> BatchAnswer:
        """
        Carry out the tasks of a peer in their order.

        Only nodes of our own kind say who they are: `<name>@<host>`, number their batches
        and name the dialect in which they compare.
        """
        known = self._receipts.find(sender, batch)
        if known is not None:
            return BatchAnswer(known)
        self.node.peers.heard(sender, dialect)
        answers: list[TaskAnswer] = []
        events: list[Event] = []
        renew = self.node.registry.renew_plainly
        for task in tasks:
            if isinstance(task, Unreadable):
                answers.append(TaskAnswer(task.status))
                continue
            key = task.key
            if task.kind is Kind.HEARTBEAT and renew(key.app, key.id, task.dirty_ms, now=now):
                answers.append(_DONE)
                continue
            try:
                answer = self._apply(task, now=now, ours=bool(sender))
            except RequestError as refusal:
                answers.append(TaskAnswer(refusal.status))
            else:
                answers.append(TaskAnswer(answer.status, answer.record))
                events += answer.events
        self._receipts.keep(sender, batch, tuple(answers))
        return BatchAnswer(tuple(answers), tuple(events))

    def _apply(self, task: Task, *, now: Instant, ours: bool) -> Answer:
        node = self.node
        if task.kind is Kind.HEARTBEAT:
            # The registration that follows a 404 tells our own kind the override with its stamp.
            override = Status.UNKNOWN if ours or task.override is None else task.override
            return node.renew(
                task.key, now=now, replicated=True, dirty_ms=task.dirty_ms, override=override
            )
        if task.mark is not None:
            changed = self._apply_marked(task, task.mark, now=now)
            return Answer() if changed is None else Answer(events=(changed,))
        if task.kind is Kind.REGISTER:
            return node.register(_registered_by(task), now=now, replicated=True)
        if task.kind is Kind.CANCEL:
            return node.cancel(task.key, now=now, replicated=True)
        if task.kind is Kind.STATUS_UPDATE:
            status = _commanded(task)
            return node.set_status(
                task.key, status, now=now, replicated=True, dirty_ms=task.dirty_ms
            )
        status = task.status or Status.UNKNOWN
        return node.remove_status(
            task.key, status, now=now, replicated=True, dirty_ms=task.dirty_ms
        )

    def _apply_marked(self, task: Task, mark: Mark, *, now: Instant) -> Changed | None:
        """Carry out what a node of our own kind tells, in the order it was done in."""
        if task.kind is Kind.REGISTER:
            return self._arrivals.register(_registered_by(task), mark, now=now)
        if task.kind is Kind.CANCEL:
            held = self.node.registry.leases.find(task.key)
            changed = self._arrivals.cancel(task.key, mark, now=now)
            if changed is not None and held is not None:
                self.node.peers.withdraw(task.key, held)
            return changed
        status = task.status or Status.UNKNOWN
        return self._arrivals.change_override(task.key, status, mark, now=now)


def _registered_by(task: Task) -> Instance:
    if task.record is None or task.record.instance.key.app != task.key.app:
        raise InvalidRequest(f"A registration of {task.key} carries another instance.")
    return task.record.instance


def _commanded(task: Task) -> Status:
    if task.status in (None, Status.UNKNOWN):
        raise InvalidRequest(f"{task.key} cannot be given the status {task.status}.")
    return task.status
