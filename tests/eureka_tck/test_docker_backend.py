"""Clusters in containers: one way in, links that can be cut, restarts, and nothing left."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest
import requests

from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.errors import CannotRun, NodeFailed
from eureka_tck.ledger import DOCKER_LABEL
from eureka_tck.supplies import engine, images
from eureka_tck.sweep import sweep
from eureka_tck.targets import parse_target
from eureka_tck.targets.state import read_counters
from eureka_tck.targets.target import (
    CAPABILITIES,
    ClockStamp,
    Counters,
    Fetch,
    ImageLaunch,
    Launch,
    NodePlan,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docker import DockerClient

    from eureka_tck.run import Run

STUB = Path(__file__).parent / "stub_registry.py"
BUILD = 900  # s: images from nothing, on a busy machine
SCRIPT = (
    'printf "%s" "$SETTINGS" >/tmp/settings && exec python3 -S -c "$STUB" --config /tmp/settings'
)
ASK = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1], timeout=5).status)"


@dataclass(frozen=True, slots=True)
class Stub:
    """The stand-in registry in a container of the Python image; `mode` as --die or --sick."""

    mode: str = ""
    name: ClassVar[str] = "stub"
    family: ClassVar[str] = "command"
    default_speed: ClassVar[float] = 1.0
    capabilities: ClassVar[frozenset[str]] = CAPABILITIES
    ready_path: ClassVar[str] = "/eureka/apps/TCK-IS-IT-READY"
    ready_line: ClassVar[str | None] = "stub: open"
    scales_steps: ClassVar[bool] = False
    reload_path: ClassVar[str | None] = None
    ready_budget: ClassVar[float] = 30.0

    def prepare(self, backend: str) -> None:
        """Build the image on first use."""
        assert backend == "docker"
        images.python_image()

    def launch(self, plan: NodePlan) -> Launch:
        """Refuse: it runs in containers only."""
        raise NotImplementedError

    def image(self, plan: NodePlan) -> ImageLaunch:
        """Return the stand-in, its source and settings in the environment."""
        settings = {**plan.settings, "server.address": "0.0.0.0"}  # noqa: S104 - in a container
        clock = f"--speed {plan.speed:g} --epoch {plan.epoch:.6f}"
        return ImageLaunch(
            image=images.python_image(),
            command=("/bin/sh", "-c", f"{SCRIPT} {clock} {self.mode}"),
            env={
                "STUB": STUB.read_text("utf-8"),
                "SETTINGS": "".join(f"{key}={value}\n" for key, value in settings.items()),
            },
        )

    def counters(self, fetch: Fetch) -> Counters:
        """Read the state page."""
        return read_counters(fetch("/registry/state"))

    def clock_stamp(self, fetch: Fetch, date: str | None) -> ClockStamp | None:  # noqa: ARG002
        """Return nothing: its clock is the Python target's affair."""
        return None


@pytest.fixture
def docker() -> Iterator[DockerClient]:
    """Give a client of the engine."""
    with closing(engine.client()) as client:
        yield client


def left(docker: DockerClient, run: Run) -> list[str | None]:
    """Return the names of the run's containers and networks."""
    label = f"{DOCKER_LABEL}={run.id}"
    containers = docker.containers.list(all=True, filters={"label": label})
    networks = docker.networks.list(filters={"label": label})
    return [*(thing.name for thing in containers), *(thing.name for thing in networks)]


def spec(nodes: int = 1, *, mode: str = "", links: bool = True) -> ClusterSpec:
    """Return the spec of a cluster of stand-ins in containers."""
    return ClusterSpec.of("stubs", [Stub(mode)], nodes=nodes, backend="docker", links=links)


def status(root: str) -> int | str:
    """Return the status of a node's state page, or the name of what went wrong."""
    try:
        return requests.get(f"{root}/registry/state", timeout=5).status_code
    except requests.RequestException as error:
        return type(error).__name__


