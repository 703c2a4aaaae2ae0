"""A node that stands still: frozen at a stretch, or for most of every other moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.faults.beat import Beat
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

ENOUGH: Final = 0.5
"""The share of a processor, over what was dealt out, from which a node does not starve."""


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


class Starvation(Fault):
    """Lets a node live for a share of every period: what a limit of its processor does to it."""

    kind: ClassVar[str] = "starvation"
    needs: ClassVar[frozenset[str]] = frozenset({"pause"})

    def __init__(self, data: scenario.Starvation, site: Site) -> None:
        super().__init__(data.name, site)
        self._data = data
        self._is_frozen = False
        self._frozen_at = self._frozen = 0.0
        self._beat = Beat(data.name, site.clock, self._turn)

    def said(self) -> str:
        """Return what it does."""
        return f"node {self._data.node} gets {self._data.share:.0%} of a processor"

    def nodes(self) -> tuple[str, ...]:
        """Return the node that starves."""
        return (self._data.node,)

    def strike(self) -> None:
        """Begin with a stretch in which it gets nothing."""
        self._beat.start()

    def heal(self) -> None:
        """End it, and let the node go on whatever has happened."""
        try:
            self._beat.stop()
        finally:
            if self._is_frozen:
                self.site.cluster[self._data.node].resume()
                self._is_frozen = False

    def proof(self) -> tuple[str, ...]:
        """Return for how much of the first periods the node stood still."""
        clock = self.site.clock
        clock.reach(self.began_at + 3 * self._data.period)
        stood = self._frozen / max(clock.now() - self.began_at, self._data.period)
        if stood < ENOUGH * (1 - self._data.share):
            self.doubt(f"node {self._data.node} stood still for {stood:.0%} of the time")
            return ()
        return (
            (
                f"node {self._data.node} stood still for {self._frozen:.1f} s of the first "
                f"{clock.now() - self.began_at:.1f} s"
            ),
        )

    def _turn(self) -> float:
        node, now = self.site.cluster[self._data.node], self.site.now()
        if self._is_frozen:
            node.resume()
            self._frozen += now - self._frozen_at
            self._is_frozen = False
            return self._data.period * self._data.share
        self._is_frozen, self._frozen_at = True, now
        node.pause()
        return self._data.period * (1 - self._data.share)
