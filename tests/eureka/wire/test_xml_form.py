"""Instances and lists in XML, as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from defusedxml.ElementTree import fromstring
from msgspec.structs import replace

from eureka.core.instance import DataCenter, Port, Record
from eureka.core.lease import Lease
from eureka.core.status import Status
from eureka.core.task import TaskAnswer
from eureka.wire.batch_xml import write_xml_answers
from eureka.wire.reading import PLAIN
from eureka.wire.writing import JsonWriter, XmlWriter
from eureka.wire.xml_reading import read_xml_registration

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder, HandClock


def test_a_full_instance_as_the_reference_writes_it(build: Builder) -> None:
    """Names, order and attributes are the reference's; there is no declaration."""
    instance = replace(
        build("h:1", overridden_status=Status.UP, metadata={"zone": "z1", "a b": "<&>"}),
        port=Port(8080, enabled=True),
        secure_port=Port(443, enabled=False),
        secure_vip_address="s",
        app_group="G",
        asg_name="A",
        sid="na",
        home_page_url="http://h/",
        status_page_url="",
        coordinating=True,
        registered_ms=1,
        service_up_ms=2,
        updated_ms=4,
        dirty_ms=5,
    )

    assert XmlWriter().instance(Record(instance, 3)).decode() == (
        "<instance><instanceId>h:1</instanceId><hostName>host-h:1</hostName><app>CART</app>"
        "<appGroupName>G</appGroupName><ipAddr>10.0.0.1</ipAddr><sid>na</sid><status>UP</status>"
        '<overriddenstatus>UP</overriddenstatus><port enabled="true">8080</port>'
        '<securePort enabled="false">443</securePort><countryId>1</countryId>'
        f'<dataCenterInfo class="{PLAIN}"><name>MyOwn</name></dataCenterInfo>'
        "<leaseInfo><renewalIntervalInSecs>30</renewalIntervalInSecs>"
        "<durationInSecs>90</durationInSecs><registrationTimestamp>1</registrationTimestamp>"
        "<lastRenewalTimestamp>3</lastRenewalTimestamp><evictionTimestamp>0</evictionTimestamp>"
        "<serviceUpTimestamp>2</serviceUpTimestamp></leaseInfo>"
        "<metadata><zone>z1</zone><a_.0020b>&lt;&amp;&gt;</a_.0020b></metadata>"
        "<homePageUrl>http://h/</homePageUrl><statusPageUrl></statusPageUrl>"
        "<vipAddress>cart</vipAddress><secureVipAddress>s</secureVipAddress>"
        "<isCoordinatingDiscoveryServer>true</isCoordinatingDiscoveryServer>"
        "<lastUpdatedTimestamp>4</lastUpdatedTimestamp><lastDirtyTimestamp>5</lastDirtyTimestamp>"
        "<actionType>ADDED</actionType><asgName>A</asgName></instance>"
    )


def test_a_list_and_an_application_are_documents(clock: HandClock, build: Builder) -> None:
    """Nothing stands between elements; an empty list has an empty hash."""
    writer = XmlWriter()
    leases = {"CART": [Lease.of(build("1"), now=clock.now), Lease.of(build("2"), now=clock.now)]}

    written = writer.registry(leases, counts={Status.UP: 2}, version=1, compact=False)

    one, two = (writer.bare_instance(lease.instance, lease.renewed_ms) for lease in leases["CART"])
    cart = b"<application><name>CART</name>%b%b</application>" % (one, two)
    head = b"<versions__delta>1</versions__delta><apps__hashcode>UP_2_</apps__hashcode>"
    assert written == b"<applications>%b%b</applications>" % (head, cart)
    assert writer.application("CART", leases["CART"], compact=False) == cart
    assert writer.applications({}, counts={}, version=-1, compact=True) == (
        b"<applications><versions__delta>-1</versions__delta><apps__hashcode></apps__hashcode>"
        b"</applications>"
    )


def test_the_compact_form_has_the_same_fields_as_in_json(clock: HandClock, build: Builder) -> None:
    """Amazon's metadata is cut alike."""
    centre = DataCenter("Amazon", {"ami-id": "a", "instance-id": "i"})
    lease = Lease.of(replace(build("1", metadata={"k": "v"}), data_center=centre), now=clock.now)

    written = XmlWriter().application("CART", [lease], compact=True)

    instance = fromstring(written).find("instance")
    assert instance is not None
    assert [field.tag for field in instance] == [
        *("instanceId", "app", "ipAddr", "vipAddress", "dataCenterInfo", "hostName", "status"),
        *("lastUpdatedTimestamp", "actionType", "port", "securePort"),
    ]
    assert b"<metadata><instance-id>i</instance-id></metadata>" in written
    assert b"ami-id" not in written


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("a\rb\r\nc\td\ne", "a\rb\r\nc\td\ne"),
        ("]]>", "]]>"),
        ("  ", "  "),
        ("\x00\x08\x1f", "\ufffd\ufffd\ufffd"),
        ("\ufffe\uffff", "\ufffd\ufffd"),
        ("\U0001f600\ufffd\x7f\x85", "\U0001f600\ufffd\x7f\x85"),
    ],
)
def test_any_value_leaves_a_list_readable(build: Builder, value: str, read: str) -> None:
    """What XML cannot hold is replaced, everything else comes back as it was."""
    written = XmlWriter().instance(Record(build(metadata={"k": value}), 0))

    assert read_xml_registration(written, arrived_ms=0).metadata == {"k": read}


def test_a_record_in_the_answer_to_a_batch(build: Builder) -> None:
    """It has the name of its place there, and no more."""
    record = Record(build(), 7)
    writer = XmlWriter()

    written = write_xml_answers([TaskAnswer(200), TaskAnswer(409, record)], writer)

    first, second = fromstring(written)[0]
    assert [one.tag for one in first] == ["statusCode"]
    assert next(one.text for one in second) == "409"
    entity = second.find("responseEntity")
    assert entity is not None
    assert [field.tag for field in entity] == [
        field.tag for field in fromstring(writer.instance(record))
    ]


@pytest.mark.parametrize("writer", [JsonWriter, XmlWriter])
def test_a_full_list_shows_renewals_and_changes_of_any_instance(
    clock: HandClock, build: Builder, writer: type[JsonWriter | XmlWriter]
) -> None:
    """What is kept joined of one list is what a writer that kept nothing would write."""
    kept = writer()
    leases = {
        app: [Lease.of(build(str(n), app), now=clock.now) for n in range(3)] for app in ("A", "B")
    }

    def both(*, compact: bool) -> tuple[bytes, bytes]:
        """Return the list of the writer under test and of a new one."""
        one, other = (
            w.registry(leases, counts={}, version=1, compact=compact) for w in (kept, writer())
        )
        return one, other

    def check() -> None:
        """Compare both forms."""
        for compact in (False, True):
            one, other = both(compact=compact)
            assert one == other

    check()
    leases["A"][1].renew(now=clock.passes(5))
    check()
    leases["B"][0].hold(replace(leases["B"][0].instance, status=Status.DOWN))
    check()
    del leases["A"][0]
    check()
    del leases["B"]
    check()
