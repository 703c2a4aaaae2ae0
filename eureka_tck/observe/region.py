"""
The recording of profile `region`: a registry and a remote region that is ours.

The region is not to be reached when the registry starts, then it is there, changes, hangs, and is
gone again. What is local goes on being asked for all the time.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.actors.reaction import Hang
from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.observer import GRACE, Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.errors import NoAnswer
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.record import Applications

PEER: Final = "beside-a"
REGION: Final = "r2"
FETCH: Final = 3.0  # s, remoteRegionRegistryFetchInterval of the profile
LOCAL, BOTH, FAR_ONE, FAR_TWO = "LOCAL", "BOTH", "FAR-ONE", "FAR-TWO"
HIDDEN: Final = "FAR-HIDDEN"  # registered there, and not on the list of what is released
LOST: Final = 8.0  # s for which the region hangs, and again for which it is gone
LATER: Final = "far-later"
OK: Final = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """How local calls went while the region was in one state: `failed` says each that did not."""

    calls: int
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """
    What the registry answered.

    `local` are local calls while the region was "unreachable", "there", "hanging" and "gone".
    `early` are the statuses of reads that name the region before it was there.
    `ready` is whether they ever were 200. `lists` are reads by their path while it was there.
    `hidden` are reads of what was not released, by their path: what they showed, "" for nothing.
    `followed` is for how long a remote change, without a local one, took to be listed (infinite:
    not within the time it was waited for); `fetched` whether the region was asked meanwhile.
    `kept` are the ids of the region's instances in a read that names it, while it was "hanging"
    and "gone". `missed` says how often the region was asked while it hung.
    """

    tape: Tape
    local: Mapping[str, Asked]
    early: Mapping[str, int]
    ready: bool
    lists: Mapping[str, Applications]
    hidden: Mapping[str, str]
    followed: float
    fetched: int
    kept: Mapping[str, frozenset[str]]
    missed: int

    def apps(self, path: str) -> set[str]:
        """Return the applications of a list."""
        return {app.name for app in self.lists[path].application}

    def is_ready(self) -> None:
        """Raise Inconclusive where the region's data never came."""
        if not self.ready:
            raise Inconclusive("the registry never had the region's data, though it could fetch.")


def record_region(cluster: Cluster) -> Region:
    """Start the registry while its region is not there, and go on from there."""
    cluster.peer(PEER).refuse()
    cluster.start()
    with Observer(cluster) as observer:
        return _Recording(observer).record()


