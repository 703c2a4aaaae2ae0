"""Chapter 1, the wire: names and paths, in any case, with any character, however written."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.actors.view import SINGLES, VIEWS, look, path_of, seen
from eureka_tck.observe.pair import acquaint
from eureka_tck.verdict import due, expect, requirement
from eureka_tck.wire import raw
from eureka_tck.wire.client import JSON
from eureka_tck.wire.sample import DIRTY_MS, registration, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.cluster import Cluster
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.sample import Sample

ODD = [
    pytest.param("host:cart:8080", id="colon"),
    pytest.param("host cart", id="blank"),
    pytest.param("host#cart", id="hash"),
    pytest.param("100%cart", id="percent"),
    pytest.param("host%25cart", id="encoded-percent"),
    pytest.param("größe-大", id="unicode"),
    pytest.param("a?b", id="question-mark"),
    pytest.param("a&b", id="ampersand"),
    pytest.param("a+b", id="plus"),
    pytest.param("a;b", id="semicolon"),
]
CALLS: list[object] = [
    pytest.param(lambda one: one.read(), id="read"),
    pytest.param(lambda one: one.registry.instance_by_id(one.id), id="read-by-id"),
    pytest.param(lambda one: one.renew(), id="renew"),
    pytest.param(lambda one: one.set_status("DOWN"), id="status"),
    pytest.param(lambda one: one.remove_status(), id="removal"),
    pytest.param(lambda one: one.set_metadata({"k": "v"}), id="metadata"),
    pytest.param(lambda one: one.cancel(), id="cancel"),
]


@pytest.fixture(scope="session")
def acquainted(profile_cluster: Callable[[str], Cluster]) -> Cluster:
    """Give the profile's two nodes once they have exchanged something."""
    return acquaint(profile_cluster("pair"))


# WIRE-12: the case of names


@requirement("WIRE-12")
@pytest.mark.parametrize("written", [str.lower, str.title], ids=["lower", "mixed"])
@pytest.mark.parametrize("view", VIEWS)
def test_an_application_is_registered_in_upper_case(
    registry: Registry, case: Case, written: Callable[[str], str], view: str
) -> None:
    """Whatever case its registration has, an application is shown in upper case."""
    app, identity = case.app("CART"), case.id(1)
    registry.register(sample(written(app), identity))

    told = seen(
        Instance(registry, app, identity), view, look(Instance(registry, app, identity), view)
    )

    expect("the application's name", told.app).equals(app)


@requirement("WIRE-12")
@pytest.mark.parametrize("call", CALLS)
def test_an_application_is_found_in_any_case(
    registry: Registry, case: Case, call: Callable[[Instance], Answer]
) -> None:
    """Every call that names the application in lower case finds it."""
    Instance(registry, case.app("CART"), case.id(1)).register()

    answer = call(Instance(registry, case.app("CART").lower(), case.id(1)))

    expect("the answer to the call in lower case", answer).has_status(200)


@requirement("WIRE-12")
def test_an_applications_list_is_found_in_any_case(registry: Registry, cart: Instance) -> None:
    """`/apps/{app}` in lower case is the same list."""
    cart.register()

    answer = registry.app(cart.app.lower())

    expect("the answer to the read in lower case", answer).has_status(200)
    expect("the application's name", answer.application().name).equals(cart.app)


@requirement("WIRE-12")
@pytest.mark.parametrize("action", ["Heartbeat", "Cancel", "StatusUpdate"])
def test_a_batch_names_applications_in_any_case(cart: Instance, action: str) -> None:
    """A task with the application in lower case is executed."""
    cart.register()
    task: Sample = {
        "appName": cart.app.lower(),
        "id": cart.id,
        "action": action,
        "lastDirtyTimestamp": DIRTY_MS,
        "status": "UP",
    }

    answer = cart.registry.batch([task])

    expect("the codes of the batch", [one.status for one in answer.batch()]).equals([200])


@requirement("WIRE-12")
def test_a_batch_registers_in_upper_case(registry: Registry, cart: Instance) -> None:
    """An instance that a peer registers in lower case is shown in upper case."""
    fields = sample(cart.app.lower(), cart.id)
    task: Sample = {
        "appName": cart.app.lower(),
        "id": cart.id,
        "action": "Register",
        "lastDirtyTimestamp": DIRTY_MS,
        "instanceInfo": fields,
    }

    registry.batch([task])

    expect("the application's name", cart.record().app).equals(cart.app)


