"""
What the reads ask about other regions: the registries there, as far as they were fetched.

Whoever fetches them offers this; nothing here connects to anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from eureka.core.instance import Instance


class Remote(Protocol):
    """The copies of other regions' registries; the whitelist of applications is applied already."""

    @property
    def fallback(self) -> bool:
        """
        Tell whether a read that names no region shows applications
        that are registered in another one only.
        """

    def names(self) -> frozenset[str]:
        """Return the names of the configured regions, as queries spell them."""

    def ready(self, name: str) -> bool:
        """Tell whether there is a copy of that region, however old."""

    def instances(self, name: str) -> tuple[Instance, ...]:
        """Return the instances of a region."""

    def recent(self, name: str) -> tuple[Instance, ...]:
        """
        Return what changed in a region within the retention of the delta:
        each instance once; one that left as it was last, its action DELETED.
        """

    def version(self, name: str) -> int:
        """Return a number that rises whenever `instances` or `recent` would answer otherwise."""


class NoRemote:
    """A registry without other regions."""

    fallback = False

    def names(self) -> frozenset[str]:
        """Name none."""
        return frozenset()

    def ready(self, name: str) -> bool:  # noqa: ARG002 - the interface's signature
        """Know nothing."""
        return False

    def instances(self, name: str) -> tuple[Instance, ...]:  # noqa: ARG002 - the same
        """Hold nothing."""
        return ()

    def recent(self, name: str) -> tuple[Instance, ...]:  # noqa: ARG002 - the same
        """Have seen nothing."""
        return ()

    def version(self, name: str) -> int:  # noqa: ARG002 - the same
        """Never change."""
        return 0
