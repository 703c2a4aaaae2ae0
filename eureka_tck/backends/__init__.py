"""
Where the nodes of a cluster run: `process` on this machine's loopback, `docker` in containers.

A backend gives nodes their addresses, starts and breaks them, and takes all away in `close`,
whatever has happened. It knows nothing of settings or of what is judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from pathlib import Path

    from eureka_tck.cluster_spec import ClusterSpec
    from eureka_tck.ledger import Ledger
    from eureka_tck.links import Links
    from eureka_tck.run import Run
    from eureka_tck.targets.target import NodePlan, Target

NAMES = ("process", "docker")

MACHINE = frozenset({"peers", "links", "kill", "pause", "clock", "step", "memory", "reload"})
"""The capabilities that a backend must have too, not the target alone."""


BESIDE = "beside-"
"""Begins the name of a scripted peer that listens on a node's own host: `beside-a`."""


class Backend(Protocol):
    """Where the nodes of one cluster run."""

    @property
    def name(self) -> str:
        """Return "process" or "docker"."""

    @property
    def capabilities(self) -> frozenset[str]:
        """Return what it can do, of MACHINE."""

    def open(self, spec: ClusterSpec, run: Run, ledger: Ledger, folder: Path) -> None:
        """
        Find addresses for the nodes of `spec`; with `spec.links`, start Toxiproxy with its proxies.

        `folder` is the cluster's own, for logs; all that is made is recorded in the ledger.
        """

    @property
    def links(self) -> Links:
        """Return the links between the nodes; empty where none were asked for."""

    def address(self, node: str) -> tuple[str, int]:
        """Return host name and port under which a node knows itself."""

    def peer_url(self, source: str, sink: str) -> str:
        """Return what `source` is told as the URL of `sink`: through link `source>sink`, if any."""

    def guest_address(self, guest: str) -> tuple[str, int]:
        """Return where a scripted peer has to listen for the nodes; port 0: it may choose."""

    def guest_url(self, guest: str, port: int) -> str:
        """Return what the nodes are told as its URL, once it listens at that port."""

    def client_root(self, node: str) -> str:
        """Return http://host:port for our own calls: through link `client>node`, if any."""

    def link_root(self, source: str, sink: str) -> str:
        """Return http://host:port where this process enters the link between two nodes."""

    def direct_root(self, node: str) -> str:
        """Return http://host:port of the node past all links, or as near to that as we come."""

    def here(self) -> str:
        """Return the address at which nodes and links reach this process."""

    def start(self, plan: NodePlan, target: Target) -> None:
        """Start a node, also again after it was stopped or killed; it returns at once."""

    def rewrite(self, plan: NodePlan, target: Target) -> None:
        """Give a running node's files other settings; only where it is capable of "reload"."""

    def stop(self, node: str, grace: float) -> None:
        """Ask a node to end, and kill it when it has not after `grace` real seconds."""

    def kill(self, node: str) -> None:
        """End a node as by kill -9."""

    def pause(self, node: str) -> None:
        """Freeze a node: it keeps its sockets and answers nothing."""

    def resume(self, node: str) -> None:
        """Let a frozen node go on."""

    def alive(self, node: str) -> bool:
        """Say whether the node's process exists; a frozen one does."""

    def frozen(self, node: str) -> bool:
        """Say whether the node's process exists and stands still, as its machine tells."""

    def exit_code(self, node: str) -> int | None:
        """Return how the node ended; None while it runs, or if it never did."""

    def log(self, node: str, *, since_start: bool = False) -> str:
        """Return what a node has printed: all, or since its last start."""

    def memory(self, node: str) -> int:
        """Return the resident memory of a node in bytes."""

    def cpu_seconds(self, node: str) -> float:
        """Return the processor seconds a node has used since its last start."""

    @property
    def limits_processors(self) -> bool:
        """Whether a node's processor time can be limited."""

    def limit_processor(self, node: str, share: float | None) -> None:
        """Give a node no more than so much of a processor; None ends that."""

    def throttled(self, node: str) -> tuple[int, int]:
        """Return in how many periods a limited node was held up, and of how many."""

    def runnable(self, node: str) -> frozenset[int]:
        """Return a node's threads that run or wait for a processor now; none where none is seen."""

    def close(self) -> None:
        """Take everything away; safe to call at any time, and twice."""


def make_backend(name: str) -> Backend:
    """Return a fresh backend by its name."""
    if name == "process":
        from eureka_tck.backends.process import ProcessBackend  # noqa: PLC0415 - one is enough

        return ProcessBackend()
    if name == "docker":
        from eureka_tck.backends.docker import DockerBackend  # noqa: PLC0415 - dear to import

        return DockerBackend()
    raise CannotRun(f"there is no backend {name!r}.", f"A backend is one of {', '.join(NAMES)}.")