@requirement("WIRE-12", profile="turkish", needs={"settings", "locale"}, seconds=2)
def test_the_locale_of_a_registry_changes_no_name(registry: Registry, case: Case) -> None:
    """Where `i` has another capital, `mini` and `MINI` are one application all the same."""
    app = f"mini-{case.app('x')}"
    registry.register(sample(app.lower(), case.id(1)))
    registry.register(sample(app.upper(), case.id(2)))

    listed = registry.apps().applications()

    expect("the set of applications", {one.name for one in listed.application}).equals(
        {app.upper()}
    )


@requirement("WIRE-12")
def test_ids_differ_by_case(registry: Registry, case: Case) -> None:
    """Two ids that are equal but for their case are two instances."""
    small, great = (Instance(registry, case.app("CART"), case.id(name)) for name in ("x", "X"))
    small.register(status="UP")
    great.register(status="DOWN")

    expect("the statuses of the two", (small.record().status, great.record().status)).equals(
        ("UP", "DOWN")
    )


@requirement("WIRE-12")
@pytest.mark.parametrize("view", SINGLES)
def test_an_id_in_another_case_is_unknown(registry: Registry, case: Case, view: str) -> None:
    """An id in capitals does not find the instance in small letters."""
    Instance(registry, case.app("CART"), case.id("x")).register()
    other = Instance(registry, case.app("CART"), case.id("X"))

    answer = registry.call("GET", path_of(other, view))

    expect("the read of the id in another case", answer).is_absent()


@requirement("WIRE-12")
@pytest.mark.parametrize(("kind", "field"), [("vips", "vipAddress"), ("svips", "secureVipAddress")])
def test_addresses_differ_by_case(cart: Instance, kind: str, field: str) -> None:
    """A VIP in another case lists nothing."""
    vip = f"{cart.app}-Vip"
    cart.registry.register(sample(cart.app, cart.id, **{field: vip}))

    own, other = (
        list(cart.registry.call("GET", f"/{kind}/{name}").applications())
        for name in (vip, vip.lower())
    )

    expect("the numbers listed under both spellings", (len(own), len(other))).equals((1, 0))


# WIRE-13: any character in an id


@requirement("WIRE-13")
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("call", CALLS)
def test_an_odd_id_works_in_every_call(
    registry: Registry, case: Case, odd: str, call: Callable[[Instance], Answer]
) -> None:
    """Registered with any character, an instance is found by its percent-encoded id."""
    one = Instance(registry, case.app("CART"), case.id(odd))
    expect("the answer to the registration", one.register()).has_status(204)

    answer = call(one)

    expect("the answer to the call with the encoded id", answer).has_status(200)


@requirement("WIRE-13")
@pytest.mark.parametrize("odd", ODD)
def test_an_odd_id_reads_back_unchanged(registry: Registry, case: Case, odd: str) -> None:
    """The id in the answer is the id that was registered."""
    one = Instance(registry, case.app("CART"), case.id(odd))
    one.register()

    expect("the id read back", one.record().instance_id).equals(one.id)


@requirement("WIRE-13", profile="pair", needs={"settings", "peers"}, seconds=3)
@pytest.mark.parametrize("odd", ODD)
def test_an_odd_id_arrives_at_a_peer(
    registry: Registry, acquainted: Cluster, case: Case, odd: str
) -> None:
    """What is registered with any character at one node is read under the same id at the other."""
    here, there = (
        Instance(node, case.app("CART"), case.id(odd)) for node in (registry, registry.of("b"))
    )
    here.register()

    with due("the instance arrives at the peer", margin=3.0):
        acquainted.clock.wait_until(
            lambda: there.read().status == 200, within=20, what="the instance at node b"
        )

    here.cancel()
    with due("the cancellation arrives at the peer", margin=3.0):
        acquainted.clock.wait_until(
            lambda: there.read().status == 404, within=20, what="its end at node b"
        )


# WIRE-28: slashes

WRITES: list[object] = [
    pytest.param("POST", "/apps/{app}", 204, id="register"),
    pytest.param("PUT", "/apps/{app}/{id}", 200, id="renew"),
    pytest.param("PUT", "/apps/{app}/{id}/status?value=DOWN", 200, id="status"),
    pytest.param("DELETE", "/apps/{app}/{id}/status", 200, id="removal"),
    pytest.param("PUT", "/apps/{app}/{id}/metadata?k=v", 200, id="metadata"),
    pytest.param("DELETE", "/apps/{app}/{id}", 200, id="cancel"),
]
ALL_CALLS: list[object] = [
    *WRITES,
    pytest.param("GET", "/apps/{app}/{id}", 200, id="read"),
    pytest.param("GET", "/apps/{app}", 200, id="read-app"),
]


