"""What list reads ask before they are answered: whether the caller may read that often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from eureka.core.instant import Instant

LimitedKind = Literal["full", "delta", "application"]


class Limiter(Protocol):
    """Decides about one read at a time."""

    def allows(self, kind: LimitedKind, identity: str | None, now: Instant) -> bool:
        """
        Tell whether a list may be read now, and count it;
        `identity` is the caller's `DiscoveryIdentity-Name`, if it says one.
        """


class NoLimit:
    """Allows everything."""

    def allows(
        self,
        kind: LimitedKind,  # noqa: ARG002 - the interface's signature
        identity: str | None,  # noqa: ARG002 - the same
        now: Instant,  # noqa: ARG002 - the same
    ) -> bool:
        """Allow it."""
        return True
