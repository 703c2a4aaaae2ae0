"""
What is to be told to one peer:
decided here from calls, time and answers; the shell moves the bytes.

Tasks wait for a batching delay and leave together, in order.
A batch that failed is sealed: it is sent again as it was, so that the peer can recognise it,
until it is answered or its tasks are too old to be true.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import msgspec

from eureka.core.backlog import Backlog
from eureka.core.instance import Instance, Key
from eureka.core.task import Kind, PeerAnswer, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka.core.backlog import Waiting
    from eureka.core.lease import Lease
    from eureka.core.policy import ReplicationPolicy

DELIVERED = 200
NOT_FOUND = 404
CONFLICT = 409
UNAVAILABLE = 503
DIVISIBLE = (400, 413)
"""
Refusals of a batch that may be the fault of one task:
halves are tried, down to the one that is at fault.
"""


class Batch(msgspec.Struct, frozen=True, gc=False):
    """Tasks that leave together; the same number means the very same tasks."""

    number: int
    tasks: tuple[Task, ...]


class Missing(msgspec.Struct, frozen=True, gc=False):
    """
    The peer does not know an instance that was renewed here, or knows an older one:
    register it there.
    """

    key: Key


class Newer(msgspec.Struct, frozen=True, gc=False):
    """The peer holds a newer record of an instance."""

    key: Key
    instance: Instance


Finding = Missing | Newer


class _Sealed:
    """A batch on its way, or waiting to be sent again."""

    __slots__ = ("number", "waiting")

    def __init__(self, number: int, waiting: list[Waiting]) -> None:
        self.number = number
        self.waiting = waiting


class Outbox:
    """The replication of one node to one peer."""

    def __init__(self, policy: ReplicationPolicy, *, after: int = 0) -> None:
        # A peer answers a number that it knows from memory, so none may be used twice.
        self._policy = policy
        self._backlog = Backlog()
        self._sealed: deque[_Sealed] = deque()
        self._on_the_way = False  # the first of the sealed is at the peer's mercy
        self._not_before = 0.0
        self._batches = after
        self.sent = 0
        self.dropped = 0
        self.failures = 0

    @property
    def batches(self) -> int:
        """The number of the last batch."""
        return self._batches

    @property
    def troubles(self) -> int:
        """What went wrong with this peer so far: after any of it the peer may differ."""
        return self.failures + self.dropped

    @property
    def waiting(self) -> int:
        """The tasks not delivered yet, those on their way included."""
        backlog = self._backlog
        waiting = len(backlog.changes) + len(backlog.renewals)
        if self._sealed:
            waiting += sum(len(sealed.waiting) for sealed in self._sealed)
        return waiting

    def put(self, task: Task, *, life: float, now: float) -> None:
        """Take a task that stays true for `life` seconds."""
        expires_at = now + life
        if not self._backlog.repeat(task, expires_at=expires_at):
            self._make_room()
            self._backlog.add(task, since=now, expires_at=expires_at)

    def beat(self, lease: Lease, *, now: float) -> None:
        """
        Take a renewal: what leaves is the record as it is then.

        Nearly all calls come here, so it reaches into the backlog itself.
        """
        backlog = self._backlog
        renewals = backlog.renewals
        if lease not in renewals:
            if self.waiting >= self._policy.capacity:
                self._make_room()
            if not renewals and not backlog.changes:
                backlog.oldest = now
        renewals[lease] = now

    def withdraw(self, key: Key, lease: Lease) -> None:
        """Drop what waits of an instance, since it is not true any more."""
        self._backlog.withdraw(key, lease)

    def wakes_at(self) -> float | None:
        """Return when `take` may have a batch; None while it waits for a task or an answer."""
        if self._on_the_way:
            return None
        if self._sealed:
            return self._not_before
        backlog = self._backlog
        waiting = len(backlog.changes) + len(backlog.renewals)
        if not waiting:
            return None
        if waiting >= self._policy.batch_size:
            return self._not_before
        return max(self._not_before, backlog.oldest + self._policy.batching_delay)

    def take(self, *, now: float) -> Batch | None:
        """Return a batch that is to be sent now, if one is due."""
        due_at = self.wakes_at()
        while due_at is not None and now >= due_at:
            sealed = self._sealed[0] if self._sealed else self._seal()
            self._drop_the_untrue(sealed, now=now)
            if sealed.waiting:
                self._on_the_way = True
                return Batch(sealed.number, tuple(waiting.task for waiting in sealed.waiting))
            self._sealed.popleft()
            due_at = self.wakes_at()
        return None

    # Answers; one for a batch that is no longer the first of the sealed came too late to matter.

    def delivered(
        self, batch: Batch, answers: Sequence[PeerAnswer], *, now: float
    ) -> list[Finding]:
        """Take note of what the peer said to each task; a list of another length says nothing."""
        if not self._is_first(batch):
            return []
        self._finish(now)
        self.sent += len(batch.tasks)
        if len(answers) != len(batch.tasks):
            return []
        findings: list[Finding] = []
        for task, answer in zip(batch.tasks, answers, strict=True):
            if task.kind is not Kind.HEARTBEAT:
                continue
            if answer.status == NOT_FOUND:
                findings.append(Missing(task.key))
            elif answer.status == CONFLICT and answer.instance is not None:
                findings.append(Newer(task.key, answer.instance))
        return findings

    def refused(self, batch: Batch, status: int, *, now: float) -> None:
        """Take note of an answer other than 200: only 503 promises that the same may pass later."""
        if status == UNAVAILABLE:
            self.failed(batch, pause=self._policy.pause_when_busy, now=now)
        elif self._is_first(batch):
            sealed = self._sealed[0]
            self._finish(now)
            if status in DIVISIBLE and len(sealed.waiting) > 1:
                middle = len(sealed.waiting) // 2
                for half in (sealed.waiting[middle:], sealed.waiting[:middle]):
                    self._sealed.appendleft(_Sealed(self._next_batch(), half))
                self._not_before = now + self._policy.pause_when_broken
            else:
                self.dropped += len(sealed.waiting)

    def timed_out(self, batch: Batch, *, now: float) -> None:
        """
        Take note that no answer came in time;
        a late one still counts, until the batch is sent again.
        """
        self.failed(batch, pause=self._policy.pause_when_busy, now=now)

    def broken(self, batch: Batch, *, now: float) -> None:
        """Take note that the connection was refused or broke."""
        self.failed(batch, pause=self._policy.pause_when_broken, now=now)

    def failed(self, batch: Batch, *, pause: float, now: float) -> None:
        """Keep a batch, to be sent again after a pause."""
        if self._is_first(batch):
            self.failures += 1
            self._on_the_way = False
            self._not_before = now + pause

    def _is_first(self, batch: Batch) -> bool:
        return bool(self._sealed) and self._sealed[0].number == batch.number

    def _finish(self, now: float) -> None:
        self._sealed.popleft()
        self._on_the_way = False
        self._not_before = now

    def _seal(self) -> _Sealed:
        sealed = _Sealed(self._next_batch(), self._backlog.leave(self._policy.batch_size))
        self._sealed.append(sealed)
        return sealed

    def _drop_the_untrue(self, sealed: _Sealed, *, now: float) -> None:
        """
        Leave out what is too old, and what a waiting task says anew;
        fewer tasks are another batch.
        """
        true = [waiting for waiting in sealed.waiting if now < waiting.expires_at]
        kept = self._backlog.unrepeated(true)
        if len(kept) < len(sealed.waiting):
            self.dropped += len(sealed.waiting) - len(true)
            sealed.waiting = kept
            sealed.number = self._next_batch()

    def _make_room(self) -> None:
        """Drop the oldest until one more fits; what is on its way cannot be called back."""
        excess = self.waiting - self._policy.capacity + 1
        for sealed in self._sealed:
            if excess > 0 and not (self._on_the_way and sealed is self._sealed[0]):
                gone = min(excess, len(sealed.waiting))
                del sealed.waiting[:gone]
                sealed.number = self._next_batch()
                excess -= gone
                self.dropped += gone
        if excess > 0:
            self.dropped += self._backlog.drop(excess)

    def _next_batch(self) -> int:
        self._batches += 1
        return self._batches
