"""A registry whose count of instances loses those that register within 5 ms of another."""

import sys
import time

from eureka.core.lease import Lease
from eureka.core.leases import Leases
from eureka.server.__main__ import main

put = Leases.put
last = [0.0]
WINDOW = 0.005  # s


def counted(self: Leases, lease: Lease) -> None:
    """Hold as the right registry does, and count like one that reads, adds and writes unlocked."""
    is_new = self.find(lease.instance.key) is None
    put(self, lease)
    if is_new and time.monotonic() - last[0] < WINDOW:
        self.counts[lease.instance.status] -= 1
    last[0] = time.monotonic()


Leases.put = counted  # type: ignore[method-assign] # that is the sabotage
sys.exit(main())
