"""
Chapter 9, the response cache: how late a list may be, and what makes it fresh.

With the read-only cache off (profile `open`) a change shows at once; with it on (`cache-on`)
lists are brought up to date every 5 s. X, after which any list is written anew, is 20 s in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.verdict import Inconclusive, due, expect, requirement
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.sample import DIRTY_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.crush import Crush
    from eureka_tck.observe.names import Names
    from eureka_tck.observe.retention import Retention
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case
    from eureka_tck.wire.record import Record

UPDATE: Final = 5.0  # s, U of profile cache-on
EXPIRY: Final = 20.0  # s, X of the profiles open and cache-on
SEEN: Final = 2.0  # registry s until a change that is due is seen: writing, asking, a stall
NEEDS = {"settings"}
COMPACT = {"X-Eureka-Accept": "compact"}
LISTS = ["apps", "delta", "app", "vip", "svip"]

CHANGES = [
    pytest.param(
        lambda one: one.register(ipAddr="10.9.9.9", dirty=DIRTY_MS + 1),
        lambda told: told is not None and told.ip == "10.9.9.9",
        id="registration",
    ),
    pytest.param(
        lambda one: one.set_status("DOWN"),
        lambda told: told is not None and told.status == "DOWN",
        id="status",
    ),
    pytest.param(
        lambda one: one.remove_status("UP"),
        lambda told: told is not None and told.status == "UP",
        id="override-removal",
    ),
    pytest.param(
        lambda one: one.set_metadata({"colour": "blue"}),
        lambda told: told is not None and told.user_metadata.get("colour") == "blue",
        id="metadata",
    ),
    pytest.param(lambda one: one.cancel(), lambda told: told is None, id="cancellation"),
]


# CACHE-01: with the read-only cache


@requirement("CACHE-01", profile="cache-on", needs=NEEDS, seconds=6)
@pytest.mark.parametrize("kind", LISTS)
def test_a_list_follows_within_the_refresh(cluster: Cluster, cart: Instance, kind: str) -> None:
    """A list that was read before a status change shows it within 5 s, and the time to write it."""
    cart.register()
    listed(cart, kind)

    cart.set_status("DOWN")

    with due("the list shows the change within one refresh of 5 s", margin=SEEN):
        cluster.clock.wait_until(
            lambda: status(listed(cart, kind)) == "DOWN",
            within=UPDATE + SEEN,
            what=f"the status DOWN in the list {kind}",
        )


@requirement("CACHE-01", profile="cache-on", needs=NEEDS, seconds=6)
@pytest.mark.parametrize(("deed", "shown"), CHANGES)
def test_every_change_shows_within_the_refresh(
    cluster: Cluster,
    cart: Instance,
    deed: Callable[[Instance], object],
    shown: Callable[[Record | None], bool],
) -> None:
    """The list of an application, read before, shows a change of any kind within 5 s."""
    overridden(cart)
    primed(cart)

    deed(cart)

    with due("the list shows the change within one refresh of 5 s", margin=SEEN):
        cluster.clock.wait_until(
            lambda: shown(listed(cart, "app")),
            within=UPDATE + SEEN,
            what="the change in the application's list",
        )


# CACHE-02, CACHE-04: without it


@requirement("CACHE-02")
@pytest.mark.parametrize("kind", LISTS)
def test_a_list_shows_a_change_at_once(cart: Instance, kind: str) -> None:
    """Without the read-only cache, a list read before a status change shows it at once."""
    cart.register()
    listed(cart, kind)

    cart.set_status("DOWN")

    expect(
        f"the status in the list {kind}, read right after its change", status(listed(cart, kind))
    ).equals("DOWN")


@requirement("CACHE-02", "CACHE-04")
@pytest.mark.parametrize(("deed", "shown"), CHANGES)
def test_every_change_makes_the_list_fresh(
    cart: Instance, deed: Callable[[Instance], object], shown: Callable[[Record | None], bool]
) -> None:
    """Without the read-only cache, a list read before shows a change of any kind at once."""
    overridden(cart)
    primed(cart)

    deed(cart)

    expect(
        "that the application's list shows the change at once", shown(listed(cart, "app"))
    ).is_true()


@requirement("CACHE-04", profile="retention", needs=NEEDS, seconds=30)
def test_an_eviction_makes_the_list_fresh(retention: Retention) -> None:
    """A list read before an eviction, and good for 120 s, is written anew after it."""
    expect("the eviction in the delta", retention.evicted).is_present()

    expect(
        "the status of the list of an application whose only instance was evicted",
        retention.primed_after_eviction,
    ).equals(404)


@requirement("CACHE-04")
def test_a_renewal_leaves_the_list_as_it_is(
    cluster: Cluster, cart: Instance, a_moment: Callable[[], None]
) -> None:
    """A list read before a renewal is not written anew for it: its stamp stays as it was."""
    cart.register()
    began = cluster.clock.now()
    before = renewed_ms(primed(cart))
    a_moment()

    cart.renew()
    after = renewed_ms(listed(cart, "app"))
    if after != before and (took := cluster.clock.now() - began) >= EXPIRY - SEEN:
        raise Inconclusive(
            f"{took:.1f} s passed between the two lists, which expire after {EXPIRY:g} s anyway.",
            late=True,
        )

    expect("lastRenewalTimestamp read singly", cart.record().leased.renewed_ms).is_more_than(
        before, unit="ms"
    )
    expect("lastRenewalTimestamp in the list", after).equals(
        before, because="a renewal does not invalidate"
    )


# CACHE-03: what was never read


@requirement("CACHE-03", profile="cache-on", needs=NEEDS)
@pytest.mark.parametrize(
    ("kind", "headers"),
    [
        pytest.param("app", {"Accept": JSON, **COMPACT}, id="app-compact"),
        pytest.param("app", {"Accept": XML}, id="app-xml"),
        pytest.param("vip", {"Accept": JSON}, id="vip"),
        pytest.param("svip", {"Accept": JSON, **COMPACT}, id="svip-compact"),
    ],
)
def test_a_list_never_read_before_is_fresh(
    cart: Instance, kind: str, headers: dict[str, str]
) -> None:
    """Though another representation was read before the change, one never read shows it at once."""
    cart.register()
    listed(cart, "app")

    cart.set_status("DOWN")

    expect(
        "the status in a list that nobody has read before", status(listed(cart, kind, headers))
    ).equals("DOWN")


# CACHE-05: the oldest a list may be


@requirement("CACHE-05", seconds=25)
def test_a_list_is_written_anew_after_its_expiry(
    cluster: Cluster, cart: Instance, a_moment: Callable[[], None]
) -> None:
    """What invalidates nothing, a renewal, is seen in a list at the latest 20 s after it."""
    expect_renewal_listed(cluster, cart, a_moment, EXPIRY)


@requirement("CACHE-05", profile="cache-on", needs=NEEDS, seconds=30, depth="full")
def test_a_list_is_written_anew_after_expiry_and_refresh(
    cluster: Cluster, cart: Instance, a_moment: Callable[[], None]
) -> None:
    """With the read-only cache a renewal is seen at the latest 20 s + 5 s after it."""
    expect_renewal_listed(cluster, cart, a_moment, EXPIRY + UPDATE)


def expect_renewal_listed(
    cluster: Cluster, cart: Instance, a_moment: Callable[[], None], within: float
) -> None:
    """Require that a renewal made right after a list was written is seen in it within so many s."""
    __tracebackhide__ = True
    cart.register()
    before = renewed_ms(primed(cart))
    a_moment()
    cart.renew()

    with due(f"a list is never older than {within:g} s", margin=SEEN):
        cluster.clock.wait_until(
            lambda: renewed_ms(listed(cart, "app")) > before,
            within=within + SEEN,
            what="the renewal's stamp in the application's list",
            pace=0.5,
        )


# CACHE-06, CACHE-08: lists by address


@requirement("CACHE-06")
@pytest.mark.parametrize("kind", ["vip", "svip"])
@pytest.mark.parametrize("place", [0, 1], ids=["first", "second"])
def test_each_of_several_addresses_is_fresh(cart: Instance, kind: str, place: int) -> None:
    """An instance that lists two addresses shows a status change at once under either."""
    addresses = [f"{cart.app.lower()}-a", f"{cart.app.lower()}-b"]
    cart.register(vipAddress=",".join(addresses), secureVipAddress=",".join(addresses))
    by_address(cart, kind, addresses[place])

    cart.set_status("DOWN")

    expect(
        "the status under one of two addresses", status(by_address(cart, kind, addresses[place]))
    ).equals("DOWN", because="so it would be for an instance with one address")


@requirement("CACHE-06")
@pytest.mark.parametrize("kind", ["vip", "svip"])
def test_a_compact_list_by_address_is_fresh(cart: Instance, kind: str) -> None:
    """A compact list by address, read before a status change, shows it at once."""
    headers = {"Accept": JSON, **COMPACT}
    cart.register()
    listed(cart, kind, headers)

    cart.set_status("DOWN")

    expect("the status in a compact list by address", status(listed(cart, kind, headers))).equals(
        "DOWN", because="so it would be in a full one"
    )


@requirement("CACHE-08")
@pytest.mark.parametrize("kind", ["vip", "svip"])
def test_an_instance_leaves_the_list_of_its_old_address(cart: Instance, kind: str) -> None:
    """Registered again with another address, an instance leaves the old one's list at once."""
    old, new = f"{cart.app.lower()}-old", f"{cart.app.lower()}-new"
    cart.register(vipAddress=old, secureVipAddress=old)
    expect("the instance under its first address", by_address(cart, kind, old)).is_present()

    cart.register(vipAddress=new, secureVipAddress=new, dirty=DIRTY_MS + 1)

    expect("the instance under its new address", by_address(cart, kind, new)).is_present()
    expect("the instance under its old address", by_address(cart, kind, old)).is_absent()


