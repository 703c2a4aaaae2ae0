"""A dead instance, one that fell silent without a word, is gone when its lease is out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.promises.departure import departures, is_over
from eureka_tck.promises.evidence import Evidence, Wording
from eureka_tck.promises.stays import Words, judge_stays

if TYPE_CHECKING:
    from eureka_tck.history.reader import History
    from eureka_tck.promises.judgement import Judgement

WORDING: Final = Wording(
    "dead_instances_go",
    "An instance that nobody renews any more is gone from every node when its lease is out and so "
    "many eviction runs have been that it must have had its turn, while leases expire.",
    ("LEASE-01", "LEASE-02", "EVICT-02", "PRESERVE-06"),
)

WORDS: Final = Words(
    noun="dead instance",
    none="No instance fell silent while leases expired for long enough.",
    kept="went",
    since="its last call",
    ended=lambda one: f"{one.instance} was heard of last at {one.last_sent:.1f} s",
)


def dead_instances_go(history: History) -> Judgement:
    """Judge every instance whose lease ran out before the run ended, at every node."""
    evidence = Evidence.of(history)
    dead = [
        one for one in departures(evidence) if not one.is_cancelled and is_over(one, evidence.end)
    ]
    return judge_stays(evidence, WORDING, WORDS, dead, always=False)
