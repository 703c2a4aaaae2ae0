"""Clients that keep a copy of a registry as the real one does: all of it first, deltas after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.actors.copy import Copy
from eureka_tck.history.event import Copied
from eureka_tck.schedules import workload
from eureka_tck.wire.errors import WireError

if TYPE_CHECKING:
    from eureka_tck.schedules.schedule import Cast, Member
    from eureka_tck.wire.record import Applications
    from eureka_tck.workloads.caller import Caller
    from eureka_tck.workloads.crew import Crew
    from eureka_tck.workloads.site import Site
    from eureka_tck.workloads.watch import Watch


class Readers:
    """The workload of that kind."""

    def __init__(self, cast: Cast, site: Site) -> None:
        self.name = cast.name
        self._cast = cast
        self._site = site
        self._readers: tuple[_Reader, ...] = ()

    def start(self, crew: Crew, began: float) -> None:
        """Make every client's first appointment; `began` is the begin of its phase."""
        data = self._cast.data
        assert isinstance(data, workload.Readers)  # noqa: S101 - the runner pairs kinds and data
        self._readers = tuple(
            _Reader(self.name, member, self._site, began + member.joins, data.every)
            for member in self._cast.members
        )
        for reader, member in zip(self._readers, self._cast.members, strict=True):
            crew.appoint(member.home, began + member.joins, reader)

    def turn(self, crew: Crew, began: float) -> None:
        """Go on reading when breaking begins."""

    def is_satisfied(self, watch: Watch) -> bool:  # noqa: ARG002 - it asks its own clients
        """Whether each of its clients holds a copy."""
        return all(reader.has_copy for reader in self._readers)

    def lacks(self, watch: Watch) -> str:  # noqa: ARG002 - the same
        """Return what it still waits for, as the end of a sentence."""
        return f"{self.name}: {sum(not one.has_copy for one in self._readers)} hold no copy yet"


class _Reader:
    """One client; called whenever its read is due."""

    def __init__(self, who: str, member: Member, site: Site, due: float, every: float) -> None:
        self._who = who
        self._name = member.id
        self._site = site
        self._due = due
        self._every = every
        self._copy: Copy | None = None
        self._told: dict[str, str] | None = None

    @property
    def has_copy(self) -> bool:
        return self._copy is not None

    def __call__(self, caller: Caller) -> float:
        read_at = self._read(caller)
        if read_at is not None and self._copy is not None:
            self._tell(caller.node, read_at, self._copy.statuses())
        while self._due <= self._site.clock.now():  # reads that were missed are not made up
            self._due += self._every
        return self._due

    def _read(self, caller: Caller) -> float | None:
        """Read what is due; return the instant at which the last read was asked, if it came."""
        if self._copy is not None:
            at = self._site.now()
            delta = self._listed(caller, delta=True)
            if delta is not None:
                self._copy.apply(delta)
                if self._copy.hash == delta.hash:
                    return at
        at = self._site.now()
        whole = self._listed(caller, delta=False)
        if whole is None:
            return None
        self._copy = Copy(whole)
        return at

    def _listed(self, caller: Caller, *, delta: bool) -> Applications | None:
        answer = caller.read(self._who, delta=delta)
        if answer is None:
            return None
        try:
            return answer.applications()
        except WireError:
            return None

    def _tell(self, node: str, read_at: float, present: dict[str, str]) -> None:
        known = {} if self._told is None else self._told
        self._site.history.write(
            Copied(
                at=self._site.now(),
                client=self._name,
                node=node,
                read_at=read_at,
                whole=self._told is None,
                present={name: one for name, one in present.items() if known.get(name) != one},
                absent=tuple(sorted(known.keys() - present.keys())),
            )
        )
        self._told = present
