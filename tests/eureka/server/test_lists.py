"""What lists show of other regions, and what reads of lists are limited by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from msgspec.structs import replace

from eureka.core.status import Action, Status
from eureka.server.cache import MOST_REGIONAL
from eureka.server.exchange import Response

if TYPE_CHECKING:
    from eureka.core.instance import Instance
    from eureka.core.instant import Instant
    from eureka.server.limit import LimitedKind
    from tests.eureka.conftest import Builder
    from tests.eureka.server.conftest import Caller, MakeCaller


class Elsewhere:
    """Other regions as a test says they are."""

    def __init__(self, *names: str, fallback: bool = False) -> None:
        self.fallback = fallback
        self.missing: set[str] = set()
        self.held: dict[str, tuple[Instance, ...]] = dict.fromkeys(names, ())
        self.changes: dict[str, tuple[Instance, ...]] = dict.fromkeys(names, ())
        self.versions = dict.fromkeys(names, 1)

    def hold(self, name: str, *instances: Instance) -> None:
        """Have fetched these."""
        self.held[name] = instances
        self.changes[name] = instances
        self.versions[name] += 1

    def names(self) -> frozenset[str]:
        """Return the configured names."""
        return frozenset(self.held)

    def ready(self, name: str) -> bool:
        """Tell whether a region was fetched."""
        return name not in self.missing

    def instances(self, name: str) -> tuple[Instance, ...]:
        """Return its instances."""
        return self.held[name]

    def recent(self, name: str) -> tuple[Instance, ...]:
        """Return its changes."""
        return self.changes[name]

    def version(self, name: str) -> int:
        """Return its version."""
        return self.versions[name]


@pytest.fixture
def remote(call: Caller, build: Builder) -> Elsewhere:
    """Return a region r2 with CART/9 and PAY/9, beside CART/1 and the region r3 here."""
    elsewhere = Elsewhere("r2", "r3")
    call.service.remote = elsewhere
    call.register("1", vipAddress="v")
    elsewhere.hold(
        "r2",
        build("9", vip_address="v"),
        build("9", "PAY", vip_address="w", status=Status.DOWN),
    )
    return elsewhere


def shown(call: Caller, path: str) -> tuple[set[str], str]:
    """Return what a list names, as APP/id, and its hash, the same in all representations."""
    found = set()
    for form in ("full", "compact"):
        response = call("GET", path, x_eureka_accept=form)
        assert response.status == 200
        lists = msgspec.json.decode(response.body)["applications"]
        named = [
            f"{one['app']}/{one['instanceId']}"
            for application in lists["application"]
            for one in application["instance"]
        ]
        assert len(set(named)) == len(named)
        found.add((frozenset(named), lists["apps__hashcode"]))
        xml = call("GET", path, accept="application/xml", x_eureka_accept=form).body
        assert f"<apps__hashcode>{lists['apps__hashcode']}<".encode() in xml
        assert xml.count(b"<instance>") == len(named)
    (one,) = found
    return set(one[0]), one[1]


@pytest.mark.parametrize("path", ["/apps", "/apps/delta"])
def test_a_named_region_is_added(call: Caller, remote: Elsewhere, path: str) -> None:
    """An application of both is one, the hash is over both; unknown names mean nothing."""
    both = ({"CART/1", "CART/9", "PAY/9"}, "DOWN_1_UP_2_")

    assert shown(call, path) == ({"CART/1"}, "UP_1_")
    assert shown(call, f"{path}?regions=r2") == both
    assert shown(call, f"{path}?regions=r2,moon,%20r3") == both
    assert shown(call, f"{path}?regions=r3") == ({"CART/1"}, "UP_1_")
    assert remote.names() == {"r2", "r3"}


@pytest.mark.parametrize("path", ["/apps", "/apps/delta"])
def test_a_region_is_refused_until_it_is_there(call: Caller, remote: Elsewhere, path: str) -> None:
    """Reads that do not name it are answered."""
    remote.missing.add("r2")

    assert call("GET", f"{path}?regions=r2") == Response(403)
    assert call("GET", f"{path}?regions=r2,r3").status == 403
    assert call("GET", f"{path}?regions=r3").status == 200
    assert call("GET", path).status == 200


def test_a_change_of_a_region_shows_without_one_here(
    call: Caller, remote: Elsewhere, build: Builder
) -> None:
    """What left is forgotten, what stayed is not written again."""
    assert shown(call, "/apps?regions=r2")[1] == "DOWN_1_UP_2_"

    gone = replace(remote.held["r2"][1], action=Action.DELETED, evicted_ms=1)
    remote.hold("r2", remote.held["r2"][0], build("8", "PAY"))
    remote.changes["r2"] = (gone, remote.held["r2"][1])

    assert shown(call, "/apps?regions=r2") == ({"CART/1", "CART/9", "PAY/8"}, "UP_3_")
    assert shown(call, "/apps/delta?regions=r2") == ({"CART/1", "PAY/9", "PAY/8"}, "UP_3_")


def test_the_version_of_a_regional_delta_rises_with_either_side(
    call: Caller, remote: Elsewhere, build: Builder
) -> None:
    """A client takes only what is newer."""

    def version() -> int:
        """Return the version of the delta."""
        lists = msgspec.convert(call.json("/apps/delta?regions=r2"), dict[str, dict[str, object]])
        return int(str(lists["applications"]["versions__delta"]))

    first = version()
    call.register("2")
    second = version()
    remote.hold("r2", build("7"))

    assert first < second < version()


def test_lists_of_regions_are_few(call: Caller) -> None:
    """However many combinations are asked for, and read-only or not."""
    names = [f"r{n}" for n in range(10)]
    call.service.remote = Elsewhere(*names)
    for n in range(3 * MOST_REGIONAL):
        regions = ",".join(name for bit, name in enumerate(names) if n >> bit & 1)
        call.ids(f"/apps?regions={regions}")

    assert len(call.service.cache) <= MOST_REGIONAL + 1


def test_with_fallback_applications_of_other_regions_show_in_every_read(
    make: MakeCaller, build: Builder
) -> None:
    """Those that nobody registered here, and alike in each read."""
    call = make()
    call.service.remote = remote = Elsewhere("r2", "r3", fallback=True)
    call.register("1", vipAddress="v")
    remote.hold("r2", build("8", vip_address="v"), build("9", "PAY", vip_address="v"))
    remote.missing.add("r3")
    expected = ({"CART/1", "PAY/9"}, "UP_2_")

    for path in ("/apps", "/apps/delta", "/vips/v"):
        assert shown(call, path) == expected
    assert call.ids("/apps/PAY") == ["9"]
    assert call.ids("/svips/v") == []
    assert [call("GET", path).status for path in ("/apps/PAY/9", "/instances/9")] == [200, 200]
    assert [call("GET", path).status for path in ("/apps/CART/8", "/instances/8")] == [404, 404]
    assert call("GET", "/apps/NOBODY").status == 404
    assert call("PUT", "/apps/PAY/9").status == 404

    call.register("2", "PAY", vipAddress="v")

    for path in ("/apps", "/apps/delta", "/vips/v"):
        assert shown(call, path) == ({"CART/1", "PAY/2"}, "UP_2_")
    assert call.ids("/apps/PAY") == ["2"]


def test_without_fallback_a_single_read_stays_at_home(call: Caller, remote: Elsewhere) -> None:
    """So does an application's list."""
    assert call("GET", "/apps/PAY/9").status == 404
    assert call("GET", "/instances/9").status == 404
    assert call("GET", "/apps/PAY").status == 404
    assert call.ids("/vips/w") == []
    assert remote.instances("r2")


class Counting:
    """Refuses everything it is asked, and remembers what that was."""

    refused = 0

    def __init__(self) -> None:
        self.asked: list[tuple[LimitedKind, str | None]] = []

    def allows(self, kind: LimitedKind, identity: str | None, now: Instant) -> bool:
        """Refuse it."""
        assert now.epoch_ms > 0
        self.asked.append((kind, identity))
        return False


def test_a_limited_list_is_answered_503(call: Caller) -> None:
    """Full, delta and application reads; nothing else is asked about."""
    call.service.limiter = limiter = Counting()
    call.register()

    for path in ("/apps/", "/apps?regions=x", "/apps/delta", "/apps/CART"):
        assert call("GET", path, discoveryidentity_name="me").status == 503
    for method, path in (
        *(("GET", path) for path in ("/vips/cart", "/svips/cart", "/apps/CART/1", "/instances/1")),
        ("HEAD", "/apps"),
        ("PUT", "/apps/CART/1"),
    ):
        assert call(method, path).status == 200

    assert limiter.asked == [
        ("full", "me"),
        ("full", "me"),
        ("delta", "me"),
        ("application", "me"),
    ]
