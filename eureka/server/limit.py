"""What list reads ask before they are answered: whether the caller may read that often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, Protocol

from eureka.core.rate import Bucket

if TYPE_CHECKING:
    from eureka.core.instant import Instant
    from eureka.core.policy import RatePolicy

LimitedKind = Literal["full", "delta", "application"]


class Limiter(Protocol):
    """Decides about one read at a time; `refused` counts the reads that were not allowed."""

    refused: int

    def allows(self, kind: LimitedKind, identity: str | None, now: Instant) -> bool:
        """
        Tell whether a list may be read now, and count it;
        `identity` is the caller's `DiscoveryIdentity-Name`, if it says one.
        """


class NoLimit:
    """Allows everything."""

    refused = 0

    def allows(
        self,
        kind: LimitedKind,  # noqa: ARG002 - the interface's signature
        identity: str | None,  # noqa: ARG002 - the same
        now: Instant,  # noqa: ARG002 - the same
    ) -> bool:
        """Allow it."""
        return True


STANDARD: Final = frozenset({"DefaultClient", "DefaultServer"})
"""How standard clients and peers call themselves; eureka-core `RateLimitingFilter`."""


class BucketLimiter:
    """
    Two buckets: one for all lists, one more for full reads, which take from both;
    standard clients and privileged ones are not counted.
    """

    def __init__(self, policy: RatePolicy) -> None:
        self._lists = Bucket(policy.burst, policy.list_rate)
        self._full = Bucket(policy.burst, policy.full_rate)
        exempt = policy.privileged | (frozenset() if policy.throttle_standard else STANDARD)
        self._exempt = frozenset(exempt)
        self.refused = 0

    def allows(self, kind: LimitedKind, identity: str | None, now: Instant) -> bool:
        """Take the tokens this read costs, refused or not."""
        if identity in self._exempt:
            return True
        allowed = self._lists.take(now=now.monotonic)
        if kind == "full":
            allowed = self._full.take(now=now.monotonic) and allowed
        self.refused += not allowed
        return allowed
