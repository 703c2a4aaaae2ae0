"""
No backend at all: the one node is a registry that runs already, and is only visited.

What would start, break or look into a node refuses; the tests that need it are not applicable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from eureka_tck.errors import CannotRun
from eureka_tck.links import Links
from eureka_tck.visit import Visit, prefix_of

if TYPE_CHECKING:
    from pathlib import Path

    from eureka_tck.cluster_spec import ClusterSpec
    from eureka_tck.ledger import Ledger
    from eureka_tck.run import Run
    from eureka_tck.targets.target import NodePlan, Target
    from eureka_tck.targets.url import UrlTarget


class RunningBackend:
    """A registry that runs already."""

    name = "running"
    capabilities: frozenset[str] = frozenset()

    def __init__(self, target: UrlTarget) -> None:
        self._root = target.root
        self.visit: Visit | None = None

    @property
    def links(self) -> Links:
        """Return no links: its traffic is not ours."""
        return Links()

    def open(self, spec: ClusterSpec, run: Run, ledger: Ledger, folder: Path) -> None:  # noqa: ARG002 - nothing is made
        """Begin the visit; more than one node there cannot be."""
        if len(spec.node_names) > 1 or spec.links or spec.scripted:
            raise CannotRun(f"{self._root} is one registry; {spec.name} needs more than that.")
        self.visit = Visit(self._root, prefix_of(run.id))

    def address(self, node: str) -> tuple[str, int]:  # noqa: ARG002 - there is one
        """Return its host and port."""
        parts = urlsplit(self._root)
        return parts.hostname or "", parts.port or 80

    def peer_url(self, source: str, sink: str) -> str:  # noqa: ARG002 - the same
        """Return its own URL."""
        return f"{self._root}/eureka/"

    def guest_address(self, guest: str) -> tuple[str, int]:
        """Refuse: it would have to be told of the guest."""
        return self._refuse(guest)

    def guest_url(self, guest: str, port: int) -> str:  # noqa: ARG002 - the same
        """Refuse: it would have to be told of the guest."""
        return self._refuse(guest)

    def client_root(self, node: str) -> str:  # noqa: ARG002 - there is one
        """Return where it is."""
        return self._root

    def link_root(self, source: str, sink: str) -> str:
        """Refuse: its traffic is not ours."""
        return self._refuse(f"a link {source}>{sink}")

    def direct_root(self, node: str) -> str:  # noqa: ARG002 - there is one
        """Return where it is."""
        return self._root

    def here(self) -> str:
        """Refuse: nothing of it leads here."""
        return self._refuse("this machine")

    def start(self, plan: NodePlan, target: Target) -> None:
        """Do nothing: it runs."""

    def rewrite(self, plan: NodePlan, target: Target) -> None:  # noqa: ARG002 - the same
        """Refuse: it is not ours."""
        self._refuse(plan.name)

    def stop(self, node: str, grace: float) -> None:
        """Do nothing: it goes on running when we leave."""

    def kill(self, node: str) -> None:
        """Refuse: it is not ours."""
        self._refuse(node)

    def pause(self, node: str) -> None:
        """Refuse: it is not ours."""
        self._refuse(node)

    def resume(self, node: str) -> None:
        """Refuse: it is not ours."""
        self._refuse(node)

    def alive(self, node: str) -> bool:  # noqa: ARG002 - there is one
        """Say that it runs: whether it answers shows when it is asked."""
        return True

    def frozen(self, node: str) -> bool:  # noqa: ARG002 - there is one
        """Say that it does not stand still: nobody here can stop it."""
        return False

    def exit_code(self, node: str) -> int | None:  # noqa: ARG002 - there is one
        """Return nothing: we do not see its process."""
        return None

    def log(self, node: str, *, since_start: bool = False) -> str:  # noqa: ARG002 - the same
        """Return nothing: we do not see its log."""
        return ""

    def memory(self, node: str) -> int:
        """Refuse: we do not see its process."""
        return self._refuse(node)

    def cpu_seconds(self, node: str) -> float:
        """Refuse: we do not see its process."""
        return self._refuse(node)

    @property
    def limits_processors(self) -> bool:
        """Say no: it is not ours."""
        return False

    def limit_processor(self, node: str, share: float | None) -> None:  # noqa: ARG002 - the same
        """Refuse: it is not ours."""
        self._refuse(node)

    def throttled(self, node: str) -> tuple[int, int]:
        """Refuse: we do not see its process."""
        return self._refuse(node)

    def runnable(self, node: str) -> frozenset[int]:
        """Refuse: we do not see its process."""
        return self._refuse(node)

    def close(self) -> None:
        """Cancel what we have registered, and prove that it is gone."""
        if self.visit is not None:
            visit, self.visit = self.visit, None
            visit.leave()

    def _refuse(self, name: str) -> NoReturn:
        raise CannotRun(f"{self._root} runs already and is not ours: nothing of {name} can be had.")
