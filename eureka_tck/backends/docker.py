"""
Nodes in containers, on a private network that has no way out of the machine.

All traffic passes through the cluster's switchboard (`switchboard.py`), ours included.
A scripted peer of ours listens on the host's own address in that network, the gateway, under a
name of its own: containers reach the machine there, and nothing beyond it.
Nothing is mounted but the wall-clock shim with its file; settings are put into the container,
as files or in its environment.
"""

from __future__ import annotations

import io
import math
import tarfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from docker.errors import DockerException
from docker.types import LogConfig

from eureka_tck.backends import BESIDE
from eureka_tck.backends.switchboard import NODE_PORT, Switchboard, alias, upstream
from eureka_tck.clock import unix_now
from eureka_tck.errors import CannotRun
from eureka_tck.ledger import DOCKER_LABEL
from eureka_tck.links import CLIENT, Links
from eureka_tck.supplies import engine, images, shim

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from docker import DockerClient
    from docker.models.containers import Container

    from eureka_tck.cluster_spec import ClusterSpec
    from eureka_tck.ledger import Ledger
    from eureka_tck.run import Run
    from eureka_tck.targets.target import NodePlan, Target

CLUSTER_LABEL = "eureka-tck.cluster"
NODE_LABEL = "eureka-tck.node"
KILL_BUDGET = 30.0  # real s for a killed container to have ended
QUOTA_PERIOD = 100_000  # us: the kernel's own default for quotas
LEAST_QUOTA = 1_000  # us: the least that the kernel takes
LOG_SIZE = "50m"  # the engine keeps no more of a node's log
CONFLICT = 409  # of the engine: the container is not in the state that the verb needs

# An unknown name takes 20 s to fail on a network without a way out; so it takes 2 s.
DNS_OPTIONS = ["timeout:1", "attempts:1"]


