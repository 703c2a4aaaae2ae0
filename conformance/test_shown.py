"""Chapter 1, the wire: what an answer shows of instances, and the hash that sums them up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.actors.view import SINGLES, look, plain, seen
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.markup import document
from eureka_tck.wire.sample import sample, without

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.sample import Json

NO_VIPS = ["apps", "delta", "app", *SINGLES]
"""The views of an instance without addresses."""

ALWAYS = [
    *("hostName", "app", "ipAddr", "status", "overriddenStatus", "port", "securePort"),
    *("countryId", "dataCenterInfo", "leaseInfo", "metadata", "isCoordinatingDiscoveryServer"),
    *("lastUpdatedTimestamp", "lastDirtyTimestamp", "actionType"),
]
LEFT_OUT = [
    *("vipAddress", "secureVipAddress", "homePageUrl", "statusPageUrl", "healthCheckUrl"),
    *("secureHealthCheckUrl", "appGroupName", "asgName", "sid"),
]


# WIRE-15: the hash

OF_ALL_STATUSES = "DOWN_1_OUT_OF_SERVICE_1_STARTING_1_UNKNOWN_1_UP_2_"


@requirement("WIRE-15")
@pytest.mark.parametrize("view", ["vip", "svip"])
@pytest.mark.parametrize("accept", [JSON, XML], ids=["json", "xml"])
def test_a_vip_list_has_the_hash_of_what_it_lists(
    registry: Registry, case: Case, view: str, accept: str
) -> None:
    """The statuses of the listed instances, alphabetically, each with its number."""
    statuses = ["UP", "STARTING", "DOWN", "UP", "UNKNOWN", "OUT_OF_SERVICE"]
    for number, status in enumerate(statuses):
        Instance(registry, case.app("CART"), case.id(number)).register(status=status)

    listed = look(Instance(registry, case.app("CART"), ""), view, accept=accept).applications()

    expect("the hash of the list", listed.hash).equals(OF_ALL_STATUSES)


@requirement("WIRE-15")
@pytest.mark.parametrize("view", ["vip", "svip"])
@pytest.mark.parametrize("accept", [JSON, XML], ids=["json", "xml"])
def test_what_is_not_there_is_not_in_the_hash(cart: Instance, view: str, accept: str) -> None:
    """A status that no instance has, has no entry; a list of none has the empty hash."""
    empty = look(cart, view, accept=accept).applications()
    cart.register(status="STARTING")

    listed = look(cart, view, accept=accept).applications()

    expect("the hashes of none and of one", (empty.hash, listed.hash)).equals(("", "STARTING_1_"))


@requirement("WIRE-15")
@pytest.mark.parametrize("accept", [JSON, XML], ids=["json", "xml"])
@pytest.mark.parametrize("compact", [False, True], ids=["full", "compact"])
def test_the_whole_list_has_the_hash_of_the_registry(
    cart: Instance,
    accept: str,
    compact: bool,
) -> None:
    """The hash of `/apps` counts exactly what the same body lists."""
    cart.register(status="OUT_OF_SERVICE")

    listed = look(cart, "apps", accept=accept, compact=compact).applications()

    statuses = [record.status for record in listed]
    due = "".join(f"{one}_{statuses.count(one)}_" for one in sorted(set(statuses)))
    expect("the hash of the whole list", listed.hash).equals(due)


@requirement("WIRE-15", profile="abuse", needs={"settings", "peers", "destructive"})
@pytest.mark.parametrize("accept", [JSON, XML], ids=["json", "xml"])
def test_an_empty_registry_has_the_empty_hash(
    registry: Registry, cart: Instance, accept: str
) -> None:
    """When the last instance has gone, the hash is an empty text, not a missing one."""
    cart.register()
    before = registry.apps().applications()
    for one in before:  # one by one: a batch may end at an id that another test left
        registry.batch([{"appName": one.app, "id": one.id, "action": "Cancel"}])

    after = look(cart, "apps", accept=accept).applications()

    expect("the hash before", before.hash).differs_from("")
    expect("applications and hash after", (after.application, after.hash)).equals(((), ""))


@requirement("WIRE-15")
@pytest.mark.parametrize("accept", [JSON, XML], ids=["json", "xml"])
def test_an_application_has_no_hash(cart: Instance, accept: str) -> None:
    """`/apps/{app}` says neither hash nor version."""
    cart.register()

    answer = look(cart, "app", accept=accept)

    expect("the body of an application", answer.text).lacks("hashcode", "versions__delta")
    expect("the instance in it", seen(cart, "app", answer).id).equals(cart.id)


# WIRE-23, WIRE-26: what is always there, and what never


@requirement("WIRE-23")
@pytest.mark.parametrize("view", NO_VIPS)
def test_these_fields_are_always_there(registry: Registry, case: Case, view: str) -> None:
    """An instance that sent the least reads back with all fifteen."""
    cart = registered_with_the_least(registry, case)

    told = plain(cart, view, look(cart, view))

    expect("the set of fields", set(told)).contains(*ALWAYS)


@requirement("WIRE-23")
@pytest.mark.parametrize("view", NO_VIPS)
def test_a_field_without_a_value_is_left_out(registry: Registry, case: Case, view: str) -> None:
    """What the instance did not send is not there, and nothing is null."""
    cart = registered_with_the_least(registry, case)

    told = plain(cart, view, look(cart, view))

    expect("the set of fields", set(told)).lacks(*LEFT_OUT)
    expect("the set of null fields", {key for key, value in told.items() if value is None}).equals(
        set()
    )


@requirement("WIRE-23")
@pytest.mark.parametrize("view", SINGLES)
def test_an_element_without_a_value_is_left_out(registry: Registry, case: Case, view: str) -> None:
    """The same in XML: the fifteen are there, the others are not."""
    cart = registered_with_the_least(registry, case)

    root = document(look(cart, view, accept=XML).body)

    due = [name.replace("overriddenStatus", "overriddenstatus") for name in ALWAYS]
    expect("the set of elements", {element.tag for element in root}).contains(*due).lacks(*LEFT_OUT)


@requirement("WIRE-26")
@pytest.mark.parametrize(
    ("name", "due"),
    [
        ("port", {"$": 7001, "@enabled": "true"}),
        ("securePort", {"$": 7002, "@enabled": "false"}),
        ("countryId", 1),
        ("metadata", {"@class": "java.util.Collections$EmptyMap"}),
    ],
    ids=["port", "securePort", "countryId", "metadata"],
)
def test_the_least_reads_back_with_defaults(
    registry: Registry, case: Case, name: str, due: Json
) -> None:
    """The reference's own defaults stand where the registration said nothing."""
    cart = registered_with_the_least(registry, case)

    told = plain(cart, "instance", look(cart, "instance"))

    expect(name, told.get(name)).equals(due)


