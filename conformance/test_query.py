"""Chapter 7, reading: what each read returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.actors.view import look, path_of, seen
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.record import STATUSES
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case

# QUERY-01: what is registered


@requirement("QUERY-01")
@pytest.mark.parametrize("view", ["apps", "app", "instance", "instances"])
@pytest.mark.parametrize("status", STATUSES)
def test_a_registered_instance_is_returned_in_whatever_status(
    cart: Instance, status: str, view: str
) -> None:
    """Each read returns the instance as it registered, UP or not."""
    cart.register(status=status, hostName="cart.example")

    told = seen(cart, view, look(cart, view))

    expect("the instance", (told.app, told.id, told.host_name, told.status)).equals(
        (cart.app, cart.id, "cart.example", status)
    )


@requirement("QUERY-01")
@pytest.mark.parametrize("accept", [pytest.param(JSON, id="json"), pytest.param(XML, id="xml")])
def test_an_application_lists_all_its_instances_and_no_others(
    registry: Registry, case: Case, accept: str
) -> None:
    """`/apps/{APP}` has each instance of the application once, and nothing of another."""
    Instance(registry, case.app("SHOP"), case.id("other")).register()
    carts = [Instance(registry, case.app("CART"), case.id(number)) for number in range(4)]
    for cart in carts:
        cart.register()

    listed = look(carts[0], "app", accept=accept).application()

    expect("the list of ids", [record.id for record in listed.instance]).consists_of(
        cart.id for cart in carts
    )


@requirement("QUERY-01")
def test_the_whole_list_has_each_application_once(registry: Registry, case: Case) -> None:
    """`/apps` has the instances of both applications, each below its own."""
    for app in ("CART", "SHOP"):
        for number in range(2):
            Instance(registry, case.app(app), case.id(number)).register()

    listed = registry.apps().applications()

    names = [app.name for app in listed.application]
    expect(
        "how often each application is listed, and with which instances",
        [
            (names.count(case.app(app)), sorted(listed.ids(case.app(app))))
            for app in ("CART", "SHOP")
        ],
    ).equals([(1, [case.id(0), case.id(1)])] * 2)


@requirement("QUERY-01")
@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/apps/{other}", id="app"),
        pytest.param("/apps/{app}/{nobody}", id="instance"),
        pytest.param("/apps/{other}/{id}", id="instance-of-another-app"),
        pytest.param("/instances/{nobody}", id="id"),
    ],
)
def test_what_is_unknown_is_404(registry: Registry, cart: Instance, case: Case, path: str) -> None:
    """Beside a registered instance, an unknown application, instance or id is not there."""
    cart.register()
    where = path.format(app=cart.app, id=cart.id, other=case.app("NONE"), nobody=case.id("nobody"))

    answer = registry.call("GET", where)

    expect(f"the answer to {path}", answer).has_status(404)


# QUERY-02, QUERY-03: virtual addresses

KINDS = [
    pytest.param("vips", "vipAddress", id="vip"),
    pytest.param("svips", "secureVipAddress", id="svip"),
]


def under(registry: Registry, kind: str, vip: str, accept: str = JSON) -> list[str]:
    """Return the ids that are listed under an address."""
    answer = registry.call("GET", f"/{kind}/{vip}", headers={"Accept": accept})
    expect(f"the answer to /{kind}/{vip}", answer).has_status(200)
    return [record.id for record in answer.applications()]


@requirement("QUERY-02")
@pytest.mark.parametrize(("kind", "field"), KINDS)
@pytest.mark.parametrize("accept", [pytest.param(JSON, id="json"), pytest.param(XML, id="xml")])
def test_an_address_lists_exactly_the_instances_that_have_it(
    registry: Registry, case: Case, kind: str, field: str, accept: str
) -> None:
    """Instances of two applications with the address are listed, one with another is not."""
    vip = case.id("vip")
    for app, number, own in (("CART", 1, vip), ("SHOP", 2, vip), ("CART", 3, f"{vip}-other")):
        other = {"vipAddress": "elsewhere", "secureVipAddress": "elsewhere"}
        fields = {**other, field: own}
        registry.register(sample(case.app(app), case.id(number), **fields))

    listed = under(registry, kind, vip, accept)

    expect("the list of ids", listed).consists_of([case.id(1), case.id(2)])


@requirement("QUERY-02")
@pytest.mark.parametrize(("kind", "field"), KINDS)
def test_a_list_of_addresses_is_split(
    registry: Registry, case: Case, cart: Instance, kind: str, field: str
) -> None:
    """An instance with three addresses is listed under each of them."""
    vips = [case.id(name) for name in ("a", "b", "c")]
    registry.register(sample(cart.app, cart.id, **{field: ",".join(vips)}))

    listed = [under(registry, kind, vip) for vip in vips]

    expect("what is listed under the three", listed).equals([[cart.id]] * 3)


@requirement("QUERY-02")
@pytest.mark.parametrize(("kind", "field"), KINDS)
def test_a_part_of_an_address_lists_nothing(
    registry: Registry, case: Case, cart: Instance, kind: str, field: str
) -> None:
    """Neither the beginning of an address nor the whole list of them is an address."""
    registry.register(sample(cart.app, cart.id, **{field: f"{case.id('ab')},{case.id('cd')}"}))

    listed = [
        under(registry, kind, vip)
        for vip in (case.id("a"), case.id("c"), f"{case.id('ab')},{case.id('cd')}")
    ]

    expect("what is listed under the three", listed).equals([[], [], []])


@requirement("QUERY-02")
@pytest.mark.parametrize(("kind", "field"), KINDS)
def test_the_two_kinds_of_addresses_are_apart(
    registry: Registry, case: Case, cart: Instance, kind: str, field: str
) -> None:
    """An address of one kind lists nothing under the other."""
    vip = case.id("vip")
    other = {"vipAddress": "elsewhere", "secureVipAddress": "elsewhere"}
    registry.register(sample(cart.app, cart.id, **{**other, field: vip}))

    own, foreign = under(registry, kind, vip), under(registry, _other(kind), vip)

    expect("what is listed under both kinds", (own, foreign)).equals(([cart.id], []))


def _other(kind: str) -> str:
    return {"vips": "svips", "svips": "vips"}[kind]


@requirement("QUERY-02")
@pytest.mark.parametrize(("kind", "field"), KINDS)
def test_a_cancelled_instance_leaves_its_address(
    registry: Registry, case: Case, cart: Instance, kind: str, field: str
) -> None:
    """The address lists the instance while it is registered, and no longer."""
    vip = case.id("vip")
    registry.register(sample(cart.app, cart.id, **{field: vip}))
    before = under(registry, kind, vip)

    cart.cancel()

    expect("before and after", (before, under(registry, kind, vip))).equals(([cart.id], []))


@requirement("QUERY-03")
@pytest.mark.parametrize("kind", ["vips", "svips"])
def test_an_unknown_address_lists_no_applications(
    registry: Registry, case: Case, kind: str
) -> None:
    """The reference answers 200, with a list of none."""
    listed = under(registry, kind, case.id("nowhere"))

    expect("the list of ids", listed).equals([])


# QUERY-06, QUERY-07: around the protocol


@requirement("QUERY-06")
@pytest.mark.parametrize("view", ["apps", "app", "vip"])
def test_unknown_regions_change_nothing(cart: Instance, view: str) -> None:
    """A list read that names regions nobody knows lists the same."""
    cart.register()

    answer = cart.registry.call("GET", path_of(cart, view), params={"regions": "nowhere,else"})

    expect("the answer with unknown regions", answer).has_status(200)
    expect("the instance in it", seen(cart, view, answer).id).equals(cart.id)


@requirement("QUERY-07")
@pytest.mark.parametrize(
    ("path", "accept", "code"),
    [
        pytest.param("", JSON, 404, id="root"),
        pytest.param("/", JSON, 404, id="root-with-slash"),
        pytest.param("/vips/", JSON, 404, id="no-vip"),
        pytest.param("/serverinfo", JSON, 404, id="serverinfo"),
        pytest.param("/peerreplication/batch/", JSON, 405, id="batch-by-get"),
        pytest.param("/status", XML, 200, id="status-xml"),
        pytest.param("/status", JSON, 500, id="status-json"),
    ],
)
def test_around_the_protocol_the_reference_answers(
    registry: Registry, path: str, accept: str, code: int
) -> None:
    """These paths answer with these codes."""
    answer = registry.call("GET", path, headers={"Accept": accept})

    expect(f"the answer to {path}", answer).has_status(code)


@requirement("QUERY-07", profile="abuse", needs={"settings", "peers"})
@pytest.mark.parametrize("path", ["/", "/lastn"])
def test_the_host_has_pages(registry: Registry, path: str) -> None:
    """Status page and the list of the last changes are served at the host's root."""
    answer = registry.page(path, headers={"Accept": "text/html"})

    expect(f"the answer to {path}", answer).has_status(200)
