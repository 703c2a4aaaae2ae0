"""
What a fleet intended, sent, and was answered: the counts beside Locust's own statistics.

Locust counts requests; it cannot know of one that was due and never sent. These counts can, and the
verdict of a storm is made from them. Those of several workers add up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from eureka_tck.fleet import histogram
from eureka_tck.fleet.histogram import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterable


class Tally(msgspec.Struct, kw_only=True):
    """
    Counts of one fleet so far, written to `fleet.json` in the run's folder.

    Of renewals: `late` ones left more than `LATE_AFTER` after their intended time; `missed` ones
    came due while the same instance's previous one was still unanswered, or were unsent at the end.
    `worst_start_ms` is the longest delay between intended and real sending. A delay of the
    generator's own, before it looked at what was due, is counted in `own_late` and `worst_own_ms`,
    `cpu` is the worst share of one core that a worker used over five seconds, and `used` are all
    the processor seconds of the workers, from their start.

    `forgotten` are renewals answered 404, `evicted_live` those of them whose instance had been
    acknowledged within its lease. `audited` renewals were read back, and `lost` ones, though
    acknowledged, had not moved the lease's stamp.
    `up`, `out` and `dead` say how many instances the fleet holds for UP, out of service, and
    silent without a word; `arrived` how many of its instances are known to have been registered.
    Turns that a lost worker can no longer tell of, and nobody else took, are `orphaned`: of what
    was intended, each is sent, missed or orphaned. `crash` is what ended a generator that broke
    down. `began` is the Unix time, in s, at which the fleet began to register.
    `divisions` says how often it was divided among `workers`: anew when one comes or goes.
    """

    instances: int = 0
    began: float = 0.0
    workers: int = 0
    divisions: int = 0
    registered: int = 0
    reregistered: int = 0
    cancelled: int = 0
    intended: int = 0
    sent: int = 0
    acknowledged: int = 0
    refused: int = 0
    unanswered: int = 0
    resent: int = 0
    forgotten: int = 0
    evicted_live: int = 0
    audited: int = 0
    lost: int = 0
    reads: int = 0
    mismatched: int = 0
    late: int = 0
    missed: int = 0
    worst_start_ms: float = 0.0
    own_late: int = 0
    worst_own_ms: float = 0.0
    cpu: float = 0.0
    used: float = 0.0
    requests: int = 0
    failures: int = 0
    up: int = 0
    out: int = 0
    dead: int = 0
    arrived: int = 0
    orphaned: int = 0
    crash: str = ""
    statuses: dict[str, int] = msgspec.field(default_factory=dict)
    problems: list[str] = msgspec.field(default_factory=list)
    own_us: Histogram = msgspec.field(default_factory=dict)
    """How late the generator noticed what was due."""
    intended_us: dict[str, Histogram] = msgspec.field(default_factory=dict)
    """Latency from the intended send time, by request."""
    reported_us: dict[str, Histogram] = msgspec.field(default_factory=dict)
    """Latency from the actual send time, as a client that paces itself would report it."""

    def note(self, problem: str) -> None:
        """Keep the first problems in words; the counts hold all of them."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)


# A send is late when a person reading a latency chart would see it: 100 ms.
LATE_AFTER: Final = 0.1
# A generator that looks at its schedule so much too late is the limit itself.
OWN_LATE_AFTER: Final = 0.05
MOST_PROBLEMS: Final = 20

_LARGEST: Final = ("began", "worst_start_ms", "worst_own_ms", "cpu", "instances")
_STATES: Final = ("up", "out", "dead", "arrived")


def together(tallies: Iterable[Tally], alive: Iterable[Tally]) -> Tally:
    """
    Return the counts of all workers as one.

    What has been done is summed over all of them, what is held now over those that are alive:
    the others' instances are theirs.
    """
    whole = Tally()
    for one in tallies:
        for name in (field for field in one.__struct_fields__ if field not in _STATES):
            setattr(whole, name, _sum(name, getattr(whole, name), getattr(one, name)))
    for one in alive:
        for name in _STATES:
            setattr(whole, name, getattr(whole, name) + getattr(one, name))
    return whole


def _sum(name: str, so_far: Any, value: Any) -> Any:  # noqa: ANN401 - a field of any kind
    if name in _LARGEST:
        return max(so_far, value)
    if name in ("statuses", "own_us"):
        return {key: so_far.get(key, 0) + value.get(key, 0) for key in {*so_far, *value}}
    if isinstance(value, dict):
        for kind, counts in value.items():
            histogram.add(so_far.setdefault(kind, {}), counts)
        return so_far
    if isinstance(value, str):
        return so_far or value
    if isinstance(value, list):
        return [*so_far, *value][:MOST_PROBLEMS]
    return so_far + value
