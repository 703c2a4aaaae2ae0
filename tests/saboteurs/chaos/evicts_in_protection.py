"""A registry that says that it protects itself, and evicts all the same."""

import sys

from eureka.core.instant import Instant
from eureka.core.registry import Registry
from eureka.server.__main__ import main


def always(self: Registry, *, now: Instant) -> bool:  # noqa: ARG001 - the right one asks them
    """Let leases expire whatever the renewals are."""
    return True


Registry.expiry_enabled = always  # type: ignore[method-assign] # that is the sabotage
sys.exit(main())