def asked_by(docker: DockerClient, run: Run, letter: str, url: str) -> str:
    """Return what a node is answered when it asks a URL: the status, or the end of a traceback."""
    name = f"eureka-tck-{run.id}-stubs-node-{letter}"
    said = docker.containers.get(name).exec_run(["python3", "-c", ASK, url])
    assert isinstance(said.output, bytes)
    return said.output.decode().strip().splitlines()[-1]


@pytest.mark.docker
@pytest.mark.timeout(BUILD)
def test_a_cluster_serves_and_leaves_nothing_but_its_logs(run: Run, docker: DockerClient) -> None:
    """Nodes answer at published ports; after the block no container and no network is left."""
    with Cluster(spec(2), run) as cluster:
        thresholds = [node.counters().threshold for node in cluster]
        had = len(left(docker, run))

    assert (thresholds, had) == ([3, 3], 4)
    assert left(docker, run) == []
    logs = {path.name: path.read_text("utf-8") for path in run.folder.rglob("*.log")}
    assert "stub: open" in logs["node.log"]
    assert "toxiproxy.log" in logs


@pytest.mark.docker
@pytest.mark.timeout(BUILD)
def test_only_toxiproxy_is_published_and_only_here(run: Run, docker: DockerClient) -> None:
    """The network has no way out, nodes publish nothing, Toxiproxy publishes on 127.0.0.1."""
    with Cluster(spec(), run):
        network = docker.networks.get(f"eureka-tck-{run.id}-stubs")
        node, proxy = (
            docker.containers.get(f"{network.name}-{name}").attrs["NetworkSettings"]["Ports"]
            for name in ("node-a", "toxiproxy")
        )

    assert network.attrs["Internal"] is True
    assert not any(node.values())
    assert {binding["HostIp"] for port in proxy.values() for binding in port or []} == {"127.0.0.1"}


@pytest.mark.docker
@pytest.mark.timeout(BUILD)
def test_a_cut_link_carries_nothing_and_others_carry_on(run: Run, docker: DockerClient) -> None:
    """A node reaches its peer at the URL it is told, until that link is cut; the way back stays."""
    with Cluster(spec(2), run) as cluster:
        to_b, to_a = (
            cluster[letter].plan.peers[0].replace("/eureka/", "/registry/state") for letter in "ab"
        )
        whole = asked_by(docker, run, "a", to_b)
        cluster.links.cut("a>b")
        cut, back = asked_by(docker, run, "a", to_b), asked_by(docker, run, "b", to_a)
        cluster.links.restore_all()
        healed = asked_by(docker, run, "a", to_b)

    assert (whole, back, healed) == ("200", "200", "200")
    assert "Connection refused" in cut


@pytest.mark.docker
@pytest.mark.timeout(BUILD)
def test_our_own_link_can_be_cut(run: Run) -> None:
    """Our calls pass through client>a, so cutting it silences the node for us alone."""
    with Cluster(spec(2), run) as cluster:
        cluster.links.cut("client>a")
        cut, other = status(cluster["a"].root), status(cluster["b"].root)
        cluster.links.restore("client>a")
        healed = status(cluster["a"].root)

    assert (cut, other, healed) == ("ConnectionError", 200, 200)


@pytest.mark.docker
@pytest.mark.timeout(BUILD)
def test_a_cluster_without_links_refuses_to_cut(run: Run) -> None:
    """Where no links were asked for there are none, though traffic passes Toxiproxy too."""
    with Cluster(spec(links=False), run) as cluster:
        assert cluster.links.names() == ()
        with pytest.raises(CannotRun, match="made without links"):
            cluster.links.cut("client>a")


@pytest.mark.docker
@pytest.mark.timeout(BUILD)
def test_a_killed_node_starts_again_as_itself(run: Run, docker: DockerClient) -> None:
    """After kill -9 and a start it is the same container at the same address, with its old log."""
    with Cluster(spec(), run) as cluster:
        node = cluster["a"]
        container = docker.containers.get(f"eureka-tck-{run.id}-stubs-node-a")
        first = container.id
        node.kill()
        dead, silent = node.is_alive(), status(node.root)
        node.start()
        container.reload()

        assert (dead, silent) == (False, "ConnectionError")
        assert (container.id, status(node.root)) == (first, 200)
        assert node.log().count("stub: open") == 2
        assert node.log(since_start=True).count("stub: open") == 1


