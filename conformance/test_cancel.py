"""
Chapter 4, cancelling: what a cancelled instance leaves behind, and what it does not.

What a cancellation does to the threshold is judged in `test_preserve.py` (CANCEL-04).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.actors.instance import Instance
from eureka_tck.verdict import expect, requirement

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case


# CANCEL-01: known and unknown


@requirement("CANCEL-01")
def test_cancelling_a_known_instance_answers_200(cart: Instance) -> None:
    """A cancellation of a registered instance answers 200."""
    cart.register()

    answer = cart.cancel()

    expect("the answer to a cancellation of a known instance", answer).has_status(200)


@requirement("CANCEL-01")
def test_a_cancelled_instance_is_gone_at_once(cart: Instance) -> None:
    """The first single read after a cancellation finds nothing."""
    cart.register()

    cart.cancel()

    expect("the cancelled instance", cart.read()).is_absent()


@requirement("CANCEL-01")
def test_cancelling_an_unknown_instance_is_404(
    registry: Registry, case: Case, cart: Instance
) -> None:
    """Beside a registered instance of its application, an unknown one cannot be cancelled."""
    case.given("another instance of the application is registered")
    cart.register()

    answer = registry.cancel(cart.app, case.id("nobody"))

    expect("the answer to a cancellation of an unknown instance", answer).has_status(404)


@requirement("CANCEL-01")
def test_cancelling_in_an_unknown_application_is_404(cart: Instance) -> None:
    """In an application that nobody registered there is nothing to cancel."""
    answer = cart.cancel()

    expect("the answer to a cancellation in an unknown application", answer).has_status(404)


@requirement("CANCEL-01")
def test_cancelling_twice_is_404(cart: Instance) -> None:
    """The second cancellation of an instance finds nothing to cancel."""
    cart.register()
    cart.cancel()

    answer = cart.cancel()

    expect("the answer to a second cancellation", answer).has_status(404)


@requirement("CANCEL-01", profile="cache-on", seconds=6)
def test_an_expired_instance_can_be_cancelled(cluster: Cluster, case: Case, cart: Instance) -> None:
    """A lease that has expired and was not evicted yet is cancelled with 200."""
    case.given("a lease of 2 s, never renewed; runs evict nothing, for the percentage is 1.0")
    cart.register(duration=2)
    cluster.clock.wait_until(
        lambda: cart.read().status == 404,
        within=10,
        what="the expired instance to be gone from the single read",
    )

    answer = cart.cancel()

    expect("the answer to a cancellation of an expired instance", answer).has_status(200)


# CANCEL-02, CANCEL-03, CANCEL-05: what is left behind


@requirement("CANCEL-02")
def test_a_cancelled_instance_is_told_as_deleted(cart: Instance) -> None:
    """The delta tells a cancelled instance with action type DELETED."""
    cart.register()

    cart.cancel()

    change = cart.change()
    expect("the delta's action for a cancelled instance", change and change.action).equals(
        "DELETED"
    )


@requirement("CANCEL-02")
def test_a_cancelled_instance_is_told_as_last_stored(cart: Instance) -> None:
    """Metadata, status, override, T and addresses of the deleted instance are the last ones."""
    cart.register(metadata={"zone": "z1"})
    cart.set_metadata({"colour": "green"})
    cart.set_status("OUT_OF_SERVICE")
    last = cart.record()

    cart.cancel()

    expect(
        "the difference between the deleted instance and what was stored last",
        last.differences(cart.change()),
    ).equals("nothing")


@requirement("CANCEL-03")
def test_an_override_goes_with_the_instance(cart: Instance) -> None:
    """An instance taken out of service, cancelled and registered as UP again is UP."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")
    cart.cancel()

    cart.register(status="UP")

    expect("the status after the new registration", cart.record().status).equals("UP")


@requirement("CANCEL-03")
def test_no_override_is_stored_after_a_cancellation(cart: Instance) -> None:
    """An instance registered again after its cancellation has no override."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")
    cart.cancel()

    cart.register(status="UP")

    expect("the stored override", cart.record().overridden_status).equals("UNKNOWN")


@requirement("CANCEL-05")
def test_an_application_without_instances_is_404(registry: Registry, cart: Instance) -> None:
    """`/apps/{APP}` is unknown once the last instance is cancelled."""
    cart.register()

    cart.cancel()

    expect("an application without instances", registry.app(cart.app)).is_absent()


@requirement("CANCEL-05")
def test_an_application_without_instances_is_not_listed(registry: Registry, cart: Instance) -> None:
    """`/apps` does not name an application whose last instance is cancelled."""
    cart.register()

    cart.cancel()

    names = [app.name for app in registry.apps().applications().application]
    expect("the list of applications", names).lacks(cart.app)


@requirement("CANCEL-05")
def test_an_application_with_an_instance_left_is_listed(
    registry: Registry, case: Case, cart: Instance
) -> None:
    """`/apps/{APP}` goes on listing the other instance when one of two is cancelled."""
    other = Instance(registry, cart.app, case.id(2))
    cart.register()
    other.register()

    cart.cancel()

    ids = [record.id for record in registry.app(cart.app).application().instance]
    expect("the list of the application's instances", ids).equals([other.id])
