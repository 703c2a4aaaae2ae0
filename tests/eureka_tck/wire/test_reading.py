"""What a registry's bytes say; two answers of the reference are the measure."""

from __future__ import annotations

import msgspec
import pytest

from eureka_tck.wire.markup import as_json_shape, escaped, instance_xml, unescaped
from eureka_tck.wire.reading import (
    UnreadableBodyError,
    read_application,
    read_applications,
    read_batch,
    read_instance,
    read_json,
)
from eureka_tck.wire.record import Application, Applications, DataCenter, Lease, Port, Record
from eureka_tck.wire.sample import Json, amazon_data_center, registration, sample, without

JSON, XML = "application/json", "application/xml"

# What Spring Cloud Netflix Eureka Server 5.0.3 answered to one registration, in both formats.
SINGLE_JSON = (
    b'{"instance":{"instanceId":"host-1.example:foo:8080","hostName":"host-1.example","app":"FOO",'
    b'"ipAddr":"10.0.0.1","status":"UP","overriddenStatus":"UNKNOWN",'
    b'"port":{"$":8080,"@enabled":"true"},"securePort":{"$":443,"@enabled":"false"},"countryId":1,'
    b'"dataCenterInfo":{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo",'
    b'"name":"MyOwn"},"leaseInfo":{"renewalIntervalInSecs":30,"durationInSecs":90,'
    b'"registrationTimestamp":1796040857475,"lastRenewalTimestamp":1796040857475,'
    b'"evictionTimestamp":0,"serviceUpTimestamp":1796040857450},"metadata":{"zone":"z1"},'
    b'"homePageUrl":"http://host-1.example:8080/","vipAddress":"foo","secureVipAddress":"foo",'
    b'"isCoordinatingDiscoveryServer":"false","lastUpdatedTimestamp":"1796040857475",'
    b'"lastDirtyTimestamp":"1700000000000","actionType":"ADDED"}}'
)
SINGLE_XML = b"""<instance>
  <instanceId>host-1.example:foo:8080</instanceId>
  <hostName>host-1.example</hostName>
  <app>FOO</app>
  <ipAddr>10.0.0.1</ipAddr>
  <status>UP</status>
  <overriddenstatus>UNKNOWN</overriddenstatus>
  <port enabled="true">8080</port>
  <securePort enabled="false">443</securePort>
  <countryId>1</countryId>
  <dataCenterInfo class="com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo">
    <name>MyOwn</name>
  </dataCenterInfo>
  <leaseInfo>
    <renewalIntervalInSecs>30</renewalIntervalInSecs>
    <durationInSecs>90</durationInSecs>
    <registrationTimestamp>1796040857475</registrationTimestamp>
    <lastRenewalTimestamp>1796040857475</lastRenewalTimestamp>
    <evictionTimestamp>0</evictionTimestamp>
    <serviceUpTimestamp>1796040857450</serviceUpTimestamp>
  </leaseInfo>
  <metadata>
    <zone>z1</zone>
  </metadata>
  <homePageUrl>http://host-1.example:8080/</homePageUrl>
  <vipAddress>foo</vipAddress>
  <secureVipAddress>foo</secureVipAddress>
  <isCoordinatingDiscoveryServer>false</isCoordinatingDiscoveryServer>
  <lastUpdatedTimestamp>1796040857475</lastUpdatedTimestamp>
  <lastDirtyTimestamp>1700000000000</lastDirtyTimestamp>
  <actionType>ADDED</actionType>
</instance>"""

SINGLE = Record(
    instance_id="host-1.example:foo:8080",
    host_name="host-1.example",
    app="FOO",
    ip="10.0.0.1",
    status="UP",
    overridden_status="UNKNOWN",
    port=Port(number=8080, enabled=True),
    secure_port=Port(number=443, enabled=False),
    country=1,
    data_center=DataCenter(
        name="MyOwn", kind="com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo"
    ),
    lease=Lease(
        renewal_interval=30,
        duration=90,
        registered_ms=1796040857475,
        renewed_ms=1796040857475,
        evicted_ms=0,
        service_up_ms=1796040857450,
    ),
    metadata={"zone": "z1"},
    home_page="http://host-1.example:8080/",
    vip="foo",
    secure_vip="foo",
    is_coordinating=False,
    updated_ms=1796040857475,
    dirty_ms=1700000000000,
    action="ADDED",
)