class DockerBackend:
    """Nodes as containers of the local Docker engine."""

    name = "docker"
    capabilities = frozenset(
        {"peers", "links", "kill", "pause", "clock", "step", "memory", "reload"}
    )

    def __init__(self) -> None:
        self._client: DockerClient | None = None
        self._board: Switchboard | None = None
        self._nodes: tuple[str, ...] = ()
        self._containers: dict[str, Container] = {}
        self._started: dict[str, float] = {}
        self._labels: dict[str, str] = {}
        self._guests: dict[str, str] = {}
        self._prefix = ""
        self._folder: Path | None = None

    @property
    def links(self) -> Links:
        """Return the links of the cluster."""
        return self._board.links if self._board is not None else Links()

    def open(self, spec: ClusterSpec, run: Run, ledger: Ledger, folder: Path) -> None:
        """Open the switchboard, with a link for every pair of nodes."""
        self._nodes, self._folder = spec.node_names, folder
        self._labels = {DOCKER_LABEL: run.id, CLUSTER_LABEL: folder.name}
        self._prefix = f"eureka-tck-{run.id}-{folder.name}"
        image = images.toxiproxy()
        self._client = engine.client()
        self._board = Switchboard(self._client, self._prefix, self._labels, self._nodes)
        ledger.docker()
        with engine.asking(f"opening the cluster {spec.name}"):
            self._board.open(image, links=spec.links)
        self._guests = dict.fromkeys(spec.scripted, self.here() if spec.scripted else "")

    def address(self, node: str) -> tuple[str, int]:
        """Return the alias of Toxiproxy that stands for the node, and the node's own port."""
        return alias(node), NODE_PORT

    def peer_url(self, source: str, sink: str) -> str:
        """Return the sink's alias at the port of the link; its own at that of our link."""
        origin = CLIENT if source == sink else source
        return f"{self._switchboard.inside(origin, sink)}/eureka/"

    def guest_address(self, guest: str) -> tuple[str, int]:
        """Return our own address in the cluster's network, at any port."""
        return self._guests[guest], 0

    def guest_url(self, guest: str, port: int) -> str:
        """Return the URL under the peer's name, or under a node's where it stands beside it."""
        node = guest.removeprefix(BESIDE)
        if node not in self._nodes:
            return f"http://{_host_of(guest)}:{port}/eureka/"
        ours = f"{self._guests[guest]}:{port}"
        return f"{self._switchboard.lead_to(guest, ours, node)}/eureka/"

    def client_root(self, node: str) -> str:
        """Return where our link to the node is published."""
        return self._switchboard.outside(CLIENT, node)

    def link_root(self, source: str, sink: str) -> str:
        """Return where the link is published for us; the source enters it inside."""
        return self._switchboard.outside(source, sink)

    def direct_root(self, node: str) -> str:
        """
        Return the published link: our only way in.

        A container's own address may be somebody else's, beyond this machine, once its network
        is gone.
        """
        return self.client_root(node)

    def here(self) -> str:
        """Return the machine's own address in the cluster's network."""
        return self._switchboard.gateway()

    def start(self, plan: NodePlan, target: Target) -> None:
        """Start the node's container, made at the first start and the same ever after."""
        if self.alive(plan.name):
            raise CannotRun(f"node {plan.name} cannot be started: it is running.")
        with engine.asking(f"starting node {plan.name}"):
            if plan.name not in self._containers:
                self._containers[plan.name] = self._create(plan, target)
            # not the engine's own StartedAt: a quick program has printed before that
            self._started[plan.name] = unix_now()
            self._containers[plan.name].start()

    def rewrite(self, plan: NodePlan, target: Target) -> None:
        """Put new files in the place of the old ones, each at once."""
        files = target.image(plan).files
        if not files:
            raise CannotRun(
                f"the settings of node {plan.name} cannot be changed while it runs: they are the "
                "environment of its container, which is fixed when it is made.",
                "A target whose image takes them as a file can have them changed.",
            )
        container = self._container(plan.name)
        with engine.asking(f"changing the settings of node {plan.name}"):
            container.put_archive(
                "/", _packed({f"{path}.new": text for path, text in files.items()})
            )
            for path in files:
                code, said = container.exec_run(["mv", f"{path}.new", path])
                if code != 0:
                    raise CannotRun(f"{path} of node {plan.name} cannot be replaced: {said!r}.")

    def stop(self, node: str, grace: float) -> None:
        """Ask the container to end; the engine kills what has not within the grace."""
        if (container := self._containers.get(node)) is not None:
            with engine.asking(f"stopping node {node}"):
                if self._state(node).get("Status") == "paused":
                    container.unpause()  # a frozen one would never hear it
                container.stop(timeout=math.ceil(grace))

    def kill(self, node: str) -> None:
        """End the container by SIGKILL, also a paused one, and wait until it has ended."""
        if (container := self._containers.get(node)) is not None:
            with engine.asking(f"killing node {node}", unless=CONFLICT):
                container.kill()
                container.wait(timeout=KILL_BUDGET)

    def pause(self, node: str) -> None:
        """Freeze all processes of the container."""
        with engine.asking(f"pausing node {node}"):
            self._container(node).pause()

    def resume(self, node: str) -> None:
        """Let a frozen container go on."""
        with engine.asking(f"resuming node {node}"):
            self._container(node).unpause()

    def alive(self, node: str) -> bool:
        """Say whether the container runs or is paused."""
        return self._state(node).get("Status") in {"running", "paused"}

    def frozen(self, node: str) -> bool:
        """Say whether the container is paused."""
        return self._state(node).get("Status") == "paused"

    def exit_code(self, node: str) -> int | None:
        """Return how the container ended; None while it runs, or if it never did."""
        state = self._state(node)
        return int(state["ExitCode"]) if state.get("Status") in {"exited", "dead"} else None

    def log(self, node: str, *, since_start: bool = False) -> str:
        """Return what the container has printed."""
        container = self._containers.get(node)
        if container is None:
            return ""
        since = self._started[node] if since_start else None
        with engine.asking(f"reading the log of node {node}"):
            return bytes(container.logs(since=since)).decode("utf-8", "replace")

    def memory(self, node: str) -> int:
        """Return what the container's processes hold in memory: their own and what they map."""
        stats = self._stats(node)["memory_stats"]["stats"]
        if "total_rss" in stats:  # cgroup v1
            return int(stats["total_rss"] + stats["total_mapped_file"])
        return int(stats["anon"] + stats["file_mapped"])

    def cpu_seconds(self, node: str) -> float:
        """Return the processor seconds of the container: its group is new at every start."""
        return float(self._stats(node)["cpu_stats"]["cpu_usage"]["total_usage"]) / 1e9

    @property
    def limits_processors(self) -> bool:
        """Say yes: the engine keeps a control group for each container."""
        return True

    def limit_processor(self, node: str, share: float | None) -> None:
        """Set the quota of the container's control group, or take it away."""
        quota = -1 if share is None else max(LEAST_QUOTA, round(share * QUOTA_PERIOD))
        container = self._containers[node]
        with engine.asking(f"limiting the processor of node {node}"):
            container.update(cpu_period=QUOTA_PERIOD, cpu_quota=quota)

    def throttled(self, node: str) -> tuple[int, int]:
        """Return what the control group counted since the container's start."""
        told = self._stats(node)["cpu_stats"]["throttling_data"]
        return int(told["throttled_periods"]), int(told["periods"])

    def runnable(self, node: str) -> frozenset[int]:  # noqa: ARG002 - the engine tells of none
        """Return none: a container's threads are not seen from outside."""
        return frozenset()

    def close(self) -> None:
        """Keep the logs, then remove all containers and the network."""
        if self._client is None:
            return
        board = self._switchboard
        problems = [engine.silence(self._client)]
        if not problems[0]:
            self._keep_logs(board)
            containers = [*self._containers.values(), board.container]
            with ThreadPoolExecutor(len(containers)) as removers:
                problems += removers.map(engine.remove, containers)
            problems.append(engine.remove(board.network))
        board.close()
        self._client.close()
        self._client, self._containers = None, {}
        if left := [problem for problem in problems if problem]:
            raise CannotRun(
                f"not all of the cluster could be removed: {'; '.join(left)}.",
                "`eureka-tck sweep` removes what is left.",
            )

    @property
    def _switchboard(self) -> Switchboard:
        assert self._board is not None  # noqa: S101 - open() makes it together with the client
        return self._board

    def _create(self, plan: NodePlan, target: Target) -> Container:
        assert self._client is not None  # noqa: S101 - nodes start after open()
        launch = target.image(plan)
        environment = {
            **launch.env,
            "CLUSTER_EPOCH": f"{plan.epoch:.6f}",  # for the entry point on-cluster-clock
            "CLUSTER_SPEED": f"{plan.speed:g}",
        }
        mounts = []
        if plan.wall_file is not None:
            environment |= {shim.VARIABLE: images.WALL_FILE, "WALL_CLOCK": images.WALL_CLOCK}
            mounts = [
                f"{plan.wall_file.resolve()}:{images.WALL_FILE}:ro",
                f"{shim.library()}:{images.WALL_CLOCK}:ro",
            ]
        host = upstream(plan.name)
        endpoint = self._client.api.create_endpoint_config(aliases=[host])
        container = self._client.containers.create(
            launch.image,
            list(launch.command) if launch.command is not None else None,
            name=f"{self._prefix}-{host}",
            hostname=host,
            labels={**self._labels, NODE_LABEL: plan.name},
            environment=environment,
            network=self._prefix,
            networking_config={self._prefix: endpoint},
            volumes=mounts,
            dns_opt=DNS_OPTIONS,
            extra_hosts={_host_of(guest): address for guest, address in self._guests.items()},
            log_config=LogConfig(type=LogConfig.types.JSON, config={"max-size": LOG_SIZE}),
        )
        if launch.files:
            container.put_archive("/", _packed(launch.files))
        return container

    def _container(self, node: str) -> Container:
        if not self.alive(node):
            raise CannotRun(f"node {node} does not run, so nothing can be done to its container.")
        return self._containers[node]

    def _state(self, node: str) -> dict[str, Any]:
        """Return the engine's word on the container; empty if there is none."""
        container = self._containers.get(node)
        if container is None:
            return {}
        with engine.asking(f"asking for the state of node {node}"):
            container.reload()
        state: dict[str, Any] = container.attrs["State"]
        return state

    def _stats(self, node: str) -> dict[str, Any]:
        with engine.asking(f"measuring node {node}"):
            stats = self._container(node).stats(stream=False, one_shot=True)
        return cast("dict[str, Any]", stats)

    def _keep_logs(self, board: Switchboard) -> None:
        """Leave what the nodes and Toxiproxy have printed in the folder of the cluster."""
        assert self._folder is not None  # noqa: S101 - open() has set it before the client
        logs: dict[Path, Callable[[], bytes]] = {
            **{self._folder / node / "node.log": c.logs for node, c in self._containers.items()},
            self._folder / "toxiproxy.log": board.log,
        }
        for path, read in logs.items():
            if path.parent.is_dir():
                with suppress(DockerException, OSError):  # evidence is no reason to leave things
                    path.write_bytes(read())


def _host_of(guest: str) -> str:
    """Return the host name of a scripted peer: registries tell peers apart by it."""
    return f"peer-{guest}"


def _packed(files: Mapping[str, str]) -> bytes:
    """Return the files as an archive, readable by whoever runs in the container."""
    with io.BytesIO() as packed:
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for path, text in files.items():
                data = text.encode()
                entry = tarfile.TarInfo(path.lstrip("/"))
                entry.size, entry.mode = len(data), 0o644
                tar.addfile(entry, io.BytesIO(data))
        return packed.getvalue()
