"""Chapter 1, the wire: what stands in JSON, field by field and type by type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.actors.view import LISTS, SINGLES, VIEWS, look, plain
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.sample import (
    DEFAULT_DATA_CENTER,
    amazon_data_center,
)

if TYPE_CHECKING:
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.sample import Json

WHOLE = ["apps", "delta", "vip", "svip"]
"""The lists of applications."""


def types_of(value: Json) -> Json:
    """Return the shape of a JSON value: the name of each member's type."""
    if isinstance(value, dict):
        return {name: types_of(member) for name, member in value.items()}
    return type(value).__name__


def under(answer: Answer, root: str) -> dict[str, Json]:
    """Return what stands below the only root of a JSON answer."""
    read = answer.json()
    expect("the set of roots", list(read) if isinstance(read, dict) else read).equals([root])
    inner = read[root] if isinstance(read, dict) else None
    return inner if isinstance(inner, dict) else {}


# WIRE-02, WIRE-03: roots and arrays


@requirement("WIRE-02")
@pytest.mark.parametrize("view", WHOLE)
@pytest.mark.parametrize("compact", [False, True], ids=["full", "compact"])
def test_a_list_of_applications_has_this_root(cart: Instance, view: str, compact: bool) -> None:
    """Below `applications`: version and hash as texts, and the applications."""
    cart.register()

    root = under(look(cart, view, compact=compact), "applications")

    shape = {name: type(root.get(name)).__name__ for name in ROOT_FIELDS}
    expect("the types below `applications`", shape).equals(ROOT_FIELDS)


ROOT_FIELDS = {"versions__delta": "str", "apps__hashcode": "str", "application": "list"}


@requirement("WIRE-02")
def test_an_application_has_this_root(cart: Instance) -> None:
    """Below `application`: the name and the instances, no more."""
    cart.register()

    root = under(look(cart, "app"), "application")

    expect("what stands below `application`", (set(root), root.get("name"))).equals(
        ({"name", "instance"}, cart.app)
    )


@requirement("WIRE-02")
@pytest.mark.parametrize("view", SINGLES)
def test_an_instance_has_this_root(cart: Instance, view: str) -> None:
    """Below `instance` stand the instance's own fields."""
    cart.register()

    root = under(look(cart, view), "instance")

    expect("the instance below its root", root.get("instanceId")).equals(cart.id)


@requirement("WIRE-03")
@pytest.mark.parametrize("compact", [False, True], ids=["full", "compact"])
def test_no_application_is_an_empty_array(registry: Registry, case: Case, compact: bool) -> None:
    """A list of nothing has `application` as an array of no elements."""
    nobody = Instance(registry, case.app("NOBODY"), case.id(1))

    root = under(look(nobody, "vip", compact=compact), "applications")

    expect("`application` of an empty list", root.get("application")).equals([])


@requirement("WIRE-03")
@pytest.mark.parametrize("view", LISTS)
@pytest.mark.parametrize("compact", [False, True], ids=["full", "compact"])
@pytest.mark.parametrize("count", [1, 2])
def test_instances_are_an_array(
    registry: Registry,
    case: Case,
    view: str,
    compact: bool,
    count: int,
) -> None:
    """One instance, or two, stand in an array below their application, itself in an array."""
    carts = [Instance(registry, case.app("CART"), case.id(number)) for number in range(count)]
    for cart in carts:
        cart.register()

    answer = look(carts[0], view, compact=compact)

    read = answer.json()
    listed = [read] if view == "app" else applications_of(read)
    own = [one for one in map(_application, listed) if one.get("name") == carts[0].app]
    expect(
        "the type and length of `instance`",
        [(type(one.get("instance")).__name__, len(list(_many(one)))) for one in own],
    ).equals([("list", count)])


def applications_of(read: Json) -> list[Json]:
    """Return the array of applications; what is no array is a list of none."""
    root = read.get("applications") if isinstance(read, dict) else None
    listed = root.get("application") if isinstance(root, dict) else None
    return listed if isinstance(listed, list) else []


def _application(one: Json) -> dict[str, Json]:
    inner = one.get("application", one) if isinstance(one, dict) else {}
    return inner if isinstance(inner, dict) else {}


def _many(one: dict[str, Json]) -> list[Json]:
    instances = one.get("instance")
    return instances if isinstance(instances, list) else []


# WIRE-04: the types of an instance


@requirement("WIRE-04")
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["port", "securePort"])
def test_a_port_is_a_number_and_a_flag_in_quotes(cart: Instance, view: str, name: str) -> None:
    """`{"$": 8080, "@enabled": "true"}`, and nothing else in it."""
    cart.register()

    told = plain(cart, view, look(cart, view))

    due = {"port": {"$": 8080, "@enabled": "true"}, "securePort": {"$": 443, "@enabled": "false"}}
    expect(name, told.get(name)).equals(due[name])


@requirement("WIRE-04")
@pytest.mark.parametrize("view", VIEWS)
def test_flag_and_stamps_are_texts(cart: Instance, view: str) -> None:
    """The coordinating flag is a text, and both timestamps are decimal texts."""
    cart.register()

    told = plain(cart, view, look(cart, view))

    expect("the flag", told.get("isCoordinatingDiscoveryServer")).equals("false")
    for name in ("lastUpdatedTimestamp", "lastDirtyTimestamp"):
        expect(f"the type of {name}", type(told.get(name)).__name__).equals("str")
        expect(name, told.get(name)).matches("[0-9]+")


@requirement("WIRE-04")
@pytest.mark.parametrize("view", LISTS)
def test_the_stamp_of_a_compact_instance_is_a_number(cart: Instance, view: str) -> None:
    """`lastUpdatedTimestamp` has no quotes in the compact form."""
    cart.register()

    told = plain(cart, view, look(cart, view, compact=True))

    expect("the type of the stamp", type(told.get("lastUpdatedTimestamp")).__name__).equals("int")


@requirement("WIRE-04")
@pytest.mark.parametrize("view", VIEWS)
def test_the_figures_of_a_lease_are_numbers(cart: Instance, view: str) -> None:
    """All six values of `leaseInfo` are numbers."""
    cart.register()

    told = plain(cart, view, look(cart, view))

    expect("the types in leaseInfo", types_of(told.get("leaseInfo"))).equals(
        dict.fromkeys(LEASE, "int")
    )


LEASE = (
    *("renewalIntervalInSecs", "durationInSecs", "registrationTimestamp"),
    *("lastRenewalTimestamp", "evictionTimestamp", "serviceUpTimestamp"),
)


@requirement("WIRE-04")
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    ("place", "kind", "name"),
    [
        pytest.param(
            {"@class": DEFAULT_DATA_CENTER, "name": "MyOwn"},
            DEFAULT_DATA_CENTER,
            "MyOwn",
            id="MyOwn",
        ),
        pytest.param(
            amazon_data_center({"instance-id": "i-1"}),
            "com.netflix.appinfo.AmazonInfo",
            "Amazon",
            id="Amazon",
        ),
    ],
)
def test_a_data_centre_carries_class_and_name(
    cart: Instance, view: str, place: Json, kind: str, name: str
) -> None:
    """`dataCenterInfo` says `@class` and `name` wherever the instance is shown."""
    cart.register(dataCenterInfo=place)

    told = plain(cart, view, look(cart, view)).get("dataCenterInfo")

    seen_place = told if isinstance(told, dict) else {}
    expect("class and name", (seen_place.get("@class"), seen_place.get("name"))).equals(
        (kind, name)
    )
