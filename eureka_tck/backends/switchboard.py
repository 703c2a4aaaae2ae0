"""
The switchboard of a cluster in containers: its private network, and Toxiproxy in the midst of it.

One Toxiproxy container a cluster carries the aliases registry-a, registry-b, …: the names under
which registries know themselves and each other. The nodes behind it are node-a, node-b, ….
Link `a>b` is a port of that container, and so is `client>a`, which is published on 127.0.0.1, as
are links that may be broken, for whoever has to see that they are: it alone is on the network that
can publish, so all traffic passes through it, ours included.
It knows ports and names, nothing of what runs behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.clock import Patience
from eureka_tck.errors import CannotRun, NodeFailed
from eureka_tck.links import CLIENT, Links, link_names
from eureka_tck.supplies import engine
from eureka_tck.toxiproxy import Toxiproxy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from docker import DockerClient
    from docker.models.containers import Container
    from docker.models.networks import Network

NODE_PORT = 8761  # Eureka's own
API_PORT = 8474  # Toxiproxy's own
LINK_PORT = 10_000  # + 100 x index of the source + index of the sink
CLIENT_PORT = 20_000  # + index of the sink
GUEST_PORT = 30_000  # + index of the node: a scripted peer on its own host name
ANSWER_BUDGET = 60.0  # real s to answer; 0.6 s on an idle machine, which CI is not


def alias(node: str) -> str:
    """Return the host name under which registries know a node: Toxiproxy answers to it."""
    return f"registry-{node}"


def upstream(node: str) -> str:
    """Return the host name of a node's own container, behind Toxiproxy."""
    return f"node-{node}"


class Switchboard:
    """The network of one cluster's nodes, and the links over it."""

    def __init__(
        self, client: DockerClient, name: str, labels: Mapping[str, str], nodes: Sequence[str]
    ) -> None:
        self.network: Network | None = None
        self.container: Container | None = None
        self.links = Links()
        self._client = client
        self._name = name
        self._labels = dict(labels)
        self._nodes = tuple(nodes)
        self._server: Toxiproxy | None = None
        self._published: dict[int, int] = {}

    def open(self, image: str, *, links: bool) -> None:
        """Make the network and start Toxiproxy on it; without `links` none can be broken."""
        self.network = self._client.networks.create(
            self._name, driver="bridge", internal=True, labels=self._labels
        )
        self._start_toxiproxy(image, self.network, self._ports(links=links))
        self._server = Toxiproxy("127.0.0.1", self._published[API_PORT])
        self._await(self._server)
        names = link_names(self._nodes)
        for name in names:
            source, sink = name.split(">")
            self._server.create(
                name=name,
                listen=f"0.0.0.0:{self._port(source, sink)}",
                upstream=f"{upstream(sink)}:{NODE_PORT}",
            )
        if links:
            self.links = Links(self._server, names)

    def inside(self, source: str, sink: str) -> str:
        """Return http://host:port at which the link is entered in the network."""
        return f"http://{alias(sink)}:{self._port(source, sink)}"

    def outside(self, source: str, sink: str) -> str:
        """Return http://host:port at which the link is published for this process."""
        return f"http://127.0.0.1:{self._published[self._port(source, sink)]}"

    def lead_to(self, name: str, address: str, node: str) -> str:
        """Lead a port of the node's alias to that address; return its http://host:port."""
        assert self._server is not None  # noqa: S101 - who asks has opened it
        port = GUEST_PORT + self._nodes.index(node)
        self._server.create(name=f"{name}>{node}", listen=f"0.0.0.0:{port}", upstream=address)
        return f"http://{alias(node)}:{port}"

    def gateway(self) -> str:
        """Return the machine's own address in the network."""
        assert self.network is not None  # noqa: S101 - who asks has opened it
        with engine.asking("looking for the gateway"):
            self.network.reload()
        for config in self.network.attrs["IPAM"]["Config"] or ():
            if gateway := str(config.get("Gateway", "")).partition("/")[0]:
                return gateway
        raise CannotRun("the Docker engine gave the cluster's network no gateway, where a "
                        "scripted peer would listen.")  # fmt: skip

    def log(self) -> bytes:
        """Return what Toxiproxy has printed."""
        return bytes(self.container.logs()) if self.container is not None else b""

    def close(self) -> None:
        """Close our connections to Toxiproxy; container and network are the engine's to remove."""
        if self._server is not None:
            self._server.close()
        self._server, self.links = None, Links()

    def _port(self, source: str, sink: str) -> int:
        index = self._nodes.index(sink)
        if source == CLIENT:
            return CLIENT_PORT + index
        return LINK_PORT + 100 * self._nodes.index(source) + index

    def _ports(self, *, links: bool) -> list[int]:
        """Return the ports of Toxiproxy that we call: its own, our links, those we may break."""
        ours = [self._port(CLIENT, node) for node in self._nodes]
        between = [self._port(a, b) for a in self._nodes for b in self._nodes if a != b]
        return [API_PORT, *ours, *(between if links else [])]

    def _start_toxiproxy(self, image: str, network: Network, ports: Sequence[int]) -> None:
        """
        Start Toxiproxy on the default network, which can publish, and on the cluster's.

        It is never started again: the published ports would change.
        """
        container = self._client.containers.create(
            image,
            name=f"{self._name}-toxiproxy",
            labels=self._labels,
            ports={f"{port}/tcp": ("127.0.0.1", 0) for port in ports},
        )
        self.container = container
        network.connect(container, aliases=[alias(node) for node in self._nodes])
        container.start()
        container.reload()
        bindings = container.attrs["NetworkSettings"]["Ports"]
        self._published = {port: int(bindings[f"{port}/tcp"][0]["HostPort"]) for port in ports}

    def _await(self, server: Toxiproxy) -> None:
        patience = Patience(ANSWER_BUDGET)
        while not server.running():
            if not patience.pause():
                raise NodeFailed(
                    f"Toxiproxy's container did not answer within {ANSWER_BUDGET:g} s.",
                    self.log().decode("utf-8", "replace"),
                )
