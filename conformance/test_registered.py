"""Chapter 2, registering: what a registry makes of a registration, as it reads back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.client import XML
from eureka_tck.wire.markup import instance_xml
from eureka_tck.wire.sample import (
    DEFAULT_DATA_CENTER,
    DIRTY_MS,
    amazon_data_center,
    my_own_data_center,
    sample,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case
    from eureka_tck.wire.sample import Json, Sample


# REG-06: the stamps of a registration


@requirement("REG-06")
@pytest.mark.parametrize("later", [-1, 0, 1], ids=["older-T", "equal-T", "newer-T"])
def test_every_registration_stamps_its_time(
    cart: Instance, a_moment: Callable[[], None], later: int
) -> None:
    """`registrationTimestamp` moves with every registration, whatever its T."""
    cart.register(dirty=DIRTY_MS)
    first = cart.record().leased.registered_ms
    a_moment()

    cart.register(dirty=DIRTY_MS + later)

    expect("registrationTimestamp", cart.record().leased.registered_ms).is_more_than(
        first, unit="ms", because="another registration came after it"
    )


@requirement("REG-06")
def test_a_registration_is_told_as_added(cart: Instance) -> None:
    """After a registration the delta tells the instance as ADDED, though it was MODIFIED before."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")

    cart.register()

    change = cart.change()
    expect("the delta's action", change and change.action).equals("ADDED")


@requirement("REG-06")
@pytest.mark.parametrize("status", ["STARTING", "DOWN", "OUT_OF_SERVICE"])
def test_an_instance_never_up_has_no_service_up_time(cart: Instance, status: str) -> None:
    """`serviceUpTimestamp` is 0 until the instance is UP for the first time."""
    cart.register(status=status)

    expect("serviceUpTimestamp", cart.record().leased.service_up_ms).equals(0)


@requirement("REG-06")
def test_the_first_up_by_registration_sets_the_service_up_time(cart: Instance) -> None:
    """An instance that registers as UP after STARTING has its time of going up."""
    cart.register(status="STARTING")
    started = cart.record().leased.registered_ms

    cart.register(status="UP")

    expect("serviceUpTimestamp", cart.record().leased.service_up_ms).is_at_least(started, "ms")


@requirement("REG-06")
def test_the_first_up_by_a_status_call_sets_the_service_up_time(cart: Instance) -> None:
    """An instance that is set to UP after STARTING has its time of going up."""
    cart.register(status="STARTING")
    started = cart.record().leased.registered_ms

    cart.set_status("UP")

    expect("serviceUpTimestamp", cart.record().leased.service_up_ms).is_at_least(started, "ms")


@requirement("REG-06")
@pytest.mark.parametrize("status", ["UP", "DOWN"])
def test_the_service_up_time_is_kept(
    cart: Instance, a_moment: Callable[[], None], status: str
) -> None:
    """Later registrations, as UP or as DOWN, do not move `serviceUpTimestamp`."""
    cart.register(status="UP")
    first = cart.record().leased.service_up_ms
    a_moment()

    cart.register(status=status, dirty=DIRTY_MS + 1)

    expect("serviceUpTimestamp", cart.record().leased.service_up_ms).equals(first)


# REG-07: the lease is the server's


@requirement("REG-07")
@pytest.mark.parametrize("stamp", ["registered_ms", "renewed_ms", "service_up_ms"])
def test_a_lease_has_the_servers_stamps(registry: Registry, case: Case, stamp: str) -> None:
    """Stamps that a client sends are replaced by the server's time of the registration."""
    case.given("three registrations in a row; the second sends lease stamps of the year 1970")
    before, cart, after = (Instance(registry, case.app("CART"), case.id(n)) for n in range(3))
    ancient: Json = {
        "registrationTimestamp": 5,
        "lastRenewalTimestamp": 6,
        "evictionTimestamp": 7,
        "serviceUpTimestamp": 8,
    }
    before.register()
    cart.register(leaseInfo=ancient)
    after.register()

    seen = getattr(cart.record().leased, stamp)

    expect(f"the stamp {stamp} of the lease", seen).is_between(
        before.record().leased.registered_ms,
        after.record().leased.registered_ms,
        unit="ms",
        because="the registrations before and after it have these stamps",
    )


@requirement("REG-07")
def test_a_new_lease_was_never_evicted(cart: Instance) -> None:
    """`evictionTimestamp` of a new lease is 0, whatever the client sent."""
    cart.register(leaseInfo={"evictionTimestamp": 7})

    expect("evictionTimestamp", cart.record().leased.evicted_ms).equals(0)


