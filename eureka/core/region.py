"""
The copy of another region's registry: what is held of it, and what changed in it lately.

Whoever fetches tells what came; a copy is brought up to date by lists or by changes,
and checked by the hash that came with them.
"""

from __future__ import annotations

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
    changes: tuple[Instance, ...]
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
        self._recent: dict[Key, tuple[float, Instance]] = {}
        self.instances: tuple[Instance, ...] = ()
        self.ready = False
        self.version = 0

    @property
    def recent(self) -> tuple[Instance, ...]:
        """What changed lately, each instance once: as it is, or DELETED as it was last."""
        return tuple(instance for _, instance in self._recent.values())

    def with_all(self, instances: Iterable[Instance]) -> Update:
        """Return the update to a whole list."""
        held = {instance.key: replace(instance, action=Action.ADDED) for instance in instances}
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

    def adopt(self, update: Update, *, now: float) -> None:
        """Be that from now on (monotonic seconds)."""
        self._held = update.held
        self.instances = update.shown
        if update.changes or not self.ready:
            self.version += 1
        self.ready = True
        for change in update.changes:
            self._recent.pop(change.key, None)
            self._recent[change.key] = (now, change)

    def forget(self, *, before: float) -> None:
        """Forget what changed before that moment."""
        old = []
        for key, (changed_at, _) in self._recent.items():
            if changed_at >= before:
                break
            old.append(key)
        for key in old:
            del self._recent[key]
        self.version += bool(old)

    def _differing(self, told: dict[Key, Instance]) -> Iterable[Instance]:
        for key, instance in told.items():
            earlier = self._held.get(key)
            if earlier is None:
                yield instance
            elif earlier != instance:
                yield replace(instance, action=Action.MODIFIED)

    def _update(self, held: dict[Key, Instance], changes: Iterable[Instance]) -> Update:
        counts = dict.fromkeys(Status, 0)
        for instance in held.values():
            counts[instance.status] += 1
        return Update(
            held,
            tuple(instance for instance in held.values() if self._is_shown(instance)),
            tuple(change for change in changes if self._is_shown(change)),
            hash_of(counts),
        )

    def _is_shown(self, instance: Instance) -> bool:
        return self._allowed is None or instance.key.app in self._allowed


def _deleted(instance: Instance) -> Instance:
    return replace(instance, action=Action.DELETED)
