"""
What waits to be told to one peer and belongs to no batch yet.

A change replaces a waiting one of its kind for the same instance, but the peer must end where this
node ended: one that another change of the instance overtook goes behind that one.
Renewals are nearly all there is to tell: they make no object until they leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka.core.task import Kind, heartbeat_of

if TYPE_CHECKING:
    from eureka.core.instance import Key
    from eureka.core.lease import Lease
    from eureka.core.task import Task


class Waiting:
    """A task that waits: since when, until when it is true, and its place among the changes."""

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


class Backlog:
    """The changes and the renewals that wait, each in the order they came in."""

    __slots__ = ("_places", "changes", "oldest", "renewals")

    def __init__(self) -> None:
        self.changes: dict[tuple[Key, Kind], Waiting] = {}
        self.renewals: dict[Lease, float] = {}
        """The leases that were renewed since the last batch, and when they last were."""
        self.oldest = 0.0
        """Since when the oldest task waits, unless none does."""
        self._places = 0

    def repeat(self, task: Task, *, expires_at: float) -> bool:
        """Let a task take the place of the one it repeats; tell whether there was one."""
        name = (task.key, task.kind)
        earlier = self.changes.get(name)
        if earlier is None:
            return False
        earlier.task = task
        earlier.expires_at = expires_at
        if self._is_overtaken(earlier):
            del self.changes[name]
            earlier.place = self._next_place()
            self.changes[name] = earlier
        return True

    def add(self, task: Task, *, since: float, expires_at: float) -> None:
        """Let a task wait that repeats none."""
        if not self.changes and not self.renewals:
            self.oldest = since
        self.changes[(task.key, task.kind)] = Waiting(
            task, since=since, expires_at=expires_at, place=self._next_place()
        )

    def withdraw(self, key: Key, lease: Lease) -> None:
        """Drop what waits of an instance, since it is not true any more."""
        self.renewals.pop(lease, None)
        if self.changes:
            for kind in Kind:
                self.changes.pop((key, kind), None)

    def drop(self, most: int) -> int:
        """Drop the oldest, so many at most, and return how many it were."""
        dropped = 0
        while self.renewals and dropped < most:  # the least loss: another follows
            del self.renewals[next(iter(self.renewals))]
            dropped += 1
        while self.changes and dropped < most:
            del self.changes[next(iter(self.changes))]
            dropped += 1
        return dropped

    def leave(self, most: int) -> list[Waiting]:
        """
        Return the oldest, so many at most, in the order in which to tell them.

        A renewal follows the changes of its instance, but goes before a cancellation.
        """
        names = list(self.changes)[:most]
        room = most - len(names)
        renewed = list(self.renewals)
        if len(renewed) > room:
            del renewed[room:]
        before: list[Waiting] = []
        behind: list[Waiting] = []
        latest = {lease.instance.key: lease for lease in renewed} if names else None
        for lease in renewed:
            renewal = self._renewal(lease)
            if latest is None or latest[lease.instance.key] is lease:
                leads = names and self._ends_cancelled(lease.instance.key)
                (before if leads else behind).append(renewal)
        changes = [self.changes.pop(name) for name in names]
        if self.changes and not self.renewals:
            self.oldest = min(waiting.since for waiting in self.changes.values())
        return [*before, *changes, *behind]

    def unrepeated(self, told: list[Waiting]) -> list[Waiting]:
        """Return those of some tasks that nothing which waits says anew."""
        changes, renewals = self.changes, self.renewals
        if not changes and not renewals:
            return told
        return [
            waiting
            for waiting in told
            if waiting.lease not in renewals
            and (waiting.task.key, waiting.task.kind) not in changes
        ]

    def _renewal(self, lease: Lease) -> Waiting:
        renewed_at = self.renewals.pop(lease)
        expires_at = renewed_at + lease.instance.true_for
        task = heartbeat_of(lease.instance)
        return Waiting(task, since=renewed_at, expires_at=expires_at, lease=lease)

    def _ends_cancelled(self, key: Key) -> bool:
        """Tell whether a cancellation is the last that waits of an instance."""
        cancelled = self.changes.get((key, Kind.CANCEL))
        if cancelled is None:
            return False
        registered = self.changes.get((key, Kind.REGISTER))
        return registered is None or registered.place < cancelled.place

    def _is_overtaken(self, waiting: Waiting) -> bool:
        """
        Tell whether another change of the same instance came after it;
        a heartbeat changes nothing.
        """
        key = waiting.task.key
        for kind in Kind:
            other = self.changes.get((key, kind))
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
