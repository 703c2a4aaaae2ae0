"""Registrations and lists, as different clients send them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka.core.errors import InvalidRequest
from eureka.core.instance import DataCenter, Key, Port
from eureka.core.status import Status
from eureka.wire.reading import AMAZON, PLAIN, read_registration

if TYPE_CHECKING:
    from eureka.core.instance import Instance

ARRIVED = 1_796_040_857_475
MINIMAL = {
    "instanceId": "host-1:cart:80",
    "hostName": "host-1",
    "app": "cart",
    "ipAddr": "10.0.0.1",
    "dataCenterInfo": {"@class": PLAIN, "name": "MyOwn"},
}


def body(**changes: object) -> bytes:
    """Return a registration's body; a change to `...` leaves the field out."""
    fields = {
        name.replace("__", "@"): value
        for name, value in {**MINIMAL, **changes}.items()
        if value is not ...
    }
    return msgspec.json.encode({"instance": fields})


def read(**changes: object) -> Instance:
    """Return the instance of such a body."""
    return read_registration(body(**changes), arrived_ms=ARRIVED)


def test_defaults_of_a_minimal_registration() -> None:
    """What is not said is what the reference fills in."""
    instance = read()

    assert instance.key == Key("CART", "host-1:cart:80")
    assert (instance.status, instance.overridden_status) == (Status.UP, Status.UNKNOWN)
    assert (instance.port, instance.secure_port) == (Port(7001, True), Port(7002, False))
    assert (instance.country_id, instance.duration, instance.renewal_interval) == (1, 90, 30)
    assert (instance.dirty_ms, instance.metadata, instance.coordinating) == (ARRIVED, {}, False)
    assert not instance.sent_lease_info
    assert instance.vip_address is None


def test_a_full_registration_is_taken_over() -> None:
    """Every field that means something."""
    instance = read(
        status="STARTING",
        overriddenStatus="OUT_OF_SERVICE",
        port={"$": "8080", "@enabled": True},
        securePort={"$": 443, "@enabled": "false"},
        countryId="7",
        leaseInfo={"renewalIntervalInSecs": "5", "durationInSecs": 15, "evictionTimestamp": 9},
        metadata={"zone": "z1", "n": 5, "f": True, "nothing": None, "@class": "x"},
        homePageUrl="http://h/",
        statusPageUrl="http://s/",
        healthCheckUrl="http://c/",
        secureHealthCheckUrl="",
        vipAddress="a,b",
        secureVipAddress="c",
        isCoordinatingDiscoveryServer="true",
        lastDirtyTimestamp="1700000000000",
        appGroupName="G",
        asgName="A",
        sid="na",
        actionType="DELETED",
        something={"unknown": [1, {"deep": None}]},
    )

    assert (instance.status, instance.overridden_status) == (
        Status.STARTING,
        Status.OUT_OF_SERVICE,
    )
    assert (instance.port, instance.secure_port) == (Port(8080, True), Port(443, False))
    assert (instance.country_id, instance.renewal_interval, instance.duration) == (7, 5, 15)
    assert instance.evicted_ms == 0
    assert instance.metadata == {"zone": "z1", "n": "5", "f": "true", "nothing": "null"}
    assert (instance.home_page_url, instance.secure_health_check_url) == ("http://h/", "")
    assert (instance.vips, instance.secure_vips) == (("a", "b"), ("c",))
    assert (instance.app_group, instance.asg_name, instance.sid) == ("G", "A", "na")
    assert (instance.coordinating, instance.dirty_ms) == (True, 1_700_000_000_000)


@pytest.mark.parametrize(
    "name",
    [
        "status",
        "overriddenstatus",
        "port",
        "securePort",
        "countryId",
        "leaseInfo",
        "metadata",
        "homePageUrl",
        "vipAddress",
        "isCoordinatingDiscoveryServer",
        "lastDirtyTimestamp",
        "actionType",
        "sid",
        "asgName",
        "appGroupName",
    ],
)
def test_an_explicit_null_is_as_if_absent(name: str) -> None:
    """For every optional field."""
    assert read(**{name: None}) == read()


@pytest.mark.parametrize("name", ["overriddenstatus", "overriddenStatus"])
@pytest.mark.parametrize(
    ("value", "status"),
    [
        ("DOWN", Status.DOWN),
        ("", Status.UNKNOWN),
        ("bogus", Status.UNKNOWN),
        (None, Status.UNKNOWN),
    ],
)
def test_both_spellings_of_the_override(name: str, value: object, status: Status) -> None:
    """Clients write it both ways; empty and unknown mean none."""
    assert read(**{name: value}).overridden_status is status