COMPACT_JSON = (
    b'{"applications":{"application":[{"name":"FOO","instance":[{"instanceId":"1","app":"FOO",'
    b'"ipAddr":"10.0.0.1","vipAddress":"foo","status":"UP","hostName":"h",'
    b'"dataCenterInfo":{"@class":"x","name":"MyOwn"},"lastUpdatedTimestamp":1796040857475,'
    b'"actionType":"ADDED","port":{"$":8080,"@enabled":"true"}}]}],'
    b'"apps__hashcode":"UP_1_","versions__delta":"1"}}'
)
AMAZON_XML = (
    b"<instance><app>FOO</app><hostName>h</hostName><status>UP</status><dataCenterInfo>"
    b"<name>Amazon</name><metadata><instance-id>i-1</instance-id></metadata></dataCenterInfo>"
    b"</instance>"
)
LIST_XML = (
    b"<applications><versions__delta>-1</versions__delta><apps__hashcode>DOWN_1_UP_1_"
    b"</apps__hashcode><application><name>FOO</name><instance><app>FOO</app><hostName>h</hostName>"
    b"<status>UP</status></instance><instance><app>FOO</app><hostName>i</hostName>"
    b"<status>DOWN</status></instance></application></applications>"
)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        pytest.param(SINGLE_JSON, JSON, id="json"),
        pytest.param(SINGLE_XML, XML, id="xml"),
        pytest.param(SINGLE_JSON, "", id="json-without-a-type"),
        pytest.param(SINGLE_XML, "", id="xml-without-a-type"),
        pytest.param(SINGLE_XML, "application/xml;charset=UTF-8", id="xml-with-a-charset"),
    ],
)
def test_both_formats_say_the_same(body: bytes, content_type: str) -> None:
    """The reference's JSON and XML of one instance are one value, whole."""
    assert read_instance(body, content_type) == SINGLE


def test_a_compact_answer_leaves_fields_out() -> None:
    """A compact list is readable; what it leaves out is None."""
    record = read_applications(COMPACT_JSON, JSON).find("FOO", "1")

    assert record is not None
    assert (record.updated_ms, record.lease, record.overridden_status) == (
        1796040857475,
        None,
        None,
    )


def test_a_list_tells_version_and_hash() -> None:
    """Version and hash of a list are read from XML as from JSON."""
    listed = read_applications(LIST_XML, XML)

    assert (listed.version, listed.hash) == (-1, "DOWN_1_UP_1_")


def test_an_empty_list_is_no_application() -> None:
    """The empty registry has an empty hash and nothing in it."""
    listed = read_applications(
        b'{"applications":{"versions__delta":"1","apps__hashcode":"","application":[]}}', JSON
    )

    assert listed == Applications(application=(), version=1, hash="")


def test_an_application_is_read_alone() -> None:
    """The answer for one application has its name and instances."""
    body = b'{"application":{"name":"FOO","instance":[{"app":"FOO","status":"UP"}]}}'

    assert read_application(body, JSON) == Application(
        name="FOO", instance=(Record(app="FOO", status="UP"),)
    )


def test_a_batch_answer_is_read_in_order() -> None:
    """Every task's status is there, and the bare instance of a refused renewal."""
    body = (
        b'{"responseList":[{"statusCode":200},'
        b'{"statusCode":409,"responseEntity":{"app":"FOO","status":"DOWN"}}]}'
    )

    answers = read_batch(body, JSON)

    assert [(answer.status, answer.entity) for answer in answers] == [
        (200, None),
        (409, Record(app="FOO", status="DOWN")),
    ]


