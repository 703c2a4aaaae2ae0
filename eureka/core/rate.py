"""A token bucket: how often something may happen, in bursts and on average."""

from __future__ import annotations


class Bucket:
    """
    Holds `burst` tokens, full at first, and gains `rate` a second.

    A burst or a rate of 0 or less lifts the limit, as in eureka-core `RateLimiter.acquire`.
    """

    __slots__ = ("_burst", "_filled_at", "_rate", "_tokens")

    def __init__(self, burst: float, rate: float) -> None:
        self._burst = burst
        self._rate = rate
        self._tokens = float(burst)
        self._filled_at: float | None = None

    @property
    def limits(self) -> bool:
        """Tell whether there is a limit at all."""
        return self._burst > 0 and self._rate > 0

    def take(self, *, now: float) -> bool:
        """Take one token at that monotonic second; tell whether there was one."""
        if not self.limits:
            return True
        if self._filled_at is not None:
            gained = max(now - self._filled_at, 0.0) * self._rate
            self._tokens = min(self._tokens + gained, self._burst)
        self._filled_at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