@pytest.mark.parametrize(
    ("port", "expected"),
    [
        ({"$": 80}, Port(80, True)),
        ({"$": 80, "@enabled": 1}, Port(80, True)),
        ({"$": 80, "@enabled": "TRUE"}, Port(80, False)),
        ({"@enabled": "false", "more": []}, Port(7001, False)),
        (80, Port(80, True)),
    ],
)
def test_forms_of_a_port(port: object, expected: Port) -> None:
    """A missing flag means enabled, an odd one not; a bare number will do."""
    assert read(port=port).port == expected


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"instanceId": ..., "hostName": ...}, "Missing instanceId"),
        ({"hostName": ""}, "Missing hostname"),
        ({"hostName": ...}, "Missing hostname"),
        ({"ipAddr": None}, "Missing ip address"),
        ({"app": ""}, "Missing appName"),
        ({"dataCenterInfo": ...}, "Missing dataCenterInfo"),
        ({"dataCenterInfo": None}, "Missing dataCenterInfo"),
        ({"dataCenterInfo": {"@class": PLAIN}}, "Missing dataCenterInfo Name"),
        ({"dataCenterInfo": {"@class": PLAIN, "name": ""}}, "Missing dataCenterInfo Name"),
        (
            {"dataCenterInfo": {"@class": PLAIN, "name": "Moon"}},
            "dataCenterInfo.name must be one of Netflix, Amazon, MyOwn",
        ),
        (
            {"dataCenterInfo": {"@class": "java.io.File", "name": "MyOwn"}},
            "dataCenterInfo.@class names no data centre",
        ),
        (
            {"dataCenterInfo": {"name": "MyOwn"}},
            "dataCenterInfo.@class names no data centre",
        ),
        ({"dataCenterInfo": []}, "dataCenterInfo must be an object"),
        ({"leaseInfo": []}, "leaseInfo must be an object"),
        ({"metadata": "x"}, "metadata must be an object"),
        ({"metadata": {"k": []}}, "metadata.k must be a text, but is a list"),
        ({"sid": {}}, "sid must be a text, but is an object"),
        ({"countryId": "x"}, "countryId must be a whole number, but is 'x'"),
        ({"port": {"$": {}}}, "port must be a whole number, but is an object"),
        ({"port": []}, "port must be a whole number, but is a list"),
        (
            {"lastDirtyTimestamp": "soon"},
            "lastDirtyTimestamp must be a time in milliseconds, but is 'soon'",
        ),
    ],
)
def test_refusals_name_what_is_wrong(changes: dict[str, object], reason: str) -> None:
    """One sentence, with the field and its value."""
    with pytest.raises(InvalidRequest) as refusal:
        read(**changes)

    assert str(refusal.value) == reason


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"null",
        b"5",
        b"[]",
        b"{}",
        b"{",
        b'{"instance":null}',
        b'{"instance":[]}',
        b'{"instance":5}',
        b'{"instance":{"app":"\xff"}}',
        b'{"instance":{"app":"\\ud800"}}',
        b'{"instance":{"app":NaN}}',
        b'{"instance":' + b"[" * 100_000,
        b'{"instance":{"x":' + b'{"x":' * 100_000,
        b'{"instance":{"sid":' + b"[" * 100_000,
    ],
)
def test_a_body_that_is_no_registration_is_refused(broken: bytes) -> None:
    """Whatever it is, however deep, it is the caller's fault and told so."""
    with pytest.raises(InvalidRequest, match=r"^cannot parse the request body: "):
        read_registration(broken, arrived_ms=ARRIVED)


def test_field_order_does_not_matter() -> None:
    """Inside the data centre either."""
    fields = {
        **MINIMAL,
        "dataCenterInfo": {"metadata": {"instance-id": "i-1"}, "name": "Amazon", "@class": AMAZON},
        "status": "DOWN",
        "leaseInfo": {"durationInSecs": 5, "renewalIntervalInSecs": 6},
    }
    names = list(fields)
    expected = None
    for seed in range(20):
        random.Random(seed).shuffle(names)
        shuffled = msgspec.json.encode({"instance": {name: fields[name] for name in names}})
        found = read_registration(shuffled, arrived_ms=ARRIVED)
        assert expected in (None, found)
        expected = found


def test_a_byte_order_mark_is_skipped() -> None:
    """Some editors write one."""
    read_registration(b"\xef\xbb\xbf" + body(), arrived_ms=ARRIVED)


def test_without_id_the_host_name_is_the_key() -> None:
    """And the instance does not show an id it never had."""
    instance = read(instanceId=...)

    assert (instance.key.id, instance.shows_id) == ("host-1", False)


def test_an_amazon_instance_without_id_is_known_by_amazons() -> None:
    """The unique id of its data centre comes before the host name."""
    data_center = {"@class": AMAZON, "name": "Amazon", "metadata": {"instance-id": "i-1"}}

    assert read(instanceId=..., dataCenterInfo=data_center).key.id == "i-1"
    assert read(dataCenterInfo=data_center).key.id == "host-1:cart:80"


@pytest.mark.parametrize(
    "data_center",
    [
        {"@class": AMAZON, "name": "Amazon"},
        {"@class": AMAZON, "name": "Amazon", "metadata": None},
        {"@class": AMAZON},
        {"@class": PLAIN, "name": "Amazon"},
    ],
)
def test_an_amazon_data_centre_is_completed(data_center: object) -> None:
    """Class and name agree afterwards, and the instance id is among its metadata."""
    expected = DataCenter("Amazon", {"instance-id": "host-1:cart:80"})

    assert read(dataCenterInfo=data_center).data_center == expected


def test_other_data_centres_carry_no_metadata() -> None:
    """What is sent with them is ignored, as any unknown field."""
    data_center = {"@class": PLAIN, "name": "Netflix", "metadata": {"a": "b"}, "x": [1]}

    assert read(dataCenterInfo=data_center).data_center == DataCenter("Netflix")


def test_metadata_without_end_are_refused() -> None:
    """They would keep the loop for seconds; the twenty thousand of WIRE-17 are fine."""
    many = {str(number): "x" for number in range(50_001)}

    with pytest.raises(InvalidRequest, match="metadata has more than 50000 entries"):
        read(metadata=many)
    many.popitem()
    assert read(metadata=many).metadata == many
