"""A registry for which the older of two registrations is the truth, if a peer brings one."""

import sys
from typing import Any

from eureka.core.event import Changed
from eureka.core.instance import Instance
from eureka.core.registry import Registry
from eureka.server.__main__ import main

register, adopt = Registry.register, Registry.adopt


def older(registry: Registry, instance: Instance) -> Instance:
    """Return the older of the record that is held and the one that comes."""
    held = registry.leases.find(instance.key)
    return held.instance if held and held.instance.dirty_ms < instance.dirty_ms else instance


def registered(self: Registry, instance: Instance, **how: Any) -> Changed:  # noqa: ANN401 - passed on
    """Register as the right registry does, but the older record where a peer says so."""
    if how["replicated"]:
        instance = older(self, instance)
    return register(self, instance, **how)


def adopted(self: Registry, instance: Instance, **how: Any) -> Changed:  # noqa: ANN401 - passed on
    """Adopt the older record."""
    return adopt(self, older(self, instance), **how)


Registry.register = registered  # type: ignore[method-assign] # that is the sabotage
Registry.adopt = adopted  # type: ignore[method-assign] # and its other half
sys.exit(main())
