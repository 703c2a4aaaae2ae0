"""Instances and lists as they are written: the shapes that clients read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from msgspec.structs import replace

from eureka.core.instance import DataCenter, Port, Record
from eureka.core.lease import Lease
from eureka.core.status import Action, Status
from eureka.wire import writing
from eureka.wire.reading import AMAZON, EMPTY_MAP, PLAIN, read_registration
from eureka.wire.writing import JsonWriter, XmlWriter

if TYPE_CHECKING:
    from eureka.core.instance import Instance
    from tests.eureka.conftest import Builder, HandClock


def full(build: Builder) -> Instance:
    """Return an instance with every field set."""
    return replace(
        build("h:1", overridden_status=Status.UP, metadata={"zone": "z1"}),
        port=Port(8080, True),
        secure_port=Port(443, False),
        vip_address="v",
        secure_vip_address="s",
        app_group="G",
        asg_name="A",
        sid="na",
        home_page_url="http://h/",
        status_page_url="http://s/",
        health_check_url="http://c/",
        secure_health_check_url="",
        coordinating=True,
        registered_ms=1,
        service_up_ms=2,
        evicted_ms=0,
        updated_ms=4,
        dirty_ms=5,
    )


def test_a_full_instance_as_the_reference_writes_it(build: Builder) -> None:
    """Flags and two timestamps are texts, lease values are numbers, names are in its order."""
    written = JsonWriter().instance(Record(full(build), 3))

    assert written == (
        b'{"instance":{"instanceId":"h:1","hostName":"host-h:1","app":"CART","appGroupName":"G",'
        b'"ipAddr":"10.0.0.1","sid":"na","status":"UP","overriddenStatus":"UP",'
        b'"port":{"$":8080,"@enabled":"true"},"securePort":{"$":443,"@enabled":"false"},'
        b'"countryId":1,"dataCenterInfo":{"@class":"' + PLAIN.encode() + b'","name":"MyOwn"},'
        b'"leaseInfo":{"renewalIntervalInSecs":30,"durationInSecs":90,"registrationTimestamp":1,'
        b'"lastRenewalTimestamp":3,"evictionTimestamp":0,"serviceUpTimestamp":2},'
        b'"metadata":{"zone":"z1"},"homePageUrl":"http://h/","statusPageUrl":"http://s/",'
        b'"healthCheckUrl":"http://c/","secureHealthCheckUrl":"","vipAddress":"v",'
        b'"secureVipAddress":"s","isCoordinatingDiscoveryServer":"true",'
        b'"lastUpdatedTimestamp":"4","lastDirtyTimestamp":"5","actionType":"ADDED",'
        b'"asgName":"A"}}'
    )


def test_a_field_without_value_is_left_out(build: Builder) -> None:
    """An instance that registered without an id reads back without one."""
    bare = replace(build(vip_address=None), shows_id=False)

    written = msgspec.json.decode(JsonWriter().instance(Record(bare, 0)))["instance"]

    assert set(written) == {
        *("hostName", "app", "ipAddr", "status", "overriddenStatus", "port", "securePort"),
        *("countryId", "dataCenterInfo", "leaseInfo", "metadata"),
        *("isCoordinatingDiscoveryServer", "lastUpdatedTimestamp", "lastDirtyTimestamp"),
        "actionType",
    }
    assert written["metadata"] == {"@class": EMPTY_MAP}


def test_what_was_written_can_be_registered_again(build: Builder) -> None:
    """Texts survive byte for byte, a name that looks like our own gap in a fragment too."""
    odd = {
        "unicode": "\u20ac \U0001f600",
        "control": "\x00\x1f\n\r\t",
        "markup": "<a>&\"'</a>]]>",
        "empty": "",
        "": "no name",
        '"lastRenewalTimestamp":@': '"lastRenewalTimestamp":@',
        "lastRenewalTimestamp": "@",
    }
    instance = build(metadata=odd)

    written = JsonWriter().instance(Record(instance, 7))
    again = read_registration(written, arrived_ms=0)

    assert again.metadata == odd
    assert again == replace(instance, dirty_ms=again.dirty_ms)
    assert msgspec.json.decode(written)["instance"]["leaseInfo"]["lastRenewalTimestamp"] == 7


def test_a_list_of_applications(clock: HandClock, build: Builder) -> None:
    """Applications and instances are lists, whatever their number."""
    writer = JsonWriter()
    lease = Lease.of(build(), now=clock.now)

    written = writer.applications(
        {"CART": [lease]}, counts={Status.UP: 1}, version=1, compact=False
    )

    bare = writer.bare_instance(lease.instance, lease.renewed_ms)
    assert written == (
        b'{"applications":{"versions__delta":"1","apps__hashcode":"UP_1_",'
        b'"application":[{"name":"CART","instance":[' + bare + b"]}]}}"
    )
    assert writer.application("CART", [lease], compact=False) == (
        b'{"application":{"name":"CART","instance":[' + bare + b"]}}"
    )


def test_an_empty_list() -> None:
    """No applications, no hash."""
    written = JsonWriter().applications({}, counts={}, version=-1, compact=False)

    assert written == (
        b'{"applications":{"versions__delta":"-1","apps__hashcode":"","application":[]}}'
    )


def test_the_compact_form(clock: HandClock, build: Builder) -> None:
    """It has the fields a load balancer needs, and a number for the last update."""
    instance = replace(
        build(metadata={"zone": "z1"}, secure_vip_address="s"),
        data_center=DataCenter("Amazon", {"ami-id": "a", "local-ipv4": "l", "instance-id": "i"}),
        updated_ms=4,
    )
    lease = Lease.of(instance, now=clock.now)
    writer = JsonWriter()

    first = writer.application("CART", [lease], compact=True)

    (written,) = msgspec.json.decode(first)["application"]["instance"]
    assert written == {
        "instanceId": "1",
        "app": "CART",
        "ipAddr": "10.0.0.1",
        "vipAddress": "cart",
        "secureVipAddress": "s",
        "dataCenterInfo": {
            "@class": AMAZON,
            "name": "Amazon",
            "metadata": {"instance-id": "i", "local-ipv4": "l"},
        },
        "hostName": "host-1",
        "status": "UP",
        "lastUpdatedTimestamp": 4,
        "actionType": "ADDED",
        "port": {"$": 7001, "@enabled": "true"},
        "securePort": {"$": 7002, "@enabled": "false"},
    }
    assert writer.application("CART", [lease], compact=True) == first


def test_a_plain_data_centre_in_compact_form(clock: HandClock, build: Builder) -> None:
    """It has no metadata to cut."""
    lease = Lease.of(build(), now=clock.now)

    written = JsonWriter().applications({"CART": [lease]}, counts={}, version=1, compact=True)

    (application,) = msgspec.json.decode(written)["applications"]["application"]
    assert application["instance"][0]["dataCenterInfo"] == {"@class": PLAIN, "name": "MyOwn"}


def test_a_delta_groups_changes_by_application(build: Builder) -> None:
    """Its hash is of the whole registry, not of what it lists."""
    gone = replace(build("2"), action=Action.DELETED, evicted_ms=9)
    records = [Record(build("1"), 0), Record(build("3", "PAY"), 0), Record(gone, 0)]

    written = JsonWriter().delta(records, counts={Status.UP: 7}, version=12, compact=False)

    applications = msgspec.json.decode(written)["applications"]
    assert (applications["versions__delta"], applications["apps__hashcode"]) == ("12", "UP_7_")
    found = [
        (application["name"], one["instanceId"], one["actionType"])
        for application in applications["application"]
        for one in application["instance"]
    ]
    assert found == [("CART", "1", "ADDED"), ("CART", "2", "DELETED"), ("PAY", "3", "ADDED")]


def test_a_fragment_is_written_once_until_its_instance_changes(build: Builder) -> None:
    """The stamp of the last renewal is filled in each time; another record is written anew."""
    writer = JsonWriter()
    instance = build()

    first, second = (writer.bare_instance(instance, ms) for ms in (1, 2))
    changed = writer.bare_instance(replace(instance, status=Status.DOWN), 2)

    assert first.replace(b'"lastRenewalTimestamp":1', b'"lastRenewalTimestamp":2') == second
    assert changed == second.replace(b'"status":"UP"', b'"status":"DOWN"')


def test_memory_of_who_left_is_given_back(build: Builder) -> None:
    """Neither the final record nor a record on its way to a peer is kept."""
    writer = JsonWriter()
    instance = build()
    writer.bare_instance(instance, 1)
    assert writer.kept == 1

    writer.forget(instance.key)
    writer.bare_instance(replace(instance, evicted_ms=5), 1)
    writer.bare_instance(instance, 1, keep=False)

    assert writer.kept == 0


def test_memory_of_all_but_the_living_is_given_back(build: Builder) -> None:
    """One instance of an application, a whole one, one never written."""
    writer = JsonWriter()
    for instance in (build("1"), build("2"), build("1", "PAY")):
        writer.bare_instance(instance, 1)
    writer.forget(build("9", "NOBODY").key)

    writer.forget_others({"CART": [Record(build("2"), 1), Record(build("3"), 1)]})

    assert writer.kept == 1


def test_surroundings_of_few_names_are_kept(
    build: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list is the same without."""
    kept, bounded = JsonWriter(), JsonWriter()
    expected = kept.delta([Record(build(), 0)], counts={}, version=1, compact=False)

    monkeypatch.setattr(writing, "_MOST_NAMES", 0)

    assert bounded.delta([Record(build(), 0)], counts={}, version=1, compact=False) == expected
    assert bounded._surroundings == {}


