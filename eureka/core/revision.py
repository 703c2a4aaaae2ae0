"""
Which of two changes to one instance is the newer, where the dirty timestamp does not say it.

Overrides, metadata and repeated registrations leave T as it is, so T cannot order them.
Every such change gets a stamp: a Lamport clock that follows the wall clock where it can.
It orders changes that knew of each other whatever the wall clocks do,
and changes on two sides of a cut by wall clock, then by node: every node comes to the same end.
Only nodes of our own kind send stamps to each other; what comes without is stamped on arrival.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec

if TYPE_CHECKING:
    from eureka.core.instance import Key
    from eureka.core.instant import Instant

LATEST_MS: Final = 2**52
"""What a stamp may say at most; a larger number would leave no room for later ones."""


class Stamp(msgspec.Struct, frozen=True, gc=False, order=True, array_like=True):
    """A moment of change; the node's name decides between equal ones."""

    ms: Annotated[int, msgspec.Meta(ge=0, le=LATEST_MS)]
    node: Annotated[str, msgspec.Meta(max_length=64)]


NEVER: Final = Stamp(0, "")


class Revision(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """When a record's data last changed without a new T, and when its override last changed."""

    data: Stamp = NEVER
    override: Stamp = NEVER


UNREVISED: Final = Revision()


class Revisions:
    """The revisions of a node's records; most records have none and cost nothing."""

    def __init__(self, node: str = "") -> None:
        self.node = node
        self._latest_ms = 0
        self._of: dict[Key, Revision] = {}

    def __len__(self) -> int:
        return len(self._of)

    def next(self, *, now: Instant) -> Stamp:
        """Return a stamp later than all this node has given or seen."""
        self._latest_ms = min(max(now.epoch_ms, self._latest_ms + 1), LATEST_MS)
        return Stamp(self._latest_ms, self.node)

    def witness(self, *stamps: Stamp) -> None:
        """Take note of another node's stamps: what is changed here from now on is later."""
        for stamp in stamps:
            self._latest_ms = max(self._latest_ms, stamp.ms)

    def of(self, key: Key) -> Revision:
        """Return the revision of a record."""
        return self._of.get(key, UNREVISED)

    def put(self, key: Key, revision: Revision) -> None:
        """Keep the revision of a record that is held."""
        if revision == UNREVISED:
            self._of.pop(key, None)
        else:
            self._of[key] = revision

    def forget(self, key: Key) -> None:
        """Forget a record that left."""
        self._of.pop(key, None)
