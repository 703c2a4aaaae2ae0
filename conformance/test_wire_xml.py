"""Chapter 1, the wire: what stands in XML, and that it says and takes the same as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, tostring

import pytest

from eureka_tck.actors.view import look, seen
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.markup import document, instance_xml
from eureka_tck.wire.record import STATUSES, LeftOut
from eureka_tck.wire.sample import (
    DEFAULT_DATA_CENTER,
    amazon_data_center,
    registration,
    sample,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.actors.instance import Instance
    from eureka_tck.wire.record import Record
    from eureka_tck.wire.sample import Json, Sample

SHOWING = ["instance", "instances", "app", "apps", "delta", "vip", "svip"]
ESCAPED = [
    pytest.param("a_b", "a__b", id="underscore"),
    pytest.param("a$b", "a_-b", id="dollar"),
    pytest.param("a b", "a_.0020b", id="blank"),
    pytest.param("a/b", "a_.002fb", id="slash"),
    pytest.param("management.port", "management.port", id="dot"),
    pytest.param("a-b", "a-b", id="hyphen"),
]


def shown(cart: Instance, view: str) -> Element:
    """Return the instance's element in a view as XML."""
    root = document(look(cart, view, accept=XML).body)
    for element in root.iter("instance"):
        if element.findtext("instanceId") == cart.id:
            return element
    raise LeftOut(f"the XML of {view} has no <instance> {cart.id}")


def inner(element: Element, path: str) -> Element:
    """Return a descendant that has to be there."""
    found = element.find(path)
    if found is None:
        raise LeftOut(f"the <instance> has no <{path}>")
    return found


# WIRE-05: the elements of an instance


@requirement("WIRE-05")
@pytest.mark.parametrize("view", SHOWING)
@pytest.mark.parametrize(
    ("name", "due"), [("port", ("true", "8080")), ("securePort", ("false", "443"))]
)
def test_a_port_is_a_number_with_an_attribute(
    cart: Instance, view: str, name: str, due: tuple[str, str]
) -> None:
    """`<port enabled="true">8080</port>`."""
    cart.register()

    port = inner(shown(cart, view), name)

    expect(f"flag and number of {name}", (port.get("enabled"), port.text)).equals(due)


