"""The recording of the profile `cold`: what a registry expects that started empty and alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.observe.observer import Observer
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape

CLOSED: Final = 60.0  # s, waitTimeInMsWhenSyncEmpty of the profile `cold`
OPEN_BY: Final = CLOSED + 5.0  # s after the first answer by which it has certainly opened
NEWCOMERS: Final = 5  # instances registered with the cold one


@dataclass(frozen=True, slots=True)
class Beginning:
    """The threshold of a node that has begun, and how many instances it lists."""

    tape: Tape
    threshold: int
    listed: int


def record_cold(cluster: Cluster) -> Beginning:
    """Register a few with a registry that started empty, alone, and with no count given to it."""
    with Observer(cluster) as observer:
        for number in range(NEWCOMERS):
            fields = sample("COLD", f"cold-{number}", duration=3600)
            observer.keep(observer.wire.register(fields))
        observer.note(f"register {NEWCOMERS}")
        observer.clock.reach(observer.clock.now() + OPEN_BY)
        listed = len(observer.held())
        threshold = observer.counters(shown=True).threshold
        observer.note(f"open, {listed} listed, threshold {threshold}")
        given = "self-preservation on, an open count of 0, nothing to copy"
        return Beginning(observer.tape(given), threshold, listed)
