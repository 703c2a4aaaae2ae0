"""A node that stands still: frozen at a stretch, as in a long collection of garbage."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.faults.dial import ending_at
from eureka_tck.faults.fault import Fault

if TYPE_CHECKING:
    from eureka_tck.schedules import scenario
    from eureka_tck.workloads.site import Site

NOT_ANSWERED: Final = "timed out"
"""How a read of a frozen node ends: its sockets take what is sent."""

FREEZING: Final = 5.0
"""Real seconds in which a stopped process stands still: at the next turn of each of its threads."""

GLANCE: Final = 1.0
"""Real seconds in which a node that lives answers; it takes milliseconds."""


class Pause(Fault):
    """Freezes a node; its sockets stay open and take what is sent."""

    kind: ClassVar[str] = "pause"
    needs: ClassVar[frozenset[str]] = frozenset({"pause"})

    def __init__(self, data: scenario.Pause, site: Site) -> None:
        super().__init__(data.name, site)
        self._node = data.node
        self._is_frozen = False

    def said(self) -> str:
        """Return what it does."""
        return f"node {self._node} is frozen"

    def nodes(self) -> tuple[str, ...]:
        """Return the node that stands still."""
        return (self._node,)

    def strike(self) -> None:
        """Freeze it."""
        self._is_frozen = True
        self.site.cluster[self._node].pause()

    def heal(self) -> None:
        """Let it go on."""
        if self._is_frozen:
            self.site.cluster[self._node].resume()
            self._is_frozen = False

    def proof(self) -> tuple[str, ...]:
        """Return that the process is there, frozen, and answers nothing."""
        node, clock = self.site.cluster[self._node], self.site.clock
        try:
            clock.wait_until(node.is_frozen, FREEZING * clock.speed, f"{node} to stand still")
        except WaitedInVain:
            self.doubt(f"{node} does not stand still")
            return ()
        seconds = min(GLANCE, clock.real(GLANCE * 10))
        ended = ending_at(self.site, node.root, seconds)
        if ended != NOT_ANSWERED:
            self.doubt(f"{node} was asked while frozen, and the read ended with {ended}")
            return ()
        return (
            (
                f"node {node.name} is there, frozen, and gave no answer in {seconds:g} real s "
                f"({ended}), asked by {self.site.now():.1f} s"
            ),
        )
