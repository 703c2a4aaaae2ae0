"""
The links of a cluster: one Toxiproxy proxy for each direction between two nodes, and for ours.

Link `a>b` carries what a sends to b, and its answers; `client>b` carries ours.
To cut `a>b` leaves `b>a` whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.toxiproxy import Proxy, Toxiproxy

CLIENT = "client"  # our own end of a link


def link_name(source: str, sink: str) -> str:
    """Return the name of the link that carries what `source` sends to `sink`."""
    return f"{source}>{sink}"


def link_names(nodes: Sequence[str]) -> list[str]:
    """Return the names of all links of a cluster: between its nodes, then ours to each."""
    between = [link_name(a, b) for a in nodes for b in nodes if a != b]
    return between + [link_name(CLIENT, node) for node in nodes]


class Links:
    """The links of one cluster; empty, and refusing every verb, where it has none."""

    def __init__(self, server: Toxiproxy | None = None, names: Sequence[str] = ()) -> None:
        self._server = server
        self._names = tuple(names)

    def names(self) -> tuple[str, ...]:
        """Return the names of all links."""
        return self._names

    def cut(self, name: str) -> None:
        """Refuse new connections over this link and drop those that are open."""
        self._proxy(name).disable()

    def restore(self, name: str) -> None:
        """Carry connections over this link again; its toxics stay."""
        self._proxy(name).enable()

    def is_cut(self, name: str) -> bool:
        """Say whether the link is cut."""
        return not self._proxy(name).enabled

    def reroute(self, name: str, upstream: str) -> str:
        """Let the link lead to another `host:port`; return where it led before."""
        return self._proxy(name).reroute(upstream)

    def toxic(
        self,
        name: str,
        type: str,  # noqa: A002 - Toxiproxy's own word
        attributes: Mapping[str, float],
        *,
        stream: Literal["downstream", "upstream"] = "downstream",
        toxicity: float = 1.0,
    ) -> ToxicHandle:
        """
        Poison a link: latency, bandwidth, timeout, reset_peer, slow_close, slicer, limit_data.

        Downstream is what comes back to the source of the link, upstream what it sends.
        Attributes are in Toxiproxy's own units, real milliseconds for all times.
        """
        proxy = self._proxy(name)
        toxic = proxy.poison(type, attributes, stream=stream, toxicity=toxicity)
        return ToxicHandle(proxy, toxic)

    def restore_all(self) -> None:
        """Heal every link: nothing is cut and no toxic is left."""
        if self._server is not None:
            self._server.reset()

    def _proxy(self, name: str) -> Proxy:
        if self._server is None:
            raise CannotRun(
                f"the link {name} cannot be touched: this cluster was made without links.",
                "Say links = true in its profile, or links=True in its spec.",
            )
        if name not in self._names:
            raise CannotRun(
                f"there is no link {name!r}.", f"This cluster has {', '.join(self._names)}."
            )
        return self._server.link(name)


class ToxicHandle:
    """One toxic on one link; `remove` takes it away, `update` changes its attributes."""

    def __init__(self, proxy: Proxy, name: str) -> None:
        self._proxy = proxy
        self.name = name

    def update(self, attributes: Mapping[str, float]) -> None:
        """Change some attributes while traffic flows."""
        self._proxy.change(self.name, attributes)

    def remove(self) -> None:
        """Take the toxic away; a link that was healed meanwhile is no error."""
        self._proxy.cure(self.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()
