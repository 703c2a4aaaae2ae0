"""Our subclass of toxiproxy-python against a recorded server: paths, time-outs, several servers."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from eureka_tck import toxiproxy
from eureka_tck.errors import CannotRun
from eureka_tck.toxiproxy import Toxiproxy

if TYPE_CHECKING:
    from collections.abc import Iterator

PROXY = {"name": "a>b", "upstream": "u:1", "listen": "l:2", "enabled": True, "toxics": []}


class Scripted(ThreadingHTTPServer):
    """A server that answers as told and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = 200
        self.answer: object = PROXY
        self.asked: list[tuple[str, str, object]] = []
        self.silence = threading.Event()
        self.silence.set()

    def handle_error(self, *_: object) -> None:
        """Print nothing of callers that went away."""

    @property
    def client(self) -> Toxiproxy:
        """Return a client of this server."""
        return Toxiproxy("127.0.0.1", self.server_address[1])


class _Handler(BaseHTTPRequestHandler):
    server: Scripted
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        self.server.asked.append((self.command, self.path, body))
        self.server.silence.wait()
        text = json.dumps(self.server.answer).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = _answer  # noqa: N815 - the library's names

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[Scripted]:
    """Give a scripted server."""
    with Scripted() as scripted:
        thread = threading.Thread(target=scripted.serve_forever)
        thread.start()
        yield scripted
        scripted.shutdown()
        thread.join()


def test_names_are_quoted_in_paths(server: Scripted) -> None:
    """A link's name holds a `>`, which does not belong into a path."""
    client = server.client
    client.link("a>b").disable()
    client.close()

    assert server.asked[-1] == ("POST", "/proxies/a%3Eb", {"enabled": False})


def test_two_servers_are_spoken_to_side_by_side(server: Scripted) -> None:
    """The library keeps one address a process; ours belongs to its server."""
    elsewhere = Toxiproxy("127.0.0.1", 1)
    client = server.client
    client.reset()

    assert server.asked == [("POST", "/reset", None)]
    assert not elsewhere.running()
    client.close()
    elsewhere.close()


def test_a_toxic_is_updated_by_its_name(server: Scripted) -> None:
    """The library cannot change a toxic; here its attributes are posted."""
    client = server.client
    client.link("a>b").change("latency_downstream", {"latency": 5})
    client.close()

    assert server.asked[-1] == (
        "POST",
        "/proxies/a%3Eb/toxics/latency_downstream",
        {"attributes": {"latency": 5}},
    )


@pytest.mark.parametrize("status", [400, 404, 409, 500])
def test_every_refusal_is_an_error(server: Scripted, status: int) -> None:
    """The library lets 500 pass as success; here any refusal says what was asked."""
    server.status, server.answer = status, {"error": "no such luck"}
    client = server.client

    with pytest.raises(CannotRun, match=r"Toxiproxy .* GET http://\S+/proxies.*no such luck"):
        client.proxies()
    client.close()


def test_a_silent_server_does_not_hold_us(
    server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call has a budget, which the library's has not."""
    monkeypatch.setattr(toxiproxy, "CALL_BUDGET", 0.1)
    server.silence.clear()
    client = server.client

    with pytest.raises(CannotRun, match="did not answer GET"):
        client.proxies()
    server.silence.set()
    client.close()


def test_what_the_library_builds_on_our_calls_works(server: Scripted) -> None:
    """`populate` of the library creates what is not there, through our channel."""
    server.answer = {}
    client = server.client
    with pytest.raises(KeyError):  # the scripted answer to the creation has no name
        client.populate([{"name": "a>b", "upstream": "u:1", "listen": "l:2"}])
    client.close()

    assert server.asked[-1][:2] == ("POST", "/proxies")
