"""
An instance of an application, as it speaks to a registry: what a real client does, call by call.

It knows its name and its registry and keeps no state:
what it was registered with is what the test says in that line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.client import WireClient
    from eureka_tck.wire.record import Record
    from eureka_tck.wire.sample import Json


@dataclass(frozen=True, slots=True)
class Instance:
    """
    One instance: `app` and `id` are its names, `registry` is whom it speaks to.

    `replication=True` makes a call one that a peer passes on.
    """

    registry: WireClient
    app: str
    id: str

    def register(self, *, dirty: Json = None, replication: bool = False, **changes: Json) -> Answer:
        """Register; `dirty` is T, the same for all samples unless given, `changes` as `sample`."""
        given = {} if dirty is None else {"lastDirtyTimestamp": dirty}
        fields = sample(self.app, self.id, **given, **changes)
        return self.registry.register(fields, replication=replication)

    def renew(
        self,
        *,
        dirty: int | str | None = None,
        status: str | None = None,
        overridden: str | None = None,
        replication: bool = False,
    ) -> Answer:
        """Renew the lease."""
        return self.registry.renew(
            self.app,
            self.id,
            dirty=dirty,
            status=status,
            overridden=overridden,
            replication=replication,
        )

    def cancel(self, *, replication: bool = False) -> Answer:
        """Cancel the registration."""
        return self.registry.cancel(self.app, self.id, replication=replication)

    def set_status(
        self, value: str | None, *, dirty: int | str | None = None, replication: bool = False
    ) -> Answer:
        """Override the status, as an operator does."""
        return self.registry.set_status(
            self.app, self.id, value, dirty=dirty, replication=replication
        )

    def remove_status(
        self,
        value: str | None = None,
        *,
        dirty: int | str | None = None,
        replication: bool = False,
    ) -> Answer:
        """Remove the override; `value` is the status to go on with."""
        return self.registry.remove_status(
            self.app, self.id, value, dirty=dirty, replication=replication
        )

    def set_metadata(self, entries: Mapping[str, str]) -> Answer:
        """Add or replace keys of the metadata."""
        return self.registry.set_metadata(self.app, self.id, entries)

    def read(self) -> Answer:
        """Read it singly: never cached."""
        return self.registry.instance(self.app, self.id)

    def record(self) -> Record:
        """Return what the registry holds of it now; a refused read is unreadable."""
        return self.read().record()

    def change(self) -> Record | None:
        """Return how the delta tells its last change, None if it tells none."""
        return self.registry.delta().applications().find(self.app, self.id)

    def listed(self) -> Record | None:
        """Return how the whole list tells it, None if it is not listed."""
        return self.registry.apps().applications().find(self.app, self.id)
