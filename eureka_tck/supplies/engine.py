"""The Docker engine: a client of it, or one clear error."""

from __future__ import annotations

import os
import socket
from urllib.parse import urlsplit

import docker
from docker.errors import DockerException

from eureka_tck.errors import CannotRun

DEFAULT = "unix:///var/run/docker.sock"
ANSWER_BUDGET = 60.0  # seconds; a stop of a container with its grace fits


def client(*, budget: float = ANSWER_BUDGET) -> docker.DockerClient:
    """Return a client of the running engine; the caller closes it."""
    where = os.environ.get("DOCKER_HOST") or DEFAULT
    try:
        _knock(where)
        return docker.from_env(timeout=int(budget))
    except (DockerException, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CannotRun(
            "The docker backend needs a running Docker engine, and none answers at "
            f"{where}: {reason.rstrip('.')}.",
            "Start it (systemctl start docker, or dockerd as root), point DOCKER_HOST at one, "
            "or use --backend process.",
        ) from None


def _knock(where: str) -> None:
    """Connect once to a local engine: the library leaves an open socket behind when it cannot."""
    url = urlsplit(where)
    if url.scheme == "unix":
        with socket.socket(socket.AF_UNIX) as door:
            door.settimeout(ANSWER_BUDGET)
            door.connect(url.path)
