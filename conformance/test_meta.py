"""Chapter 6, metadata: what a metadata call changes, what it leaves, and where it arrives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.actors.view import LISTS, look, seen
from eureka_tck.observe.pair import acquaint
from eureka_tck.verdict import due, expect, requirement
from eureka_tck.wire.sample import DIRTY_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.cluster import Cluster
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case

INTERVAL = 5.0  # s, responseCacheUpdateIntervalMs of the profile cache-on
GENERATING = 2.0
"""Registry s to generate a list and to ask for it, at speed 10 on a busy machine."""


@pytest.fixture(scope="session")
def acquainted(profile_cluster: Callable[[str], Cluster]) -> Cluster:
    """Give the profile's two nodes once they have exchanged something."""
    return acquaint(profile_cluster("pair"))


def put(cart: Instance, query: str) -> None:
    """Make a metadata call with exactly this query, which must be answered 200."""
    __tracebackhide__ = True
    answer = cart.registry.call("PUT", f"/apps/{cart.app}/{cart.id}/metadata?{query}")
    expect("the answer to the metadata call", answer).has_status(200)


# META-01: what the call does


@requirement("META-01")
@pytest.mark.parametrize(
    ("query", "after"),
    [
        pytest.param("colour=green", {"zone": "z1", "colour": "green"}, id="adds"),
        pytest.param("zone=z2", {"zone": "z2"}, id="replaces"),
        pytest.param("zone=z2&colour=green", {"zone": "z2", "colour": "green"}, id="several"),
        pytest.param("colour=red&colour=green", {"zone": "z1", "colour": "red"}, id="repeated"),
        pytest.param("colour", {"zone": "z1", "colour": ""}, id="key-alone"),
        pytest.param("colour=", {"zone": "z1", "colour": ""}, id="empty-value"),
    ],
)
def test_a_metadata_call_adds_or_replaces_keys(
    cart: Instance, query: str, after: dict[str, str]
) -> None:
    """Named keys are added or replaced, the first of repeated ones wins, the others stay."""
    cart.register(metadata={"zone": "z1"})

    put(cart, query)

    expect("the metadata", cart.record().user_metadata).equals(after)


@requirement("META-01")
def test_a_metadata_call_leaves_the_rest_of_the_instance(cart: Instance) -> None:
    """Status, T and addresses are what they were."""
    cart.register(status="DOWN", metadata={"zone": "z1"})
    before = cart.record()

    put(cart, "zone=z2")

    expect("what changed", before.differences(cart.record())).equals(
        "metadata {'zone': 'z1'} became {'zone': 'z2'}"
    )


@requirement("META-01")
def test_a_metadata_call_about_an_unknown_instance_is_404(
    registry: Registry, case: Case, cart: Instance
) -> None:
    """Beside a registered instance of its application, an unknown one has no metadata."""
    cart.register()

    answer = registry.set_metadata(cart.app, case.id("nobody"), {"k": "v"})

    expect("the answer to a metadata call about an unknown instance", answer).has_status(404)


@requirement("META-01")
def test_a_metadata_call_in_an_unknown_application_is_404(cart: Instance) -> None:
    """Nor has one of an unknown application."""
    answer = cart.set_metadata({"k": "v"})

    expect("the answer to a metadata call in an unknown application", answer).has_status(404)


# META-02: where it shows


