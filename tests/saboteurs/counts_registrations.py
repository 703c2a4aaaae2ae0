"""A registry that counts every registration as a renewal of the current minute."""

import sys

from eureka.core.event import Changed
from eureka.core.instance import Instance
from eureka.core.instant import Instant
from eureka.core.registry import Registry
from eureka.server.__main__ import main

register = Registry.register


def counted(self: Registry, instance: Instance, *, now: Instant, replicated: bool) -> Changed:
    """Register as the right registry does, then count a renewal nobody made."""
    changed = register(self, instance, now=now, replicated=replicated)
    self.preservation.renewed(now=now.monotonic)
    return changed


Registry.register = counted  # type: ignore[method-assign] # that is the sabotage
sys.exit(main())
