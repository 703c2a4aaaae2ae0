"""What we read of a node is bounded, whatever it sends."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from eureka_tck import node as node_module
from eureka_tck.clock import Clock
from eureka_tck.errors import CannotRun
from eureka_tck.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

BUDGET = 0.3  # real s, instead of the 10 s of FETCH_BUDGET


@contextmanager
def dripping() -> Iterator[str]:
    """Serve one page that announces more than it ever sends, a byte every 50 ms."""
    over = threading.Event()

    def drip() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):  # the reader has gone, as it should
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            while not over.wait(0.05):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        over.set()
        thread.join()


def test_a_page_that_drips_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time, the whole does not: the budget is that of the whole."""
    monkeypatch.setattr(node_module, "FETCH_BUDGET", BUDGET)
    with dripping() as root:
        plan = SimpleNamespace(name="a")
        backend = SimpleNamespace(client_root=lambda _: root)
        cluster = SimpleNamespace(spec=SimpleNamespace(name="one"))
        target = SimpleNamespace(name="python")
        node = Node(cluster, backend, threading.Event(), plan, target)  # type: ignore[arg-type] # stand-ins
        clock = Clock()

        with pytest.raises(CannotRun, match=r"node a \(python\) of one does not show http://.*/: "):
            node.fetch("/")

        assert clock.now() < 10 * BUDGET
        node.close()
