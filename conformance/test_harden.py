"""
Chapter 19, bad input and abuse: what a registry refuses, and what it survives without a trace.

What can harm a node is judged on nodes that are thrown away: `test_harden_records.py`,
`test_harden_siege.py` and `test_harden_spin.py`.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire import raw
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.markup import instance_xml
from eureka_tck.wire.sample import DEFAULT_DATA_CENTER, amazon_data_center, registration, sample

if TYPE_CHECKING:
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.sample import Sample

KNOWN = [
    DEFAULT_DATA_CENTER,
    "com.netflix.appinfo.AmazonInfo",
    "com.netflix.appinfo.MyDataCenterInfo",
]
FOREIGN = ["java.io.File", "javax.script.ScriptEngineManager", "java.util.HashMap", "No.Such", ""]

# HARDEN-02: foreign classes and roots


def taken_as(cart: Instance, answer: Answer) -> str:
    """Return "refused" for a 4xx, the stored data centre's class for a 204, else the status."""
    if answer.status == 204:
        return str(cart.record().located.kind)
    return "refused" if 400 <= answer.status < 500 else str(answer.status)


@requirement("HARDEN-02")
@pytest.mark.parametrize("kind", FOREIGN, ids=lambda kind: kind or "empty")
def test_a_foreign_class_in_json_creates_nothing(cart: Instance, kind: str) -> None:
    """An unknown `@class` is refused, or is a plain data centre."""
    answer = cart.register(dataCenterInfo={"@class": kind, "name": "MyOwn"})

    expect("what became of the foreign class", taken_as(cart, answer)).is_one_of("refused", *KNOWN)


@requirement("HARDEN-02")
@pytest.mark.parametrize("kind", FOREIGN, ids=lambda kind: kind or "empty")
def test_a_foreign_class_in_xml_creates_nothing(cart: Instance, kind: str) -> None:
    """An unknown `class` is refused, or is a plain data centre."""
    body = instance_xml(sample(cart.app, cart.id, dataCenterInfo={"@class": kind, "name": "MyOwn"}))

    answer = cart.registry.post(cart.app, body, content_type=XML)

    expect("what became of the foreign class", taken_as(cart, answer)).is_one_of("refused", *KNOWN)


@requirement("HARDEN-02")
@pytest.mark.parametrize("place", ["metadata", "leaseInfo", "port"])
def test_a_foreign_class_elsewhere_in_xml_creates_nothing(cart: Instance, place: str) -> None:
    """A `class` attribute where none belongs is refused or ignored."""
    body = instance_xml(sample(cart.app, cart.id)).replace(
        f"<{place}".encode(), f'<{place} class="java.io.File"'.encode(), 1
    )

    answer = cart.registry.post(cart.app, body, content_type=XML)

    expect("what became of it", taken_as(cart, answer)).is_one_of("refused", DEFAULT_DATA_CENTER)


ROOTS = [
    *("string", "map", "list", "java.io.File", "url", "sorted-set", "application", "applications"),
    *("dynamic-proxy", "no-such-root"),
]


@requirement("HARDEN-02")
@pytest.mark.parametrize("root", ROOTS)
def test_a_foreign_root_is_refused(registry: Registry, case: Case, root: str) -> None:
    """An XML document that is no instance answers 4xx."""
    answer = registry.post(case.app("CART"), f"<{root}>x</{root}>".encode(), content_type=XML)

    expect("the status of the answer to a foreign root", answer.status).is_between(
        400, 499, unit=""
    )


@requirement("HARDEN-02")
@pytest.mark.parametrize("root", ROOTS)
def test_a_refusal_tells_no_class(registry: Registry, case: Case, root: str) -> None:
    """The answer to a foreign root names no class of the registry's own."""
    answer = registry.post(case.app("CART"), f"<{root}>x</{root}>".encode(), content_type=XML)

    expect("the body of the answer", answer.text).lacks("xstream", "Exception", "Traceback")


# HARDEN-05: what is hardly HTTP

