"""
Locust's statistics in bulk: many requests entered at once, each exactly as an event would be.

Firing an event for each request costs more than the request. The counts, the buckets, the sums and
the seconds are those that `StatsEntry.log` would have made; listeners of `events.request` hear
nothing, which is why this is an option.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from locust import stats as locust_stats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from locust.stats import RequestStats

    from eureka_tck.fleet.call import Call

SHARP_MS = 100
"""Below it Locust's bucket of a response time is its rounded milliseconds."""
_BUCKET = locust_stats.bucket_response_time


class _Sum:
    """What has come of one kind of request since the last flush."""

    __slots__ = ("errors", "method", "size", "times")

    def __init__(self, method: str) -> None:
        self.method = method
        self.size = 0
        self.times: list[float] = []
        self.errors: list[str] = []


class StatsLedger:
    """Keeps what Locust's statistics shall be told, and tells it in one go."""

    def __init__(self, stats: RequestStats) -> None:
        self._stats = stats
        self._sums: dict[str, _Sum] = {}

    def note(self, calls: Sequence[Call], latencies: Sequence[float]) -> None:
        """Remember finished requests of one kind that were answered alike."""
        kind = calls[0].kind
        kept = self._sums.get(kind.name)
        if kept is None:
            kept = self._sums[kind.name] = _Sum(kind.verb)
        kept.times += latencies
        kept.size += sum([call.size for call in calls])
        if calls[0].problem:
            kept.errors += [call.problem for call in calls]

    def flush(self) -> None:
        """Enter all that was remembered."""
        now = time.time()  # noqa: TID251 - Locust's statistics are by the wall clock's seconds
        for name, kept in self._sums.items():
            times = [seconds * 1000 for seconds in kept.times]
            buckets = _buckets(times)
            for entry in (self._stats.total, self._stats.get(name, kept.method)):
                _enter(entry, kept.size, times, buckets, now)
            for problem in kept.errors:
                self._stats.log_error(kept.method, name, problem)
        self._sums = {}


def _buckets(times: Sequence[float]) -> Counter[int]:
    """Return how many of these milliseconds go into each of Locust's buckets."""
    bucket = locust_stats.bucket_response_time
    if bucket is not _BUCKET:  # somebody has put in buckets of their own, as Locust allows
        return Counter(map(bucket, times))
    if max(times) < SHARP_MS:  # nearly always
        return Counter(map(round, times))
    sharp = Counter(map(round, [one for one in times if one < SHARP_MS]))
    return sharp + Counter(map(bucket, [one for one in times if one >= SHARP_MS]))


def _enter(
    entry: Any,  # noqa: ANN401 - Locust's
    size: int,
    times: list[float],
    buckets: Counter[int],
    now: float,
) -> None:
    second = int(now)
    last = entry.last_request_timestamp
    if entry.use_response_times_cache and last and second > int(last):
        entry._cache_response_times(second - 1)  # noqa: SLF001 - as `StatsEntry.log` does
    entry.num_requests += len(times)
    entry.num_reqs_per_sec[second] += len(times)
    entry.last_request_timestamp = now
    entry.total_response_time += sum(times)
    entry.total_content_length += size
    least = min(times)
    if entry.min_response_time is not None:
        least = min(least, entry.min_response_time)
    entry.min_response_time = least
    most = max(times)
    entry.max_response_time = max(most, entry.max_response_time)
    for key, count in buckets.items():
        entry.response_times[key] += count
