"""
Two nodes' versions of one instance become one, the same at both.

Data are ordered by T, then by stamp, then by content; overrides by stamp, then by themselves.
Each part is taken from the side where it is later, so an override outlives a newer registration
that knew nothing of it (CLUSTER-08), and the newest T still wins (CLUSTER-07).
Nothing here depends on which side is asked first.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

import msgspec
from msgspec.structs import astuple, fields, replace

from eureka.core.instance import DataCenter, Instance, Key, Port
from eureka.core.override import effective_status
from eureka.core.revision import Revision
from eureka.core.status import Status

_STATED_BY_NODES: Final = {
    *("status", "overridden_status", "registered_ms", "service_up_ms", "evicted_ms"),
    *("updated_ms", "action", "sent_lease_info"),
}
"""
What is no part of what a client registered, or not told in a batch: a node always sends lease info.
"""

_DATA: Final = tuple(
    position
    for position, field in enumerate(fields(Instance))
    if field.name not in _STATED_BY_NODES
)
_pack: Final = msgspec.msgpack.Encoder(order="sorted").encode
_SERVES_LEAST_FIRST: Final = (
    Status.OUT_OF_SERVICE,
    Status.DOWN,
    Status.STARTING,
    Status.UP,
    Status.UNKNOWN,
)
"""Where nothing tells which of two statuses is later, the one that draws less traffic is safer."""


class Version(msgspec.Struct, frozen=True, gc=False):
    """A record as one node holds it, and how its parts are ordered."""

    instance: Instance
    revision: Revision


def data_digest(instance: Instance) -> bytes:
    """Return eight bytes that differ where what the client registered differs."""
    values = astuple(instance)
    return blake2b(_pack([values[position] for position in _DATA]), digest_size=8).digest()


def digest(instance: Instance) -> int:
    """Return a number below 2^63 that differs where nodes would have to agree and do not."""
    said = blake2b(data_digest(instance), digest_size=8)
    said.update(f"{instance.status} {instance.overridden_status}".encode())
    return int.from_bytes(said.digest()) >> 1


DIALECT: Final = f"""1-{
    digest(
        Instance(
            key=Key("APP", "id"),
            host_name="host",
            ip_address="192.0.2.1",
            status=Status.UP,
            port=Port(80, enabled=True),
            secure_port=Port(443, enabled=False),
            data_center=DataCenter("MyOwn"),
            metadata={"a": "b"},
            dirty_ms=1,
        )
    ):x}"""
"""
What nodes have to share to compare: the version of the messages, and the digest of a sample,
which differs as soon as a release adds a field or sums up otherwise.
"""


def merge(one: Version, other: Version) -> Version:
    """Return what both become."""
    data = _later_data(one, other)
    override = _later_override(one, other)
    if data is None and override is None:
        data = override = min(one, other, key=_serving)
    data = data or override or one
    override = override or data
    return Version(
        replace(
            data.instance,
            status=_status(data, override),
            overridden_status=override.instance.overridden_status,
        ),
        Revision(
            max(one.revision.data, other.revision.data)
            if one.instance.dirty_ms == other.instance.dirty_ms
            else data.revision.data,
            max(one.revision.override, other.revision.override),
        ),
    )


def same_statement(one: Instance, other: Instance) -> bool:
    """Tell whether two records agree in all that nodes have to agree about."""
    return (
        one.status is other.status
        and one.overridden_status is other.overridden_status
        and (one is other or data_digest(one) == data_digest(other))
    )


def _later_data(one: Version, other: Version) -> Version | None:
    """Return the version whose data are later; None where they are the same."""
    left = (one.instance.dirty_ms, one.revision.data)
    right = (other.instance.dirty_ms, other.revision.data)
    if left != right:
        return one if left > right else other
    mine, theirs = data_digest(one.instance), data_digest(other.instance)
    if mine == theirs:
        return None
    return one if mine > theirs else other


def _later_override(one: Version, other: Version) -> Version | None:
    left, right = _override_order(one), _override_order(other)
    if left == right:
        return None
    return one if left > right else other


def _override_order(version: Version) -> tuple[object, ...]:
    override = version.instance.overridden_status
    return (version.revision.override, override is not Status.UNKNOWN, override)


def _serving(version: Version) -> int:
    return _SERVES_LEAST_FIRST.index(version.instance.status)


def _status(data: Version, override: Version) -> Status:
    reported = data.instance.status
    if data is override:
        return reported
    wanted = override.instance.overridden_status
    if wanted is Status.UNKNOWN:
        # An override that is gone must not live on as the status it forced.
        forced = reported is data.instance.overridden_status
        return override.instance.status if forced else reported
    return effective_status(reported, override=wanted, held=None, replicated=True)
