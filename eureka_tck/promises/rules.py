"""
Budgets from the effective settings of a node: what the protocol allows, in registry seconds.

Every constant that no setting holds stands here with its source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.errors import SettingsError
from eureka_tck.promises.judgement import Budget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.history.event import Header

BATCHING: Final = 0.5
"""s: a batch of replication tasks leaves so long after its oldest task (REPL-04; the reference's
`PeerEurekaNode.MAX_BATCHING_DELAY_MS`)."""

RETRY: Final = 1.0
"""s between a peer's time-out or 503 and the next attempt (REPL-09; the reference's
`PeerEurekaNode.SERVER_UNAVAILABLE_SLEEP_TIME_MS`; a refused connection is tried after 0.1 s)."""

SLACK: Final = 1.5
"""s that a loaded machine may add; 0.5 was enough on an idle one (largest lag 0.68 s)."""

HICCUP: Final = 0.5
"""Real s that a loaded machine may add to what takes no longer than a moment, at any speed: a JVM
that met a kind of task for the first time beside others took 0.4 s, and 0.3 s is all that `SLACK`
is of a clock that goes five times as fast."""

LEASE_FACTOR: Final = 2
"""A renewed lease lasts twice its duration, one never renewed once (LEASE-01, LEASE-02)."""

WINDOW: Final = 60.0
"""s: renewals are counted in windows of a minute (PRESERVE-03)."""

_DEFAULTS: Final = {  # EurekaServerConfigBean of spring-cloud-netflix 5.0.3
    "eureka.server.evictionIntervalTimerInMs": 60_000,
    "eureka.server.renewalPercentThreshold": 0.85,
    "eureka.server.expectedClientRenewalIntervalSeconds": 30,
    "eureka.server.peerNodeReadTimeoutMs": 200,
    "eureka.server.peerNodeConnectTimeoutMs": 200,
    "eureka.server.maxTimeForReplication": 30_000,
    "eureka.server.responseCacheUpdateIntervalMs": 30_000,
    "eureka.client.registryFetchIntervalSeconds": 30,
}


@dataclass(frozen=True, slots=True)
class Rules:
    """
    The settings of one node that budgets are made of, in seconds.

    `cache` (U) is how old a list may be (0 without the read-only cache, CACHE-02), `kept` how long
    a peer's task is kept (REPL-06), `fetch` how often a client reads; `slack` is what this machine
    may add to a moment.
    """

    eviction_interval: float
    renewal_percent: float
    expected_interval: float
    self_preservation: bool
    peer_timeout: float
    cache: float
    kept: float
    fetch: float
    slack: float = SLACK

    @classmethod
    def of(cls, settings: Mapping[str, str], speed: float = 1.0) -> Rules:
        """Read them from effective settings; the defaults are Spring's. SettingsError if wrong."""
        read = {
            name: _number(name, settings.get(name, default)) for name, default in _DEFAULTS.items()
        }
        server = "eureka.server."
        preserves = settings.get(f"{server}enableSelfPreservation", "true").strip().lower()
        caches = settings.get(f"{server}useReadOnlyResponseCache", "true").strip().lower()
        update = read[f"{server}responseCacheUpdateIntervalMs"] / 1000
        return cls(
            eviction_interval=read[f"{server}evictionIntervalTimerInMs"] / 1000,
            renewal_percent=read[f"{server}renewalPercentThreshold"],
            expected_interval=read[f"{server}expectedClientRenewalIntervalSeconds"],
            self_preservation=preserves != "false",
            peer_timeout=max(
                read[f"{server}peerNodeReadTimeoutMs"], read[f"{server}peerNodeConnectTimeoutMs"]
            )
            / 1000,
            cache=update if caches != "false" else 0.0,
            kept=read[f"{server}maxTimeForReplication"] / 1000,
            fetch=read["eureka.client.registryFetchIntervalSeconds"],
            slack=max(SLACK, HICCUP * speed),
        )

    def propagation(self) -> float:
        """Return how long a change takes to a peer over a healthy link (CLUSTER-01)."""
        return BATCHING + SLACK

    def arriving(self) -> Budget:
        """Return how long a change takes until a peer's list shows it, over a healthy link."""
        return Budget(
            seconds=BATCHING + self.cache + self.slack,
            formula=(
                f"{BATCHING:g} + U + {self.slack:g} = "
                f"{BATCHING:g} + {self.cache:g} + {self.slack:g} s"
            ),
        )

    def catching_up(self) -> Budget:
        """Return how long after a heal a task that waited is seen in a peer's list (REPL-09)."""
        waited = self.peer_timeout + RETRY
        return Budget(
            seconds=waited + BATCHING + self.cache + SLACK,
            formula=(
                f"peer time-out + {RETRY:g} + {BATCHING:g} + U + {SLACK:g} = "
                f"{self.peer_timeout:g} + {RETRY:g} + {BATCHING:g} + {self.cache:g} + {SLACK:g} s"
            ),
        )

    def may_evict(self, size: int) -> int:
        """Return how many of `size` leases one run may evict (EVICT-02)."""
        return size - int(size * self.renewal_percent)

    def runs(self, expired: int, size: int) -> int:
        """Return how many runs it takes until all `expired` of `size` leases are gone."""
        number = 0
        while expired > 0 and size > 0:
            gone = max(1, min(expired, self.may_evict(size)))
            expired, size, number = expired - gone, size - gone, number + 1
        return number

    def coming_back(self, interval: float) -> Budget:
        """
        Return how long an instance that renews every `interval` may be missing after a heal.

        Its next renewal is sent after R and answered 404, its registration one batch later;
        an attempt that was under way when the link came back may have to run into its time-out.
        """
        seconds = interval + 2 * BATCHING + self.peer_timeout + RETRY + SLACK + self.cache
        name, figure = (" + U", f" + {self.cache:g}") if self.cache else ("", "")
        return Budget(
            seconds=seconds,
            formula=(
                f"R + 2·{BATCHING:g} + peer time-out + {RETRY:g} + {SLACK:g}{name} = "
                f"{interval:g} + {2 * BATCHING:g} + {self.peer_timeout:g} + {RETRY:g} + "
                f"{SLACK:g}{figure} s"
            ),
        )

    def threshold(self, clients: int) -> int:
        """Return the renewals a minute at or below which the node protects itself (PRESERVE-01)."""
        return int(clients * (WINDOW / self.expected_interval) * self.renewal_percent)


def _number(name: str, value: str | float) -> float:
    try:
        return float(value)
    except ValueError:
        raise SettingsError(
            f"{name} is {value!r} in the settings of a node, but it must be a number."
        ) from None


def rules_of_nodes(header: Header) -> dict[str, Rules]:
    """Return the rules of each node of the run."""
    return {node: Rules.of(header.settings.get(node, {}), header.speed) for node in header.nodes}
