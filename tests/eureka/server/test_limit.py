"""Who may read lists how often."""

from __future__ import annotations

from eureka.core.instant import Instant
from eureka.core.policy import RatePolicy
from eureka.server.limit import BucketLimiter

POLICY = RatePolicy(burst=5, list_rate=2, full_rate=1, privileged=frozenset({"billing"}))
NOW = Instant(1.0, 1000)


def test_full_reads_have_a_second_bucket() -> None:
    """In eight seconds of eight a second, 5 + 8 full reads pass, and 5 + 16 of deltas."""
    full, delta = BucketLimiter(POLICY), BucketLimiter(POLICY)
    moments = [Instant(n / 8, 0) for n in range(65)]  # eighths add up without rounding

    assert sum(full.allows("full", None, now) for now in moments) == 13
    assert sum(delta.allows("delta", None, now) for now in moments) == 21


def test_a_refused_full_read_takes_from_the_common_bucket() -> None:
    """Six full reads, five of them served, leave nothing for an application."""
    limiter = BucketLimiter(POLICY)

    assert [limiter.allows("full", None, NOW) for _ in range(6)] == [True] * 5 + [False]
    assert not limiter.allows("application", None, NOW)
    assert limiter.refused == 2


def test_exhausted_full_reads_leave_deltas_alone() -> None:
    """Where the common bucket is ample."""
    limiter = BucketLimiter(RatePolicy(burst=5, list_rate=5000, full_rate=1))
    moments = [Instant(n / 1000, 0) for n in range(40)]

    for now in moments:
        limiter.allows("full", None, now)

    assert all(limiter.allows("delta", None, Instant(1 + now.monotonic, 0)) for now in moments)


def test_standard_clients_and_privileged_ones_are_exempt() -> None:
    """By the name they give; any other is counted."""
    limiter = BucketLimiter(POLICY)

    for name in ("DefaultClient", "DefaultServer", "billing"):
        assert all(limiter.allows("full", name, NOW) for _ in range(20))
    assert sum(limiter.allows("full", "other", NOW) for _ in range(20)) == 5


def test_standard_clients_can_be_throttled_privileged_ones_never() -> None:
    """With rateLimiterThrottleStandardClients."""
    policy = RatePolicy(
        burst=5, list_rate=2, full_rate=1, throttle_standard=True, privileged=frozenset({"billing"})
    )
    limiter = BucketLimiter(policy)

    assert sum(limiter.allows("full", "DefaultClient", NOW) for _ in range(20)) == 5
    assert all(limiter.allows("full", "billing", NOW) for _ in range(20))
