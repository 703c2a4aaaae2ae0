"""A cancelled instance stays gone; where its cancellation was lost, its lease bounds the ghost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.promises.departure import departures
from eureka_tck.promises.evidence import Evidence, Wording
from eureka_tck.promises.stays import Words, judge_stays

if TYPE_CHECKING:
    from eureka_tck.history.reader import History
    from eureka_tck.promises.judgement import Judgement

WORDING: Final = Wording(
    "cancelled_stays_gone",
    "What was cancelled is gone, at once where it was cancelled and soon at every peer; where a "
    "fault lost the cancellation, it is gone when its lease is out. It never comes back.",
    ("CANCEL-01", "REPL-06", "EVICT-02", "CLUSTER-01"),
)

WORDS: Final = Words(
    noun="cancelled instance",
    none="Nothing was cancelled for good in this run.",
    kept="went and stayed gone",
    since="its cancellation",
    ended=lambda one: (
        f"{one.instance} was cancelled at node {one.home}, acknowledged at {one.at:.1f} s"
    ),
)


def cancelled_stays_gone(history: History) -> Judgement:
    """Judge every acknowledged cancellation that no registration followed, at every node."""
    evidence = Evidence.of(history)
    cancelled = [one for one in departures(evidence) if one.is_cancelled]
    return judge_stays(evidence, WORDING, WORDS, cancelled, always=True)
