"""Chapter 1, the wire: verbs, headers, lengths and versions, as HTTP has them."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.view import VIEWS, look, path_of
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire import raw
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.markup import instance_xml
from eureka_tck.wire.sample import registration, sample

if TYPE_CHECKING:
    from eureka_tck.actors.instance import Instance
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case

BOTH = [pytest.param(JSON, id="json"), pytest.param(XML, id="xml")]


def media_type(content_type: str) -> str:
    """Return a Content-Type without its parameters, in lower case."""
    return content_type.partition(";")[0].strip().lower()


def registering(cart: Instance, accept: str) -> bytes:
    """Return the body of a registration in a form."""
    fields = sample(cart.app, cart.id)
    return instance_xml(fields) if accept == XML else registration(fields)


# WIRE-29, WIRE-30: verbs and headers


@requirement("WIRE-29")
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("accept", BOTH)
def test_head_answers_as_get_without_a_body(cart: Instance, view: str, accept: str) -> None:
    """Status, type and length are those of the GET; no body comes."""
    cart.register()
    got = look(cart, view, accept=accept)

    answer = cart.registry.call("HEAD", path_of(cart, view), headers={"Accept": accept})

    expect("the answer to HEAD", answer).has_status(200).has_no_body()
    expect(
        "type and length under HEAD",
        (media_type(answer.content_type), answer.headers.get("Content-Length")),
    ).equals((accept, got.headers.get("Content-Length")))


@requirement("WIRE-29")
@pytest.mark.parametrize("view", ["apps", "app", "instance"])
def test_options_answers_200_with_allow(cart: Instance, view: str) -> None:
    """OPTIONS says which verbs there are, GET among them."""
    cart.register()

    answer = cart.registry.call("OPTIONS", path_of(cart, view))

    expect("the answer to OPTIONS", answer).has_status(200).has_header("Allow")
    verbs = [verb.strip() for verb in answer.headers["Allow"].split(",")]
    expect("the list of verbs", verbs).contains("GET")


@requirement("WIRE-29")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        pytest.param("PUT", "/apps", id="put-apps"),
        pytest.param("DELETE", "/apps", id="delete-apps"),
        pytest.param("POST", "/apps/delta", id="post-delta"),
        pytest.param("DELETE", "/vips/none", id="delete-vip"),
        pytest.param("PUT", "/instances/none", id="put-instance-by-id"),
        pytest.param("GET", "/peerreplication/batch/", id="get-batch"),
    ],
)
def test_a_wrong_method_is_405(registry: Registry, method: str, path: str) -> None:
    """A verb that a resource does not know is refused as such."""
    answer = registry.call(method, path)

    expect(f"the answer to {method} {path}", answer).has_status(405)


@requirement("WIRE-30")
@pytest.mark.parametrize("view", ["app", "vip", "svip", "instance", "instances"])
def test_a_short_read_says_its_length(cart: Instance, view: str) -> None:
    """Content-Length is there, and is that of the body."""
    cart.register()

    answer = look(cart, view)

    expect("the Content-Length", answer.headers.get("Content-Length")).equals(
        str(len(answer.encoded))
    )


@requirement("WIRE-30")
@pytest.mark.parametrize("view", VIEWS)
def test_a_read_says_nothing_of_caching(cart: Instance, view: str) -> None:
    """There is no ETag, no Vary, no Cache-Control."""
    cart.register()

    answer = look(cart, view)

    expect("the set of headers", {name.lower() for name in answer.headers}).lacks(
        "etag", "vary", "cache-control"
    )


@requirement("WIRE-30")
def test_a_compressed_registration_is_refused(cart: Instance) -> None:
    """A request body with Content-Encoding answers 400."""
    answer = cart.registry.call(
        "POST",
        f"/apps/{cart.app}",
        headers={"Content-Type": JSON, "Content-Encoding": "gzip"},
        body=gzip.compress(registering(cart, JSON)),
    )

    expect("the answer to a compressed registration", answer).has_status(400)


# WIRE-19, WIRE-20, WIRE-31: what the reference does beside


@requirement("WIRE-19")
@pytest.mark.parametrize("view", VIEWS)
def test_every_read_is_served_below_v2_too(cart: Instance, view: str) -> None:
    """`/eureka/v2/…` answers as `/eureka/…`."""
    cart.register()

    answer = cart.registry.call("GET", f"/v2{path_of(cart, view)}")

    expect("the answer below /v2", answer).has_status(200)


@requirement("WIRE-19")
def test_writes_are_served_below_v2_too(cart: Instance) -> None:
    """What was registered below `/v2` is read without it."""
    path = f"/v2/apps/{cart.app}"

    cart.registry.call("POST", path, headers={"Content-Type": JSON}, body=registering(cart, JSON))

    expect("the instance", cart.read()).is_present()


@requirement("WIRE-19")
@pytest.mark.parametrize("version", ["v1", "v3"])
def test_another_version_is_404(cart: Instance, version: str) -> None:
    """Below another version there is nothing."""
    cart.register()

    answer = cart.registry.call("GET", f"/{version}/apps/{cart.app}")

    expect(f"the answer below /{version}", answer).has_status(404)


@requirement("WIRE-20")
def test_an_error_answers_with_a_map(registry: Registry, case: Case) -> None:
    """The body of a 415 is a JSON map of timestamp, status, error and path."""
    answer = registry.post(case.app("CART"), b"x", content_type="text/plain")

    told = answer.json()
    expect("the set of keys", set(told) if isinstance(told, dict) else told).consists_of(
        {"timestamp", "status", "error", "path"}
    )


@requirement("WIRE-31")
def test_a_full_list_is_always_version_1(cart: Instance) -> None:
    """`versions__delta` of `/apps` is 1, whatever has changed."""
    cart.register()

    listed = look(cart, "apps").applications()

    expect("versions__delta of the full list", listed.version).equals(1)


@requirement("WIRE-31")
@pytest.mark.parametrize("view", ["vip", "svip"])
def test_a_vip_list_is_always_version_minus_1(cart: Instance, view: str) -> None:
    """`versions__delta` of a VIP list is -1."""
    cart.register()

    listed = look(cart, view).applications()

    expect("versions__delta of the VIP list", listed.version).equals(-1)


# WIRE-34: how a body may be sent


@requirement("WIRE-34")
@pytest.mark.parametrize("content_type", BOTH)
def test_a_registration_may_come_in_chunks(cart: Instance, content_type: str) -> None:
    """A chunked body without Content-Length registers the instance."""
    asked = raw.request(
        cart.registry,
        "POST",
        f"/apps/{cart.app}",
        headers={"Content-Type": content_type, "Transfer-Encoding": "chunked"},
        body=raw.chunked(registering(cart, content_type)),
    )

    answer = raw.speak(cart.registry, asked)

    expect("what came for a chunked registration", answer.said).equals("204")
    expect("the instance", cart.read()).is_present()


@requirement("WIRE-34")
def test_a_batch_may_come_in_chunks(cart: Instance) -> None:
    """A peer's chunked batch is executed."""
    cart.register()
    task = f'{{"replicationList":[{{"appName":"{cart.app}","id":"{cart.id}","action":"Cancel"}}]}}'
    asked = raw.request(
        cart.registry,
        "POST",
        "/peerreplication/batch/",
        headers={"Content-Type": JSON, "Accept": JSON, "Transfer-Encoding": "chunked"},
        body=raw.chunked(task.encode()),
    )

    answer = raw.speak(cart.registry, asked)

    expect("what came for a chunked batch", answer.said).equals("200")
    expect("the instance that the batch cancels", cart.read()).is_absent()


@requirement("WIRE-34")
@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Content-Length": "0"}, id="length-0"),
        pytest.param({}, id="no-length"),
        pytest.param({"Content-Type": JSON}, id="no-length-but-a-type"),
        pytest.param({"Content-Length": "0", "Content-Type": XML}, id="length-0-and-a-type"),
    ],
)
@pytest.mark.parametrize(
    ("method", "below"),
    [
        pytest.param("PUT", "", id="renewal"),
        pytest.param("PUT", "/status?value=DOWN", id="status"),
        pytest.param("PUT", "/metadata?k=v", id="metadata"),
        pytest.param("DELETE", "/status", id="removal"),
        pytest.param("DELETE", "", id="cancel"),
    ],
)
def test_a_call_without_a_body_needs_no_length(
    cart: Instance, headers: dict[str, str], method: str, below: str
) -> None:
    """PUT and DELETE are taken with Content-Length 0 or none, and with a Content-Type."""
    cart.register()
    path = f"/apps/{cart.app}/{cart.id}{below}"

    answer = raw.speak(cart.registry, raw.request(cart.registry, method, path, headers=headers))

    expect("what came for a call without a body", answer.said).equals("200")