@requirement("META-02")
@pytest.mark.parametrize("compact", [False, True], ids=["full", "compact"])
def test_a_metadata_change_is_told_as_added(cart: Instance, *, compact: bool) -> None:
    """The delta tells a metadata change as ADDED, though the instance was MODIFIED before."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")

    put(cart, "colour=green")

    told = seen(cart, "delta", look(cart, "delta", compact=compact))
    expect("actionType in the delta", told.action).equals("ADDED")


@requirement("META-02")
@pytest.mark.parametrize("view", LISTS)
def test_a_metadata_change_shows_at_once_without_the_cache(cart: Instance, view: str) -> None:
    """With the read-only cache off, a list that was read before shows the change."""
    cart.register(metadata={"zone": "z1"})
    before = seen(cart, view, look(cart, view)).user_metadata

    put(cart, "zone=z2")

    after = seen(cart, view, look(cart, view)).user_metadata
    expect("the metadata before and after", (before, after)).equals(
        ({"zone": "z1"}, {"zone": "z2"})
    )


@requirement("META-02", profile="cache-on", seconds=8)
@pytest.mark.parametrize("view", LISTS)
def test_a_metadata_change_shows_within_the_cache_interval(
    cart: Instance, cluster: Cluster, view: str
) -> None:
    """With the read-only cache on, a list that was read before shows it an interval later."""
    cart.register(metadata={"zone": "z1"}, duration=3600)
    look(cart, view)
    put(cart, "zone=z2")

    with due("the change shows in the list within an interval of the cache", margin=GENERATING):
        cluster.clock.wait_until(
            lambda: _zone(cart, view) == "z2",
            within=INTERVAL + GENERATING,
            what=f"the changed metadata in {view}",
        )


def _zone(cart: Instance, view: str) -> str | None:
    lists = cart.registry.call("GET", LIST_PATHS[view].format(app=cart.app, vip=cart.app.lower()))
    if lists.status != 200:
        return None
    told = (
        lists.application().find(cart.id)
        if view == "app"
        else lists.applications().find(cart.app, cart.id)
    )
    return None if told is None else told.user_metadata.get("zone")


LIST_PATHS = {
    "apps": "/apps",
    "delta": "/apps/delta",
    "app": "/apps/{app}",
    "vip": "/vips/{vip}",
    "svip": "/svips/{vip}",
}


# META-03: the client's own word


@requirement("META-03")
@pytest.mark.parametrize("later", [0, 1], ids=["equal-T", "newer-T"])
def test_a_later_registration_replaces_the_metadata(cart: Instance, later: int) -> None:
    """Keys set by calls go with the next registration that is no older."""
    cart.register(dirty=DIRTY_MS, metadata={"zone": "z1"})
    put(cart, "colour=green&zone=z2")

    cart.register(dirty=DIRTY_MS + later, metadata={"size": "small"})

    expect("the metadata", cart.record().user_metadata).equals({"size": "small"})


@requirement("META-03")
def test_an_older_registration_does_not_replace_the_metadata(cart: Instance) -> None:
    """One with an older T leaves what is there."""
    cart.register(dirty=DIRTY_MS, metadata={"zone": "z1"})
    put(cart, "colour=green")

    cart.register(dirty=DIRTY_MS - 1, metadata={"size": "small"})

    expect("the metadata", cart.record().user_metadata).equals({"zone": "z1", "colour": "green"})


# META-04, META-05: what it is to peers and leases (sent on: test_repl_sending.py)


@requirement("META-04", profile="pair", needs={"settings", "peers"}, seconds=4)
def test_a_metadata_change_arrives_at_the_peer(
    registry: Registry, acquainted: Cluster, case: Case
) -> None:
    """What was set at one node reads back at the other."""
    here, there = (
        Instance(node, case.app("CART"), case.id(1)) for node in (registry, registry.of("b"))
    )
    here.register(metadata={"zone": "z1"}, duration=3600)
    acquainted.clock.wait_until(
        lambda: there.read().status == 200,
        within=20,
        what="the instance at node b",
    )

    put(here, "colour=green")

    with due("the metadata arrives at the peer", margin=3.0):
        acquainted.clock.wait_until(
            lambda: there.record().user_metadata == {"zone": "z1", "colour": "green"},
            within=20,
            what="the changed metadata at node b",
        )


@requirement("META-05")
def test_a_metadata_change_stamps_its_time_and_keeps_t(
    cart: Instance, a_moment: Callable[[], None]
) -> None:
    """`registrationTimestamp` and the lease's stamp move, T does not."""
    cart.register(dirty=DIRTY_MS)
    before = cart.record()
    a_moment()

    put(cart, "colour=green")

    after = cart.record()
    expect(
        "whether registration, lease and T moved",
        (
            after.leased.registered_ms > before.leased.registered_ms,
            after.leased.renewed_ms > before.leased.renewed_ms,
            after.dirty_ms != before.dirty_ms,
        ),
    ).equals((True, True, False))


@requirement("META-05")
def test_a_metadata_change_keeps_the_override(cart: Instance) -> None:
    """Status and override are what an operator has set."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")

    put(cart, "colour=green")

    record = cart.record()
    expect("status and override", (record.status, record.overridden_status)).equals(
        ("OUT_OF_SERVICE", "OUT_OF_SERVICE")
    )
