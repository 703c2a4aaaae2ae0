"""
Which leases may be overdue, without asking all of them: a lease is filed under the second in which
it would expire, and looked at when that second comes.

A renewal does not touch it: the lease is found too early then, and filed under a later second.
So a lease that lives is looked at once in a lifetime, and a run of eviction looks at those that
are due.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka.core.instant import Instant
    from eureka.core.lease import Lease

HORIZON: Final = 3600
"""
Seconds ahead that leases are filed; a longer one is looked at every hour.
So there are never more seconds than that to keep.
"""

_UNFILED: Final = -1
_DUE: Final = -2

# Dictionaries without values, not sets: their order is the order of filing, the same in every
# process, so that chance alone chooses victims.
_Leases = dict["Lease", None]


class DueLeases:
    """The leases by the second in which to look at them."""

    def __init__(self) -> None:
        self._seconds: dict[int, _Leases] = {}
        self._due: _Leases = {}

    def put(self, lease: Lease) -> None:
        """File a lease; one that is filed already moves if it expires earlier now."""
        second = min(floor(lease.expires_at), floor(lease.renewed_at) + HORIZON)
        if lease.filed == _DUE or _UNFILED < lease.filed <= second:
            return
        self.remove(lease)
        self._file(lease, second)

    def remove(self, lease: Lease) -> None:
        """Forget a lease."""
        if lease.filed == _DUE:
            del self._due[lease]
        elif lease.filed != _UNFILED:
            leases = self._seconds[lease.filed]
            del leases[lease]
            if not leases:
                del self._seconds[lease.filed]
        lease.filed = _UNFILED

    def look(self, *, now: Instant, most: int) -> int:
        """Look at leases whose second has come, so many at most; return how many it were."""
        present = floor(now.monotonic)
        looked = 0
        for second in sorted(second for second in self._seconds if second <= present):
            leases = self._seconds[second]
            while leases:
                if looked == most:
                    return looked
                lease, _ = leases.popitem()
                looked += 1
                self._file_again(lease, present)
            del self._seconds[second]
        return looked

    def looked_at(self) -> list[Lease]:
        """Return those that were looked at and may be overdue."""
        return list(self._due)

    def overdue(self, leases: Iterable[Lease], *, now: Instant, grace: float) -> list[Lease]:
        """
        Return the overdue among some of those that were looked at.

        Who renewed meanwhile is filed; who left is no more.
        """
        monotonic = now.monotonic
        present = floor(monotonic)
        found = []
        alive = []
        for lease in leases:
            if lease.filed != _DUE:
                continue
            expires_at = lease.renewed_at + lease.instance.duration
            if monotonic > expires_at + grace:
                found.append(lease)
            elif expires_at >= present + 1:
                alive.append(lease)
        for lease in alive:
            del self._due[lease]
            self._file_again(lease, present)
        return found

    def _file_again(self, lease: Lease, present: int) -> None:
        second = floor(lease.expires_at)
        if second > present:
            self._file(lease, min(second, present + HORIZON))
        else:
            lease.filed = _DUE
            self._due[lease] = None

    def _file(self, lease: Lease, second: int) -> None:
        lease.filed = second
        leases = self._seconds.get(second)
        if leases is None:
            self._seconds[second] = {lease: None}
        else:
            leases[lease] = None
