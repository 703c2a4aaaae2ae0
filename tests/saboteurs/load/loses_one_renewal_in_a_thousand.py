"""A registry that acknowledges every renewal, and forgets one in a thousand."""

import itertools
import sys

from eureka.core.instant import Instant
from eureka.core.lease import Lease
from eureka.server.__main__ import main

renew = Lease.renew
turns = itertools.count(1)


def renewed(self: Lease, *, now: Instant) -> None:
    """Renew as the right registry does, but for each thousandth time."""
    if next(turns) % 1000:
        renew(self, now=now)


Lease.renew = renewed  # type: ignore[method-assign] # that is the sabotage
sys.exit(main())
