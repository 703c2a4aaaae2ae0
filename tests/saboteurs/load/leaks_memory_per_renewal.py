"""A registry that keeps 128 KiB for each renewal, for ever."""

import sys

from eureka.core.instant import Instant
from eureka.core.lease import Lease
from eureka.server.__main__ import main

renew = Lease.renew
kept: list[bytes] = []


def renewed(self: Lease, *, now: Instant) -> None:
    """Renew as the right registry does, and keep a trace of it."""
    kept.append(b"%d" % len(kept) * 32768)
    renew(self, now=now)


Lease.renew = renewed  # type: ignore[method-assign] # that is the sabotage
sys.exit(main())