# CACHE-07: a change while a list is written


@requirement("CACHE-07", profile="crowd", needs=NEEDS, seconds=30, depth="full")
def test_a_change_is_not_lost_while_a_list_is_written(crush: Crush) -> None:
    """In 30 rounds of registrations made while lists are written, none is missing in a list."""
    crush.provoked()

    expect(
        "the list of representations that lack the last instance registered", crush.lost
    ).is_absent(because="each was read again after the registration was answered")


# CACHE-09: a status that a renewal changed


@requirement("CACHE-09", profile="retention", needs=NEEDS, seconds=30)
def test_a_status_changed_by_a_renewal_makes_the_list_fresh(retention: Retention) -> None:
    """A list read before a renewal changed a status, and good for 120 s, shows it at once."""
    retention.turned_by_renewal()

    expect("the status in the list", retention.primed_turned).equals(
        "OUT_OF_SERVICE", because="that is its status, read singly"
    )


@requirement("CACHE-09", profile="retention", needs=NEEDS, seconds=30)
def test_a_status_changed_by_a_renewal_is_told_by_the_delta(retention: Retention) -> None:
    """The delta, which had forgotten the instance, tells the status that a renewal changed."""
    retention.turned_by_renewal()

    expect("the status that the delta tells", status(retention.late["turned"])).equals(
        "OUT_OF_SERVICE"
    )


