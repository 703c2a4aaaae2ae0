"""
The recording of profile `recount`: when a recount of the clients is adopted, and what it counts.

Three clients that do not exist stand in the count from the start, so what a recount finds differs
from it: 17 leases of 20 clients are not more than 85 %, 20 of 23 are.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.observer import PACE, Observer
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.sample import Sample

RECOUNT: Final = 10.0  # s, fixtures/profiles/recount.toml
FETCH: Final = 5.0  # s, in which the node's own client sees a change, of the same profile
SEEN_BY: Final = 2 * RECOUNT + FETCH + 2.0  # s after which a recount has certainly seen a change
APP: Final = "RECOUNT"
ADOPTED: Final = 34  # int(20 × 2 × 0.85): a recount of 20


@dataclass(frozen=True, slots=True)
class Recount:
    """
    Thresholds, each after a time in which recounts have certainly seen what was registered.

    `edge` with 17 of 20 clients; `mixed` with 20 of 23 of which two are out of service;
    `restored` once these two are UP again. `before` is the threshold right after the 20th.
    """

    tape: Tape
    edge: int
    before: int
    mixed: int
    restored: int

    def adopted_between(self) -> bool:
        """Say whether a recount may have come between the 20th registration and the reading."""
        return self.before == self.restored == ADOPTED


def record_recount(cluster: Cluster) -> Recount:
    """Register 17, then three more of which two are out of service, then bring those two up."""
    with Observer(cluster) as observer:
        _register(observer, [sample(APP, f"up-{number}", duration=3600) for number in range(17)])
        observer.clock.reach(observer.clock.now() + SEEN_BY)
        edge = _threshold(observer)
        aside = [
            sample(APP, f"aside-{number}", duration=3600, status="OUT_OF_SERVICE")
            for number in range(2)
        ]
        # Those aside first: a recount between must not find 18 of 21, which is adopted too.
        _register(observer, [*aside, sample(APP, "up-17", duration=3600)])
        before = _threshold(observer)
        observer.keep(observer.wire.instance(APP, "aside-0"))  # it is there, and not UP
        mixed = _settled(observer)
        for number in range(2):
            observer.wire.set_status(APP, f"aside-{number}", "UP")
        observer.note("both set UP")
        restored = _settled(observer)
        given = (
            "self-preservation on, renewalPercentThreshold 0.85, a recount every 10 s; "
            "3 clients in the count that do not exist"
        )
        return Recount(observer.tape(given), edge, before, mixed, restored)


def _register(observer: Observer, samples: Sequence[Sample]) -> None:
    observer.register(samples)
    observer.note(f"register {len(samples)}")


def _threshold(observer: Observer) -> int:
    threshold = observer.counters(shown=True).threshold
    observer.note(f"threshold {threshold}")
    return threshold


def _settled(observer: Observer) -> int:
    """Return the threshold when it is that of the leases, or else what it is after long enough."""
    with suppress(WaitedInVain):
        observer.clock.wait_until(
            lambda: observer.counters().threshold == ADOPTED,
            within=SEEN_BY,
            what=f"a threshold of {ADOPTED}",
            pace=PACE,
        )
    return _threshold(observer)
