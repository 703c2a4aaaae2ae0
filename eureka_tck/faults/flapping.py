"""A link that flaps: cut and whole in turn, oftener than anybody gets used to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from eureka_tck.clock import WaitedInVain
from eureka_tck.faults.beat import Beat
from eureka_tck.faults.dial import ANSWERED, TURNED_AWAY, ending
from eureka_tck.faults.fault import Fault, mend_all
from eureka_tck.faults.shape import crossing, way
from eureka_tck.promises.rules import SLACK

if TYPE_CHECKING:
    from eureka_tck.schedules import scenario
    from eureka_tck.workloads.site import Site


class Flapping(Fault):
    """Cuts the links of a node and restores them, again and again, and leaves them whole."""

    kind: ClassVar[str] = "flapping"
    needs: ClassVar[frozenset[str]] = frozenset({"links", "peers"})

    def __init__(self, data: scenario.Flapping, site: Site) -> None:
        super().__init__(data.name, site)
        self._data = data
        others = [node for node in site.nodes if node != data.node]
        self._links = crossing(data.node, others, data.direction)
        self._is_down = False
        self._beat = Beat(data.name, site.clock, self._turn)

    def said(self) -> str:
        """Return what it does."""
        data = self._data
        which = way(data.node, data.direction)
        return f"the links {which} are cut for {data.down:g} s in every {data.down + data.up:g} s"

    def links(self) -> tuple[str, ...]:
        """Return the links that flap."""
        return self._links

    def strike(self) -> None:
        """Begin with a cut."""
        self._beat.start()

    def heal(self) -> None:
        """End the flapping, and restore each link even if another one fails."""
        restore = self.site.cluster.links.restore
        mend_all([self._beat.stop, *(partial(restore, link) for link in self._links)])

    def proof(self) -> tuple[str, ...]:
        """Return that a link was seen to refuse and, another time, to carry."""
        link = self._links[0]
        seen: dict[str, float] = {}

        def both() -> bool:
            ended = ending(self.site, link)
            if ended in TURNED_AWAY or ended == ANSWERED:
                seen.setdefault("carried" if ended == ANSWERED else "refused", self.site.now())
            return len(seen) == len(("refused", "carried"))

        cycles = 2 * (self._data.down + self._data.up) + SLACK
        try:
            self.site.clock.wait_until(both, cycles, f"{link} to flap")
        except WaitedInVain:
            self.doubt(f"{link} was only {' and '.join(seen) or 'never reached'}")
            return ()
        return (
            (
                f"{link} refused a connection at {seen['refused']:.1f} s and carried one at "
                f"{seen['carried']:.1f} s"
            ),
        )

    def _turn(self) -> float:
        links = self.site.cluster.links
        for link in self._links:
            if self._is_down:
                links.restore(link)
            else:
                links.cut(link)
        self._is_down = not self._is_down
        return self._data.down if self._is_down else self._data.up
