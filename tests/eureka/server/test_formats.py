"""In which format calls are answered, and what the server tells of itself in both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka.server.exchange import Response

if TYPE_CHECKING:
    from tests.eureka.server.conftest import Caller


@pytest.mark.parametrize(
    "path", ["/apps", "/apps/CART", "/apps/CART/1", "/instances/1", "/vips/cart"]
)
@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", "xml"),
        ("*/*", "xml"),
        ("application/xml", "xml"),
        ("application/xml;q=0.9, */*;q=0.1", "xml"),
        ("application/json", "json"),
        ("application/json, application/*+json", "json"),
        ("application/xml, application/json", "json"),
    ],
)
def test_reads_answer_json_where_it_is_named_and_else_xml(
    call: Caller, path: str, accept: str, expected: str
) -> None:
    """The label agrees with the body."""
    call.register()

    response = call("GET", path, accept=accept)

    assert response.headers == ((b"content-type", f"application/{expected}".encode()),)
    assert response.body[:1] == {"json": b"{", "xml": b"<"}[expected]


def test_what_the_registry_wrote_in_xml_can_be_posted_back(call: Caller) -> None:
    """The record is the one that a registration in JSON made."""
    call.register(
        status="OUT_OF_SERVICE",
        port={"$": 80, "@enabled": "false"},
        metadata={"a b": "<&>\r\n", "": "", "x:y_$": " "},
        leaseInfo={"durationInSecs": 7},
        homePageUrl="",
    )
    written = call("GET", "/apps/CART/1", accept="application/xml")
    before = call.json("/apps/CART/1")
    call("DELETE", "/apps/CART/1")

    assert call("POST", "/apps/CART", written.body, content_type="application/xml") == Response(204)
    assert call.json("/apps/CART/1") == before


def test_a_conflict_comes_in_the_format_asked_for(call: Caller) -> None:
    """Without an Accept that is XML."""
    call.register()
    path = "/apps/CART/1?lastDirtyTimestamp=99"

    json, xml = (
        call("PUT", path, accept=accept, x_netflix_discovery_replication="true")
        for accept in ("application/json", "")
    )

    assert (json.status, json.body[:12]) == (409, b'{"instance":')
    assert (xml.status, xml.body[:10]) == (409, b"<instance>")


def test_a_batch_is_answered_in_xml_unless_json_is_asked_for(call: Caller) -> None:
    """With the reference's names; a conflict carries the record."""
    call.register()
    task = {"appName": "CART", "id": "1", "action": "Heartbeat", "lastDirtyTimestamp": 1}
    body = msgspec.json.encode({"replicationList": [task, {"action": "Cancel"}]})

    answer = call("POST", "/peerreplication/batch", body, accept="")

    assert answer.headers[0] == (b"content-type", b"application/xml")
    package = b"com.netflix.eureka.cluster.protocol."
    assert answer.body.startswith(
        b"<%bReplicationListResponse><responseList><%bReplicationInstanceResponse>"
        b"<statusCode>409</statusCode><responseEntity><instanceId>1</instanceId>"
        % (package, package)
    )
    assert b"<statusCode>500</statusCode></" in answer.body


def test_a_body_with_a_content_encoding_is_refused(call: Caller) -> None:
    """And nothing of it is read."""
    response = call(
        "POST", "/apps/CART", b"x", content_type="application/json", content_encoding="gzip"
    )

    assert response.status == 400


def test_the_server_tells_of_itself_in_both_formats(call: Caller) -> None:
    """Where Netflix's server has its figures."""
    json = msgspec.json.decode(call("GET", "/status").body)
    xml = call("GET", "/status", accept="application/xml").body

    assert set(json) == {"generalStats", "applicationStats"}
    assert json["applicationStats"]["registered-replicas"] == ""
    assert xml.startswith(b"<com.netflix.eureka.util.StatusInfo><generalStats><num-of-cpus>")


def test_overrides_are_listed_by_id(call: Caller) -> None:
    """Of two applications with the same id the names tell them apart."""
    for app, instance_id in (("CART", "1"), ("CART", "2"), ("PAY", "1"), ("PAY", "3")):
        call.register(instance_id, app)
        if instance_id != "3":
            call("PUT", f"/apps/{app}/{instance_id}/status?value=DOWN")

    found = msgspec.json.decode(call("GET", "/serverinfo/statusoverrides").body)

    assert found == {"CART/1": "DOWN", "2": "DOWN", "PAY/1": "DOWN"}
