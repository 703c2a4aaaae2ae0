"""What goes over the wire for each call, and what is kept of it."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.wire.client import IDLE, WireClient
from eureka_tck.wire.recorder import Recorder
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.eureka_tck.wire.conftest import Conversation

    Answering = Callable[..., Conversation]
    Call = Callable[[WireClient], object]


@pytest.mark.parametrize(
    ("call", "line"),
    [
        pytest.param(
            lambda c: c.register(sample("CART", "1")), "POST /eureka/apps/CART", id="register"
        ),
        pytest.param(lambda c: c.renew("CART", "a:1"), "PUT /eureka/apps/CART/a:1", id="renew"),
        pytest.param(
            lambda c: c.renew("CART", "1", dirty=5, status="UP", overridden="DOWN"),
            "PUT /eureka/apps/CART/1?status=UP&lastDirtyTimestamp=5&overriddenstatus=DOWN",
            id="renew-with-query",
        ),
        pytest.param(lambda c: c.cancel("CART", "1"), "DELETE /eureka/apps/CART/1", id="cancel"),
        pytest.param(
            lambda c: c.set_status("CART", "1", "DOWN", dirty=7),
            "PUT /eureka/apps/CART/1/status?value=DOWN&lastDirtyTimestamp=7",
            id="status",
        ),
        pytest.param(
            lambda c: c.set_status("CART", "1", None),
            "PUT /eureka/apps/CART/1/status",
            id="status-without-value",
        ),
        pytest.param(
            lambda c: c.remove_status("CART", "1", "UP", dirty=7),
            "DELETE /eureka/apps/CART/1/status?value=UP&lastDirtyTimestamp=7",
            id="remove-status",
        ),
        pytest.param(
            lambda c: c.set_metadata("CART", "1", {"zone": "a b"}),
            "PUT /eureka/apps/CART/1/metadata?zone=a+b",
            id="metadata",
        ),
        pytest.param(lambda c: c.instance("CART", "1"), "GET /eureka/apps/CART/1", id="instance"),
        pytest.param(lambda c: c.instance_by_id("1"), "GET /eureka/instances/1", id="by-id"),
        pytest.param(lambda c: c.apps(), "GET /eureka/apps", id="apps"),
        pytest.param(lambda c: c.app("CART"), "GET /eureka/apps/CART", id="app"),
        pytest.param(lambda c: c.delta(), "GET /eureka/apps/delta", id="delta"),
        pytest.param(lambda c: c.vips("a,b"), "GET /eureka/vips/a%2Cb", id="vips"),
        pytest.param(lambda c: c.svips("a"), "GET /eureka/svips/a", id="svips"),
        pytest.param(lambda c: c.batch([]), "POST /eureka/peerreplication/batch/", id="batch"),
        pytest.param(lambda c: c.page("/lastn"), "GET /lastn", id="page"),
        pytest.param(
            lambda c: c.instance("Ä/B", "x #%é?&+;"),
            "GET /eureka/apps/%C3%84%2FB/x%20%23%25%C3%A9%3F%26%2B%3B",
            id="odd-names",
        ),
        pytest.param(
            lambda c: c.call("GET", "//apps/./x/../%7E//"),
            "GET /eureka//apps/./x/../%7E//",
            id="odd-path",
        ),
    ],
)
def test_each_call_has_its_request_line(answering: Answering, call: Call, line: str) -> None:
    """Verb, path and query of a call are exactly these."""
    talk = answering()

    call(talk.client)

    assert talk.lines == [f"{line} HTTP/1.1"]


def test_a_registration_is_the_wrapped_instance(answering: Answering) -> None:
    """A registration's body is the instance's fields below `instance`, as JSON."""
    talk = answering(status="204 No Content")

    talk.client.register(sample("CART", "1", status="DOWN"))

    body = msgspec.json.decode(talk.server.requests[0].partition(b"\r\n\r\n")[2])
    assert body == {"instance": sample("CART", "1", status="DOWN")}


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda c: c.renew("A", "1", replication=True), id="renew"),
        pytest.param(lambda c: c.cancel("A", "1", replication=True), id="cancel"),
        pytest.param(lambda c: c.set_status("A", "1", "UP", replication=True), id="status"),
        pytest.param(lambda c: c.remove_status("A", "1", replication=True), id="remove-status"),
        pytest.param(lambda c: c.register(sample("A", "1"), replication=True), id="register"),
    ],
)
def test_a_replicated_call_carries_the_header(answering: Answering, call: Call) -> None:
    """What a peer passes on says so in the reference's header."""
    talk = answering()

    call(talk.client)

    assert "x-netflix-discovery-replication: true" in talk.heads[0]


