"""A registry that now and then looks through all applications, and takes 5 ms for each."""

import itertools
import sys
import time

from eureka.core.instant import Instant
from eureka.core.lease import Lease
from eureka.core.registry import Registry
from eureka.server.__main__ import main

renew = Registry.renew_plainly
turns = itertools.count(1)
EVERY = 600  # renewals
EACH = 0.005  # s an application


def renewed(
    self: Registry, app: str, instance_id: str, dirty_ms: int | None, *, now: Instant
) -> Lease | None:
    """Renew as the right registry does, and at times stand still."""
    if not next(turns) % EVERY:
        time.sleep(EACH * len(self.leases.by_app))  # noqa: TID251 - that is the sabotage
    return renew(self, app, instance_id, dirty_ms, now=now)


Registry.renew_plainly = renewed  # type: ignore[method-assign] # that is the sabotage
sys.exit(main())