@pytest.mark.parametrize(
    ("body", "content_type", "says"),
    [
        pytest.param(b"", JSON, "it has no body", id="empty"),
        pytest.param(b"{", JSON, "not JSON: Input data was truncated; it begins '{'", id="cut"),
        pytest.param(b"[]", JSON, "Expected `object`, got `array`, below `$`", id="array"),
        pytest.param(
            b'{"instance":{"app":"A","status":"OK"}}',
            JSON,
            "Invalid enum value 'OK' - at `$.status`, below `$.instance`",
            id="status",
        ),
        pytest.param(
            b'{"instance":{"app":"A","status":"UP","port":{"$":"x","@enabled":"true"}}}',
            JSON,
            "Expected `int`, got `str` - at `$.port.$`, below `$.instance`",
            id="port",
        ),
        pytest.param(b"<instance>", XML, "not Eureka's XML: no element found", id="cut-xml"),
        pytest.param(
            b"<html/>", XML, "not Eureka's XML: its root is <html>, not one of instance", id="html"
        ),
        pytest.param(
            b'<!DOCTYPE x [<!ENTITY e "y">]><instance>&e;</instance>',
            XML,
            "not Eureka's XML: DTDForbidden",
            id="dtd",
        ),
    ],
)
def test_an_unreadable_instance_says_where(body: bytes, content_type: str, says: str) -> None:
    """The refusal of a body names the place in it and what was expected there."""
    with pytest.raises(UnreadableBodyError) as caught:
        read_instance(body, content_type)

    assert str(caught.value).startswith(says)


def test_a_list_without_its_root_says_so() -> None:
    """A list read that answers something else is not taken for an empty list."""
    with pytest.raises(UnreadableBodyError, match="it has no `applications` at its root"):
        read_applications(b'{"application":{}}', JSON)


def test_json_that_is_not_utf_8_is_unreadable() -> None:
    """Bytes that are no UTF-8 are refused as JSON, not passed on as an error of the decoder."""
    with pytest.raises(UnreadableBodyError, match="not JSON"):
        read_json(b'"\xff"')


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("zone", "zone"),
        ("a_b", "a__b"),
        ("a$b", "a_-b"),
        ("a b", "a_.0020b"),
        ("a:b", "a_.003ab"),
        ("é", "_.00e9"),
        ("management.port", "management.port"),
    ],
)
def test_metadata_keys_are_escaped_as_element_names(key: str, name: str) -> None:
    """A key and its element's name stand for each other, both ways."""
    assert (escaped(key), unescaped(name)) == (name, key)


def test_written_xml_reads_back_as_the_same_fields() -> None:
    """An instance written as XML has the fields it was made of."""
    fields: dict[str, Json] = without(sample("CART", "1", metadata={"a_b c": "<&>é"}), "leaseInfo")
    fields["isCoordinatingDiscoveryServer"] = False

    read = as_json_shape(instance_xml(fields | {"statusPageUrl": None}))

    due = without(fields, "statusPageUrl")
    due |= {"port": {"$": "8080", "@enabled": "true"}, "countryId": "1"}
    due["isCoordinatingDiscoveryServer"] = "false"
    assert read == {"instance": due | {"securePort": {"$": "443", "@enabled": "false"}}}


def test_written_xml_carries_an_amazon_instance() -> None:
    """The data centre's metadata are elements below it, its class an attribute."""
    fields = sample("CART", "1", dataCenterInfo=amazon_data_center({"instance-id": "i-1"}))

    body = instance_xml(fields)

    assert (
        b'<dataCenterInfo class="com.netflix.appinfo.AmazonInfo"><name>Amazon</name>'
        b"<metadata><instance-id>i-1</instance-id></metadata></dataCenterInfo>"
    ) in body


