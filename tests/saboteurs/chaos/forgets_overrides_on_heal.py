"""A registry that takes what it missed from its peers, but for the overrides."""

import sys
from dataclasses import replace
from typing import Any

from eureka.core.event import Changed
from eureka.core.instance import Instance
from eureka.core.registry import Registry
from eureka.core.status import Status
from eureka.server.__main__ import main

adopt = Registry.adopt


def bare(self: Registry, instance: Instance, **how: Any) -> Changed:  # noqa: ANN401 - passed on
    """Adopt the record as the right registry does, as if nobody had overridden it."""
    if instance.overridden_status is not Status.UNKNOWN:
        instance = replace(instance, status=Status.UP, overridden_status=Status.UNKNOWN)
    return adopt(self, instance, **how)


Registry.adopt = bare  # type: ignore[method-assign] # that is the sabotage
sys.exit(main())
