"""A registry in which what was cancelled comes back a little later, as if a peer had told of it."""

import sys

from eureka.core.event import Event
from eureka.core.eviction import Chance
from eureka.core.instance import Instance, Key
from eureka.core.instant import Instant
from eureka.core.node import Answer, Node
from eureka.server.__main__ import main

AWAY = 5.0  # s; it comes back with the next thing that the registry does by itself

cancel, tick = Node.cancel, Node.tick
ghosts: list[tuple[float, Instance]] = []


def cancelled(self: Node, key: Key, *, now: Instant, replicated: bool) -> Answer:
    """Cancel as the right registry does, and keep the record for later."""
    lease = self.registry.leases.find(key)
    if lease is not None:
        ghosts.append((now.monotonic + AWAY, lease.instance))
    return cancel(self, key, now=now, replicated=replicated)


def ticked(self: Node, *, now: Instant, rng: Chance) -> list[Event]:
    """Do what is due, and bring back what was cancelled."""
    events = tick(self, now=now, rng=rng)
    while ghosts and ghosts[0][0] <= now.monotonic:
        _, instance = ghosts.pop(0)
        events.append(self.registry.register(instance, now=now, replicated=True))
    return events


Node.cancel = cancelled  # type: ignore[method-assign] # that is the sabotage
Node.tick = ticked  # type: ignore[method-assign] # and its other half
sys.exit(main())