class _Recording:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.wire = observer.wire
        self.clock = observer.clock
        self.region = observer.cluster.peer(PEER)
        self.remote = [
            sample(app, f"{app.lower()}-{n}", duration=3600)
            for app in (BOTH, FAR_ONE, FAR_TWO, HIDDEN)
            for n in range(2)
        ]

    def record(self) -> Region:
        observer, region = self.observer, self.region
        self.wire.register(sample(LOCAL, "local-0", duration=3600))
        self.wire.register(sample(BOTH, "both-here", duration=3600))
        local = {"unreachable": self._ask_locally(FETCH + 1)}
        early = {
            path: observer.keep(self._naming(path)).status for path in ("/apps", "/apps/delta")
        }
        observer.note("the region is not there")

        region.holds(self.remote)
        region.listen()
        ready = self._await_ready()
        observer.note("the region's data are there" if ready else "the region's data never come")
        local["there"] = self._ask_locally(1)
        lists = self._lists() if ready else {}
        hidden = self._hidden() if ready else {}
        followed, fetched = self._change() if ready else (float("inf"), 0)

        since = self.clock.now()
        region.lists(Hang(LOST))
        observer.note("the region hangs")
        local["hanging"] = self._ask_locally(LOST)
        kept = {"hanging": self._remote_ids()}
        missed = len(region.arrivals(since))
        region.refuse()
        observer.note("the region is gone")
        local["gone"] = self._ask_locally(LOST)
        kept["gone"] = self._remote_ids()
        return Region(
            tape=observer.tape(
                f"a remote region {REGION}, fetched every {FETCH:g} s; of it {FAR_ONE}, {FAR_TWO} "
                f"and {BOTH} are released, {HIDDEN} is not; {LOCAL} and {BOTH} are registered here"
            ),
            local=local,
            early=early,
            ready=ready,
            lists=lists,
            hidden=hidden,
            followed=followed,
            fetched=fetched,
            kept=kept,
            missed=missed,
        )

    def _await_ready(self) -> bool:
        with suppress(WaitedInVain):
            self.clock.wait_until(
                lambda: self._naming("/apps").status == OK,
                within=2 * FETCH + GRACE,
                what="the region's data",
                pace=0.5,
            )
            return True
        return False

    def _naming(self, path: str, regions: str = REGION) -> Answer:
        return self.wire.call("GET", path, params={"regions": regions})

    def _ask_locally(self, seconds: float) -> Asked:
        """Make every kind of local call, again and again for so long, once a second."""
        calls, failed, end = 0, [], self.clock.now() + seconds
        while True:
            for name, due, call in (
                ("GET /apps", 200, self.wire.apps),
                ("GET /apps/delta", 200, self.wire.delta),
                ("GET /apps/LOCAL", 200, lambda: self.wire.app(LOCAL)),
                ("GET /apps/LOCAL/local-0", 200, lambda: self.wire.instance(LOCAL, "local-0")),
                ("PUT /apps/LOCAL/local-0", 200, lambda: self.wire.renew(LOCAL, "local-0")),
                ("POST /apps/LOCAL", 204, lambda: self.wire.register(sample(LOCAL, "local-1"))),
            ):
                calls += 1
                try:
                    answer = call()
                except NoAnswer as error:
                    failed.append(f"{name}: {error.detail}")
                    continue
                if answer.status != due:
                    self.observer.keep(answer)
                    failed.append(f"{name}: {answer.status}")
            if self.clock.now() >= end:
                return Asked(calls, tuple(failed))
            self.clock.reach(min(end, self.clock.now() + 1))

    def _lists(self) -> dict[str, Applications]:
        """Read lists with and without the region, after a local change has made all of them old."""
        self.wire.register(sample(LOCAL, "local-2", duration=3600))
        answers = {
            "/apps": self.wire.apps(),
            "/apps/delta": self.wire.delta(),
            "/apps?regions=r2": self._naming("/apps"),
            "/apps/delta?regions=r2": self._naming("/apps/delta"),
            "/apps?regions=r2,nowhere": self._naming("/apps", f"{REGION},nowhere"),
            "/apps?regions=nowhere": self._naming("/apps", "nowhere"),
        }
        return {path: self.observer.keep(answer).applications() for path, answer in answers.items()}

    def _hidden(self) -> dict[str, str]:
        """Read what is not released, by every path; return what was shown of it."""
        name, found = f"{HIDDEN.lower()}-0", {}
        for path in (
            "/apps",
            "/apps/delta",
            "/apps?regions=r2",
            f"/apps/{HIDDEN}",
            f"/apps/{HIDDEN}/{name}",
            f"/instances/{name}",
            f"/vips/{HIDDEN.lower()}",
            f"/vips/{HIDDEN.lower()}?regions=r2",
        ):
            answer = self.observer.keep(self.wire.call("GET", path))
            shown = answer.status == OK and name in answer.text
            found[path] = f"{answer.status} with {name}" if shown else ""
        return found

    def _change(self) -> tuple[float, int]:
        """Let the region change while nothing changes here; return how long it took to show."""
        self._naming("/apps")  # primed
        self.region.holds([*self.remote, sample(FAR_ONE, LATER, duration=3600)])
        begun = self.clock.now()
        self.observer.note("the region changes")
        with suppress(WaitedInVain):
            self.clock.wait_until(
                lambda: LATER in self._naming("/apps").applications().ids(FAR_ONE),
                within=4 * FETCH,
                what="the remote change in a list that names the region",
                pace=0.5,
            )
            return self.clock.now() - begun, len(self.region.arrivals(begun))
        self.observer.keep(self._naming("/apps"))
        return float("inf"), len(self.region.arrivals(begun))

    def _remote_ids(self) -> frozenset[str]:
        answer = self.observer.keep(self._naming("/apps"))
        return answer.applications().ids(FAR_TWO) if answer.status == OK else frozenset()
