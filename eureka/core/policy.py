"""The choices an operator can make, as values; defaults are those of Spring Cloud Netflix 5.0.3."""

from __future__ import annotations

import msgspec


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """How the registry keeps and gives up leases. Seconds, unless said otherwise."""

    self_preservation: bool = True
    renewal_percent_threshold: float = 0.85  # share, 0 to 1
    expected_renewal_interval: int = 30
    eviction_interval: float = 60.0
    recount_interval: float = 900.0
    open_count: int = 1  # clients expected when nothing was copied at start
    wait_when_sync_empty: float = 300.0
    delta_retention: float = 180.0
    delta_retention_interval: float = 30.0
    compare_timestamps: bool = True  # eureka.server.syncWhenTimestampDiffers
    max_metadata: int = 1024 * 1024  # bytes that the metadata of a record may grow to, call by call


class ReplicationPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How changes travel to one peer. Seconds, unless said otherwise."""

    batching_delay: float = 0.5  # eureka-core PeerEurekaNode.MAX_BATCHING_DELAY_MS
    batch_size: int = 250  # tasks; eureka-core PeerEurekaNode.BATCH_SIZE
    # Of cancellations and status changes; registrations live one renewal interval.
    life: float = 30.0
    capacity: int = 10_000  # tasks
    # After a 503 or a time-out; eureka-core SERVER_UNAVAILABLE_SLEEP_TIME_MS.
    pause_when_busy: float = 1.0
    pause_when_broken: float = 0.1  # after a refused or reset connection; RETRY_SLEEP_TIME_MS


class RatePolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How often lists may be read; eureka-core DefaultEurekaServerConfig. Reads a second."""

    burst: int = 10
    list_rate: int = 500
    full_rate: int = 100
    throttle_standard: bool = False
    privileged: frozenset[str] = frozenset()
