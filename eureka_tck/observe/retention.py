"""
The recording of profile `retention`: what enters the delta, how long it stays, what never enters.

All is changed at the beginning, in every way; once the delta has forgotten that, whatever it lists
has just come in. Lists are read under keys that nobody has read before, but for those that were
read before a change on purpose.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.actors.copy import Copy
from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.observer import GRACE, Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import DIRTY_MS, sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.record import Applications, Record

RETENTION: Final = 20.0  # s, retentionTimeInMSInDeltaQueue of the profile
RUNS: Final = 5.0  # s between two retention runs
APP: Final = "RETENTION"
EVICTED: Final = "RETENTION-EVICTED"  # an application of its own: its list is primed
SHORT: Final = 3  # s, the lease of the evicted one
CHANGES: Final = ("registered", "given another status", "cancelled")
"""What is changed at the beginning, each an instance that is named after it."""

EARLY: Final = 15.0  # s after the changes at which the delta must still list all of them
PACE: Final = 0.5  # s between two reads of the delta


@dataclass(frozen=True, slots=True)
class Retention:
    """
    What the delta listed, and when.

    `early` are the actions listed EARLY s after the changes or a little later (`early_at`).
    `listed` is, by change, for how many seconds it was seen listed at least; `forgotten` after how
    many it was first seen missing, infinite where it was not.
    `evicted` is how the delta told the eviction, None if not; `primed_after_eviction` the status of
    the answer to a list of its application that had been read before it.
    `late` is what the delta told, after it had forgotten all, of instances that were then renewed
    (`renewed`), given the status they had (`held`), given metadata (`control`), and whose status
    a renewal changed (`turned`).
    `turned` is the status of the last one read singly, `primed_turned` in a list that had been read
    before, `copied_hash` that of a client that applied the delta, `hash` the delta's own.
    """

    tape: Tape
    early: Mapping[str, str | None]
    early_at: float
    listed: Mapping[str, float]
    forgotten: Mapping[str, float]
    evicted: Record | None
    primed_after_eviction: int
    late: Mapping[str, Record | None]
    turned: str
    primed_turned: str
    copied_hash: str
    hash: str | None

    def forgot(self) -> None:
        """Raise Inconclusive unless the delta had forgotten before the late changes were made."""
        if lasting := [name for name in CHANGES if self.forgotten[name] == float("inf")]:
            raise Inconclusive(f"the delta never forgot what was {', '.join(lasting)}.")

    def turned_by_renewal(self) -> None:
        """Raise Inconclusive unless a renewal did change a status."""
        self.forgot()
        if self.turned != "OUT_OF_SERVICE":
            raise Inconclusive(
                f"no renewal changed a status: it is {self.turned} after a renewal by which the "
                "override that a peer had told should have become the status."
            )


@dataclass(frozen=True, slots=True)
class _Turn:
    status: str
    primed: str
    told: Record | None
    copied_hash: str
    hash: str | None


def record_retention(cluster: Cluster) -> Retention:
    """Change all, wait until the delta has forgotten it, and see what enters it then."""
    with Observer(cluster) as observer:
        return _Recording(observer).record()


class _Recording:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.wire = observer.wire
        self.clock = observer.clock

    def record(self) -> Retention:
        observer, clock = self.observer, self.clock
        self._register("renewed", "held", "turned", "control", "cancelled", "given another status")
        self.wire.register(sample(EVICTED, "evicted", duration=SHORT))
        self.wire.app(EVICTED)
        begun = clock.now()
        self._register("registered")
        self.wire.set_status(APP, "given another status", "DOWN")
        self.wire.cancel(APP, "cancelled")
        changed = clock.now()
        observer.note("changes of three kinds", at=changed)
        evicted, primed = self._eviction()
        clock.reach(changed + EARLY)
        early = self._delta()
        early_at = clock.now() - begun
        listed, forgotten = self._watch(begun, changed)
        self._late_changes()
        late = self._delta()
        observer.note("a renewal, the status already held, and metadata for a third")
        turn = self._turn()
        last = {name: late.find(APP, name) for name in ("renewed", "held", "control")}
        return Retention(
            tape=observer.tape(
                "changes are forgotten after 20 s, by a run every 5 s; eviction every 1 s; "
                "response cache 120 s, read-only cache off"
            ),
            early={name: _action(early.find(APP, name)) for name in CHANGES},
            early_at=early_at,
            listed=listed,
            forgotten=forgotten,
            evicted=evicted,
            primed_after_eviction=primed,
            late=last | {"turned": turn.told},
            turned=turn.status,
            primed_turned=turn.primed,
            copied_hash=turn.copied_hash,
            hash=turn.hash,
        )

    def _register(self, *names: str) -> None:
        for name in names:
            self.wire.register(sample(APP, name, duration=3600))

    def _eviction(self) -> tuple[Record | None, int]:
        """Wait until the short lease is gone; return how the delta tells it, and a primed list."""
        with suppress(WaitedInVain):
            self.clock.wait_until(
                lambda: self._full().find(EVICTED, "evicted") is None,
                within=GRACE,
                what="an eviction",
                pace=PACE,
                not_before=self.clock.now() + SHORT,
            )
        primed = self.observer.keep(self.wire.app(EVICTED)).status
        told = self._delta().find(EVICTED, "evicted")
        self.observer.note("the short lease is over")
        return told, primed

    def _watch(self, begun: float, changed: float) -> tuple[dict[str, float], dict[str, float]]:
        """Read the delta until it has forgotten the changes."""
        listed = dict.fromkeys(CHANGES, 0.0)
        forgotten = dict.fromkeys(CHANGES, float("inf"))

        def is_over() -> bool:
            asked = self.clock.now()
            delta = self._delta()
            for name in CHANGES:
                if delta.find(APP, name) is not None:
                    # Seen in an answer that was made after we asked.
                    listed[name] = asked - changed
                elif forgotten[name] == float("inf"):
                    forgotten[name] = self.clock.now() - begun
                    self.observer.note(f"what was {name} is forgotten")
            return float("inf") not in forgotten.values()

        with suppress(WaitedInVain):
            self.clock.wait_until(
                is_over, within=RETENTION + RUNS + GRACE, what="the delta to forget", pace=PACE
            )
        return listed, forgotten

    def _late_changes(self) -> None:
        self.wire.renew(APP, "renewed")
        self.wire.set_status(APP, "held", "UP")
        self.wire.set_metadata(APP, "control", {"colour": "blue"})

    def _turn(self) -> _Turn:
        """Let a renewal change a status, and see who learns of it."""
        copy = Copy(self._full())
        self.wire.app(APP)
        keep = self.observer.keep
        keep(
            self.wire.renew(
                APP, "turned", dirty=DIRTY_MS + 1, overridden="OUT_OF_SERVICE", replication=True
            )
        )
        keep(self.wire.renew(APP, "turned"))
        turned = keep(self.wire.instance(APP, "turned")).record().status
        primed = keep(self.wire.app(APP)).application().find("turned")
        delta = self._delta()
        copy.apply(delta)
        self.observer.note(f"a renewal made a status {turned}")
        return _Turn(
            status=turned,
            primed="nothing" if primed is None else primed.status,
            told=delta.find(APP, "turned"),
            copied_hash=copy.hash,
            hash=delta.hash,
        )

    def _delta(self) -> Applications:
        return self.observer.unread("/apps/delta")

    def _full(self) -> Applications:
        return self.observer.unread("/apps")


def _action(record: Record | None) -> str | None:
    return None if record is None else record.action
