"""A registry whose every eviction run may take one lease more than the limit."""

import sys

from eureka.core import eviction
from eureka.core.policy import Policy
from eureka.server.__main__ import main

eviction_limit = eviction.eviction_limit


def one_too_many(size: int, policy: Policy) -> int:
    """Return the right limit plus one, where the right one is not 0 already."""
    limit = eviction_limit(size, policy)
    return limit + 1 if limit else 0


eviction.eviction_limit = one_too_many  # that is the sabotage
sys.exit(main())
