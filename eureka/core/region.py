"""
The copy of another region's registry: what is held of it, and what changed in it lately.

Whoever fetches tells what came; a copy is brought up to date by lists or by changes,
and checked by the hash that came with them.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from eureka.core.instance import Instance, Key
from eureka.core.status import Action, Status, hash_of

if TYPE_CHECKING:
    from collections.abc import Iterable


class Update(msgspec.Struct, frozen=True, gc=False):
    """A copy as it will be, and what that changes of what is shown; made without touching it."""

    held: dict[Key, Instance]
    shown: tuple[Instance, ...]
    changes: dict[Key, Instance]
    hash: str


class RegionCopy:
    """
    What is known of one region.

    `allowed`: the applications that are shown, None for all.
    The others are held too: without them no hash would fit.
    """

    def __init__(self, allowed: frozenset[str] | None) -> None:
        self._allowed = allowed
        self._held: dict[Key, Instance] = {}
        # By the moment they were adopted, so that to adopt or forget many takes no time.
        self._recent: deque[tuple[float, dict[Key, Instance]]] = deque()
        self.instances: tuple[Instance, ...] = ()
        self.ready = False
        self.version = 0

    @property
    def recent(self) -> tuple[Instance, ...]:
        """What changed lately, each instance once: as it is, or DELETED as it was last."""
        latest: dict[Key, Instance] = {}
        for _, changes in self._recent:
            for key in latest.keys() & changes.keys():
                del latest[key]
            latest |= changes
        return tuple(latest.values())

    def with_all(self, instances: Iterable[Instance]) -> Update:
        """Return the update to a whole list."""
        held = {instance.key: self._same(instance) for instance in instances}
        gone = [one for key, one in self._held.items() if key not in held]
        return self._update(held, [*self._differing(held), *map(_deleted, gone)])

    def with_changes(self, changes: Iterable[Instance]) -> Update:
        """Return the update by a delta; what it tells again changes nothing."""
        held = dict(self._held)
        told: dict[Key, Instance] = {}
        gone: list[Instance] = []
        for change in changes:
            if change.action is not Action.DELETED:
                told[change.key] = held[change.key] = replace(change, action=Action.ADDED)
            elif held.pop(change.key, None) is not None:
                told.pop(change.key, None)
                gone.append(_deleted(change))
        return self._update(held, [*self._differing(told), *gone])

    def adopt(self, update: Update, *, now: float) -> dict[Key, Instance]:
        """Be that from now on (monotonic seconds); return what was held before."""
        replaced, self._held = self._held, update.held
        self.instances = update.shown
        if update.changes or not self.ready:
            self.version += 1
        self.ready = True
        if update.changes:
            self._recent.append((now, update.changes))
        return replaced

    def forget(self, *, before: float) -> None:
        """Forget what changed before that moment."""
        known = len(self._recent)
        while self._recent and self._recent[0][0] < before:
            self._recent.popleft()
        self.version += known != len(self._recent)

    def _same(self, instance: Instance) -> Instance:
        """Return an instance as it is held; the record held already if it says the same."""
        told = replace(instance, action=Action.ADDED)
        earlier = self._held.get(told.key)
        return earlier if earlier == told else told

    def _differing(self, told: dict[Key, Instance]) -> Iterable[Instance]:
        for key, instance in told.items():
            earlier = self._held.get(key)
            if earlier is None:
                yield instance
            elif earlier is not instance and earlier != instance:
                yield replace(instance, action=Action.MODIFIED)

    def _update(self, held: dict[Key, Instance], changes: Iterable[Instance]) -> Update:
        counts = dict.fromkeys(Status, 0)
        for instance in held.values():
            counts[instance.status] += 1
        return Update(
            held,
            tuple(instance for instance in held.values() if self._is_shown(instance)),
            {change.key: change for change in changes if self._is_shown(change)},
            hash_of(counts),
        )

    def _is_shown(self, instance: Instance) -> bool:
        return self._allowed is None or instance.key.app in self._allowed


def _deleted(instance: Instance) -> Instance:
    return replace(instance, action=Action.DELETED)
