"""
Chapter 1, the wire: in which form a registry answers, and which forms it takes.

Verbs and lengths are judged in `test_transport.py`,
what stands in an answer in `test_wire_json.py` and `test_wire_xml.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.view import COMPACT, LISTS, VIEWS, look, plain, seen
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.markup import document, instance_xml
from eureka_tck.wire.sample import DIRTY_MS, registration, sample

if TYPE_CHECKING:
    from eureka_tck.actors.instance import Instance

BOTH = [pytest.param(JSON, id="json"), pytest.param(XML, id="xml")]
COMPACT_FIELDS = [
    "instanceId",
    "app",
    "ipAddr",
    "vipAddress",
    "secureVipAddress",
    "dataCenterInfo",
    "hostName",
    "status",
    "lastUpdatedTimestamp",
    "actionType",
    "port",
    "securePort",
]


def form(body: bytes) -> str:
    """Return "JSON" or "XML" by the first character of a body, else the character itself."""
    first = body.lstrip()[:1].decode("utf-8", "replace")
    return {"{": "JSON", "<": "XML"}.get(first, first or "empty")


def media_type(content_type: str) -> str:
    """Return a Content-Type without its parameters, in lower case."""
    return content_type.partition(";")[0].strip().lower()


# WIRE-01: JSON or XML


@requirement("WIRE-01")
@pytest.mark.parametrize("view", LISTS)
@pytest.mark.parametrize(
    ("accept", "due"),
    [
        pytest.param("application/json", "JSON", id="json"),
        pytest.param("application/json;charset=UTF-8", "JSON", id="json-with-a-parameter"),
        pytest.param("application/json, application/*+json", "JSON", id="json-in-a-list"),
        pytest.param("application/xml", "XML", id="xml"),
        pytest.param("*/*", "XML", id="any"),
        pytest.param(None, "XML", id="none"),
    ],
)
def test_a_list_is_in_the_form_that_accept_names(
    cart: Instance, view: str, accept: str | None, due: str
) -> None:
    """JSON where Accept names it, XML otherwise."""
    cart.register()

    answer = look(cart, view, accept=accept)

    expect("the form of the list's body", form(answer.body)).equals(due)


@requirement("WIRE-01")
@pytest.mark.parametrize("view", LISTS)
@pytest.mark.parametrize(
    ("accept", "due"),
    [
        pytest.param("application/json", JSON, id="json"),
        pytest.param("application/xml", XML, id="xml"),
        pytest.param("*/*", XML, id="any"),
        pytest.param(None, XML, id="none"),
    ],
)
def test_the_content_type_of_a_list_agrees_with_its_body(
    cart: Instance, view: str, accept: str | None, due: str
) -> None:
    """The label names the form that the body has."""
    cart.register()

    answer = look(cart, view, accept=accept)

    expect("the list's media type", media_type(answer.content_type)).equals(due)


# WIRE-10: gzip

ZIPPED = [
    pytest.param("gzip", id="gzip"),
    pytest.param("gzip, deflate", id="gzip-first"),
    pytest.param("gzip, x-gzip, deflate", id="as-jersey"),
    pytest.param("deflate,gzip;q=0.5", id="gzip-last-with-q"),
]


@requirement("WIRE-10")
@pytest.mark.parametrize("view", ["apps", "delta"])
@pytest.mark.parametrize("accept", BOTH)
@pytest.mark.parametrize("encoding", ZIPPED)
def test_the_big_lists_come_as_gzip_where_it_is_accepted(
    cart: Instance, view: str, accept: str, encoding: str
) -> None:
    """The answer says gzip, and is gzip."""
    cart.register()

    answer = look(cart, view, accept=accept, headers={"Accept-Encoding": encoding})

    expect("the Content-Encoding", answer.headers.get("Content-Encoding")).equals("gzip")
    expect("the beginning of the encoded body", answer.encoded[:2].hex()).equals("1f8b")


@requirement("WIRE-10")
@pytest.mark.parametrize("view", ["apps", "delta"])
@pytest.mark.parametrize("accept", BOTH)
def test_gzip_changes_the_encoding_and_nothing_else(cart: Instance, view: str, accept: str) -> None:
    """Decompressed, the body is that of a plain read before it or behind it, type included."""
    cart.register()

    before, answer, after = (
        look(cart, view, accept=accept, gzip=way) for way in (False, True, False)
    )

    expect("the media type under gzip", media_type(answer.content_type)).equals(accept)
    expect("the decompressed body", answer.body).is_one_of(before.body, after.body)


@requirement("WIRE-10")
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_comes_compressed_that_was_not_asked_for(cart: Instance, view: str) -> None:
    """Without an Accept-Encoding the answer is plain."""
    cart.register()

    answer = look(cart, view, headers={"Accept-Encoding": None})

    expect("the Content-Encoding", answer.headers.get("Content-Encoding", "none")).equals("none")


# WIRE-11: the compact form


@requirement("WIRE-11")
@pytest.mark.parametrize("view", LISTS)
def test_a_compact_instance_in_json_has_these_fields(cart: Instance, view: str) -> None:
    """All twelve fields of a full registration are there, and no others."""
    cart.register()

    answer = look(cart, view, compact=True)

    expect("the set of fields", set(plain(cart, view, answer))).consists_of(COMPACT_FIELDS)


@requirement("WIRE-11")
@pytest.mark.parametrize("view", LISTS)
def test_a_compact_instance_in_xml_has_these_fields(cart: Instance, view: str) -> None:
    """All twelve elements of a full registration are there, and no others."""
    cart.register()

    answer = look(cart, view, accept=XML, compact=True)

    root = document(answer.body)
    found = [one for one in root.iter("instance") if one.findtext("instanceId") == cart.id]
    fields = [element.tag for one in found for element in one]
    expect("the set of elements", fields).consists_of(COMPACT_FIELDS)


@requirement("WIRE-11")
@pytest.mark.parametrize("value", ["COMPACT", "Compact"])
def test_compact_is_asked_for_in_any_case(cart: Instance, value: str) -> None:
    """The header's value means the same in capitals."""
    cart.register()

    answer = look(cart, "app", headers={COMPACT: value})

    expect("the set of fields", set(plain(cart, "app", answer))).consists_of(COMPACT_FIELDS)


