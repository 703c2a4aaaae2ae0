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

from eureka.core.instance import Instance, Key
from eureka.core.task import Kind, PeerAnswer, Task, heartbeat_of

if TYPE_CHECKING:
    from collections.abc import Sequence

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


class _Waiting:
    """A task in the queue: since when, for whose call, and its place among the others."""

    __slots__ = ("expires_at", "lease", "place", "since", "task")

    def __init__(
        self,
        task: Task,
        *,
        since: float,
        expires_at: float,
        place: int = 0,
        lease: Lease | None = None,
    ) -> None:
        self.task = task
        self.since = since
        self.expires_at = expires_at
        self.place = place
        self.lease = lease


class _Sealed:
    """A batch on its way, or waiting to be sent again."""

    __slots__ = ("number", "waiting")

    def __init__(self, number: int, waiting: list[_Waiting]) -> None:
        self.number = number
        self.waiting = waiting


class Outbox:
    """The replication of one node to one peer."""

    def __init__(self, policy: ReplicationPolicy, *, after: int = 0) -> None:
        # A peer answers a number that it knows from memory, so none may be used twice.
        self._policy = policy
        self._queue: dict[tuple[Key, Kind], _Waiting] = {}
        self._beats: dict[Lease, float] = {}
        """The leases that were renewed since the last batch, and when they last were."""
        self._sealed: deque[_Sealed] = deque()
        self._on_the_way = False  # the first of the sealed is at the peer's mercy
        self._not_before = 0.0
        self._oldest = 0.0  # since when the oldest task of a non-empty queue waits
        self._places = 0
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
        sealed = sum(len(sealed.waiting) for sealed in self._sealed) if self._sealed else 0
        return len(self._queue) + len(self._beats) + sealed

    def put(self, task: Task, *, life: float, now: float) -> None:
        """
        Take a task that stays true for `life` seconds.

        It replaces a waiting one of its kind for the same instance.
        Where another change of that instance came between the two, it goes behind that one:
        the peer must end where this node ended.
        """
        name = (task.key, task.kind)
        expires_at = now + life
        earlier = self._queue.get(name)
        if earlier is not None:
            earlier.task = task
            earlier.expires_at = expires_at
            if self._overtaken(earlier):
                del self._queue[name]
                earlier.place = self._next_place()
                self._queue[name] = earlier
            return
        self._make_room()
        if not self._queue and not self._beats:
            self._oldest = now
        self._queue[name] = _Waiting(
            task, since=now, expires_at=expires_at, place=self._next_place()
        )

    def beat(self, lease: Lease, *, now: float) -> None:
        """
        Take a renewal: nearly all there is to tell, so it makes no object until it leaves.

        What leaves is the record as it is then. A change that waits goes before it.
        """
        beats = self._beats
        if lease not in beats:
            if self.waiting >= self._policy.capacity:
                self._make_room()
            if not beats and not self._queue:
                self._oldest = now
        beats[lease] = now

    def withdraw(self, key: Key, lease: Lease) -> None:
        """Drop what waits of an instance, since it is not true any more."""
        self._beats.pop(lease, None)
        if self._queue:
            for kind in Kind:
                self._queue.pop((key, kind), None)

    def wakes_at(self) -> float | None:
        """Return when `take` may have a batch; None while it waits for a task or an answer."""
        if self._on_the_way:
            return None
        if self._sealed:
            return self._not_before
        waiting = len(self._queue) + len(self._beats)
        if not waiting:
            return None
        if waiting >= self._policy.batch_size:
            return self._not_before
        return max(self._not_before, self._oldest + self._policy.batching_delay)

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
        size = self._policy.batch_size
        names = list(self._queue)[:size]
        room = size - len(names)
        renewed = list(self._beats)[:room] if len(self._beats) > room else list(self._beats)
        before: list[_Waiting] = []
        behind: list[_Waiting] = []
        latest = {lease.instance.key: lease for lease in renewed} if names else None
        for lease in renewed:
            beat = self._renewal(lease)
            if latest is None or latest[lease.instance.key] is lease:
                leads = names and self._ends_cancelled(lease.instance.key)
                (before if leads else behind).append(beat)
        changes = [self._queue.pop(name) for name in names]
        sealed = _Sealed(self._next_batch(), [*before, *changes, *behind])
        if self._queue and not self._beats:
            self._oldest = min(waiting.since for waiting in self._queue.values())
        self._sealed.append(sealed)
        return sealed

    def _renewal(self, lease: Lease) -> _Waiting:
        renewed_at = self._beats.pop(lease)
        expires_at = renewed_at + lease.instance.true_for
        task = heartbeat_of(lease.instance)
        return _Waiting(task, since=renewed_at, expires_at=expires_at, lease=lease)

    def _ends_cancelled(self, key: Key) -> bool:
        """Tell whether a cancellation is the last that waits of an instance."""
        cancelled = self._queue.get((key, Kind.CANCEL))
        if cancelled is None:
            return False
        registered = self._queue.get((key, Kind.REGISTER))
        return registered is None or registered.place < cancelled.place

    def _drop_the_untrue(self, sealed: _Sealed, *, now: float) -> None:
        """
        Leave out what is too old, and what a waiting task says anew;
        fewer tasks are another batch.
        """
        queue, beats = self._queue, self._beats
        kept = [
            waiting
            for waiting in sealed.waiting
            if now < waiting.expires_at
            and not (beats and waiting.lease in beats)
            and not (queue and (waiting.task.key, waiting.task.kind) in queue)
        ]
        if len(kept) < len(sealed.waiting):
            self.dropped += sum(now >= waiting.expires_at for waiting in sealed.waiting)
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
        # A renewal is the least loss: another follows.
        while excess > 0 and self._beats:
            del self._beats[next(iter(self._beats))]
            excess -= 1
            self.dropped += 1
        while excess > 0 and self._queue:
            del self._queue[next(iter(self._queue))]
            excess -= 1
            self.dropped += 1

    def _overtaken(self, waiting: _Waiting) -> bool:
        """
        Tell whether another change of the same instance came after it;
        a heartbeat changes nothing.
        """
        key = waiting.task.key
        for kind in Kind:
            other = self._queue.get((key, kind))
            if (
                other is not None
                and other.place > waiting.place
                and other.task.kind is not Kind.HEARTBEAT
            ):
                return True
        return False

    def _next_place(self) -> int:
        self._places += 1
        return self._places

    def _next_batch(self) -> int:
        self._batches += 1
        return self._batches
