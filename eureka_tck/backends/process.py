"""
The default backend: nodes are processes of this machine, each on a loopback address of its own.

A cluster holds a block of them (`loopback.py`).
Link `a>b` listens on b's own address at a's port, since registries tell peers apart by host alone.
Where a system has only 127.0.0.1 (macOS without aliases) one node works, peers and links do not.
"""

from __future__ import annotations

import shutil
import signal
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

from eureka_tck.backends import BESIDE, loopback
from eureka_tck.backends.child import Child
from eureka_tck.clock import Patience
from eureka_tck.errors import CannotRun, NodeFailed
from eureka_tck.links import CLIENT, Links, link_names
from eureka_tck.toxiproxy import Toxiproxy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from eureka_tck.cluster_spec import ClusterSpec
    from eureka_tck.ledger import Ledger
    from eureka_tck.run import Run
    from eureka_tck.targets.target import NodePlan, Target

TOXIPROXY_BUDGET = 40.0  # real s to answer; 0.05 s on an idle machine, which CI is not
COMPILERS = ("cc", "gcc", "clang")  # of the shim that steps wall clocks


class ProcessBackend:
    """Nodes as local processes."""

    name = "process"

    def __init__(self) -> None:
        self._closing = ExitStack()
        self._nodes: tuple[str, ...] = ()
        self._addresses: dict[str, tuple[str, int]] = {}
        self._running: dict[str, Child] = {}
        self._logs: dict[str, Path] = {}
        self._links = Links()
        self._through_links = False
        self._block: loopback.Block | None = None
        self._guests: tuple[str, ...] = ()
        self._shift = 0
        self._ledger: Ledger | None = None

    @property
    def capabilities(self) -> frozenset[str]:
        """Return what this machine allows; whether its supplies can be had shows when used."""
        able = {"kill", "pause", "clock", "memory", "reload"}
        if any(map(shutil.which, COMPILERS)):
            able |= {"step"}
        if loopback.has_blocks():
            able |= {"peers", "links"}
        return frozenset(able)

    @property
    def links(self) -> Links:
        """Return the links of the cluster."""
        return self._links

    def open(self, spec: ClusterSpec, run: Run, ledger: Ledger, folder: Path) -> None:  # noqa: ARG002 - the ledger is its
        """Take a block of addresses; with links, start Toxiproxy on it."""
        self._ledger = ledger
        self._nodes = spec.node_names
        self._logs = {node: folder / node / "node.log" for node in self._nodes}
        if not loopback.has_blocks():
            self._open_single(spec)
            return
        block = loopback.take_block(len(self._nodes), links=spec.links)
        self._block = block
        self._guests = spec.scripted
        self._closing.callback(block.guard.close)
        self._shift = block.shift
        self._addresses = {
            node: (block.node(index), loopback.NODE_PORT + block.shift)
            for index, node in enumerate(self._nodes)
        }
        if spec.links:
            self._through_links = True
            self._start_toxiproxy(block, folder)

    def address(self, node: str) -> tuple[str, int]:
        """Return the node's own address."""
        return self._addresses[node]

    def peer_url(self, source: str, sink: str) -> str:
        """Return the sink's address at the port of the link, or at its own."""
        host, port = self._addresses[sink]
        if self._through_links and source != sink:
            port = self._link_port(source)
        return f"http://{host}:{port}/eureka/"

    def guest_address(self, guest: str) -> tuple[str, int]:
        """Return an address of the block, or the node's own at another port."""
        node = guest.removeprefix(BESIDE)
        if node in self._addresses:
            return self._addresses[node][0], loopback.GUEST_PORT + self._shift
        if self._block is None:
            raise CannotRun(
                "a scripted peer needs more loopback addresses than 127.0.0.1, "
                "and this system has no others.",
                "`eureka-tck doctor` prints the command that makes them.",
            )
        return self._block.guest(self._guests.index(guest)), loopback.NODE_PORT + self._shift

    def guest_url(self, guest: str, port: int) -> str:
        """Return the URL at its address."""
        host, _ = self.guest_address(guest)
        return f"http://{host}:{port}/eureka/"

    def client_root(self, node: str) -> str:
        """Return where we speak to the node."""
        host, port = self._addresses[node]
        return f"http://{host}:{self._link_port(CLIENT) if self._through_links else port}"

    def link_root(self, source: str, sink: str) -> str:
        """Return where the source enters it too."""
        return self.peer_url(source, sink).removesuffix("/eureka/")

    def direct_root(self, node: str) -> str:
        """Return the node's own address."""
        host, port = self._addresses[node]
        return f"http://{host}:{port}"

    def here(self) -> str:
        """Return the address of this machine that all share."""
        return loopback.SHARED

    def start(self, plan: NodePlan, target: Target) -> None:
        """Start the node's process in its own folder, its output going to its log."""
        if self.alive(plan.name):
            raise CannotRun(f"node {plan.name} cannot be started: it is running.")
        launch = target.launch(plan)
        for path, text in launch.files.items():
            path.write_text(text, "utf-8")
        with self._logs[plan.name].open("ab") as output:
            self._running[plan.name] = self._start(launch.argv, output, plan.folder, launch.env)

    def rewrite(self, plan: NodePlan, target: Target) -> None:
        """Put new files in the place of the old ones, each at once."""
        for path, text in target.launch(plan).files.items():
            fresh = path.with_name(f"{path.name}.new")
            fresh.write_text(text, "utf-8")
            fresh.replace(path)

    def stop(self, node: str, grace: float) -> None:
        """Ask the node's process to end; kill what has not within the grace."""
        if (child := self._running.get(node)) is not None:
            child.stop(grace)

    def kill(self, node: str) -> None:
        """End the node's process, and all it has started, by SIGKILL."""
        if (child := self._running.get(node)) is not None:
            child.kill()

    def pause(self, node: str) -> None:
        """Stop the node's process with SIGSTOP."""
        self._child(node).send(signal.SIGSTOP)

    def resume(self, node: str) -> None:
        """Let the node's process go on."""
        self._child(node).send(signal.SIGCONT)

    def alive(self, node: str) -> bool:
        """Say whether the node's process exists."""
        child = self._running.get(node)
        return child is not None and child.exit_code() is None

    def frozen(self, node: str) -> bool:
        """Say whether the node's process is stopped."""
        return self._child(node).frozen()

    def exit_code(self, node: str) -> int | None:
        """Return how the node's process ended; None while it runs, or if it never did."""
        child = self._running.get(node)
        return child.exit_code() if child is not None else None

    def log(self, node: str, *, since_start: bool = False) -> str:
        """Return the node's log."""
        log = self._logs[node]
        if not log.exists():
            return ""
        with log.open("rb") as file:
            if since_start and (child := self._running.get(node)) is not None:
                file.seek(child.log_from)
            return file.read().decode("utf-8", "replace")

    def memory(self, node: str) -> int:
        """Return the resident bytes of the node's process and all it has started."""
        return self._child(node).memory()

    def cpu_seconds(self, node: str) -> float:
        """Return the processor seconds of the node's process and all it has started."""
        return self._child(node).cpu_seconds()

    @property
    def limits_processors(self) -> bool:
        """Say no: that is the affair of control groups, which need root."""
        return False

    def limit_processor(self, node: str, share: float | None) -> None:
        """Refuse."""
        raise CannotRun(f"the processor of node {node} cannot be limited to {share}: no container.")

    def throttled(self, node: str) -> tuple[int, int]:
        """Refuse: see `limit_processor`."""
        raise CannotRun(f"node {node} is a process, whose processor has no limit.")

    def runnable(self, node: str) -> frozenset[int]:
        """Return the threads that run or wait for a processor now; only Linux tells of them."""
        return self._child(node).runnable()

    def close(self) -> None:
        """Kill all nodes and Toxiproxy, and give the block back; one that resists stops none."""
        with self._closing as closing:
            for child in self._running.values():
                closing.callback(child.kill)
        self._links = Links()

    def _open_single(self, spec: ClusterSpec) -> None:
        """Put a cluster of one node on 127.0.0.1, at a port of the system's choice."""
        if len(self._nodes) > 1 or spec.links:
            raise CannotRun(
                "a cluster of several nodes, or with links, needs more loopback addresses than "
                "127.0.0.1, and this system has no others.",
                "`eureka-tck doctor` prints the command that makes them; or use --backend docker.",
            )
        self._addresses = {self._nodes[0]: loopback.single_address()}

    def _link_port(self, source: str) -> int:
        if source == CLIENT:
            return loopback.CLIENT_PORT + self._shift
        return loopback.LINK_PORT + self._nodes.index(source) + self._shift

    def _start_toxiproxy(self, block: loopback.Block, folder: Path) -> None:
        from eureka_tck.supplies import toxiproxy as supply  # noqa: PLC0415 - only with links

        host, port = block.toxiproxy
        log = folder / "toxiproxy.log"
        with log.open("ab") as output:
            argv = (str(supply.server()), "-host", host, "-port", str(port))
            toxiproxy = self._start(argv, output, folder, {})
        self._closing.callback(toxiproxy.kill)
        server = Toxiproxy(host, port)
        self._closing.callback(server.close)
        patience = Patience(TOXIPROXY_BUDGET)
        while not server.running():
            if toxiproxy.exit_code() is not None or not patience.pause():
                state = "died" if toxiproxy.exit_code() is not None else "did not answer"
                raise NodeFailed(
                    f"Toxiproxy {state} within {TOXIPROXY_BUDGET:g} s at {host}:{port}.",
                    log.read_text("utf-8", "replace"),
                )
        names = link_names(self._nodes)
        for name in names:
            source, sink = name.split(">")
            sink_host, sink_port = self._addresses[sink]
            server.create(
                name=name,
                listen=f"{sink_host}:{self._link_port(source)}",
                upstream=f"{sink_host}:{sink_port}",
            )
        self._links = Links(server, names)

    def _start(
        self, argv: Sequence[str], output: IO[bytes], folder: Path, env: Mapping[str, str]
    ) -> Child:
        assert self._ledger is not None  # noqa: S101 - nothing is started before open()
        return Child.born(argv, output, folder, env, self._ledger)

    def _child(self, node: str) -> Child:
        if not self.alive(node):
            raise CannotRun(f"node {node} does not run, so nothing can be done to its process.")
        return self._running[node]