@requirement("REG-07")
@pytest.mark.parametrize(
    "lease",
    [
        pytest.param({}, id="missing"),
        pytest.param({"durationInSecs": None}, id="null"),
        pytest.param({"durationInSecs": 0}, id="zero"),
        pytest.param({"durationInSecs": -5}, id="negative"),
        pytest.param({"durationInSecs": "abc"}, id="unreadable"),
        pytest.param(None, id="no-leaseInfo"),
    ],
)
def test_a_lease_without_a_usable_duration_is_90_s(cart: Instance, lease: Json) -> None:
    """A missing or meaningless duration means 90 s."""
    cart.register(leaseInfo=lease)

    expect("durationInSecs", cart.record().leased.duration).equals(90)


@requirement("REG-07")
@pytest.mark.parametrize(
    "lease",
    [
        pytest.param({}, id="missing"),
        pytest.param({"renewalIntervalInSecs": None}, id="null"),
        pytest.param({"renewalIntervalInSecs": 0}, id="zero"),
        pytest.param({"renewalIntervalInSecs": -5}, id="negative"),
        pytest.param({"renewalIntervalInSecs": "abc"}, id="unreadable"),
        pytest.param(None, id="no-leaseInfo"),
    ],
)
def test_a_lease_without_a_usable_interval_is_renewed_every_30_s(
    cart: Instance, lease: Json
) -> None:
    """A missing or meaningless renewal interval means 30 s."""
    cart.register(leaseInfo=lease)

    expect("renewalIntervalInSecs", cart.record().leased.renewal_interval).equals(30)


# REG-11, REG-12, REG-13: what the registry adds


@requirement("REG-11")
@pytest.mark.parametrize(
    "timeless",
    [
        pytest.param(lambda full: without(full, "lastDirtyTimestamp"), id="missing"),
        pytest.param(lambda full: full | {"lastDirtyTimestamp": None}, id="null"),
    ],
)
def test_a_registration_without_t_has_the_time_of_its_arrival(
    registry: Registry, case: Case, timeless: Callable[[Sample], Sample]
) -> None:
    """T of a registration that names none lies between its neighbours' arrivals."""
    case.given("three registrations in a row; the second has no lastDirtyTimestamp")
    before, cart, after = (Instance(registry, case.app("CART"), case.id(n)) for n in range(3))
    before.register()
    registry.register(timeless(sample(cart.app, cart.id)))
    after.register()

    dirty = cart.record().dirty_ms

    expect("T of a registration without one", dirty).is_between(
        before.record().leased.registered_ms,
        after.record().leased.registered_ms,
        unit="ms",
        because="the registrations before and after it arrived then",
    )


@requirement("REG-12")
def test_amazon_data_without_an_id_gets_the_instances(cart: Instance) -> None:
    """`instance-id` of an Amazon data centre that lacks it becomes the instance's own id."""
    cart.register(dataCenterInfo=amazon_data_center({"ami-id": "ami-1"}))

    seen = cart.record().located.metadata.get("instance-id")
    expect("instance-id of the data centre", seen).equals(cart.id)


@requirement("REG-13")
@pytest.mark.parametrize(
    ("place", "name"),
    [
        pytest.param(my_own_data_center(), "MyOwn", id="MyOwn"),
        pytest.param({"@class": DEFAULT_DATA_CENTER, "name": "Netflix"}, "Netflix", id="Netflix"),
        pytest.param(amazon_data_center({"ami-id": "ami-1"}), "Amazon", id="Amazon"),
    ],
)
def test_a_known_data_centre_is_taken(cart: Instance, place: Json, name: str) -> None:
    """Each of the three names of data centres is accepted and reads back."""
    cart.register(dataCenterInfo=place)

    expect("the data centre's name, read back", cart.record().located.name).equals(name)


@requirement("REG-13")
@pytest.mark.parametrize(
    "place",
    [
        pytest.param({"@class": DEFAULT_DATA_CENTER, "name": "Moon"}, id="another-name"),
        pytest.param({"name": "MyOwn"}, id="no-class"),
    ],
)
def test_an_unknown_data_centre_is_refused(cart: Instance, place: Json) -> None:
    """Another name, or JSON without a class, answers 400."""
    answer = cart.register(dataCenterInfo=place)

    expect("the answer to a registration in an unknown data centre", answer).has_status(400)


@requirement("REG-13")
def test_an_old_data_centre_class_reads_back_as_the_default_one(cart: Instance) -> None:
    """`MyDataCenterInfo` is shown as `InstanceInfo$DefaultDataCenterInfo`."""
    cart.register(
        dataCenterInfo={"@class": "com.netflix.appinfo.MyDataCenterInfo", "name": "MyOwn"}
    )

    expect("the class of the data centre, read back", cart.record().located.kind).equals(
        DEFAULT_DATA_CENTER
    )


@requirement("REG-13")
def test_xml_needs_no_class_of_the_data_centre(registry: Registry, case: Case) -> None:
    """A registration by XML whose `dataCenterInfo` has no class is accepted."""
    app = case.app("CART")
    body = instance_xml(sample(app, case.id(1), dataCenterInfo={"name": "MyOwn"}))

    answer = registry.post(app, body, content_type=XML)

    expect("the answer to a registration by XML without a class", answer).has_status(204)
