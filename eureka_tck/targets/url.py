"""
A registry that runs already, somebody's: `url:http://host:port`, or with a base, `…/eureka`.

Nothing of it is ours: it is neither started nor ended, broken nor configured, and its time is real.
Rows that need any of that are not applicable. What we register there bears the run's prefix and is
cancelled at the end (`eureka_tck.visit`).
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit

from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka_tck.targets.target import (
        ClockStamp,
        Counters,
        Fetch,
        ImageLaunch,
        Launch,
        NodePlan,
        Target,
    )

BASE = "/eureka"
OWNER = "--i-own-this-target"


@dataclass(frozen=True, slots=True)
class UrlTarget:
    """A running registry; `root` is `http://host:port`."""

    root: str
    family: ClassVar[str] = "url"
    default_speed: ClassVar[float] = 1.0
    capabilities: ClassVar[frozenset[str]] = frozenset()
    ready_path: ClassVar[str] = "/eureka/apps/TCK-IS-IT-READY"
    ready_line: ClassVar[str | None] = None
    scales_steps: ClassVar[bool] = False
    reload_path: ClassVar[str | None] = None
    ready_budget: ClassVar[float] = 10.0  # real s: it is said to run already

    @property
    def name(self) -> str:
        """Return the name on the command line."""
        return f"url:{self.root}"

    @property
    def address(self) -> tuple[str, int]:
        """Return its host and port."""
        parts = urlsplit(self.root)
        return parts.hostname or "", parts.port or 80

    def admit(self, *, owned: bool) -> None:
        """Refuse a registry beyond this machine and its private networks, unless it is owned."""
        host, port = self.address
        if owned:
            return
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise CannotRun(f"{self.name}: the host {host} is not known: {error}.") from error
        addresses = {str(entry[4][0]).partition("%")[0] for entry in found}
        beyond = sorted(one for one in addresses if not ipaddress.ip_address(one).is_private)
        if beyond:
            raise CannotRun(
                f"{self.name} is at {beyond[0]}, beyond this machine and its private networks.",
                f"Judge it only if it is yours, with {OWNER}.",
            )

    def prepare(self, backend: str) -> None:
        """Refuse to look for it in a container of ours, or where nothing listens."""
        if backend == "docker":
            raise CannotRun(f"{self.name} runs already; it has no place in a container of ours.")
        try:
            socket.create_connection(self.address, timeout=self.ready_budget).close()
        except OSError as error:
            raise CannotRun(
                f"{self.name}: nothing listens there: {error.strerror or error}.",
                "Start the registry first, or name the host and port where it listens.",
            ) from error

    def launch(self, plan: NodePlan) -> Launch:
        """Refuse: it runs already."""
        raise CannotRun(f"{self.name} runs already and is not started by us ({plan.name}).")

    def image(self, plan: NodePlan) -> ImageLaunch:
        """Refuse: it runs already."""
        raise CannotRun(f"{self.name} runs already and is not started by us ({plan.name}).")

    def counters(self, fetch: Fetch) -> Counters:  # noqa: ARG002 - nothing is known of its pages
        """Refuse: nothing is known of its pages."""
        raise CannotRun(f"{self.name} shows no counters that we know of.")

    def clock_stamp(self, fetch: Fetch, date: str | None) -> ClockStamp | None:  # noqa: ARG002 - the same
        """Return none: its clock is its own."""
        return None


def refuse_guests(targets: Iterable[Target], what: str) -> None:
    """Refuse to do that to a registry that runs already: it is somebody's."""
    for target in targets:
        if target.family == UrlTarget.family:
            raise CannotRun(
                f"{target.name} runs already, and {what} would harm whoever uses it.",
                "Name a target that is started for it: python, java:5.0.3, command:…, image:….",
            )


def running(text: str) -> UrlTarget:
    """Return the target of a URL; CannotRun says what is wrong with it."""
    parts = urlsplit(text)
    try:
        port = parts.port
    except ValueError:
        port = -1
    path = parts.path.rstrip("/")
    if parts.scheme != "http" or not parts.hostname or port == -1 or path not in {"", BASE}:
        raise CannotRun(
            f"url:{text} is no address of a registry.",
            f"It is http://host:port, with {BASE} or without; https is not spoken.",
        )
    return UrlTarget(f"http://{parts.netloc}")