@requirement("WIRE-11")
@pytest.mark.parametrize("view", LISTS)
@pytest.mark.parametrize("accept", BOTH)
def test_a_compact_list_is_read_by_the_same_client(cart: Instance, view: str, accept: str) -> None:
    """A compact list is as readable as a full one, and tells the same of name and status."""
    cart.register()

    told = seen(cart, view, look(cart, view, accept=accept, compact=True))

    expect("what the compact list tells", (told.app, told.id, told.status, told.vip)).equals(
        (cart.app, cart.id, "UP", cart.app.lower())
    )


# WIRE-21: the form of a registration


def registering(cart: Instance, accept: str) -> bytes:
    """Return the body of a registration in a form."""
    fields = sample(cart.app, cart.id)
    return instance_xml(fields) if "xml" in accept.lower() else registration(fields)


@requirement("WIRE-21")
@pytest.mark.parametrize(
    "content_type",
    [
        pytest.param("application/json", id="json"),
        pytest.param("application/json;charset=UTF-8", id="json-with-a-parameter"),
        pytest.param("Application/JSON", id="json-in-other-case"),
        pytest.param("application/xml", id="xml"),
        pytest.param("application/xml; charset=utf-8", id="xml-with-a-parameter"),
        pytest.param("APPLICATION/XML", id="xml-in-other-case"),
    ],
)
def test_a_registration_is_read_by_its_content_type(cart: Instance, content_type: str) -> None:
    """JSON or XML, with parameters, in any case of letters: the instance is registered."""
    body = registering(cart, content_type)

    answer = cart.registry.post(cart.app, body, content_type=content_type)

    expect("the answer to the registration", answer).has_status(204)
    expect("the instance", cart.read()).is_present()


@requirement("WIRE-21")
@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "text/xml", "text/json", "application/octet-stream", "application/yaml"],
)
def test_a_registration_of_another_type_is_415(cart: Instance, content_type: str) -> None:
    """A type that is neither is refused, and nothing is stored."""
    body = registering(cart, content_type)

    answer = cart.registry.post(cart.app, body, content_type=content_type)

    expect("the answer to a registration of another type", answer).has_status(415)
    expect("the instance", cart.read()).is_absent()


@requirement("WIRE-21")
@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        pytest.param(JSON, b'{"instance":{"app":', id="cut-json"),
        pytest.param(XML, b"<instance><app>", id="cut-xml"),
        pytest.param(JSON, b"<instance></instance>", id="xml-as-json"),
        pytest.param(XML, b'{"instance":{}}', id="json-as-xml"),
    ],
)
def test_a_registration_that_is_not_what_it_says_is_400(
    cart: Instance, content_type: str, body: bytes
) -> None:
    """A body that cannot be parsed as its type is refused as a bad request."""
    answer = cart.registry.post(cart.app, body, content_type=content_type)

    expect("the answer to an unparsable registration", answer).has_status(400)


# WIRE-36: the form of a conflict


@requirement("WIRE-36")
@pytest.mark.parametrize(
    ("accept", "due"),
    [
        pytest.param(JSON, "JSON", id="json"),
        pytest.param(XML, "XML", id="xml"),
        pytest.param(None, "XML", id="none"),
    ],
)
def test_a_conflict_comes_in_the_form_asked_for(
    cart: Instance, accept: str | None, due: str
) -> None:
    """The 409 of a replicated renewal holds the instance, readable, in that form."""
    cart.register(dirty=DIRTY_MS)

    answer = cart.registry.call(
        "PUT",
        f"/apps/{cart.app}/{cart.id}",
        params={"lastDirtyTimestamp": DIRTY_MS - 1},
        headers={"Accept": accept, "x-netflix-discovery-replication": "true"},
    )

    expect("the answer to a replicated renewal with an older T", answer).has_status(409)
    expect("the form of the conflict's body", form(answer.body)).equals(due)
    expect("the instance in the conflict", answer.record().id).equals(cart.id)
