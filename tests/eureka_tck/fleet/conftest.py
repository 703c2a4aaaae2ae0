"""A small registry in a thread that does what a test says, and a fleet that is driven by hand."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from eureka_tck.clock import unix_now
from eureka_tck.fleet.fleet import Fleet
from eureka_tck.fleet.storm import Storm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from eureka_tck.fleet.call import Call

EMPTY = {"applications": {"versions__delta": "1", "apps__hashcode": "", "application": []}}


class MakeFleet(Protocol):
    """Makes a fleet on the registry of the test; changes are fields of its storm."""

    def __call__(
        self,
        *,
        told: Callable[[Call, float], None] = ...,
        share: tuple[int, int] = ...,
        addresses: tuple[tuple[str, int], ...] = ...,
        **changes: Any,  # noqa: ANN401 - fields of a storm
    ) -> Fleet:
        """Return it, with its part taken."""


class Server(ThreadingHTTPServer):
    """Takes many connections at once, and bears that a client dies."""

    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        """Say nothing: a worker was killed on purpose."""


class Registry:
    """
    Knows instances by their id, with the stamp of their lease; `seen` counts the calls.

    `stall` is a lock: who holds it keeps every answer back. `fate` may answer a call instead: a
    status, or "close" to hang up without a word.
    """

    def __init__(self) -> None:
        self.held: dict[str, float] = {}
        self.bodies: list[dict[str, Any]] = []
        self.seen: Counter[str] = Counter()
        self.stall = threading.Lock()
        self.fate: Callable[[str, str, int], int | str | None] = lambda *_: None
        self.delta: dict[str, Any] = EMPTY
        self._lock = threading.Lock()
        registry = self

        class Handler(BaseHTTPRequestHandler):
            """One call."""

            protocol_version = "HTTP/1.1"
            timeout = 10

            def log_message(self, *_: object) -> None:
                """Print nothing."""

            def do_GET(self) -> None:
                """Answer, after the stall if there is one."""
                length = int(self.headers.get("Content-Length") or 0)
                sent = self.rfile.read(length) if length else b""
                with registry.stall:
                    pass
                status, body = registry.answer(self.command, self.path, sent)
                if status == "close":
                    self.close_connection = True
                    return
                self.send_response(int(status))
                if int(status) != 204:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - the library's names

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        host, port = self.server.server_address[:2]
        return str(host), port

    def answer(self, verb: str, path: str, sent: bytes) -> tuple[int | str, bytes]:
        """Do as a registry does."""
        with self._lock:
            kind = path.partition("?")[0]
            name = kind.rpartition("/")[2]
            key = f"{verb} {name}" if name in ("apps", "delta", "status") else verb
            self.seen[key] += 1
            if (fated := self.fate(verb, kind, self.seen[key])) is not None:
                return fated, b""
            return self._do(verb, name, sent)

    def _do(self, verb: str, name: str, sent: bytes) -> tuple[int, bytes]:
        stamp = time.monotonic() * 1000
        if verb == "POST":
            self.bodies.append(json.loads(sent)["instance"])
            self.held[self.bodies[-1]["instanceId"]] = stamp
            return 204, b""
        if name in ("apps", "delta"):
            return 200, json.dumps(self.delta if name == "delta" else EMPTY).encode()
        if name == "status":
            return 200, b""
        if name not in self.held:
            return 404, b""
        if verb == "PUT":
            self.held[name] = stamp
        elif verb == "DELETE":
            del self.held[name]
        else:
            return 200, json.dumps({"instance": _record(name, self.held[name])}).encode()
        return 200, b""

    def close(self) -> None:
        """End it."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(10)


def _record(name: str, stamp: float) -> dict[str, Any]:
    lease = {"renewalIntervalInSecs": 1, "durationInSecs": 3, "lastRenewalTimestamp": int(stamp)}
    return {"instanceId": name, "app": "FLEET-000", "status": "UP", "leaseInfo": lease}


@pytest.fixture
def registry() -> Iterator[Registry]:
    """Give a registry."""
    made = Registry()
    yield made
    made.close()


@pytest.fixture
def registries() -> Iterator[Callable[[], Registry]]:
    """Make as many registries as a test needs."""
    made: list[Registry] = []

    def make() -> Registry:
        made.append(Registry())
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def fleet(registry: Registry) -> Iterator[MakeFleet]:
    """Make a fleet that renews every 0.25 s; `told` gets its calls, `share` is its part."""
    made: list[Fleet] = []

    def make(
        *,
        told: Callable[[Call, float], None] = lambda *_: None,
        share: tuple[int, int] = (0, 1),
        addresses: tuple[tuple[str, int], ...] = (),
        **changes: Any,  # noqa: ANN401 - fields of a storm
    ) -> Fleet:
        fields: dict[str, Any] = {
            "name": "test", "story": "", "instances": 20, "minutes": 1, "applications": 2,
            "renewal_interval": 0.25, "duration": 3, "connections": 4, "arrive_over": 0,
        }  # fmt: skip
        storm = Storm(**{**fields, **changes})
        nodes = addresses or (registry.address,)

        def each(calls: Sequence[Call], latencies: Sequence[float]) -> None:
            for call, latency in zip(calls, latencies, strict=True):
                told(call, latency)

        one = Fleet(storm, nodes, "/eureka", unix_now(), each)
        made.append(one)
        one.take(*share)
        return one

    yield make
    for one in made:
        one.close()