def test_json_is_asked_for_and_nothing_compressed(answering: Answering) -> None:
    """Without other headers a call asks for plain JSON."""
    talk = answering()

    talk.client.apps()

    assert "Accept: application/json\r\nAccept-Encoding: identity" in talk.heads[0]


def test_a_header_given_as_none_is_not_sent(answering: Answering) -> None:
    """A test can take every header away that would be added by itself."""
    talk = answering()

    talk.client.call(
        "GET", "/apps", headers={"Accept": None, "Accept-Encoding": None, "User-Agent": None}
    )

    names = [line.partition(":")[0] for line in talk.heads[0].split("\r\n")[1:]]
    assert names == ["Host"]


def test_a_put_without_a_body_says_so(answering: Answering) -> None:
    """A renewal carries Content-Length 0, as most clients send it."""
    talk = answering()

    talk.client.renew("CART", "1")

    assert "\r\nContent-Length: 0" in talk.heads[0]


def test_credentials_of_the_root_become_a_header(answering: Answering) -> None:
    """User and password of the root's URL are sent as basic authentication."""
    talk = answering()
    client = WireClient(talk.server.root.replace("://", "://ann:s3cret@"))

    client.apps()
    client.close()

    assert "\r\nAuthorization: Basic YW5uOnMzY3JldA==" in talk.heads[0]


def test_credentials_are_kept_nowhere(answering: Answering) -> None:
    """Neither user nor password, in clear or in base64, is anywhere in what is recorded."""
    talk = answering(b"see http://ann:s3cret@db/", Set_Cookie="id=s3cret")
    client = WireClient(talk.server.root.replace("://", "://ann:s3cret@"))

    client.call("GET", "/apps", params={"token": "s3cret"}, headers={"Cookie": "id=s3cret"})
    client.close()

    kept = msgspec.json.encode(client.recorder.exchanges).decode()
    assert [word for word in ("s3cret", "ann:", "YW5u") if word in kept] == []


def test_a_gzip_answer_is_decompressed(answering: Answering) -> None:
    """The body of a gzip answer is the plain text; what came is at hand beside it."""
    packed = gzip.compress(b"plain text")
    talk = answering(packed, Content_Encoding="gzip")

    answer = talk.client.call("GET", "/apps", headers={"Accept-Encoding": "gzip"})

    assert (answer.body, answer.encoded) == (b"plain text", packed)


def test_an_answer_finds_its_headers_in_any_case(answering: Answering) -> None:
    """A header's name is found in whatever case the registry sent it."""
    answer = answering(b"{}", content_TYPE="application/json").client.apps()

    assert (answer.headers["Content-Type"], answer.content_type) == (
        "application/json",
        "application/json",
    )


def test_an_exchange_keeps_both_sides(answering: Answering) -> None:
    """The evidence of a call holds what was sent and what came back."""
    talk = answering(b"not here", status="404 Not Found", X_Node="a")

    talk.client.renew("CART", "1", dirty=5)

    [exchange] = talk.client.recorder.exchanges
    assert (exchange.method, exchange.status, exchange.response_body, exchange.error) == (
        "PUT",
        404,
        "not here",
        None,
    )
    assert exchange.url == f"{talk.server.root}/eureka/apps/CART/1?lastDirtyTimestamp=5"
    assert ("X-Node", "a") in exchange.response_headers


def test_an_answer_carries_its_own_exchange(answering: Answering) -> None:
    """An answer and the recorder hold the same evidence."""
    talk = answering()

    answer = talk.client.apps()

    assert talk.client.recorder.exchanges == [answer.exchange]


def test_an_exchange_tells_the_registry_second(answering: Answering) -> None:
    """With a clock, an exchange says when it began on the cluster's axis."""
    talk = answering()
    client = WireClient(talk.server.root, recorder=Recorder(now=lambda: 12.5))

    client.apps()
    client.close()

    assert client.recorder.exchanges[0].started_at == 12.5


def test_a_connection_is_used_again(answering: Answering) -> None:
    """Calls that follow each other share a connection."""
    talk = answering()

    talk.client.apps()
    talk.client.apps()

    assert (len(talk.server.requests), len(talk.server.connections)) == (2, 1)


def test_an_idle_connection_is_not_used_again(
    answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a pause in which a registry may have closed it, a new connection is opened."""
    talk = answering()
    talk.client.apps()
    monkeypatch.setattr(talk.client, "_last_used", talk.client._last_used - IDLE)

    talk.client.apps()

    assert len(talk.server.connections) == 2


def test_another_base_is_put_before_every_path(answering: Answering) -> None:
    """A client of the second base asks below it."""
    talk = answering()
    client = WireClient(talk.server.root, base="/eureka/v2")

    client.apps()
    client.close()

    assert talk.lines == ["GET /eureka/v2/apps HTTP/1.1"]
