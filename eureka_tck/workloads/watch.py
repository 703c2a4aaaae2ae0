"""
What every node told last, for whoever waits for something while the run goes on;
and what the registries have been told, so that samplers know what to look for.
"""

from __future__ import annotations

import threading
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from eureka_tck.history.event import Seen

NOTHING: Final[Mapping[str, Seen]] = MappingProxyType({})


class Watch:
    """The latest sample of each node, and the last T of each registered instance."""

    def __init__(self, nodes: Sequence[str]) -> None:
        self.nodes = tuple(nodes)
        self._lock = threading.Lock()
        self._latest: dict[str, Mapping[str, Seen]] = dict.fromkeys(nodes, NOTHING)
        self._ever: dict[str, set[str]] = {node: set() for node in nodes}
        self._registered: dict[str, int] = {}
        self._silent: dict[str, str] = {}

    def registered(self, instance: str, dirty_ms: int) -> None:
        """Take note that a node accepted a registration."""
        with self._lock:
            self._registered[instance] = dirty_ms

    def cancelled(self, instance: str) -> None:
        """Take note that a node accepted a cancellation."""
        with self._lock:
            self._registered.pop(instance, None)

    def expected(self) -> Mapping[str, int]:
        """Return the T of every instance that was registered and not cancelled, dead ones too."""
        with self._lock:
            return dict(self._registered)

    def saw(self, node: str, present: Mapping[str, Seen]) -> None:
        """Take note of a whole sample."""
        with self._lock:
            self._latest[node] = MappingProxyType(dict(present))
            self._ever[node] |= present.keys()
            self._silent.pop(node, None)

    def failed(self, node: str, why: str) -> None:
        """Take note that a node gave no sample, and why."""
        with self._lock:
            self._silent[node] = why

    def silence(self) -> str:
        """Return how it ended when every node was asked last, if none gave an answer; else ''."""
        with self._lock:
            if self._silent.keys() != set(self.nodes):
                return ""
            first = self.nodes[0]
            return f"nothing answers; node {first}: {self._silent[first]}"

    def latest(self, node: str) -> Mapping[str, Seen]:
        """Return what the node showed last."""
        with self._lock:
            return self._latest[node]

    def everywhere(self, instances: Iterable[str]) -> bool:
        """Whether every node answered last and shows all of them, and tells the same of each."""
        with self._lock:
            if self._silent:  # what it showed before may be forgotten
                return False
            latest = list(self._latest.values())
        return all(
            len({shown.get(instance) for shown in latest}) == 1 and instance in latest[0]
            for instance in instances
        )

    def gone(self, instances: Iterable[str]) -> bool:
        """Whether every node answered last, has shown each of them once and shows none now."""
        names = tuple(instances)
        with self._lock:
            return not self._silent and all(
                instance in self._ever[node] and instance not in self._latest[node]
                for node in self.nodes
                for instance in names
            )
