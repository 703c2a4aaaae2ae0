"""Calling over a link as its source would, to see whether it carries, and how fast."""

from __future__ import annotations

import socket
from time import monotonic
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from eureka_tck.links import CLIENT
from eureka_tck.wire.client import ReadBudget
from eureka_tck.wire.errors import NoAnswer

if TYPE_CHECKING:
    from eureka_tck.workloads.site import Site

TURNED_AWAY: Final = frozenset({"refused", "reset", "closed"})
"""How a call over a cut link ends: refused by Toxiproxy itself, closed by what stands before it."""

NO_WAY_THERE: Final = "unreachable"
"""How a call ends that finds no way to the link at all: it says nothing about the link."""

ANSWERED: Final = "status 200"

CHUNK: Final = 65536

PATIENCE: Final = 2.0
"""Real seconds for an answer: a registry answers in milliseconds."""

CLOSE_BUDGET: Final = 30.0
"""Real seconds after which nobody waits for a connection to be closed any longer."""


def address(site: Site, link: str) -> str:
    """Return where we enter the link, as its source does."""
    source, sink = link.split(">")
    cluster = site.cluster
    return cluster[sink].root if source == CLIENT else cluster[source].link_root(sink)


def ending(site: Site, link: str, seconds: float = 5.0) -> str:
    """Return how a read over the link ends: "status 200", "refused", "reset", …"""
    return ending_at(site, address(site, link), seconds)


def ending_at(site: Site, root: str, seconds: float = 5.0) -> str:
    """Return how a read at an address ends."""
    client = site.client_of(root, ReadBudget(seconds=seconds))
    try:
        return f"status {client.apps().status}"
    except NoAnswer as why:
        return why.kind
    finally:
        client.close()


def fastest(site: Site, link: str, body: bytes = b"", times: int = 3) -> float | None:
    """Return the real seconds of the fastest of some calls with a body; None if one failed."""
    taken: list[float] = []
    for _ in range(times):
        client = site.client_of(address(site, link), ReadBudget(seconds=PATIENCE * 2))
        began = monotonic()
        try:
            if body:
                client.post("PROBE", body)
            else:
                client.apps()
        except NoAnswer:
            return None
        finally:
            client.close()
        taken.append(monotonic() - began)
    return min(taken)


def closing(site: Site, link: str) -> float | None:
    """
    Return the real seconds between an answer's first byte and the close; None if none came.

    What is not closed within the budget of an answer counts as closed then.
    """
    parts = urlsplit(address(site, link))
    where = (parts.hostname or "", parts.port or 80)
    asked = f"GET /eureka/apps HTTP/1.1\r\nHost: {where[0]}\r\nConnection: close\r\n\r\n"
    try:
        with socket.create_connection(where, PATIENCE * 2) as connection:
            connection.sendall(asked.encode())
            if not connection.recv(CHUNK):
                return None
            began = monotonic()
            while monotonic() - began < CLOSE_BUDGET and connection.recv(CHUNK):
                pass
            return monotonic() - began
    except OSError:
        return None
