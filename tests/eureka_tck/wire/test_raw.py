"""Raw requests go out byte for byte, and whatever comes back is told, within the budget."""

from __future__ import annotations

import socket
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from eureka_tck.wire import raw
from eureka_tck.wire.client import WireClient
from tests.eureka_tck.wire.conftest import ScriptedServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import Event

    from tests.eureka_tck.wire.conftest import Script

BUSY_MACHINE = 5.0
"""Real seconds in which a wait of 0.3 s is over even where others take all cores."""


@pytest.fixture
def serving() -> Iterator[Callable[[Script], WireClient]]:
    """Give a client of a server that plays a script; all servers end with the test."""
    servers: list[ScriptedServer] = []

    def start(script: Script) -> WireClient:
        servers.append(ScriptedServer(script))
        return WireClient(servers[-1].root)

    yield start
    for server in servers:
        server.close()


def says(data: bytes) -> Script:
    """Send these bytes, then close."""

    def script(connection: socket.socket, _over: Event) -> None:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_RDWR)

    return script


def keeps_quiet(_connection: socket.socket, over: Event) -> None:
    """Say nothing until the test is over."""
    over.wait(BUSY_MACHINE)


ANSWER = b"HTTP/1.1 418 No\r\nX-Tea: yes\r\nContent-Length: 2\r\n\r\nno"


def test_a_request_has_exactly_these_headers() -> None:
    """Host is added, and nothing else: no length, no Accept."""
    client = WireClient("http://127.0.0.1:1")

    data = raw.request(client, "PUT", "/apps/A/b:c", headers={"X": "y"}, body=b"z")

    assert data == b"PUT /eureka/apps/A/b:c HTTP/1.1\r\nHost: 127.0.0.1:1\r\nX: y\r\n\r\nz"


def test_chunks_have_their_lengths_and_an_end() -> None:
    """A body of five bytes in chunks of two is three chunks and the last one of none."""
    assert raw.chunked(b"abcde", 2) == b"2\r\nab\r\n2\r\ncd\r\n1\r\ne\r\n0\r\n\r\n"


def test_an_answer_is_told_with_its_status_and_body(
    serving: Callable[[Script], WireClient],
) -> None:
    """Status, headers in any case and body of the first answer are there, and recorded."""
    client = serving(says(ANSWER))

    answer = raw.speak(client, raw.request(client, "GET", "/apps"))

    assert (answer.said, answer.finish, answer.body) == ("418", "answered", b"no")
    assert answer.headers["x-tea"] == "yes"
    assert client.recorder.exchanges[-1].status == 418


def test_a_close_without_an_answer_is_told_as_closed(
    serving: Callable[[Script], WireClient],
) -> None:
    """A server that hangs up has not answered."""
    client = serving(says(b""))

    assert raw.speak(client, raw.request(client, "GET", "/apps")).said == "closed"


def test_what_is_no_http_is_told_as_closed(serving: Callable[[Script], WireClient]) -> None:
    """A server that talks nonsense has not answered either."""
    client = serving(says(b"nonsense\r\n\r\n"))

    assert raw.speak(client, raw.request(client, "GET", "/apps")).said == "closed"


def test_silence_ends_with_the_budget(serving: Callable[[Script], WireClient]) -> None:
    """A server that says nothing is given up when the seconds are over."""
    client = serving(keeps_quiet)
    began = monotonic()

    answer = raw.speak(client, raw.request(client, "GET", "/apps"), seconds=0.3)

    assert answer.said == "silent"
    assert monotonic() - began < BUSY_MACHINE


def test_where_nobody_listens_it_is_refused() -> None:
    """No connection is an observation, not an error of ours."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        client = WireClient(f"http://127.0.0.1:{probe.getsockname()[1]}")

        answer = raw.speak(client, raw.request(client, "GET", "/apps"))

    assert answer.said == "refused"
    assert client.recorder.exchanges[-1].error


def test_a_secret_in_the_url_is_masked(serving: Callable[[Script], WireClient]) -> None:
    """What is kept as evidence has no credentials in it."""
    client = serving(says(ANSWER))

    raw.speak(client, raw.request(client, "GET", "/apps?password=secret"))

    assert "secret" not in client.recorder.exchanges[-1].url
