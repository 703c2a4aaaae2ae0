"""Chapter 7, reading: what is read of expired instances, and before a registry has opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.view import LISTS, look, path_of, seen
from eureka_tck.verdict import Inconclusive, due, expect, requirement
from eureka_tck.wire.client import JSON, XML

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.actors.instance import Instance
    from eureka_tck.cluster import Cluster
    from eureka_tck.verdict import Case
    from eureka_tck.wire.answer import Answer

# QUERY-04: expired instances

LIVE_CALLS: list[object] = [
    pytest.param(lambda one: one.read(), id="read"),
    pytest.param(lambda one: one.registry.instance_by_id(one.id), id="read-by-id"),
    pytest.param(lambda one: one.set_status("DOWN"), id="status"),
    pytest.param(lambda one: one.remove_status(), id="removal"),
    pytest.param(lambda one: one.set_metadata({"k": "v"}), id="metadata"),
]
INTERVAL = 5.0  # s, responseCacheUpdateIntervalMs of the profile cache-on
GENERATING = 2.0
"""Registry s to generate a list and to ask for it, at speed 10 on a busy machine."""
EXPIRED_AFTER = 2  # s, the lease of the instances that expire


@requirement("QUERY-04", profile="cache-on", seconds=6)
@pytest.mark.parametrize("call", LIVE_CALLS)
def test_an_expired_instance_is_404(
    cart: Instance, cluster: Cluster, call: Callable[[Instance], Answer]
) -> None:
    """While expiry is enabled, a lease that has run out is unknown to single reads and calls."""
    before = lease_of_2_s(cart, cluster)

    answer = call(cart)

    expect("the read before the lease ran out", before).has_status(200)
    expect("the answer about an expired instance", answer).has_status(404)


@requirement("QUERY-04", profile="cache-on", seconds=6)
@pytest.mark.parametrize("view", LISTS)
def test_an_expired_instance_is_still_listed(cart: Instance, cluster: Cluster, view: str) -> None:
    """Lists go on showing a lease that has run out and was not evicted."""
    lease_of_2_s(cart, cluster)
    expect("the single read", cart.read()).has_status(404)

    with due("the expired instance is listed once the cache is no older", margin=GENERATING):
        cluster.clock.wait_until(
            lambda: cart.id in look(cart, view).text,
            within=INTERVAL + GENERATING,
            what=f"the expired instance in {view}",
        )
    expect("the status listed", seen(cart, view, look(cart, view)).status).equals("UP")


@requirement("QUERY-04", profile="cache-on", seconds=6)
def test_a_renewal_revives_an_expired_instance(cart: Instance, cluster: Cluster) -> None:
    """A renewal is answered 200, and the single read finds the instance again."""
    lease_of_2_s(cart, cluster)
    expect("the single read", cart.read()).has_status(404)

    answer = cart.renew()

    expect("the answer to the renewal", answer).has_status(200)
    expect("the single read after it", cart.read()).has_status(200)


@requirement("QUERY-04", profile="cache-on", seconds=6)
def test_an_expired_instance_is_cancelled(cart: Instance, cluster: Cluster) -> None:
    """A cancellation of an expired instance is answered 200."""
    lease_of_2_s(cart, cluster)
    expect("the single read", cart.read()).has_status(404)

    answer = cart.cancel()

    expect("the answer to the cancellation", answer).has_status(200)


@requirement("QUERY-04", seconds=6)
@pytest.mark.parametrize("call", LIVE_CALLS)
def test_while_protected_an_expired_instance_is_200(
    cart: Instance, cluster: Cluster, case: Case, call: Callable[[Instance], Answer]
) -> None:
    """Under self-preservation a lease that has run out is as if it had not."""
    case.given("self-preservation is on, and its threshold is never reached")
    lease_of_2_s(cart, cluster)

    answer = call(cart)

    expect("the answer about an expired, protected instance", answer).has_status(200)


def lease_of_2_s(cart: Instance, cluster: Cluster) -> Answer:
    """Register with a lease of 2 s, wait 3 s, and return what the read said before."""
    begun = cluster.clock.now()
    cart.register(duration=EXPIRED_AFTER)
    before = cart.read()
    if (took := cluster.clock.now() - begun) > EXPIRED_AFTER:
        raise Inconclusive(
            f"registration and read took {took:.1f} s, the lease {EXPIRED_AFTER} s.", late=True
        )
    cluster.clock.reach(cluster.clock.now() + EXPIRED_AFTER + 1)
    return before


# QUERY-05: before a registry has opened


CLOSED = 60.0  # s, waitTimeInMsWhenSyncEmpty of the profile cold
OPENING = 5.0
"""Registry s beyond the wait by which a registry has certainly opened."""


@pytest.fixture(scope="session")
def closed(profile_cluster: Callable[[str], Cluster]) -> tuple[Cluster, float]:
    """Give a registry that has just started again, empty and alone, and when it first answered."""
    cluster = profile_cluster("cold")
    cluster["a"].restart()
    return cluster, cluster.clock.now()


@pytest.fixture
def still_closed(closed: tuple[Cluster, float]) -> None:
    """Be inconclusive where so much has passed since the start that the registry may be open."""
    cluster, _ = closed
    passed = cluster.clock.now() - (cluster["a"].started_at or 0.0)
    if passed > CLOSED:
        raise Inconclusive(
            f"{passed:.0f} s have passed since the start, the registry waits {CLOSED:.0f} s.",
            late=True,
        )


@pytest.mark.usefixtures("still_closed")
@requirement("QUERY-05", profile="cold", needs={"settings", "kill"}, seconds=2)
@pytest.mark.parametrize("view", LISTS)
@pytest.mark.parametrize("accept", [pytest.param(JSON, id="json"), pytest.param(XML, id="xml")])
def test_a_registry_that_knows_nothing_lists_nothing(
    cart: Instance, view: str, accept: str
) -> None:
    """Every list read is refused with 403 until the wait is over."""
    cart.register(duration=3600)

    answer = cart.registry.call("GET", path_of(cart, view), headers={"Accept": accept})

    expect("the answer to a list read before the registry has opened", answer).has_status(403)


@pytest.mark.usefixtures("still_closed")
@requirement("QUERY-05", profile="cold", needs={"settings", "kill"}, seconds=2)
@pytest.mark.parametrize(
    ("call", "code"),
    [
        pytest.param(lambda one: one.register(duration=3600), 204, id="register"),
        pytest.param(lambda one: one.renew(), 200, id="renew"),
        pytest.param(lambda one: one.set_status("DOWN"), 200, id="status"),
        pytest.param(lambda one: one.set_metadata({"k": "v"}), 200, id="metadata"),
        pytest.param(lambda one: one.read(), 200, id="read"),
        pytest.param(lambda one: one.registry.instance_by_id(one.id), 200, id="read-by-id"),
        pytest.param(lambda one: one.registry.page("/"), 200, id="status-page"),
        pytest.param(lambda one: one.cancel(), 200, id="cancel"),
    ],
)
def test_a_registry_that_has_not_opened_serves_the_rest(
    cart: Instance, call: Callable[[Instance], Answer], code: int
) -> None:
    """Writes, single reads and the status page are served while lists are refused."""
    cart.register(duration=3600)

    answer = call(cart)

    expect("the answer before the registry has opened", answer).has_status(code)
    expect("a list read at the same time", cart.registry.apps()).has_status(403)


@requirement("QUERY-05", profile="cold", needs={"settings", "kill"}, seconds=80)
def test_a_registry_lists_once_the_wait_is_over(
    cart: Instance, closed: tuple[Cluster, float]
) -> None:
    """After `waitTimeInMsWhenSyncEmpty` the lists are served."""
    cluster, answered = closed
    cluster.clock.reach(answered + CLOSED + OPENING)
    cart.register(duration=3600)

    answer = cart.registry.apps()

    expect("the answer to a list read after the wait", answer).has_status(200)
    expect("the instance in it", seen(cart, "apps", answer).id).equals(cart.id)
