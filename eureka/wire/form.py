"""What a format of the wire has to say: how an instance looks in it, what surrounds lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka.core.instance import Instance
    from eureka.core.status import Status

COMPACT_METADATA = ("public-hostname", "instance-id", "local-ipv4", "availability-zone")
"""What is left of Amazon's metadata in the compact form, as in the reference."""


class Form(Protocol):
    """
    One format.

    An *element* is one instance as it stands in a list.
    What surrounds something comes as a pair: what goes before it, and what behind it.
    """

    separator: bytes
    """What stands between two elements, and between two applications."""

    def element(self, instance: Instance) -> tuple[bytes, bytes]:
        """Return an element in two parts, open where the stamp of the last renewal goes."""

    def compact_element(self, instance: Instance) -> bytes:
        """Return an element in the compact form."""

    def alone(self) -> tuple[bytes, bytes]:
        """Return what surrounds an element that is a document of its own."""

    def application(self, name: str) -> tuple[bytes, bytes]:
        """Return what surrounds the elements of an application in a list."""

    def application_alone(self) -> tuple[bytes, bytes]:
        """Return what surrounds an application that is a document of its own."""

    def applications(
        self, counts: Mapping[Status, int], *, version: int, compact: bool
    ) -> tuple[bytes, bytes]:
        """Return what surrounds the applications of a list."""
