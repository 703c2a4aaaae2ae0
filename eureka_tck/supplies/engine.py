"""The Docker engine: a client of it, or one clear error."""

from __future__ import annotations

import os

import docker
from docker.errors import DockerException

from eureka_tck.errors import CannotRun

ANSWER_BUDGET = 60.0  # seconds; a stop of a container with its grace fits


def client(*, budget: float = ANSWER_BUDGET) -> docker.DockerClient:
    """Return a client of the running engine; the caller closes it."""
    where = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    try:
        engine = docker.from_env(timeout=int(budget))
    except DockerException as error:
        raise _no_engine(where, error) from None
    try:
        engine.ping()
    except (DockerException, OSError) as error:
        engine.close()
        raise _no_engine(where, error) from None
    return engine


def _no_engine(where: str, error: Exception) -> CannotRun:
    reason = str(error).removeprefix("Error while fetching server API version: ").rstrip(".")
    return CannotRun(
        f"The docker backend needs a running Docker engine, and none answers at {where}: {reason}.",
        "Start it (systemctl start docker, or dockerd as root), point DOCKER_HOST at one, "
        "or use --backend process.",
    )
