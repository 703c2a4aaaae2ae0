"""
Real clients, each in a driver of a few lines in its own language, and a registry for them.

A client is fetched by its own language's package manager when a test first needs it,
in a pinned version, and kept in the user's cache. One that cannot be had is skipped,
unless TCK_REQUIRE names `clients`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import requests

from eureka_tck.clock import Clock, Patience
from eureka_tck.doctor import required_names
from eureka_tck.errors import CannotRun
from eureka_tck.supplies import cache, tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

HOST = "127.0.0.1"
DRIVERS = Path(__file__).parent / "drivers"
FETCH_BUDGET = 300.0  # seconds; 61 s for the largest were seen with an empty repository
FETCH_TRIES = 3
ANSWER_BUDGET = 10.0  # seconds for a request to the registry


@dataclass(frozen=True, slots=True)
class Client:
    """A client in one version: how it is fetched, and how its driver is started."""

    name: str
    version: str
    fetch: Callable[[str, Path], None]
    command: Callable[[Path, int, str, str], list[str]]
    """Takes the folder it was fetched to, the registry's port, the application, and the id."""
    environment: Callable[[Path], Mapping[str, str]] = lambda _: {}

    def __str__(self) -> str:
        return f"{self.name}-{self.version}"

    def fetched(self) -> Path:
        """Return the folder with the client, fetched if need be; try a few times."""
        sources = cache.key(DRIVERS / "spring", self.version)
        last: CannotRun | None = None
        for _ in range(FETCH_TRIES):
            try:
                return cache.made(
                    f"clients/{self}-{sources}",
                    partial(self.fetch, self.version),
                    what=f"fetching {self}",
                )
            except CannotRun as error:
                last = error
                Patience(2.0).pause(1.0)
        assert last is not None
        raise last


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise CannotRun(f"there is no {name} on PATH.")
    return found


def _fetch_by_pip(version: str, folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    requirement = f"py-eureka-client=={version}"
    tool.run(
        [*command, "--target", folder, requirement], what="fetching by pip", budget=FETCH_BUDGET
    )


def _fetch_by_npm(version: str, folder: Path) -> None:
    quiet = ["--silent", "--no-audit", "--no-fund", "--no-package-lock"]
    package = f"eureka-js-client@{version}"
    tool.run(
        [_program("npm"), "install", *quiet, "--prefix", folder, package],
        what="fetching by npm",
        budget=FETCH_BUDGET,
    )


def _fetch_by_maven(version: str, folder: Path) -> None:
    boot, cloud = version.split("+")
    shutil.copytree(DRIVERS / "spring", folder / "build")
    versions = (f"-Dspring-boot.version={boot}", f"-Dspring-cloud.version={cloud}")
    tool.run(
        [
            *(_program("mvn"), "--batch-mode", "--quiet", "--no-transfer-progress"),
            *("package", *versions),
        ],
        what="building by Maven",
        budget=FETCH_BUDGET,
        cwd=folder / "build",
    )
    (folder / "build" / "target" / "driver.jar").rename(folder / "driver.jar")
    shutil.rmtree(folder / "build")


def _spring(folder: Path, port: int, name: str, instance_id: str) -> list[str]:
    return [
        *(_program("java"), "-XX:TieredStopAtLevel=1", "-jar", str(folder / "driver.jar")),
        f"--spring.application.name={name}",
        "--spring.main.banner-mode=off",
        "--spring.main.web-application-type=none",
        "--logging.level.root=off",
        f"--eureka.client.service-url.defaultZone=http://{HOST}:{port}/eureka/",
        f"--eureka.instance.hostname={HOST}",
        "--eureka.instance.non-secure-port=8123",
        f"--eureka.instance.instance-id={instance_id}",
        "--eureka.instance.lease-renewal-interval-in-seconds=2",
        "--eureka.client.registry-fetch-interval-seconds=2",
    ]


CLIENTS = (
    Client(
        "py-eureka-client",
        "0.13.3",
        _fetch_by_pip,
        lambda _, *told: [sys.executable, str(DRIVERS / "py_driver.py"), *map(str, told)],
        lambda folder: {"PYTHONPATH": str(folder), "PYTHONWARNINGS": "default"},
    ),
    Client(
        "eureka-js-client",
        "4.5.0",
        _fetch_by_npm,
        lambda _, *told: [_program("node"), str(DRIVERS / "node_driver.js"), *map(str, told)],
        lambda folder: {"NODE_PATH": str(folder / "node_modules"), "NODE_NO_WARNINGS": "1"},
    ),
    Client("spring-cloud", "4.0.7+2025.1.4", _fetch_by_maven, _spring),
    Client("spring-cloud", "2.7.18+2021.0.9", _fetch_by_maven, _spring),
    Client("spring-cloud-jersey", "2.3.12.RELEASE+Hoxton.SR12", _fetch_by_maven, _spring),
)


class Driver:
    """A client at work; ends with the block that it is made in."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def sees(self, app: str) -> str:
        """Return how many instances of an application the client offers, as it prints it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{app}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def leave(self) -> None:
        """Tell the client to end in good order, and wait until it did."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(30) == 0


class Registry:
    """The Python registry, as a process, and what a test asks it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._session = requests.Session()

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def call(self, method: str, path: str, json: object = None) -> requests.Response:
        """Make a call of the protocol; JSON is asked for."""
        return self._session.request(
            method,
            f"http://{HOST}:{self.port}/eureka/{path}",
            json=json,
            headers={"Accept": "application/json"},
            timeout=ANSWER_BUDGET,
        )

    def instance(self, app: str, instance_id: str) -> dict[str, object] | None:
        """Return an instance as it is held, None if it is not."""
        response = self.call("GET", f"apps/{app}/{instance_id}")
        if response.status_code == requests.codes.not_found:
            return None
        response.raise_for_status()
        held: dict[str, object] = response.json()["instance"]
        return held


@contextmanager
def driven(client: Client, registry: Registry, app: str, instance_id: str) -> Iterator[Driver]:
    """Run a client's driver; kill it if the block did not let it leave."""
    try:
        folder = client.fetched()
        command = client.command(folder, registry.port, app, instance_id)
    except CannotRun as error:
        if "clients" in required_names():
            raise
        pytest.skip(f"{client} cannot be had: {error}")
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **client.environment(folder)},
    ) as process:
        try:
            yield Driver(process)
        finally:
            process.kill()


@pytest.fixture(params=CLIENTS, ids=str)
def client(request: pytest.FixtureRequest) -> Client:
    """Return each client in turn."""
    found: Client = request.param
    return found


@pytest.fixture
def clock() -> Iterator[Clock]:
    """Return a clock of real seconds."""
    clock = Clock()
    clock.start()
    yield clock
    clock.close()


@pytest.fixture
def registry() -> Iterator[Registry]:
    """Return a running registry."""
    command = [sys.executable, "-m", "eureka.server", "--host", HOST, "--port", "0"]
    settings = {"EUREKA_SERVER_USEREADONLYRESPONSECACHE": "false"}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, **settings}
    ) as process:
        assert process.stderr is not None
        try:
            log = []
            for line in process.stderr:
                log.append(line)
                if found := re.search(r" listening .*port=(\d+)", line):
                    break
            else:
                pytest.fail(f"the registry did not start:\n{''.join(log)}")
            registry = Registry(int(found[1]))
            yield registry
            registry.close()
        finally:
            process.kill()