# CACHE-10: refusals are cached too


@requirement("CACHE-10", profile="cache-on", needs=NEEDS, seconds=3)
def test_the_404_of_an_application_lasts_until_the_refresh(
    cluster: Cluster, registry: Registry, case: Case
) -> None:
    """Of three applications asked for too early, one at least is 404 after its registration."""
    seen = []
    began = cluster.clock.now()
    for number in range(3):  # a refresh may fall between any two calls, not between all three
        one = Instance(registry, case.app(f"EARLY{number}"), case.id(number))
        registry.app(one.app)
        one.register()
        seen.append(registry.app(one.app).status)
    quick_enough(cluster, began, seen, 404)

    expect("the list of answers right after the registration", seen).contains(404)


@requirement("CACHE-10", profile="cache-on", needs=NEEDS, seconds=3)
def test_a_cancelled_application_stays_until_the_refresh(
    cluster: Cluster, registry: Registry, case: Case
) -> None:
    """Of three applications read and cancelled, one at least is still listed."""
    seen = []
    began = cluster.clock.now()
    for number in range(3):
        one = Instance(registry, case.app(f"GONE{number}"), case.id(number))
        one.register()
        registry.app(one.app)
        one.cancel()
        seen.append(registry.app(one.app).status)
    quick_enough(cluster, began, seen, 200)

    expect("the list of answers right after the cancellation", seen).contains(200)


