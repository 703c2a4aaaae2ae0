"""Chapter 1, the wire: fields that nobody knows, and fields in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.markup import instance_xml
from eureka_tck.wire.sample import (
    AMAZON_DATA_CENTER,
    DEFAULT_DATA_CENTER,
    registration,
    sample,
)

if TYPE_CHECKING:
    from eureka_tck.actors.instance import Instance
    from eureka_tck.registry import Registry
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.record import Record
    from eureka_tck.wire.sample import Json, Sample

FORMS = [pytest.param(JSON, id="json"), pytest.param(XML, id="xml")]


def send(cart: Instance, fields: Sample, form: str = JSON) -> Answer:
    """Register these fields in a form."""
    body = instance_xml(fields) if form == XML else registration(fields)
    return cart.registry.post(cart.app, body, content_type=form)


def sent(cart: Instance, fields: Sample, form: str = JSON) -> Record:
    """Register these fields, which must be taken, and return the instance as it reads back."""
    __tracebackhide__ = True
    expect("the answer to the registration", send(cart, fields, form)).has_status(204)
    return cart.record()


# WIRE-08, WIRE-32: unknown fields

SCALARS = [
    pytest.param("x", id="text"),
    pytest.param(7, id="number"),
    pytest.param(True, id="flag"),
]


@requirement("WIRE-08")
@pytest.mark.parametrize("value", SCALARS)
@pytest.mark.parametrize("place", ["instance", "leaseInfo"])
def test_an_unknown_field_is_ignored(cart: Instance, place: str, value: Json) -> None:
    """A field that nobody knows, in the instance or its lease, changes nothing."""
    lease: Sample = {"durationInSecs": 77, "renewalIntervalInSecs": 22}
    fields = sample(cart.app, cart.id, leaseInfo=lease)
    extra: Sample = {"newInANewerLine": value}

    record = sent(cart, fields | (extra if place == "instance" else {"leaseInfo": lease | extra}))

    expect("id and lease", (record.id, record.leased.duration)).equals((cart.id, 77))


@requirement("WIRE-08")
@pytest.mark.parametrize(
    ("known", "instead"),
    [
        pytest.param("<instance>", "<instance><new>x</new>", id="element-in-instance"),
        pytest.param("<instance>", "<instance><new><a>x</a></new>", id="nested-element"),
        pytest.param("<instance>", '<instance new="x">', id="attribute-of-instance"),
        pytest.param("<leaseInfo>", "<leaseInfo><new>7</new>", id="figure-in-leaseInfo"),
        pytest.param("<leaseInfo>", "<leaseInfo><new>x</new>", id="text-in-leaseInfo"),
        pytest.param("<leaseInfo>", '<leaseInfo new="x">', id="attribute-of-leaseInfo"),
        pytest.param('enabled="true"', 'enabled="true" new="x"', id="attribute-of-port"),
        pytest.param("<name>", "<new>x</new><name>", id="element-in-dataCenterInfo"),
        pytest.param("<name>", '<name new="x">', id="attribute-in-dataCenterInfo"),
    ],
)
def test_unknown_xml_is_ignored(cart: Instance, known: str, instead: str) -> None:
    """An element or attribute that nobody knows changes nothing, at whatever depth."""
    body = instance_xml(sample(cart.app, cart.id, duration=77)).decode()
    expect("the registration before it is changed", body).contains(known)

    answer = cart.registry.post(
        cart.app, body.replace(known, instead, 1).encode(), content_type=XML
    )

    expect("the answer to the registration", answer).has_status(204)
    record = cart.record()
    expect("id, port and lease", (record.id, record.port and record.port.number)).equals(
        (cart.id, 8080)
    )
    expect("the duration", record.leased.duration).equals(77)


@requirement("WIRE-32")
@pytest.mark.parametrize("value", [*SCALARS, pytest.param({"a": 1}, id="object")])
@pytest.mark.parametrize("place", ["dataCenterInfo", "port", "securePort"])
def test_an_unknown_field_deeper_down_is_ignored(cart: Instance, place: str, value: Json) -> None:
    """A field that nobody knows in the data centre or a port changes nothing."""
    fields = sample(cart.app, cart.id)
    known = fields[place]
    deeper: Sample = {place: {**(known if isinstance(known, dict) else {}), "new": value}}

    answer = send(cart, fields | deeper)

    expect("the answer to the registration", answer).has_status(204)


@requirement("WIRE-32")
@pytest.mark.parametrize("value", [{"a": 1}, [{"a": 1}], []], ids=["object", "array", "none"])
@pytest.mark.parametrize("place", ["instance", "leaseInfo"])
def test_an_unknown_object_is_ignored(cart: Instance, place: str, value: Json) -> None:
    """An unknown field may hold whatever JSON can."""
    lease: Sample = {"durationInSecs": 77, "renewalIntervalInSecs": 22}
    extra: Sample = {"new": value}

    answer = send(
        cart,
        sample(cart.app, cart.id, leaseInfo=lease)
        | (extra if place == "instance" else {"leaseInfo": lease | extra}),
    )

    expect("the answer to the registration", answer).has_status(204)


@requirement("WIRE-32")
@pytest.mark.parametrize("first", [False, True], ids=["behind", "before"])
def test_an_unknown_field_beside_the_instance_is_ignored(cart: Instance, *, first: bool) -> None:
    """A field beside `instance` changes nothing."""
    fields: Json = dict(sample(cart.app, cart.id))
    extra: Sample = {"new": "x"}
    document = {**extra, "instance": fields} if first else {"instance": fields, **extra}

    answer = cart.registry.post(cart.app, msgspec.json.encode(document))

    expect("the answer to the registration", answer).has_status(204)


@requirement("WIRE-32")
def test_an_unknown_field_in_a_task_of_a_batch_is_ignored(
    registry: Registry, cart: Instance
) -> None:
    """A task with a field that nobody knows is executed."""
    cart.register()

    answer = registry.batch([{"appName": cart.app, "id": cart.id, "action": "Cancel", "new": "x"}])

    expect("the answer to the batch", answer).has_status(200)
    expect("the codes of its tasks", [one.status for one in answer.batch()]).equals([200])


# WIRE-09: the order of fields


@requirement("WIRE-09")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", ["reversed", "sorted", "data-centre-first", "lease-last"])
def test_the_order_of_fields_does_not_matter(cart: Instance, order: str, form: str) -> None:
    """The same fields in another order make the same instance."""
    fields = sample(cart.app, cart.id)
    usual = sent(cart, fields, form)
    cart.cancel()
    names = {
        "reversed": list(reversed(fields)),
        "sorted": sorted(fields, key=str.lower),
        "data-centre-first": sorted(fields, key=lambda name: name != "dataCenterInfo"),
        "lease-last": sorted(fields, key=lambda name: name == "leaseInfo"),
    }[order]

    other = sent(cart, {name: fields[name] for name in names}, form)

    expect("what differs from the usual order", usual.differences(other)).equals("nothing")


@requirement("WIRE-09")
@pytest.mark.parametrize(
    "names",
    [
        ("@class", "name", "metadata"),
        ("name", "@class", "metadata"),
        ("@class", "metadata", "name"),
        ("metadata", "@class", "name"),
        ("metadata", "name", "@class"),
        ("name", "metadata", "@class"),
    ],
    ids="-".join,
)
def test_the_order_in_a_data_centre_does_not_matter(cart: Instance, names: tuple[str, ...]) -> None:
    """Class, name and metadata of an Amazon data centre may come in any order."""
    place: Sample = {
        "@class": AMAZON_DATA_CENTER,
        "name": "Amazon",
        "metadata": {"instance-id": "i-1", "ami-id": "ami-1"},
    }

    record = sent(cart, sample(cart.app, cart.id, dataCenterInfo={n: place[n] for n in names}))

    expect("name and ami-id", (record.located.name, record.located.metadata.get("ami-id"))).equals(
        ("Amazon", "ami-1")
    )


@requirement("WIRE-09")
@pytest.mark.parametrize("names", [("name", "metadata"), ("metadata", "name")], ids="-".join)
def test_the_order_in_a_data_centre_in_xml_does_not_matter(
    cart: Instance, names: tuple[str, ...]
) -> None:
    """The same of the elements in XML."""
    place: Sample = {"name": "Amazon", "metadata": {"instance-id": "i-1", "ami-id": "ami-1"}}
    info: Sample = {"@class": AMAZON_DATA_CENTER, **{name: place[name] for name in names}}

    record = sent(cart, sample(cart.app, cart.id, dataCenterInfo=info), XML)

    expect("name and ami-id", (record.located.name, record.located.metadata.get("ami-id"))).equals(
        ("Amazon", "ami-1")
    )


@requirement("WIRE-09")
@pytest.mark.parametrize("order", [("@class", "name"), ("name", "@class")], ids="-".join)
def test_the_order_in_an_own_data_centre_does_not_matter(
    cart: Instance, order: tuple[str, ...]
) -> None:
    """Name and class of nobody's cloud may come in either order."""
    place: Sample = {"@class": DEFAULT_DATA_CENTER, "name": "MyOwn"}

    record = sent(cart, sample(cart.app, cart.id, dataCenterInfo={n: place[n] for n in order}))

    expect("the data centre's name", record.located.name).equals("MyOwn")