def test_an_application_without_instances_is_written_too() -> None:
    """The registry has none, a list of elements may."""
    parts = JsonWriter().of_elements({"CART": []}, counts={}, version=1, compact=False)
    written = b"".join(parts)

    (application,) = msgspec.json.decode(written)["applications"]["application"]
    assert application == {"name": "CART", "instance": []}


@pytest.mark.parametrize("writer", [JsonWriter, XmlWriter])
@pytest.mark.parametrize("compact", [True, False])
def test_a_large_application_is_joined_in_steps(
    monkeypatch: pytest.MonkeyPatch,
    clock: HandClock,
    build: Builder,
    writer: type[JsonWriter | XmlWriter],
    compact: bool,
) -> None:
    """What comes out is the same, byte for byte, alone and in a list."""
    leases = {"CART": [Lease.of(build(str(number)), now=clock.now) for number in range(5)]}

    def written() -> list[bytes]:
        fresh = writer()
        return [
            fresh.application("CART", leases["CART"], compact=compact),
            fresh.registry(leases, counts={}, version=1, compact=compact),
            fresh.registry(leases, counts={}, version=1, compact=compact),
            fresh.applications(leases, counts={}, version=1, compact=compact),
        ]

    expected = written()
    monkeypatch.setattr(writing, "_JOINED", 2)

    assert written() == expected
