"""A site to play on: registries that live in this process and lie as they are told to."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, cast

import pytest

from eureka_tck.clock import Clock
from eureka_tck.history import HistoryWriter
from eureka_tck.history.event import Header
from eureka_tck.workloads.site import Site
from eureka_tck.workloads.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eureka_tck.cluster import Cluster

SPEED = 20.0
HOST = "127.0.107.21"
STAMPS = (
    "registrationTimestamp",
    "lastRenewalTimestamp",
    "evictionTimestamp",
    "serviceUpTimestamp",
)


@dataclass
class Lair:
    """
    A registry that keeps what it is sent.

    `hidden` is left out of lists (as by a stale cache), `lost` out of everything;
    `status` answers every call instead.
    """

    instances: dict[str, dict[str, object]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    status: int | None = None
    root: str = ""
    calls: list[str] = field(default_factory=list)

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, object]:
        """Return status and document of an answer."""
        self.calls.append(f"{method} {path}")
        if self.status is not None:
            return self.status, {}
        parts = path.partition("?")[0].removeprefix("/eureka/").split("/")
        key = "/".join(parts[1:])
        if method == "POST":
            instance = json.loads(body)["instance"]
            instance["leaseInfo"] |= dict.fromkeys(STAMPS, 0)
            self.instances[f"{parts[1]}/{instance['instanceId']}"] = instance
            return 204, None
        if parts == ["apps"]:
            return 200, {"applications": {"application": self._listed()}}
        if key not in self.instances or key in self.lost:
            return 404, None
        if method == "GET":
            return 200, {"instance": self.instances[key]}
        if method == "DELETE":
            del self.instances[key]
        return 200, None

    def _listed(self) -> list[object]:
        shown = [
            (key.partition("/")[0], instance)
            for key, instance in self.instances.items()
            if key not in self.hidden | self.lost
        ]
        return [
            {"name": app, "instance": [one for name, one in shown if name == app]}
            for app in sorted({app for app, _ in shown})
        ]


@pytest.fixture
def lairs() -> Iterator[dict[str, Lair]]:
    """Give two registries, a and b, that serve while the test runs."""
    found: dict[str, Lair] = {}
    servers = []
    for name in ("a", "b"):
        lair = Lair()
        server = ThreadingHTTPServer((HOST, 0), _handler(lair))
        lair.root = f"http://{HOST}:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, args=(0.02,)).start()
        found[name] = lair
        servers.append(server)
    yield found
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def site(lairs: dict[str, Lair], tmp_path: Path) -> Iterator[Site]:
    """Give a site on those two registries; its history is in the test's folder."""
    cluster = _Cluster(Clock(SPEED), {name: _Node(lair.root) for name, lair in lairs.items()})
    header = Header(
        run="r",
        scenario="s",
        target="lair",
        backend="process",
        speed=SPEED,
        seed=1,
        started="",
        command="",
        nodes=("a", "b"),
        settings={},
    )
    with HistoryWriter(tmp_path, header) as history:
        yield Site(cast("Cluster", cluster), history, Watch("ab"))


@dataclass(frozen=True)
class _Node:
    root: str


@dataclass(frozen=True)
class _Cluster:
    clock: Clock
    nodes: dict[str, _Node]

    def __getitem__(self, name: str) -> _Node:
        return self.nodes[name]


def _handler(lair: Lair) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, document = lair.answer(self.command, self.path, body)
            data = b"" if document is None else json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if status != 204:
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if status != 204:
                self.wfile.write(data)

        do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - the names http.server calls

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
