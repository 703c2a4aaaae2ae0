"""
What every fault is: refused where it cannot bite, recorded from its first cut to its last stitch.

    fault.get_ready()      # optional: its control, so that it begins at once when it is entered
    with fault:            # begins; healed on leaving, on an error too
        fault.prove()      # looks whether it had its effect, and records what it saw
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

from eureka_tck.errors import CannotRun
from eureka_tck.history.event import FaultBegan, FaultBit, FaultEnded, Marked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    from eureka_tck.cluster import Cluster
    from eureka_tck.workloads.site import Site


def mend_all(steps: Iterable[Callable[[], object]]) -> None:
    """Take every step of a heal, even if another one fails; raise the first error after all."""
    errors: list[Exception] = []
    for step in steps:
        try:
            step()
        except Exception as error:  # noqa: BLE001 - raised below, after the other steps
            errors.append(error)
    if errors:
        raise errors[0]


class CannotBite(CannotRun):
    """The fault can have no effect in this cluster; the problem says what it needs."""


class Fault(ABC):
    """
    One fault on one site, to be used once.

    A subclass says what it touches (`links`, `nodes`), how it breaks and heals that, and how it
    proves its effect. `heal` is called after a `strike` that failed half-way too, so it has to
    mend whatever may have been broken and nothing else.
    """

    kind: ClassVar[str]
    needs: ClassVar[frozenset[str]] = frozenset()
    """Capabilities of target and backend without which it cannot bite."""

    def __init__(self, name: str, site: Site) -> None:
        self.name = name
        self.site = site
        self.began_at = 0.0
        self._is_ready = False

    def __enter__(self) -> Self:
        self.get_ready()
        self.began_at = self.site.now()
        self.site.history.write(
            FaultBegan(
                at=self.began_at,
                fault=self.name,
                kind=self.kind,
                said=self.said(),
                links=self.links(),
                nodes=self.nodes(),
                forgets=self.forgets(),
            )
        )
        try:
            self.strike()
        except BaseException:
            self._healed()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._healed()

    def refuse_where_useless(self) -> None:
        """Raise CannotBite where it can have no effect."""
        if reason := self.can_bite(self.site.cluster):
            raise CannotBite(f"the fault {self.name} ({self.kind}) cannot bite here: {reason}.")

    def get_ready(self) -> None:
        """Do all that comes before its first cut; once."""
        if not self._is_ready:
            self.refuse_where_useless()
            self.prepare()
            self._is_ready = True

    def can_bite(self, cluster: Cluster) -> str:
        """Return why it can have no effect in this cluster; empty if it can have one."""
        missing = sorted(self.needs - cluster.capabilities)
        if missing:
            return f"it needs {', '.join(missing)}, which {cluster.spec.name} does not have"
        unknown = sorted(set(self.links()) - set(cluster.links.names()))
        if unknown:
            return f"it needs the link {unknown[0]}, which this cluster does not have"
        return ""

    def prove(self) -> tuple[str, ...]:
        """Look for its effect, record what was seen, and return that: nothing if there was none."""
        proof = self.proof()
        if proof:
            self.site.history.write(FaultBit(at=self.site.now(), fault=self.name, proof=proof))
        return proof

    @abstractmethod
    def said(self) -> str:
        """Return what it does, as a sentence without its capital and its full stop."""

    @abstractmethod
    def strike(self) -> None:
        """Break what it breaks."""

    @abstractmethod
    def heal(self) -> None:
        """Mend all of it."""

    @abstractmethod
    def proof(self) -> tuple[str, ...]:
        """Return the sentences that prove its effect; empty if it had none."""

    def prepare(self) -> None:  # noqa: B027 - most faults need none
        """Do what has to be seen before it strikes, as a control of its proof."""

    def links(self) -> tuple[str, ...]:
        """Return the links it cuts or poisons."""
        return ()

    def nodes(self) -> tuple[str, ...]:
        """Return the nodes it puts out of action."""
        return ()

    def forgets(self) -> tuple[str, ...]:
        """Return the nodes that lose their memory by it."""
        return ()

    def doubt(self, said: str) -> None:
        """Tell the history why it is not proven."""
        self.site.history.write(
            Marked(at=self.site.now(), name=f"{self.name} is in doubt", said=said)
        )

    def _healed(self) -> None:
        since, problem = self.site.now(), ""
        try:
            self.heal()
        except BaseException as error:  # Ctrl-C too leaves some of it broken
            problem = str(error) or type(error).__name__
            raise
        finally:
            self.site.history.write(
                FaultEnded(at=self.site.now(), fault=self.name, since=since, error=problem)
            )