@requirement("WIRE-26")
def test_the_least_has_a_lease_of_90_s_and_the_time_of_arrival(
    registry: Registry, case: Case
) -> None:
    """Renewals every 30 s, a lease of 90 s, and T of the registration itself."""
    cart = registered_with_the_least(registry, case)

    record = cart.record()

    expect(
        "interval, duration, and T less the registration's stamp",
        (
            record.leased.renewal_interval,
            record.leased.duration,
            abs((record.dirty_ms or 0) - record.leased.registered_ms) < A_MOMENT_MS,
        ),
    ).equals((30, 90, True))


A_MOMENT_MS = 2000
"""The body is read a moment before it is stored: registry ms, generous for a stall at speed 20."""


def registered_with_the_least(registry: Registry, case: Case) -> Instance:
    """Register what no registry refuses, and nothing more; the host name is its id."""
    app, host = case.app("CART"), case.id("host")
    everything = set(sample(app, host))
    needed = {"hostName", "app", "ipAddr", "dataCenterInfo"}
    registry.register(without(sample(app, host, hostName=host), *(everything - needed)))
    return Instance(registry, app, host)


# WIRE-27: the action


@requirement("WIRE-27")
@pytest.mark.parametrize(
    ("change", "due"),
    [
        pytest.param(lambda cart: cart.register(), "ADDED", id="registration"),
        pytest.param(lambda cart: cart.set_metadata({"k": "v"}), "ADDED", id="metadata"),
        pytest.param(lambda cart: cart.set_status("DOWN"), "MODIFIED", id="status"),
        pytest.param(lambda cart: cart.cancel(), "DELETED", id="cancel"),
    ],
)
@pytest.mark.parametrize("accept", [JSON, XML], ids=["json", "xml"])
@pytest.mark.parametrize("compact", [False, True], ids=["full", "compact"])
def test_the_delta_tells_what_was_done(
    cart: Instance,
    change: Callable[[Instance], Answer],
    due: str,
    accept: str,
    compact: bool,
) -> None:
    """After each kind of change the delta has its word for it, in every form."""
    cart.register()
    change(cart)

    told = seen(cart, "delta", look(cart, "delta", accept=accept, compact=compact))

    expect("actionType in the delta", told.action).equals(due)


@requirement("WIRE-27")
def test_the_removal_of_an_override_is_told_as_modified(cart: Instance) -> None:
    """A status change is one also where an override goes."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")
    cart.register()

    cart.remove_status("UP")

    told = seen(cart, "delta", look(cart, "delta"))
    expect("actionType in the delta", told.action).equals("MODIFIED")


@requirement("WIRE-27")
@pytest.mark.parametrize("view", ["delta", "instance"])
def test_a_renewal_leaves_the_action(cart: Instance, view: str) -> None:
    """MODIFIED stays MODIFIED when the instance renews."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")

    cart.renew()

    told = seen(cart, view, look(cart, view))
    expect("actionType after a renewal", told.action).equals("MODIFIED")


@requirement("WIRE-27")
@pytest.mark.parametrize("sent", ["DELETED", "MODIFIED", "BOGUS"])
@pytest.mark.parametrize("view", ["delta", "apps", "app", "instance"])
def test_the_action_that_a_client_sends_is_ignored(cart: Instance, view: str, sent: str) -> None:
    """A registration is ADDED, whatever action it names."""
    cart.register(actionType=sent)

    told = seen(cart, view, look(cart, view))

    expect("actionType after a registration", told.action).equals("ADDED")


@requirement("WIRE-27")
@pytest.mark.parametrize("view", ["apps", "app", "vip", "svip"])
def test_deleted_stands_in_the_delta_only(
    registry: Registry, cart: Instance, case: Case, view: str
) -> None:
    """A cancelled instance is in no other list."""
    other = Instance(registry, cart.app, case.id(2))
    cart.register()
    other.register()
    cart.cancel()

    answer = look(other, view)

    expect("the body of the list", answer.text).lacks(cart.id, "DELETED").contains(other.id)