@pytest.mark.docker
@pytest.mark.timeout(BUILD)
def test_a_frozen_node_is_alive_and_silent(run: Run) -> None:
    """A paused node keeps its sockets and answers nothing; a resumed one serves."""
    with Cluster(spec(), run) as cluster:
        node = cluster["a"]
        node.pause()
        alive, silent = node.is_alive(), status(node.root)
        node.resume()

        assert (alive, silent, status(node.root)) == (True, "ReadTimeout", 200)


@pytest.mark.docker
@pytest.mark.timeout(BUILD)
@pytest.mark.parametrize("verb", ["kill", "stop"])
def test_a_frozen_node_can_be_ended(run: Run, verb: str) -> None:
    """A paused node is ended by kill and by stop, and a second time is no error."""
    with Cluster(spec(mode="--stubborn"), run) as cluster:
        node = cluster["a"]
        node.pause()
        for _ in range(2):
            node.kill() if verb == "kill" else node.stop(grace=0.5)

        assert not node.is_alive()


@pytest.mark.docker
@pytest.mark.timeout(BUILD)
def test_what_a_node_costs_can_be_read(run: Run) -> None:
    """Memory and processor seconds are those of a small Python program that has just started."""
    with Cluster(spec(), run) as cluster:
        assert 5 << 20 < cluster["a"].memory() < 100 << 20
        assert 0.01 < cluster["a"].cpu_seconds() < 10


@pytest.mark.docker
@pytest.mark.timeout(BUILD)
def test_a_node_that_dies_at_start_shows_its_log(run: Run, docker: DockerClient) -> None:
    """The error holds the dead container's last words, and nothing is left of the cluster."""
    with (
        pytest.raises(NodeFailed, match="died at start") as failed,
        Cluster(spec(mode="--die"), run),
    ):
        pass

    assert failed.value.log_tail == "stub: cannot open the treasury"
    assert left(docker, run) == []


@pytest.mark.docker
@pytest.mark.timeout(BUILD)
def test_what_a_killed_run_left_is_swept(run: Run, docker: DockerClient, tmp_path: Path) -> None:
    """When the runner is killed by SIGKILL, the next sweep removes its containers and network."""
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
        "import test_docker_backend as tests\n"
        "from eureka_tck.run import Run\n"
        "run = Run.create('dead', 'stub', Path(sys.argv[2]))\n"
        "tests.Cluster(tests.spec(), run).open()\n"
        "print(run.id, flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script, str(STUB.parent), str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as runner:
        assert runner.stdout is not None
        dead = runner.stdout.readline().strip()
        runner.send_signal(signal.SIGKILL)
    label = f"{DOCKER_LABEL}={dead}"
    before = len(docker.containers.list(all=True, filters={"label": label}))

    swept = sweep()

    assert (before, swept.containers, swept.networks) == (1, 1, 1)
    assert docker.containers.list(all=True, filters={"label": label}) == []
    assert run.id != dead


@pytest.mark.docker
@pytest.mark.java
@pytest.mark.timeout(BUILD)
def test_the_java_reference_keeps_the_clusters_clock_over_a_restart(run: Run) -> None:
    """At tenfold speed a node proves its clock at each start, and its wall clock can be stepped."""
    spec = ClusterSpec.of(
        "java",
        parse_target("java:5.0.3"),
        nodes=1,
        backend="docker",
        speed=10,
        wall_steps=True,
    )
    with Cluster(spec, run) as cluster:
        node = cluster["a"]
        node.step_wall_clock(600)
        node.restart()
        stamp = node.target.clock_stamp(
            node.fetch, requests.get(node.root, timeout=10).headers["Date"]
        )

        assert stamp is not None
        assert stamp.epoch_ms - cluster.clock.epoch_ms() == pytest.approx(600_000, abs=20_000)
        assert node.log().count("Changing status to UP") == 2
