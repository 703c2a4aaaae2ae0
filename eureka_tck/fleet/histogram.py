"""
Latencies by buckets of constant relative width, as an HDR histogram keeps them.

A value is kept by its seven leading bits, so a bucket is at most 1/64 of its value wide, whatever
its size: two histograms that were counted apart add up exactly, and any percentile can be read.
Plain dictionaries of microseconds, so that they travel as JSON. Pure.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Histogram: TypeAlias = dict[int, int]
"""How many values fell into the bucket that begins at so many microseconds."""

BITS: Final = 7


def bucket(seconds: float) -> int:
    """Return the bucket of a latency: its microseconds, all but the leading bits zeroed."""
    return _begin(int(seconds * 1_000_000))


def _begin(micros: int) -> int:
    """Return at how many microseconds their bucket begins."""
    spare = max(0, micros.bit_length() - BITS)
    return micros >> spare << spare if micros > 0 else 0


class _Begins(dict[int, int]):
    """Where the buckets begin, looked up rather than computed: most latencies are below 16 ms."""

    def __missing__(self, micros: int) -> int:
        begin = _begin(micros)
        if 0 <= micros < 1 << 14:
            self[micros] = begin
        return begin


_BEGINS: Final = _Begins()


def count(into: Histogram, seconds: Iterable[float]) -> None:
    """Count latencies into their buckets: those of one bucket together, which is cheaper."""
    for micros, times in Counter(map(int, [one * 1_000_000 for one in seconds])).items():
        begin = _BEGINS[micros]
        into[begin] = into.get(begin, 0) + times


def add(into: Histogram, more: Mapping[int, int]) -> None:
    """Count the values of `more` into `into`."""
    for key, count in more.items():
        into[key] = into.get(key, 0) + count


def between(early: Mapping[int, int], late: Mapping[int, int]) -> Histogram:
    """Return the values that `late` counts beyond `early`, which it once was."""
    gained = {key: count - early.get(key, 0) for key, count in late.items()}
    return {key: count for key, count in gained.items() if count > 0}


def percentile_ms(histogram: Mapping[int, int], share: float) -> float | None:
    """Return the bucket, in ms, at or below which `share` of the values lie; None without any."""
    left = share * sum(histogram.values())
    for key in sorted(histogram):
        left -= histogram[key]
        if left <= 0:
            return key / 1000
    return max(histogram) / 1000 if histogram else None