@requirement("WIRE-05")
@pytest.mark.parametrize("view", SHOWING)
def test_the_override_stands_in_lower_case(cart: Instance, view: str) -> None:
    """The element is `overriddenstatus`; there is none in the other spelling."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")

    element = shown(cart, view)

    expect("the override", element.findtext("overriddenstatus")).equals("OUT_OF_SERVICE")
    expect("the set of elements", {child.tag for child in element}).lacks("overriddenStatus")


@requirement("WIRE-05")
@pytest.mark.parametrize("view", SHOWING)
@pytest.mark.parametrize(
    ("place", "due"),
    [
        pytest.param(
            {"@class": DEFAULT_DATA_CENTER, "name": "MyOwn"},
            (DEFAULT_DATA_CENTER, "MyOwn"),
            id="MyOwn",
        ),
        pytest.param(
            amazon_data_center({"instance-id": "i-1"}),
            ("com.netflix.appinfo.AmazonInfo", "Amazon"),
            id="Amazon",
        ),
    ],
)
def test_a_data_centre_has_a_class_attribute(
    cart: Instance, view: str, place: Json, due: tuple[str, str]
) -> None:
    """The class is an attribute of `dataCenterInfo`, the name an element in it."""
    cart.register(dataCenterInfo=place)

    element = inner(shown(cart, view), "dataCenterInfo")

    expect("class and name", (element.get("class"), element.findtext("name"))).equals(due)


@requirement("WIRE-05")
@pytest.mark.parametrize("view", SHOWING)
@pytest.mark.parametrize(("key", "name"), ESCAPED)
def test_a_key_of_the_metadata_is_an_element(
    cart: Instance, view: str, key: str, name: str
) -> None:
    """Each key is an element, its name escaped as XStream does."""
    cart.register(metadata={key: "v", "zone": "z1"})

    told = [(child.tag, child.text) for child in inner(shown(cart, view), "metadata")]

    expect("the elements of the metadata", told).consists_of([(name, "v"), ("zone", "z1")])


@requirement("WIRE-05")
@pytest.mark.parametrize(("key", "name"), ESCAPED)
def test_an_escaped_name_is_unescaped_on_registration(cart: Instance, key: str, name: str) -> None:
    """A registration by XML with the escaped name has the key itself."""
    body = instance_xml(sample(cart.app, cart.id, metadata={"placeholder": "v"}))

    cart.registry.post(cart.app, body.replace(b"placeholder", name.encode()), content_type=XML)

    expect("the metadata, read as JSON", cart.record().user_metadata).equals({key: "v"})


# WIRE-22: UTF-8

FOREIGN = "Größe, 大きさ, 🙂"


@requirement("WIRE-22")
@pytest.mark.parametrize("sent", [JSON, XML], ids=["sent-json", "sent-xml"])
@pytest.mark.parametrize("asked", [JSON, XML], ids=["read-json", "read-xml"])
@pytest.mark.parametrize("view", ["instance", "app", "apps"])
def test_text_is_utf_8_both_ways(cart: Instance, sent: str, asked: str, view: str) -> None:
    """What was sent as UTF-8 comes back as UTF-8, or as escapes of JSON."""
    fields = sample(cart.app, cart.id, metadata={"size": FOREIGN})
    body = instance_xml(fields) if sent == XML else registration(fields)
    cart.registry.post(cart.app, body, content_type=sent)

    answer = look(cart, view, accept=asked)

    expect("the metadata", seen(cart, view, answer).user_metadata.get("size")).equals(FOREIGN)


@requirement("WIRE-22")
def test_text_in_a_path_and_a_query_is_utf_8(cart: Instance) -> None:
    """Metadata set by a query in UTF-8 reads back unchanged."""
    cart.register()

    cart.set_metadata({"size": FOREIGN})

    expect("the metadata", cart.record().user_metadata.get("size")).equals(FOREIGN)


# WIRE-18: XML and JSON are equivalent

VARIANTS: list[object] = [
    pytest.param(lambda full: full, id="full"),
    *(pytest.param(lambda full, s=status: full | {"status": s}, id=status) for status in STATUSES),
    pytest.param(lambda full: full | {"overriddenStatus": "OUT_OF_SERVICE"}, id="override"),
    pytest.param(
        lambda full: (
            full | {"dataCenterInfo": amazon_data_center({"instance-id": "i-1", "ami-id": "ami-1"})}
        ),
        id="Amazon",
    ),
    pytest.param(
        lambda full: full | {"metadata": {"a_b": "1", "c.d": "<&\"'>", "e": FOREIGN, "f": ""}},
        id="metadata",
    ),
    pytest.param(
        lambda full: (
            full
            | {
                "secureHealthCheckUrl": "https://cart.example/health",
                "appGroupName": "GROUP",
                "asgName": "asg-1",
                "countryId": 7,
                "isCoordinatingDiscoveryServer": "true",
            }
        ),
        id="rare-fields",
    ),
    pytest.param(
        lambda full: without(
            full,
            *("homePageUrl", "statusPageUrl", "healthCheckUrl", "vipAddress", "secureVipAddress"),
            *("metadata", "leaseInfo", "port", "securePort", "countryId", "overriddenStatus"),
        ),
        id="the-least",
    ),
]


def apart(before: Record, after: Record) -> dict[str, object]:
    """Return what differs of all that a client sends, without what a registry stamps."""
    told, again = everything(before), everything(after)
    return {name: (told[name], again[name]) for name in told if told[name] != again[name]}


def everything(record: Record) -> dict[str, object]:
    """Return all that a client sends, without what a registry stamps."""
    told = {name: getattr(record, name) for name in record.__struct_fields__}
    lease = record.leased
    told |= {"lease": (lease.duration, lease.renewal_interval), "updated_ms": None}
    return told | {"metadata": record.user_metadata}


@requirement("WIRE-18")
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_registration_by_xml_is_one_by_json(
    cart: Instance, variant: Callable[[Sample], Sample]
) -> None:
    """The same instance, registered in either form, is stored the same."""
    fields = variant(sample(cart.app, cart.id))
    cart.registry.post(cart.app, registration(fields))
    by_json = cart.record()
    cart.cancel()

    cart.registry.post(cart.app, instance_xml(fields), content_type=XML)

    expect("what differs between JSON and XML", apart(by_json, cart.record())).equals({})


@requirement("WIRE-18")
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("view", ["instance", "app"])
def test_what_was_read_as_xml_can_be_posted_back(
    cart: Instance, view: str, variant: Callable[[Sample], Sample]
) -> None:
    """An instance read as XML, cancelled, and posted as it stood is the same instance."""
    cart.registry.post(cart.app, registration(variant(sample(cart.app, cart.id))))
    before, copy = cart.record(), tostring(shown(cart, view), encoding="utf-8")
    cart.cancel()

    cart.registry.post(cart.app, copy, content_type=XML)

    expect("what differs after posting back", apart(before, cart.record())).equals({})
