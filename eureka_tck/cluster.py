"""
A cluster of registries, as long as a `with` block lasts.

    spec = ClusterSpec.of("mesh", parse_target("python"), nodes=3, links=True)
    with Cluster(spec, run) as cluster:
        cluster["a"].url, cluster.links.cut("a>b"), cluster.clock.now()

It composes the settings of each node, starts them two at a time, proves that their clocks are
right, and takes all away on leaving, whatever has happened.
"""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Self

from eureka_tck.actors.peer import ScriptedPeer
from eureka_tck.backends import BESIDE, MACHINE, make_backend
from eureka_tck.clock import Clock
from eureka_tck.errors import CannotRun
from eureka_tck.node import Node
from eureka_tck.targets.url import UrlTarget
from eureka_tck.turnstile import STARTS_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from eureka_tck.backends import Backend
    from eureka_tck.cluster_spec import ClusterSpec
    from eureka_tck.links import Links
    from eureka_tck.run import Run
    from eureka_tck.visit import Visit

PEER_TIMEOUT_MS = "3000"  # sped-up clusters: Spring's 200 ms would be 20 real ms at speed 10


class Cluster:
    """The running registries of one spec, by their letters; `with` opens and closes it."""

    def __init__(self, spec: ClusterSpec, run: Run) -> None:
        self.spec = spec
        self.run = run
        self.clock: Clock
        self.nodes: Mapping[str, Node] = {}
        self.settings: Mapping[str, Mapping[str, str]] = {}
        self._backend: Backend = _backend_of(spec)
        self._peers: dict[str, ScriptedPeer] = {}
        self._closing = threading.Event()

    def __enter__(self) -> Self:
        self.open()
        try:
            if self.spec.autostart:
                self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getitem__(self, letter: str) -> Node:
        try:
            return self.nodes[letter]
        except KeyError:
            raise CannotRun(
                f"there is no node {letter!r}; the cluster {self.spec.name} has "
                f"{', '.join(self.nodes) or 'none'}."
            ) from None

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes.values())

    def __len__(self) -> int:
        return len(self.nodes)

    def peer(self, name: str) -> ScriptedPeer:
        """Return a scripted peer by its name."""
        try:
            return self._peers[name]
        except KeyError:
            raise CannotRun(
                f"there is no scripted peer {name!r}; the cluster {self.spec.name} has "
                f"{', '.join(self._peers) or 'none'}."
            ) from None

    @property
    def links(self) -> Links:
        """The links between the nodes, and ours to them."""
        return self._backend.links

    @property
    def capabilities(self) -> frozenset[str]:
        """What every node's target can do, and the backend too where it has a part in it."""
        able = frozenset.intersection(*(target.capabilities for target in self.spec.targets))
        missing = MACHINE - self._backend.capabilities
        return able - missing

    @property
    def here(self) -> str:
        """The address at which its nodes and links reach this process."""
        return self._backend.here()

    @property
    def limits_processors(self) -> bool:
        """Whether the processor time of a node can be limited."""
        return self._backend.limits_processors

    @property
    def visit(self) -> Visit | None:
        """The visit at a registry that runs already; None where the nodes are ours."""
        return getattr(self._backend, "visit", None)

    def open(self) -> None:
        """Find addresses and write the plans; no node runs yet, and the clock has not started."""
        for target in dict.fromkeys(self.spec.targets):
            target.prepare(self.spec.backend)
        folder = _make_folder(self.run.folder.resolve(), self.spec.name)
        self.clock = Clock(self.spec.speed)
        try:
            self._backend.open(self.spec, self.run, self.run.ledger, folder)
            for name in self.spec.scripted:
                self._peers[name] = self._invite(name)
            self.settings = {name: self._settings_of(name) for name in self.spec.node_names}
            self.nodes = {
                name: Node.planned(self, self._backend, self._closing, name, target, folder / name)
                for name, target in zip(self.spec.node_names, self.spec.targets, strict=True)
            }
        except BaseException:
            self.close()
            raise
        self.clock.start()

    def start(self, *letters: str) -> None:
        """Start these nodes, or all, side by side, and return when each is ready."""
        nodes = [self[letter] for letter in letters or self.spec.node_names]
        if len(nodes) == 1:
            nodes[0].start()
            return
        with ThreadPoolExecutor(STARTS_AT_ONCE, "start") as starters:
            tasks = [starters.submit(node.start) for node in nodes]
            try:
                done, _ = wait(tasks, return_when=FIRST_EXCEPTION)
                for task in done:
                    task.result()
            except BaseException:
                self._closing.set()  # those that still wait for their node give up
                starters.shutdown(wait=True, cancel_futures=True)
                raise

    def close(self) -> None:
        """Take everything away; safe to call twice."""
        self._closing.set()
        for node in self.nodes.values():
            node.close()
        for peer in self._peers.values():
            peer.close()
        try:
            self._backend.close()
        finally:
            if hasattr(self, "clock"):
                self.clock.close()

    def _invite(self, name: str) -> ScriptedPeer:
        """Let a scripted peer listen where this backend's nodes reach it."""
        host, port = self._backend.guest_address(name)
        peer = ScriptedPeer(name, self.clock, host, port)
        peer.listen()
        peer.url = self._backend.guest_url(name, peer.port)
        return peer

    def _settings_of(self, name: str) -> Mapping[str, str]:
        """Return the complete settings of a node: ours, then the profile's, then its own."""
        spec = self.spec
        host, port = self._backend.address(name)
        others = [other for other in spec.node_names if other != name]
        guests = [peer.url for guest, peer in self._peers.items() if not guest.startswith(BESIDE)]
        peers = [*(self._backend.peer_url(name, other) for other in others), *guests]
        several = "true" if others else "false"
        common = {
            "eureka.client.fetchRegistry": several,
            "eureka.client.registerWithEureka": "false",
            "eureka.client.serviceUrl.defaultZone": ",".join(
                peers or [self._backend.peer_url(name, name)]
            ),
            "eureka.server.registrySyncRetries": "0",
            "eureka.server.useReadOnlyResponseCache": "false",
        }
        if spec.speed != 1:
            common["eureka.server.peerNodeConnectTimeoutMs"] = PEER_TIMEOUT_MS
            common["eureka.server.peerNodeReadTimeoutMs"] = PEER_TIMEOUT_MS
        identity = {  # no file may change where a node lives
            "eureka.instance.hostname": host,
            "eureka.instance.instanceId": f"{host}:registry-{name}:{port}",
            "server.port": str(port),
        }
        if spec.backend == "process":
            identity["server.address"] = host
        own = {**spec.settings, **spec.settings_for.get(name, {})}
        if self._peers:
            own = {key: self._told(name, text) for key, text in own.items()}
        return {**common, **own, **identity}

    def _told(self, name: str, text: str) -> str:
        """Return a setting with the URLs that its words in braces stand for."""
        for guest, peer in self._peers.items():
            text = text.replace(f"{{{guest}}}", peer.url)
        for other in self.spec.node_names:
            if f"{{{other}}}" in text:
                text = text.replace(f"{{{other}}}", self._backend.peer_url(name, other))
        return text


def _backend_of(spec: ClusterSpec) -> Backend:
    """Return where the nodes run: a registry that runs already has its own place."""
    running = [target for target in spec.targets if isinstance(target, UrlTarget)]
    if not running:
        return make_backend(spec.backend)
    if len(spec.targets) > 1:
        raise CannotRun(f"{running[0].name} runs already and cannot be part of a cluster of ours.")
    from eureka_tck.backends.running import RunningBackend  # noqa: PLC0415 - few runs need it

    return RunningBackend(running[0])


def _make_folder(run: Path, name: str) -> Path:
    """Make the cluster's folder in the run's; a second cluster of the same name gets a number."""
    for suffix in ("", *(f"-{n}" for n in range(2, 10_000))):
        folder = run / "nodes" / f"{name}{suffix}"
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise CannotRun(f"{run}: holds ten thousand clusters of the name {name}.")
