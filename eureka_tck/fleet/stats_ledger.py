"""
Locust's statistics in bulk: many requests entered at once, each exactly as an event would be.

Firing an event for each request costs more than the request. The counts, the buckets, the sums and
the seconds are those that `StatsEntry.log` would have made; listeners of `events.request` hear
nothing, which is why this is an option.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from locust.stats import bucket_response_time

if TYPE_CHECKING:
    from locust.stats import RequestStats

    from eureka_tck.fleet.lines import Call


class _Sum:
    """What has come of one kind of request since the last flush."""

    __slots__ = ("count", "errors", "largest", "size", "smallest", "times", "total")

    def __init__(self) -> None:
        self.count = 0
        self.size = 0
        self.total = 0.0
        self.smallest = float("inf")
        self.largest = 0.0
        self.times: dict[Any, int] = {}
        self.errors: list[str] = []


class StatsLedger:
    """Keeps what Locust's statistics shall be told, and tells it in one go."""

    def __init__(self, stats: RequestStats) -> None:
        self._stats = stats
        self._sums: dict[str, _Sum] = {}

    def note(self, call: Call, latency: float) -> None:
        """Remember a finished request."""
        name = call.kind.name
        kept = self._sums.get(name)
        if kept is None:
            kept = self._sums[name] = _Sum()
        ms = latency * 1000
        kept.count += 1
        kept.size += call.size
        kept.total += ms
        kept.smallest = min(kept.smallest, ms)
        kept.largest = max(kept.largest, ms)
        key = bucket_response_time(ms)
        kept.times[key] = kept.times.get(key, 0) + 1
        if call.problem:
            kept.errors.append(call.problem)

    def flush(self) -> None:
        """Enter all that was remembered."""
        now = time.time()  # noqa: TID251 - Locust's statistics are by the wall clock's seconds
        for name, kept in self._sums.items():
            method = name.partition(" ")[0]
            for entry in (self._stats.total, self._stats.get(name, method)):
                self._enter(entry, kept, now)
            for problem in kept.errors:
                self._stats.log_error(method, name, problem)
        self._sums = {}

    def _enter(self, entry: Any, kept: _Sum, now: float) -> None:  # noqa: ANN401 - Locust's
        second = int(now)
        last = entry.last_request_timestamp
        if entry.use_response_times_cache and last and second > int(last):
            entry._cache_response_times(second - 1)  # noqa: SLF001 - as `StatsEntry.log` does
        entry.num_requests += kept.count
        entry.num_reqs_per_sec[second] += kept.count
        entry.last_request_timestamp = now
        entry.total_response_time += kept.total
        entry.total_content_length += kept.size
        least = kept.smallest if entry.min_response_time is None else entry.min_response_time
        entry.min_response_time = min(least, kept.smallest)
        entry.max_response_time = max(entry.max_response_time, kept.largest)
        for key, count in kept.times.items():
            entry.response_times[key] += count
