"""
What a fleet intended, sent, and was answered: the counts beside Locust's own statistics.

Locust counts requests; it cannot know of one that was due and never sent. These counts can, and the
verdict of a storm is made from both.
"""

from __future__ import annotations

import msgspec


class Tally(msgspec.Struct, kw_only=True):
    """
    Counts of one fleet so far, written to `fleet.json` in the run's folder.

    `late` renewals left more than `LATE_AFTER` after their intended time; `missed` ones came due
    while the same instance's previous one was still unanswered, or were unsent at the end.
    `worst_start_ms` is the longest delay between intended and real sending.
    """

    instances: int = 0
    registered: int = 0
    cancelled: int = 0
    intended: int = 0
    sent: int = 0
    acknowledged: int = 0
    refused: int = 0
    unanswered: int = 0
    late: int = 0
    missed: int = 0
    worst_start_ms: float = 0.0
    statuses: dict[str, int] = msgspec.field(default_factory=dict)
    problems: list[str] = msgspec.field(default_factory=list)

    def note(self, problem: str) -> None:
        """Keep the first problems in words; the counts hold all of them."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)


# A send is late when a person reading a latency chart would see it: 100 ms.
LATE_AFTER = 0.1
MOST_PROBLEMS = 20
