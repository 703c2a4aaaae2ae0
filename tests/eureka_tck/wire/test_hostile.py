"""Whatever a server does, a call ends within its budget and says how it ended."""

from __future__ import annotations

import gzip
import socket
import struct
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from eureka_tck.wire.client import WireClient
from eureka_tck.wire.errors import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from tests.eureka_tck.wire.conftest import Conversation, Script

    Conversations = Callable[..., Conversation]

HEAD = b"HTTP/1.1 200 OK\r\n"
BUSY_MACHINE = 5.0
"""Real seconds in which a wait of 0.3 s is over even where others take all cores."""
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def sends(data: bytes) -> Script:
    """Send these bytes, then close."""

    def script(connection: socket.socket, _over: Event) -> None:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_RDWR)

    return script


def drips(data: bytes) -> Script:
    """Send these bytes, then one more byte every 20 ms, for ever."""

    def script(connection: socket.socket, over: Event) -> None:
        connection.sendall(data)
        while not over.wait(0.02):
            connection.sendall(b"x")

    return script


def floods(data: bytes, again: bytes) -> Script:
    """Send these bytes, then others without pause, for ever."""

    def script(connection: socket.socket, over: Event) -> None:
        connection.sendall(data)
        while not over.is_set():
            connection.sendall(again)

    return script


def resets(connection: socket.socket, _over: Event) -> None:
    """Tear the connection down."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def hangs(_connection: socket.socket, over: Event) -> None:
    """Read the request and do nothing."""
    over.wait()


def gzipped(plain: bytes) -> bytes:
    """Return an answer with this text, compressed."""
    packed = gzip.compress(plain)
    return HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(hangs, id="hang"),
        pytest.param(drips(b""), id="dripping-status"),
        pytest.param(drips(HEAD + b"X-Long: "), id="dripping-header"),
        pytest.param(drips(HEAD + b"Content-Length: 9999\r\n\r\n"), id="dripping-body"),
        pytest.param(floods(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), id="endless-100-continue"),
    ],
)
def test_an_answer_that_never_ends_is_given_up(conversation: Conversations, script: Script) -> None:
    """A server that sends nothing, or a byte now and then, costs the budget and says so."""
    client = conversation(script, seconds=0.3).client

    with pytest.raises(NoAnswer) as caught:
        client.apps()

    assert (caught.value.kind, caught.value.detail) == (
        "timed out",
        "timed out, not complete after 0.3 s",
    )


@pytest.mark.parametrize("script", [hangs, drips(b"")], ids=["hang", "drip"])
def test_a_call_is_given_up_in_time(conversation: Conversations, script: Script) -> None:
    """The budget of seconds is that of the whole call."""
    client = conversation(script, seconds=0.3).client
    began = monotonic()

    with pytest.raises(NoAnswer):
        client.apps()

    assert 0.3 <= monotonic() - began < BUSY_MACHINE


@pytest.mark.parametrize(
    ("script", "kind", "detail"),
    [
        pytest.param(
            floods(HEAD + b"\r\n", b"x" * 4096),
            "too large",
            "larger than 100,000 bytes",
            id="endless-body",
        ),
        pytest.param(
            floods(CHUNKED, b"1000\r\n" + b"x" * 4096 + b"\r\n"),
            "too large",
            "larger than 100,000 bytes",
            id="endless-chunks",
        ),
        pytest.param(
            floods(HEAD, b"X-More: y\r\n"),
            "malformed",
            "got more than 100 headers",
            id="endless-headers",
        ),
        pytest.param(
            floods(HEAD + b"X-Long: ", b"y" * 4096),
            "malformed",
            "got more than 65536 bytes",
            id="endless-header",
        ),
        pytest.param(
            sends(gzipped(bytes(10_000_000))),
            "too large",
            "larger than 100,000 bytes",
            id="gzip-bomb",
        ),
        pytest.param(
            sends(HEAD + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"),
            "malformed",
            "gzip body cannot be decompressed",
            id="not-gzip",
        ),
        pytest.param(
            sends(HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"abc")[:-4]),
            "malformed",
            "the gzip stream has no end",
            id="cut-gzip",
        ),
        pytest.param(sends(b""), "closed", "closed without an answer", id="closed-at-once"),
        pytest.param(
            sends(HEAD + b"Content-Length: 10\r\n\r\nabc"),
            "closed",
            "closed after 3 bytes of the body, 7 more were announced",
            id="cut-body",
        ),
        pytest.param(
            sends(CHUNKED + b"5\r\nabc"), "closed", "closed after 3 bytes", id="cut-chunk"
        ),
        pytest.param(
            sends(CHUNKED + b"3\r\nabc\r\n"),
            "closed",
            "middle of a chunked body",
            id="no-last-chunk",
        ),
        pytest.param(
            sends(CHUNKED + b"zz\r\nabc\r\n"), "malformed", "has no length", id="bad-chunk"
        ),
        pytest.param(sends(b"SSH-2.0-x\r\n\r\n"), "malformed", "BadStatusLine", id="not-http"),
        pytest.param(
            sends(b"HTTP/1.1 two OK\r\n\r\n"), "malformed", "BadStatusLine", id="bad-status"
        ),
        pytest.param(resets, "reset", "the connection was reset", id="reset"),
    ],
)
def test_a_call_without_an_answer_says_how_it_ended(
    conversation: Conversations, script: Script, kind: str, detail: str
) -> None:
    """A call that gets no complete answer raises the kind of its end and a phrase about it."""
    client = conversation(script).client

    with pytest.raises(NoAnswer) as caught:
        client.apps()

    assert (caught.value.kind, detail in str(caught.value)) == (kind, True), str(caught.value)


def test_nobody_listening_is_refused() -> None:
    """A port that nobody listens on is told apart from a server that closes."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    client = WireClient(f"http://127.0.0.1:{port}")

    with pytest.raises(NoAnswer) as caught:
        client.apps()

    assert str(caught.value) == (
        f"GET http://127.0.0.1:{port}/eureka/apps got no answer: the connection was refused"
    )