def test_an_amazon_instance_is_read_from_xml() -> None:
    """The data centre's metadata are read, without a class too."""
    assert read_instance(AMAZON_XML, XML).data_center == DataCenter(
        name="Amazon", metadata={"instance-id": "i-1"}
    )


def test_records_differ_by_what_a_registry_does_not_stamp() -> None:
    """Stamps, lease and action are no difference; any other field is told with both values."""
    last = msgspec.structs.replace(SINGLE, status="DOWN", action=None, lease=None, updated_ms=1)

    assert SINGLE.differences(last) == "status UP became DOWN"


def test_a_record_differs_in_nothing_from_itself() -> None:
    """Where there is no difference the word for it is nothing."""
    assert SINGLE.differences(SINGLE) == "nothing"


def test_a_record_differs_from_nothing() -> None:
    """A record that is not there is a difference of its own."""
    assert SINGLE.differences(None) == "the instance is not there"


def test_an_answer_without_a_place_says_so() -> None:
    """Asking an answer without a data centre for it is answered in words."""
    with pytest.raises(LookupError, match="does not say where A/h runs"):
        _ = Record(app="A", status="UP", host_name="h").located


@pytest.mark.parametrize(
    ("record", "due"),
    [
        (Record(app="A", status="UP", instance_id="1", host_name="h"), "1"),
        (Record(app="A", status="UP", host_name="h"), "h"),
        (
            Record(
                app="A",
                status="UP",
                host_name="h",
                data_center=DataCenter(name="Amazon", metadata={"instance-id": "i-1"}),
            ),
            "i-1",
        ),
        (Record(app="A", status="UP"), ""),
    ],
    ids=["instance-id", "host-name", "amazon-id", "none"],
)
def test_a_record_is_called_by_its_key(record: Record, due: str) -> None:
    """The id is the instance id, else the data centre's, else the host name."""
    assert record.id == due


def test_the_type_marker_is_no_metadata() -> None:
    """The reference's class marker in an empty map is not a user's key."""
    record = Record(app="A", status="UP", metadata={"@class": "java.util.X", "zone": "z"})

    assert record.user_metadata == {"zone": "z"}


def test_a_full_answer_has_a_lease_and_a_place() -> None:
    """Lease and data centre of a full answer are at hand without asking whether they are there."""
    assert (SINGLE.leased, SINGLE.located) == (SINGLE.lease, SINGLE.data_center)


def test_a_lease_without_stamps_has_none() -> None:
    """What a registration sends, interval and duration alone, reads as a lease without stamps."""
    record = read_instance(registration(sample("A", "1", duration=10, interval=3)), JSON)

    assert record.lease == Lease(renewal_interval=3, duration=10)


def test_an_answer_without_a_lease_says_so() -> None:
    """Asking a compact record for its lease is answered in words."""
    with pytest.raises(LookupError, match="nothing about the lease of A/h"):
        _ = Record(app="A", status="UP", host_name="h").leased


def test_a_list_is_searched_by_application_and_id() -> None:
    """Instances are found by both names; what is not listed is None, its ids are none."""
    listed = read_applications(LIST_XML, XML)

    assert [record.id for record in listed] == ["h", "i"]
    assert listed.ids("FOO") == {"h", "i"}
    assert (listed.find("FOO", "nobody"), listed.find("BAR", "h")) == (None, None)
    assert listed.ids("BAR") == frozenset()


def test_a_sample_takes_changes_by_their_wire_names() -> None:
    """A change replaces a default or is added; a field can be left out."""
    fields = without(sample("CART", "1", duration="10", status="DOWN", sid="na"), "hostName")

    assert (fields["leaseInfo"], fields["status"], fields["sid"], "hostName" in fields) == (
        {"renewalIntervalInSecs": 30, "durationInSecs": "10"},
        "DOWN",
        "na",
        False,
    )


def test_a_registration_wraps_the_instance() -> None:
    """The body of a registration has one key, `instance`."""
    assert msgspec.json.decode(registration(sample("A", "1"))) == {"instance": sample("A", "1")}
