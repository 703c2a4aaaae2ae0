"""Registrations in XML: what is read of them, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from eureka.core.errors import InvalidRequest
from eureka.core.instance import DataCenter, Port, Record
from eureka.core.status import Status
from eureka.wire.reading import AMAZON, read_registration
from eureka.wire.writing import JsonWriter, XmlWriter
from eureka.wire.xml_reading import DEEPEST, LONGEST, MOST, read_xml_registration

if TYPE_CHECKING:
    from eureka.core.instance import Instance
    from tests.eureka.conftest import Builder


def registration(*, centre: str = "<name>MyOwn</name>", kind: str = "", rest: str = "") -> bytes:
    """Return a registration with what the test is about."""
    return (
        "<instance><instanceId>1</instanceId><hostName>h</hostName><app>cart</app>"
        f"<ipAddr>10.0.0.1</ipAddr><dataCenterInfo{kind}>{centre}</dataCenterInfo>{rest}</instance>"
    ).encode()


def read(body: bytes) -> Instance:
    """Return what is read of a body that came at millisecond 77."""
    return read_xml_registration(body, arrived_ms=77)


def test_a_minimal_registration_has_the_defaults_of_one_in_json() -> None:
    """Fields that are not there mean the same in both."""
    json = (
        b'{"instance":{"instanceId":"1","hostName":"h","app":"cart","ipAddr":"10.0.0.1",'
        b'"dataCenterInfo":{"@class":"com.netflix.appinfo.MyDataCenterInfo","name":"MyOwn"}}}'
    )

    assert read(registration()) == read_registration(json, arrived_ms=77)


def test_what_a_go_client_sends_is_read() -> None:
    """A data centre without class and with empty metadata, empty elements, no country."""
    rest = (
        "<status>UP</status><overriddenstatus></overriddenstatus><homePageUrl></homePageUrl>"
        "<countryId>0</countryId><leaseInfo><evictionDurationInSecs>90</evictionDurationInSecs>"
        "</leaseInfo><metadata></metadata><securePort>443</securePort>"
        '<port enabled="true">8080</port>'
    )

    found = read(registration(centre="<name>MyOwn</name><metadata></metadata>", rest=rest))

    assert (found.status, found.overridden_status) == (Status.UP, Status.UNKNOWN)
    assert (found.home_page_url, found.country_id, found.metadata) == ("", 0, {})
    assert (found.port, found.secure_port) == (Port(8080, enabled=True), Port(443, enabled=True))
    assert found.data_center == DataCenter("MyOwn")


@pytest.mark.parametrize("element", ["port", "countryId", "lastDirtyTimestamp", "leaseInfo"])
def test_an_empty_number_is_as_if_absent(element: str) -> None:
    """So is an empty group."""
    body = registration(rest=f"<{element}/>")

    assert replace(read(body), sent_lease_info=False) == replace(
        read(registration()), sent_lease_info=False
    )


@pytest.mark.parametrize("kind", ["", f' class="{AMAZON}"'])
def test_amazon_may_be_told_by_name_alone(kind: str) -> None:
    """Its metadata is read, and completed by the instance id."""
    centre = "<metadata><ami-id>a</ami-id></metadata><name>Amazon</name>"

    found = read(registration(centre=centre, kind=kind))

    assert found.data_center == DataCenter("Amazon", {"ami-id": "a", "instance-id": "1"})


@pytest.mark.parametrize("name", ["overriddenstatus", "overriddenStatus"])
def test_both_names_of_the_override_are_read(name: str) -> None:
    """Clients use either."""
    body = registration(rest=f"<{name}>DOWN</{name}>")

    assert read(body).overridden_status is Status.DOWN


def test_what_means_nothing_here_is_ignored() -> None:
    """Elements, attributes, comments, instructions and character sections, at every depth."""
    body = registration(rest="<future a='1'><x><y>1</y></x></future>")
    odd = b'<?xml version="1.0" encoding="UTF-8"?><!-- c --><?pi x?>' + body.replace(
        b"<hostName>h</hostName>", b"<hostName b='2'><![CDATA[h]]></hostName>"
    )

    assert read(odd) == read(registration())


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"text",
        b"<instance>",
        b"<instance/>x",
        b"<instance>&unknown;</instance>",
        b"<instance>\xff</instance>",
        b"<instance>\x00</instance>",
        b"<instance>&#0;</instance>",
        b"<instance a='1' a='2'/>",
        b"<sorted-set><string>x</string></sorted-set>",
        b"<java.io.File>/etc/passwd</java.io.File>",
        b"<application><name>CART</name></application>",
        b"<a>" * 100_000,
        b"<instance>" + b"<a>" * DEEPEST + b"</a>" * DEEPEST + b"</instance>",
        b"<instance>" + b"<a/>" * MOST + b"</instance>",
        b"<instance>" + b"<a b='1'/>" * (MOST // 2) + b"</instance>",
        b"<instance " + b" ".join(b"a%d='x'" % n for n in range(20_000)) + b"/>",
        b"<instance><!--" + b"-" * 2 * LONGEST + b"--></instance>",
        registration(kind=' class="java.lang.Runtime"'),
        registration(rest="<port>http</port>"),
        registration(rest="<port>99999999999</port>"),
    ],
)
def test_what_cannot_be_read_is_refused(body: bytes) -> None:
    """With a sentence; a foreign root is no instance."""
    with pytest.raises(InvalidRequest):
        read(body)


@pytest.mark.parametrize(
    "prolog",
    [
        "<!DOCTYPE instance>",
        '<!DOCTYPE instance SYSTEM "http://127.0.0.1:1/x.dtd">',
        '<!DOCTYPE i [<!ENTITY a "b">]>',
        '<!DOCTYPE i [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE i [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x">%p;]>',
        '<!DOCTYPE i [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>',
    ],
)
def test_a_document_type_is_refused_before_it_counts(prolog: str) -> None:
    """So there are no entities, and nothing is fetched."""
    with pytest.raises(InvalidRequest, match="a document type is not accepted"):
        read(prolog.encode() + registration(rest="<sid>&a;</sid>"))


@pytest.mark.parametrize("text", ["x" * 3, "&lt;x", "\n", "<![CDATA[x]]>"])
def test_a_text_may_be_long(text: str) -> None:
    """As long as a body."""
    body = registration(rest=f"<sid>{text * LONGEST}</sid><asgName>{'y' * 3 * LONGEST}</asgName>")

    found = read(body)

    assert len(found.sid or "") == LONGEST * {"x": 3, "&": 2, "\n": 1, "<": 1}[text[0]]
    assert len(found.asg_name or "") == 3 * LONGEST


_TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"))
_ANY_TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@settings(deadline=None)  # other work on the machine is no fault
@given(metadata=st.dictionaries(_ANY_TEXTS, _TEXTS), texts=st.lists(_TEXTS, min_size=5, max_size=5))
def test_both_formats_hold_the_same(
    build: Builder, metadata: dict[str, str], texts: list[str]
) -> None:
    """What was written in XML reads back as what was written in JSON."""
    metadata.pop("@class", None)
    vip, sid, home, group, asg = texts
    instance = replace(
        build(metadata=metadata, vip_address=vip),
        sid=sid,
        home_page_url=home,
        app_group=group,
        asg_name=asg,
    )
    record = Record(instance, 5)

    by_json = read_registration(JsonWriter().instance(record), arrived_ms=0)
    by_xml = read(XmlWriter().instance(record))

    assert by_xml == by_json
    assert by_xml.metadata == metadata