def test_an_unknown_host_is_unreachable() -> None:
    """A host name that does not exist (RFC 2606) is neither refused nor closed."""
    with pytest.raises(NoAnswer) as caught:
        WireClient("http://registry.invalid:8761").apps()

    assert (caught.value.kind, caught.value.detail) == ("unreachable", "its host is not known")


def test_a_redirect_is_an_answer(conversation: Conversations) -> None:
    """A redirect loop is seen as its first answer; it is not followed."""
    script = sends(b"HTTP/1.1 302 Found\r\nLocation: /eureka/apps\r\nContent-Length: 0\r\n\r\n")
    talk = conversation(script)

    answer = talk.client.apps()

    assert (answer.status, len(talk.server.requests)) == (302, 1)


def test_the_environments_proxy_is_not_used(
    answering: Callable[..., Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy in the environment does not come between the judge and the registry."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)

    answer = answering(b"here").client.apps()

    assert answer.body == b"here"


def test_a_call_without_an_answer_leaves_its_exchange(conversation: Conversations) -> None:
    """The evidence of a call without an answer names the request and how it ended."""
    client = conversation(sends(b"")).client

    with pytest.raises(NoAnswer):
        client.renew("CART", "1")

    [exchange] = client.recorder.exchanges
    assert (exchange.method, exchange.status, exchange.error) == (
        "PUT",
        None,
        "the connection was closed without an answer",
    )


def test_a_client_goes_on_after_a_call_without_an_answer(conversation: Conversations) -> None:
    """The next call opens its own connection and is answered."""
    scripts = iter([sends(b""), sends(HEAD + b"Content-Length: 2\r\n\r\nok")])

    def one_after_the_other(connection: socket.socket, over: Event) -> None:
        next(scripts)(connection, over)

    client = conversation(one_after_the_other).client
    with pytest.raises(NoAnswer):
        client.apps()

    answer = client.apps()

    assert answer.body == b"ok"
