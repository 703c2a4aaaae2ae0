"""
Chapter 17, rate limiting: which reads are limited, how, and for whom.

Burst 5, four list reads a second on average, two whole lists a second (`fixtures/profiles/limit`).
Each test begins with full buckets. What a bucket gains during a series of calls is counted by the
time that the series took, so a slow machine makes nothing wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from eureka_tck.verdict import Inconclusive, expect, requirement
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.actors.instance import Instance
    from eureka_tck.cluster import Cluster
    from eureka_tck.registry import Registry
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.client import WireClient

NEEDS = {"settings", "peers", "rate-limiter"}
BURST: Final = 5
LIST_RATE: Final = 4.0  # a second, of the bucket that all list reads share
FULL_RATE: Final = 2.0  # a second, of the one that whole lists have beside
REFILL: Final = BURST / FULL_RATE + 0.5  # s until both are full
CALLS: Final = 20
IDENTITY: Final = "DiscoveryIdentity-Name"


@dataclass(frozen=True, slots=True)
class Series:
    """Calls one after the other: their statuses, and the registry seconds that they took."""

    statuses: tuple[int, ...]
    seconds: float

    @property
    def served(self) -> int:
        """How many were answered 200."""
        return self.statuses.count(200)

    def gained(self, rate: float) -> float:
        """Return the tokens that a bucket gained meanwhile."""
        return self.seconds * rate


@pytest.fixture
def full(cluster: Cluster) -> None:
    """Wait until both buckets are full, whatever the test before has taken."""
    cluster.clock.reach(cluster.clock.now() + REFILL)


def series(cluster: Cluster, call: Callable[[], Answer], calls: int = CALLS) -> Series:
    """Make so many calls as fast as they go."""
    begun = cluster.clock.now()
    statuses = tuple(call().status for _ in range(calls))
    return Series(statuses, cluster.clock.now() - begun)


def expect_limited(done: Series, rate: float) -> None:
    """Require five, and what the time of the series brought, to be served and the rest 503."""
    __tracebackhide__ = True
    most = BURST + done.gained(rate)
    if most >= len(done.statuses) - 1:
        raise Inconclusive(
            f"{len(done.statuses)} calls took {done.seconds:.1f} s: too slow for any limit.",
            late=True,
        )
    others = [status for status in done.statuses if status not in {200, 503}]
    expect("the list of answers that are neither 200 nor 503", others).is_absent()
    expect(f"the number of reads served of {len(done.statuses)}", done.served).is_between(
        BURST,
        most + 1,
        unit="",
        because=f"a burst of 5, and {rate:g} a second for the time it took",
    )


# LIMIT-01: what is limited


@requirement("LIMIT-01", profile="limit", needs=NEEDS, seconds=4)
@pytest.mark.usefixtures("full")
@pytest.mark.parametrize("path", ["/apps", "/apps/", "/apps?regions=x"])
def test_whole_lists_are_limited(cluster: Cluster, registry: Registry, path: str) -> None:
    """Of twenty whole lists at once five are served, and two more for each second."""
    done = series(cluster, lambda: registry.call("GET", path))

    expect_limited(done, FULL_RATE)


@requirement("LIMIT-01", profile="limit", needs=NEEDS, seconds=4)
@pytest.mark.usefixtures("full")
def test_deltas_are_limited(cluster: Cluster, registry: Registry) -> None:
    """Of twenty deltas at once five are served, and four more for each second."""
    done = series(cluster, registry.delta)

    expect_limited(done, LIST_RATE)


@requirement("LIMIT-01", profile="limit", needs=NEEDS, seconds=4)
@pytest.mark.usefixtures("full")
def test_reads_of_an_application_are_limited(
    cluster: Cluster, registry: Registry, cart: Instance
) -> None:
    """Of twenty reads of an application at once five are served, and four more a second."""
    cart.register()

    done = series(cluster, lambda: registry.app(cart.app))

    expect_limited(done, LIST_RATE)


@requirement("LIMIT-01", profile="limit", needs=NEEDS, seconds=4)
@pytest.mark.usefixtures("full")
def test_refused_whole_lists_take_from_the_common_bucket(
    cluster: Cluster, registry: Registry
) -> None:
    """After twenty whole lists, most of them refused, the bucket of the deltas is empty too."""
    begun = cluster.clock.now()
    series(cluster, registry.apps)

    done = series(cluster, registry.delta, 5)

    gained = (cluster.clock.now() - begun) * LIST_RATE
    if gained > 3:
        raise Inconclusive(f"the bucket had gained {gained:.1f} tokens meanwhile.", late=True)
    expect("the number of deltas served of 5", done.served).is_at_most(
        int(gained) + 1, unit="", because="the whole lists have taken all there was"
    )


@requirement("LIMIT-01", profile="limit", needs=NEEDS, seconds=4)
@pytest.mark.usefixtures("full")
def test_deltas_do_not_take_from_the_bucket_of_whole_lists(
    cluster: Cluster, registry: Registry
) -> None:
    """Three deltas leave two tokens in the common bucket: two whole lists are served after them."""
    series(cluster, registry.delta, 3)

    done = series(cluster, registry.apps, 2)

    expect("the number of whole lists served of 2", done.served).equals(2)


@requirement("LIMIT-01", profile="limit", needs=NEEDS, seconds=5)
@pytest.mark.usefixtures("full")
def test_a_bucket_gains_at_the_average_rate(cluster: Cluster, registry: Registry) -> None:
    """Emptied, and left alone for one second, the common bucket has four tokens again."""
    series(cluster, registry.delta)
    begun = cluster.clock.now()
    cluster.clock.reach(begun + 1)

    done = series(cluster, registry.delta, 8)

    gained = (cluster.clock.now() - begun) * LIST_RATE
    if gained > 7:
        raise Inconclusive(f"the bucket had gained {gained:.1f} tokens meanwhile.", late=True)
    expect("the number of deltas served of 8", done.served).is_between(
        4, gained + 1, unit="", because="four a second for one second, and the time it took"
    )


@requirement("LIMIT-01", profile="limit", needs=NEEDS, seconds=2)
@pytest.mark.parametrize(
    ("due", "call"),
    [
        pytest.param(200, lambda wire, one: wire.instance(one.app, one.id), id="single-read"),
        pytest.param(200, lambda wire, one: wire.instance_by_id(one.id), id="read-by-id"),
        pytest.param(200, lambda wire, one: wire.vips(one.app.lower()), id="vip"),
        pytest.param(200, lambda wire, one: wire.svips(one.app.lower()), id="svip"),
        pytest.param(200, lambda wire, one: wire.renew(one.app, one.id), id="renewal"),
        pytest.param(204, lambda wire, one: wire.register(sample(one.app, one.id)), id="register"),
        pytest.param(200, lambda wire, one: wire.set_status(one.app, one.id, "UP"), id="status"),
        pytest.param(
            200, lambda wire, one: wire.set_metadata(one.app, one.id, {"a": "b"}), id="metadata"
        ),
    ],
)
def test_other_calls_are_never_limited(
    cluster: Cluster,
    registry: Registry,
    cart: Instance,
    due: int,
    call: Callable[[WireClient, Instance], Answer],
) -> None:
    """When the buckets are empty, ten calls of any other kind are answered as ever."""
    cart.register()
    series(cluster, registry.apps)
    emptied = series(cluster, registry.apps, 2)
    if 503 not in emptied.statuses:
        raise Inconclusive("the buckets were not empty after 22 whole lists.")

    done = series(cluster, lambda: call(registry, cart), 10)

    expect("the set of answers", set(done.statuses)).consists_of({due})


@requirement("LIMIT-01", profile="unlimited", needs=NEEDS, seconds=2)
@pytest.mark.parametrize("read", ["apps", "delta"])
@pytest.mark.parametrize(
    "node",
    [
        pytest.param("a", id="burst-0"),
        pytest.param("b", id="rates-0"),
        pytest.param("c", id="rates-below-0"),
    ],
)
def test_a_burst_or_a_rate_of_nothing_lifts_the_limit(
    cluster: Cluster, registry: Registry, node: str, read: str
) -> None:
    """At a node whose burst or rates are 0 or less, twenty list reads at once are all served."""
    done = series(cluster, getattr(registry.of(node), read))

    expect("the number of list reads served of 20", done.served).equals(20)


# LIMIT-02: who is limited


@requirement("LIMIT-02", profile="limit", needs=NEEDS, seconds=2)
@pytest.mark.parametrize("name", ["DefaultClient", "DefaultServer", "trusted"])
def test_known_clients_are_exempt(cluster: Cluster, registry: Registry, name: str) -> None:
    """Standard clients, peers and privileged names are served twenty times of twenty."""
    done = series(cluster, lambda: registry.call("GET", "/apps", headers={IDENTITY: name}))

    expect(f"the number of whole lists served to {name} of 20", done.served).equals(20)


@requirement("LIMIT-02", profile="limit", needs=NEEDS, seconds=4)
@pytest.mark.usefixtures("full")
def test_another_name_is_limited(cluster: Cluster, registry: Registry) -> None:
    """A client that calls itself something else is limited as one without a name."""
    done = series(cluster, lambda: registry.call("GET", "/apps", headers={IDENTITY: "stranger"}))

    expect_limited(done, FULL_RATE)


@requirement("LIMIT-02", profile="limit", needs=NEEDS, seconds=4)
@pytest.mark.usefixtures("full")
@pytest.mark.parametrize("name", ["DefaultClient", "DefaultServer"])
def test_standard_clients_can_be_limited(cluster: Cluster, registry: Registry, name: str) -> None:
    """Where standard clients are not spared (node b), five of twenty at once are served."""
    wire = registry.of("b")

    done = series(cluster, lambda: wire.call("GET", "/apps", headers={IDENTITY: name}))

    expect_limited(done, FULL_RATE)
