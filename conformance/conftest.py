"""What the chapters share: an instance to begin with, and a moment to wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.observe.fixtures import *  # noqa: F403 - pytest finds the recordings here by name
from eureka_tck.observe.lists import *  # noqa: F403 - the same
from eureka_tck.observe.mesh_fixtures import *  # noqa: F403 - the same
from eureka_tck.observe.peer_fixtures import *  # noqa: F403 - the same

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.cluster import Cluster
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case


@pytest.fixture
def cart(registry: Registry, case: Case) -> Instance:
    """Give an instance of an application that no other test uses; it is not registered yet."""
    return Instance(registry, case.app("CART"), case.id(1))


@pytest.fixture
def a_moment(cluster: Cluster) -> Callable[[], None]:
    """Give a wait of 50 registry ms, after which a stamp in milliseconds must have moved."""
    clock = cluster.clock
    return lambda: clock.reach(clock.now() + 0.05)