HOST = b"Host: registry\r\n"
TRUNCATED: dict[str, bytes] = {
    "half-a-request-line": b"GET /eureka/ap",
    "no-end-of-headers": b"GET /eureka/apps HTTP/1.1\r\n" + HOST,
    "half-a-body": b"POST /eureka/apps/X HTTP/1.1\r\n"
    + HOST
    + b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{}",
    "half-a-chunk": b"POST /eureka/apps/X HTTP/1.1\r\n"
    + HOST
    + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n{",
}
GARBAGE: dict[str, bytes] = {
    "zeros": b"\x00" * 64 + b"\r\n\r\n",
    "tls-hello": bytes.fromhex("16030100a5010000a10303") + b"\x00" * 160,
    "text": b"hello, is anybody there?\r\n\r\n",
    "no-path": b"GET\r\n\r\n",
    "bad-version": b"GET /eureka/apps HTTP/9.9\r\n" + HOST + b"\r\n",
    "raw-blank-in-path": b"GET /eureka/a pps HTTP/1.1\r\n" + HOST + b"\r\n",
    "two-lengths": b"POST /eureka/apps/X HTTP/1.1\r\n"
    + HOST
    + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "negative-length": b"POST /eureka/apps/X HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n",
    "length-of-text": b"POST /eureka/apps/X HTTP/1.1\r\n" + HOST + b"Content-Length: x\r\n\r\n",
    "chunk-of-text": b"POST /eureka/apps/X HTTP/1.1\r\n"
    + HOST
    + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n",
    "header-without-colon": b"GET /eureka/apps HTTP/1.1\r\n" + HOST + b"nonsense\r\n\r\n",
    "header-of-zeros": b"GET /eureka/apps HTTP/1.1\r\n" + HOST + b"X: \x00\r\n\r\n",
}
HUGE: dict[str, bytes] = {
    "huge-header": b"GET /eureka/apps HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 100_000 + b"\r\n\r\n",
    "huge-path": b"GET /eureka/" + b"x" * 100_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    "many-headers": b"GET /eureka/apps HTTP/1.1\r\n" + HOST + b"X: y\r\n" * 5_000 + b"\r\n",
}
REFUSED = "[45][0-9][0-9]|closed"
"""A code of an error (501 and 505 are a server's words for verbs and versions), or the end."""


@requirement("HARDEN-05")
@pytest.mark.parametrize("name", TRUNCATED)
def test_truncated_http_is_refused_or_closed(registry: Registry, cart: Instance, name: str) -> None:
    """A request whose rest never comes ends with its connection; the next call is served."""
    with raw.RawConnection(registry, seconds=OWN_BUDGET) as connection:
        connection.send(TRUNCATED[name])
        connection.finish()
        answer = connection.answer()

    expect(f"what came for {name}", answer.said).matches(REFUSED)
    expect("the answer to the next call", cart.register()).has_status(204)


OWN_BUDGET = 10.0
"""Real seconds: a registry may wait some for a rest that does not come."""


@requirement("HARDEN-05")
@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_refused_or_closed(registry: Registry, cart: Instance, name: str) -> None:
    """What is no HTTP ends with an error or with its connection; the next call is served."""
    answer = raw.speak(registry, GARBAGE[name], seconds=OWN_BUDGET)

    expect(f"what came for {name}", answer.said).matches(REFUSED)
    expect("the answer to the next call", cart.register()).has_status(204)


@requirement("HARDEN-05")
@pytest.mark.parametrize("name", HUGE)
def test_a_huge_head_hangs_nothing(registry: Registry, cart: Instance, name: str) -> None:
    """A head of 100 KB or of 5,000 lines is answered or closed; the next call is served."""
    answer = raw.speak(registry, HUGE[name], seconds=OWN_BUDGET)

    expect(f"what came for {name}", answer.said).matches("[2-5][0-9][0-9]|closed")
    expect("the answer to the next call", cart.register()).has_status(204)


@requirement("HARDEN-05")
def test_a_doubled_request_is_answered(registry: Registry, cart: Instance) -> None:
    """Two requests at once on a connection, or one twice, hang nothing."""
    once = raw.request(registry, "PUT", f"/apps/{cart.app}/{cart.id}")
    cart.register()

    answer = raw.speak(registry, once + once)

    expect("what came for the doubled renewal", answer.said).equals("200")
    expect("the answer to the next call", cart.renew()).has_status(200)


# HARDEN-06: ids that no path can hold


@requirement("HARDEN-06")
@pytest.mark.parametrize("odd", ["a/b", "a\\b"])
@pytest.mark.parametrize(
    ("method", "below"),
    [
        pytest.param("GET", "", id="read"),
        pytest.param("PUT", "", id="renew"),
        pytest.param("PUT", "/status?value=DOWN", id="status"),
        pytest.param("DELETE", "", id="cancel"),
    ],
)
def test_an_id_with_a_slash_is_refused_or_usable(
    registry: Registry, case: Case, odd: str, method: str, below: str
) -> None:
    """Its registration answers 400, or the call with the encoded id answers 200."""
    cart = Instance(registry, case.app("CART"), f"{case.id(1)}-{odd}")
    registered = registry.register(sample(cart.app, cart.id))

    done = registry.call(method, f"/apps/{cart.app}/{quote(cart.id, safe='')}{below}")

    expect(f"the answer to the registration of {odd}", registered).has_status(204, 400)
    expect("registration and call by the encoded id", (registered.status, done.status)).is_one_of(
        (204, 200), (400, 400), (400, 404)
    )


# HARDEN-07: the status page

PAGE = {"settings", "peers"}
"""Other tests' Amazon instances break the reference's page off (HARDEN-04): it has a node apart."""

SCRIPT = '"><script>alert(7)<script>'  # no slash: an id that has one cannot be cancelled


@requirement("HARDEN-07", profile="abuse", needs=PAGE)
@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"instanceId": f"ID{SCRIPT}"}, id="instanceId"),
        pytest.param({"hostName": f"HOST{SCRIPT}"}, id="hostName"),
        pytest.param({"app": f"APP{SCRIPT.upper()}"}, id="app"),
        pytest.param({"statusPageUrl": f"http://x/{SCRIPT}"}, id="statusPageUrl"),
        pytest.param({"homePageUrl": f"http://x/{SCRIPT}"}, id="homePageUrl"),
        pytest.param(
            {
                "dataCenterInfo": amazon_data_center(
                    {"ami-id": f"AMI{SCRIPT}", "availability-zone": f"ZONE{SCRIPT}"}
                )
            },
            id="ami-and-zone",
        ),
    ],
)
def test_what_the_status_page_shows_is_escaped(
    registry: Registry, case: Case, changes: Sample
) -> None:
    """No value of an instance becomes markup of the page."""
    fields = sample(case.app("CART"), case.id(1)) | changes
    path = f"/apps/{quote(str(fields['app']), safe='')}"
    registered = registry.call(
        "POST", path, headers={"Content-Type": JSON}, body=registration(fields)
    )

    page = registry.page("/", headers={"Accept": "text/html"})
    registry.call("DELETE", f"{path}/{quote(str(fields['instanceId']), safe='')}")

    expect("the answer to the registration", registered).has_status(204, 400)
    expect("the status page", page).has_status(200)
    expect("the status page in lower case", page.text.lower()).lacks(SCRIPT, "<script>alert(7)")


@requirement("HARDEN-07", profile="abuse", needs=PAGE)
def test_the_status_page_shows_what_it_escapes(registry: Registry, case: Case) -> None:
    """An id with markup stands on the page, as text."""
    cart = Instance(registry, case.app("CART"), f"{case.id(1)}<b>&<b>")
    cart.register()

    page = registry.page("/", headers={"Accept": "text/html"})
    cart.cancel()

    expect("the status page", page.text).contains(escape(f"{case.id(1)}<b>&<b>"))


@requirement("HARDEN-07", profile="abuse", needs=PAGE)
@pytest.mark.parametrize("name", ["statusPageUrl", "homePageUrl"])
def test_the_status_page_links_to_no_script(registry: Registry, cart: Instance, name: str) -> None:
    """A URL of an instance that runs script becomes no link."""
    registry.register(sample(cart.app, cart.id, **{name: "javascript:alert(7)"}))

    page = registry.page("/", headers={"Accept": "text/html"})
    cart.cancel()

    expect("the status page", page).has_status(200)
    expect("the status page's text", page.text.lower().replace("'", '"')).lacks('href="javascript:')
