"""
Latencies of a fleet's renewals, counted in bulk: a list now, histograms a little later.

To put one value into its bucket costs a third of a request; to count the equal ones of thousands
first, next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.fleet import histogram
from eureka_tck.fleet.request import RENEW
from eureka_tck.fleet.tally import LATE_AFTER, OWN_LATE_AFTER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.fleet.tally import Tally


class Latencies:
    """What was seen of renewals since the last `flush`, in s."""

    __slots__ = ("_intended", "_reported", "_tally", "noticed")

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._intended: list[float] = []
        self._reported: list[float] = []
        self.noticed: list[float] = []
        """How late this process noticed what was due."""

    def acknowledged(self, intended: Sequence[float], reported: Sequence[float]) -> None:
        """Remember renewals answered 200: latencies from the intended and from the real send."""
        self._intended += intended
        self._reported += reported

    def flush(self) -> None:
        """Enter all of it into the tally."""
        tally = self._tally
        if own := self.noticed:
            worst = max(own)
            tally.worst_own_ms = max(tally.worst_own_ms, worst * 1000)
            if worst > OWN_LATE_AFTER:
                tally.own_late += sum(late > OWN_LATE_AFTER for late in own)
            histogram.count(tally.own_us, own)
            own.clear()
        if intended := self._intended:
            # A start is no later than its answer: where all answers were early, none was late.
            if max(intended) > min(LATE_AFTER, tally.worst_start_ms / 1000):
                self._start(intended)
            histogram.count(tally.intended_us.setdefault(RENEW.name, {}), intended)
            histogram.count(tally.reported_us.setdefault(RENEW.name, {}), self._reported)
            intended.clear()
            self._reported.clear()

    def _start(self, intended: Sequence[float]) -> None:
        """Count the late starts, and keep the worst."""
        delays = [whole - part for whole, part in zip(intended, self._reported, strict=True)]
        worst = max(delays)
        self._tally.worst_start_ms = max(self._tally.worst_start_ms, worst * 1000)
        if worst > LATE_AFTER:
            self._tally.late += sum(delay > LATE_AFTER for delay in delays)
