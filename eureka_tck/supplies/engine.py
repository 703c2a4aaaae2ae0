"""The Docker engine: a client of it, or one clear error; and what ends is removed from it."""

from __future__ import annotations

import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import docker
from docker.errors import APIError, DockerException, NotFound
from docker.models.containers import Container

from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docker.models.networks import Network

DEFAULT = "unix:///var/run/docker.sock"
ANSWER_BUDGET = 60.0  # seconds; a stop of a container with its grace fits
PING_BUDGET = 10  # seconds: an engine that does not answer a ping removes nothing either


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


@contextmanager
def asking(what: str, *, unless: int | None = None) -> Iterator[None]:
    """Turn an error of the engine into the one that ends a run; that status is no error."""
    try:
        yield
    except APIError as error:
        if unless is not None and error.status_code == unless:
            return
        reason = str(error.explanation or error).strip().rstrip(".")
        way_out = "`eureka-tck sweep` removes what dead runs left." if "pool" in reason else ""
        raise CannotRun(
            f"{what}: Docker answered {error.status_code}: {reason}.", way_out
        ) from error
    except (DockerException, OSError) as error:
        raise CannotRun(f"{what}: Docker does not answer: {error}.") from error


def silence(client: docker.DockerClient) -> str:
    """Return why the engine can be asked for nothing; empty where it answers."""
    budget, client.api.timeout = client.api.timeout, PING_BUDGET
    try:
        client.ping()
    except (DockerException, OSError) as error:
        return f"Docker does not answer: {error}"
    finally:
        client.api.timeout = budget
    return ""


def remove(thing: Container | Network | None) -> str:
    """Remove it, a container whatever its state; return what is wrong if it cannot be."""
    if thing is None:
        return ""
    try:
        if isinstance(thing, Container):
            thing.remove(force=True, v=True)
        else:
            thing.remove()
    except NotFound:
        return ""
    except (DockerException, OSError) as error:
        return f"{thing.name}: {error}"
    return ""


def _knock(where: str) -> None:
    """Connect once to a local engine: the library leaves an open socket behind when it cannot."""
    url = urlsplit(where)
    if url.scheme == "unix":
        with socket.socket(socket.AF_UNIX) as door:
            door.settimeout(ANSWER_BUDGET)
            door.connect(url.path)