def written(cart: Instance, method: str, path: str) -> Answer:
    """Make a call whose path names the instance."""
    return cart.registry.call(
        method,
        path.format(app=cart.app, id=cart.id),
        headers={"Content-Type": JSON} if method == "POST" else {},
        body=registration(sample(cart.app, cart.id)) if method == "POST" else b"",
    )


@requirement("WIRE-28")
@pytest.mark.parametrize("view", VIEWS)
def test_a_trailing_slash_changes_no_read(cart: Instance, view: str) -> None:
    """The read with a slash behind it answers as the one without."""
    cart.register()

    answer = cart.registry.call("GET", f"{path_of(cart, view)}/")

    expect("the answer to the read with a slash", answer).has_status(200)
    expect("the instance in it", seen(cart, view, answer).id).equals(cart.id)


@requirement("WIRE-28")
@pytest.mark.parametrize(("method", "path", "code"), WRITES)
def test_a_trailing_slash_changes_no_write(
    cart: Instance, method: str, path: str, code: int
) -> None:
    """The call with a slash behind its path answers as the one without."""
    cart.register()
    where, mark, query = path.partition("?")

    answer = written(cart, method, f"{where}/{mark}{query}")

    expect(f"the answer to {method} with a slash", answer).has_status(code)


@requirement("WIRE-28")
@pytest.mark.parametrize(("method", "path", "code"), ALL_CALLS)
def test_a_doubled_slash_is_404(cart: Instance, method: str, path: str, code: int) -> None:
    """`/apps//…` is nothing, for every verb; with one slash the same call is answered."""
    cart.register()

    doubled = written(cart, method, path.replace("/apps/", "/apps//"))

    expect(f"the answer to {method} with a doubled slash", doubled).has_status(404)
    expect("the answer to the call without", written(cart, method, path)).has_status(code)


# WIRE-35: ways to write a call


@requirement("WIRE-35")
@pytest.mark.parametrize("colon", [":", "%3A", "%3a"])
@pytest.mark.parametrize(
    ("method", "below"),
    [
        pytest.param("GET", "", id="read"),
        pytest.param("PUT", "", id="renew"),
        pytest.param("PUT", "/status?value=DOWN", id="status"),
        pytest.param("PUT", "/metadata?k=v", id="metadata"),
        pytest.param("DELETE", "", id="cancel"),
    ],
)
def test_a_colon_is_taken_raw_and_encoded(
    registry: Registry, case: Case, colon: str, method: str, below: str
) -> None:
    """An id with colons is found in both ways of writing it."""
    one = Instance(registry, case.app("CART"), case.id("host:cart:8080"))
    one.register()
    path = f"/apps/{one.app}/{quote(one.id, safe=':').replace(':', colon)}{below}"

    answer = registry.call(method, path)

    expect(f"the answer to {method}", answer).has_status(200)


@requirement("WIRE-35")
@pytest.mark.parametrize(
    "query", ["", "?", f"?status=UP&lastDirtyTimestamp={DIRTY_MS}", "?status=UP"]
)
def test_a_renewal_is_taken_with_and_without_a_query(cart: Instance, query: str) -> None:
    """What a renewal says beside its path is optional."""
    cart.register(dirty=DIRTY_MS)

    answer = cart.registry.call("PUT", f"/apps/{cart.app}/{cart.id}{query}")

    expect("the answer to the renewal", answer).has_status(200)


@requirement("WIRE-35")
@pytest.mark.parametrize("blank", ["+", "%20"])
def test_a_blank_in_a_query_is_taken_in_both_ways(cart: Instance, blank: str) -> None:
    """`+` and `%20` are the same blank."""
    cart.register()

    cart.registry.call("PUT", f"/apps/{cart.app}/{cart.id}/metadata?note=two{blank}words")

    expect("the value", cart.record().user_metadata.get("note")).equals("two words")


@requirement("WIRE-35")
@pytest.mark.parametrize("path", ["/apps", "/apps/"])
def test_the_whole_list_is_read_with_and_without_a_slash(cart: Instance, path: str) -> None:
    """`/apps/` and `/apps` list the same."""
    cart.register()

    answer = cart.registry.call("GET", path)

    expect(f"the answer to {path}", answer).has_status(200)
    expect("the instance in it", seen(cart, "apps", answer).id).equals(cart.id)


@requirement("WIRE-35")
def test_a_raw_path_needs_no_library(cart: Instance) -> None:
    """A colon as it stands, sent byte for byte, renews the instance."""
    one = Instance(cart.registry, cart.app, f"{cart.id}:8080")
    one.register()

    answer = raw.speak(
        cart.registry, raw.request(cart.registry, "PUT", f"/apps/{one.app}/{one.id}")
    )

    expect("what came for the raw renewal", answer.said).equals("200")