@requirement("CACHE-10", profile="cache-on", needs=NEEDS, seconds=6)
def test_the_404_of_an_application_ends_with_the_refresh(cluster: Cluster, cart: Instance) -> None:
    """An application asked for too early is listed at the latest 5 s after its registration."""
    cart.registry.app(cart.app)
    cart.register()

    with due("the application is listed within one refresh of 5 s", margin=SEEN):
        cluster.clock.wait_until(
            lambda: cart.registry.app(cart.app).status == 200,
            within=UPDATE + SEEN,
            what="the application's list",
        )


# CACHE-11: names without end


@requirement(
    "CACHE-11",
    profile="names",
    needs={"settings", "memory", "destructive"},
    seconds=60,
    depth="full",
)
def test_names_in_read_urls_do_not_fill_the_memory(names: Names) -> None:
    """After 340 reads with names never used before, the node serves and its memory is bounded."""
    expect(
        "that the node keeps serving, in bounded memory, whatever names it is read with",
        names.is_bounded,
    ).is_true(because="it must keep less than half of what it has served")


# what they share


def primed(one: Instance) -> Record | None:
    """Read the application's list, which must tell the instance: what follows is about its copy."""
    __tracebackhide__ = True
    told = listed(one, "app")
    expect("the instance in the list read before the change", told).is_present()
    return told


def quick_enough(cluster: Cluster, began: float, seen: list[int], sought: int) -> None:
    """Refuse to judge three pairs of calls so slow that a refresh may lie within each of them."""
    took = cluster.clock.now() - began
    if sought not in seen and took >= UPDATE:
        raise Inconclusive(
            f"three pairs of calls took {took:.1f} s, and there is a refresh every {UPDATE:g} s.",
            late=True,
        )


def listed(one: Instance, kind: str, headers: dict[str, str] | None = None) -> Record | None:
    """Return how a list tells the instance, None if not; of vips and svips its only address's."""
    if kind in {"vip", "svip"}:
        return by_address(one, kind, one.app.lower(), headers)
    path = {"apps": "/apps", "delta": "/apps/delta", "app": f"/apps/{one.app}"}[kind]
    answer = one.registry.call("GET", path, headers=headers)
    if kind != "app":
        return answer.applications().find(one.app, one.id)
    return None if answer.status == 404 else answer.application().find(one.id)


def by_address(
    one: Instance, kind: str, address: str, headers: dict[str, str] | None = None
) -> Record | None:
    """Return how the list of an address tells the instance, None if not."""
    answer = one.registry.call("GET", f"/{kind}s/{address}", headers=headers)
    return None if answer.status == 404 else answer.applications().find(one.app, one.id)


def overridden(one: Instance) -> None:
    """Register the instance and put it out of service, so that every change has something to do."""
    one.register()
    one.set_status("OUT_OF_SERVICE")


def status(told: Record | None) -> str:
    """Return the status in an entry."""
    return "nothing" if told is None else told.status


def renewed_ms(told: Record | None) -> int:
    """Return the stamp of the last renewal in an entry, epoch ms."""
    return -1 if told is None else told.leased.renewed_ms
