"""
What nodes of our own kind say to each other when they compare all they hold (`healing`):
sums over all records first, then records in brief where the sums differ, then whole ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, TypeAlias
from zlib import crc32

import msgspec

from eureka.core.instance import Instance, Key
from eureka.core.merge import digest
from eureka.core.revision import Revision, Stamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka.core.lease import Lease

BUCKETS: Final = 256
"""With 10,000 instances one that differs costs a look at 40 others."""

_WITHIN: Final = 2**63
Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]
Sum: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=_WITHIN - 1)]


class Digest(msgspec.Struct, frozen=True, gc=False, tag="digest"):
    """What a node holds, summed up: one number a bucket."""

    sums: Annotated[list[Sum], msgspec.Meta(min_length=BUCKETS, max_length=BUCKETS)]


class Entry(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """One record in brief. `silence`: seconds since its last renewal; `left`: until it expires."""

    key: Key
    digest: int
    dirty_ms: int
    silence: float
    left: float


class Gone(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A cancellation, `age` seconds ago."""

    key: Key
    dirty_ms: int
    stamp: Stamp
    age: Seconds


class Holdings(msgspec.Struct, frozen=True, gc=False, tag="holdings"):
    """What a node holds in the buckets named, and who left them."""

    buckets: list[int]
    entries: list[Entry]
    gone: list[Gone]


class Held(msgspec.Struct, frozen=True, gc=False):
    """One whole record; `renewed` tells whether its lease was ever renewed."""

    instance: Instance
    revision: Revision
    silence: Seconds
    renewed: bool


class Exchange(msgspec.Struct, frozen=True, gc=False, tag="exchange"):
    """Records to merge, cancellations to carry out, and records that are asked for."""

    records: list[Held]
    gone: list[Gone] = []
    wanted: list[Key] = []


Question: TypeAlias = Digest | Exchange
Reply: TypeAlias = Holdings | Exchange


def bucket_of(key: Key) -> int:
    """Return the bucket of an instance, the same at every node."""
    return crc32(f"{key.app}/{key.id}".encode(errors="surrogatepass")) % BUCKETS


class Summary:
    """All leases by bucket, and their sums; `add` takes them in slices, so that nothing stalls."""

    def __init__(self, leases: Iterable[Lease] = ()) -> None:
        self.sums = [0] * BUCKETS
        self.leases: list[list[Lease]] = [[] for _ in range(BUCKETS)]
        self.add(leases)

    def add(self, leases: Iterable[Lease]) -> None:
        """Add some leases."""
        for lease in leases:
            bucket = bucket_of(lease.instance.key)
            self.sums[bucket] = (self.sums[bucket] + digest(lease.instance)) % _WITHIN
            self.leases[bucket].append(lease)
