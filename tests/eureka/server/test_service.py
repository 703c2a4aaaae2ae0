"""The calls of the protocol and their answers."""

from __future__ import annotations

import gzip
from random import Random
from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka.core.instance import Key
from eureka.server.changing import MISDIRECTED
from eureka.server.exchange import Response

if TYPE_CHECKING:
    from tests.eureka.conftest import HandClock
    from tests.eureka.server.conftest import Caller, MakeCaller

NOT_FOUND = Response(404)


# Registering, renewing, cancelling


def test_a_registration_is_answered_204_and_readable(call: Caller) -> None:
    """By application and id, and by id alone."""
    assert call.register() == Response(204)
    assert call.register() == Response(204)

    one = call.json("/apps/cart/1")
    assert one == call.json("/instances/1")
    assert set(one) == {"instance"}


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json; charset=UTF-8", 204),
        ("APPLICATION/JSON", 204),
        ("application/xml", 400),
        ("text/plain", 415),
        ("", 415),
    ],
)
def test_a_registration_is_read_as_what_it_says_it_is(
    call: Caller, content_type: str, status: int
) -> None:
    """Nothing is stored of what is refused."""
    call.register()
    body = call("GET", "/apps/CART/1").body
    call("DELETE", "/apps/CART/1")

    assert call("POST", "/apps/CART", body, content_type=content_type).status == status
    assert len(call.node.registry.leases) == (1 if status == 204 else 0)


@pytest.mark.parametrize("body", [b"", b"null", b'{"instance":[]}', b"{", b"\xff"])
def test_an_unreadable_registration_is_answered_400(call: Caller, body: bytes) -> None:
    """With a sentence, and nothing stored."""
    response = call("POST", "/apps/CART", body, content_type="application/json")

    assert response.status == 400
    assert response.body.startswith(b"cannot parse the request body")
    assert len(call.node.registry.leases) == 0


def test_an_application_that_differs_from_the_path_is_refused(call: Caller) -> None:
    """Case apart."""
    call.register(app="cart")
    body = call("GET", "/apps/cart/1").body

    response = call("POST", "/apps/PAY", body, content_type="application/json")

    assert response.status == 400
    assert response.body == b"Mismatched appName, expecting PAY but was CART"


def test_a_refusal_can_say_any_character(call: Caller) -> None:
    """Even one that UTF-8 has not."""
    response = call("PUT", "/apps/CART/1/status?value=%ED%A0%80")

    assert response.status == 400


def test_a_renewal_is_answered_200_without_body(call: Caller) -> None:
    """With and without a query."""
    call.register()

    assert call("PUT", "/apps/cart/1") == Response(200)
    assert call("PUT", "/apps/CART/1?status=DOWN&lastDirtyTimestamp=100") == Response(200)
    assert '"status":"UP"' in call("GET", "/apps/CART/1").body.decode()


def test_an_unknown_instance_is_answered_404_without_body(call: Caller) -> None:
    """Old clients never register again after a 404 with one."""
    assert call("PUT", "/apps/CART/1") == NOT_FOUND
    assert call("DELETE", "/apps/CART/1") == NOT_FOUND
    assert call("PUT", "/apps/CART/1/status?value=UP") == NOT_FOUND
    assert call("DELETE", "/apps/CART/1/status") == NOT_FOUND
    assert call("PUT", "/apps/CART/1/metadata?a=b") == NOT_FOUND
    assert call("GET", "/apps/CART/1") == NOT_FOUND
    assert call("GET", "/apps/CART") == NOT_FOUND
    assert call("GET", "/instances/1") == NOT_FOUND


@pytest.mark.parametrize("timestamp", ["abc", "", "1.5", "%20"])
def test_a_renewal_with_an_odd_timestamp_changes_nothing(call: Caller, timestamp: str) -> None:
    """It is noticed before the lease is touched."""
    call.register()
    lease = call.node.registry.leases.find(Key("CART", "1"))
    assert lease is not None
    expires_at = lease.expires_at

    assert call("PUT", f"/apps/CART/1?lastDirtyTimestamp={timestamp}").status == 400
    assert lease.expires_at == expires_at


def test_a_newer_timestamp_of_a_client_is_answered_404(call: Caller) -> None:
    """It has to register again."""
    call.register()

    assert call("PUT", "/apps/CART/1?lastDirtyTimestamp=101") == NOT_FOUND


@pytest.mark.parametrize(("header", "status"), [("true", 409), ("True", 200), ("1", 200)])
def test_an_older_timestamp_of_a_peer_is_answered_with_the_instance(
    call: Caller, header: str, status: int
) -> None:
    """Only the exact header makes a caller a peer."""
    call.register()

    response = call(
        "PUT",
        "/apps/CART/1?lastDirtyTimestamp=99",
        x_netflix_discovery_replication=header,
    )

    assert response.status == status
    if status == 409:
        assert response.body == call("GET", "/apps/CART/1").body


def test_a_peers_renewal_may_bring_an_override(call: Caller) -> None:
    """With a newer record, as a query."""
    call.register()

    call(
        "PUT",
        "/apps/CART/1?lastDirtyTimestamp=101&overriddenstatus=OUT_OF_SERVICE",
        x_netflix_discovery_replication="true",
    )

    assert '"overriddenStatus":"OUT_OF_SERVICE"' in call("GET", "/apps").body.decode()


def test_a_cancelled_instance_is_gone(call: Caller) -> None:
    """And its application with it."""
    call.register()

    assert call("DELETE", "/apps/CART/1") == Response(200)
    assert call("GET", "/apps/CART/1") == NOT_FOUND
    assert call("GET", "/apps/CART") == NOT_FOUND


# Status and metadata


def test_a_status_is_set_and_removed(call: Caller) -> None:
    """A plain removal leaves UNKNOWN, whose renewal is a 404."""
    call.register()

    assert call("PUT", "/apps/CART/1/status?value=OUT_OF_SERVICE") == Response(200)
    assert call("DELETE", "/apps/CART/1/status?value=UP") == Response(200)
    assert call("PUT", "/apps/CART/1") == Response(200)
    call("PUT", "/apps/CART/1/status?value=OUT_OF_SERVICE")
    assert call("DELETE", "/apps/CART/1/status") == Response(200)
    assert call("PUT", "/apps/CART/1") == NOT_FOUND


@pytest.mark.parametrize(
    ("method", "query"),
    [
        ("PUT", ""),
        ("PUT", "?value="),
        ("PUT", "?value=up"),
        ("PUT", "?value=BOGUS"),
        ("PUT", "?value=UNKNOWN"),
        ("PUT", "?value=DOWN&lastDirtyTimestamp=x"),
        ("DELETE", "?value=bogus"),
        ("DELETE", "?lastDirtyTimestamp=x"),
    ],
)
def test_an_odd_status_changes_nothing(call: Caller, method: str, query: str) -> None:
    """It is refused; UNKNOWN too, which would lock the client out."""
    call.register()
    call("PUT", "/apps/CART/1/status?value=OUT_OF_SERVICE")
    before = call("GET", "/apps/CART/1").body

    assert call(method, f"/apps/CART/1/status{query}").status == 400
    assert call("GET", "/apps/CART/1").body == before


def test_metadata_grows_within_its_limit(make: MakeCaller) -> None:
    """Else calls without end would make a record without end."""
    call = make(max_metadata=20)
    call.register(metadata={"a": "1"})
    assert call("PUT", "/apps/CART/1/metadata?b=0123456789").status == 200

    refused = call("PUT", "/apps/CART/1/metadata?c=0123456789")

    assert (refused.status, refused.body) == (
        400,
        b"The metadata of an instance may have 20 bytes, and would have 24.",
    )
    instance = call.json("/apps/CART/1")["instance"]
    assert msgspec.convert(instance, _Metadata).metadata == {"a": "1", "b": "0123456789"}


def test_metadata_is_put_by_query(call: Caller) -> None:
    """A plus is a blank, the first of repeated names counts, a name alone means an empty value."""
    call.register(metadata={"a": "1", "keep": "it"})

    assert call("PUT", "/apps/CART/1/metadata?a=x+y&a=z&b&c=%E2%82%AC") == Response(200)

    (instance,) = call.json("/apps/CART/1").values()
    assert msgspec.convert(instance, _Metadata).metadata == {
        "a": "x y",
        "keep": "it",
        "b": "",
        "c": "€",
    }


class _Metadata(msgspec.Struct):
    metadata: dict[str, str]


# Reading


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
def test_an_accept_that_admits_no_format_does_nothing(call: Caller, method: str) -> None:
    """On every method, before the registry is touched."""
    call.register()
    path = "/apps/CART" if method == "POST" else "/apps/CART/1"

    assert call(method, path, accept="text/html").status == 406
    assert len(call.node.registry.leases) == 1


@pytest.mark.parametrize("path", ["/apps", "/apps/delta", "/apps/CART", "/vips/cart", "/svips/s"])
@pytest.mark.parametrize("compact", ["", "Compact"])
def test_lists_show_a_change_at_once(call: Caller, path: str, compact: str) -> None:
    """Status changes too, in both forms, for each address listed."""
    call.register(vipAddress="a,cart", secureVipAddress="s")
    assert b'"status":"UP"' in call("GET", path, x_eureka_accept=compact).body

    call("PUT", "/apps/CART/1/status?value=DOWN")

    assert b'"status":"DOWN"' in call("GET", path, x_eureka_accept=compact).body


def test_a_status_that_a_renewal_changes_shows_in_lists_and_delta(call: Caller) -> None:
    """No client is left with the old one."""
    call.register()
    call("GET", "/apps")
    call(
        "PUT",
        "/apps/CART/1?lastDirtyTimestamp=101&overriddenstatus=OUT_OF_SERVICE",
        x_netflix_discovery_replication="true",
    )
    call("GET", "/apps")
    call("GET", "/apps/delta")

    call("PUT", "/apps/CART/1")

    for path in ("/apps", "/apps/delta"):
        text = call("GET", path).body
        assert b'"status":"OUT_OF_SERVICE"' in text
        assert b'"apps__hashcode":"OUT_OF_SERVICE_1_"' in text


def test_addresses_nobody_lists_are_an_empty_list(call: Caller) -> None:
    """The answer is 200, and nothing is kept of the name."""
    call.register()
    expected = b'{"applications":{"versions__delta":"-1","apps__hashcode":"","application":[]}}'

    assert call("GET", "/vips/nobody").body == expected
    assert call("GET", "/svips/cart").body == expected
    assert len(call.service.cache) == 0


def test_an_address_left_is_left_at_once(call: Caller) -> None:
    """An instance that registers under another one."""
    call.register(vipAddress="old")
    assert call.ids("/vips/old") == ["1"]

    call.register(vipAddress="new")

    assert call.ids("/vips/old") == []
    assert call.ids("/vips/new") == ["1"]


def test_lists_group_by_application(call: Caller) -> None:
    """The hash of an address list is that of the instances listed."""
    call.register("1", "CART", vipAddress="x")
    call.register("2", "PAY", vipAddress="x", status="DOWN")
    call.register("3", "PAY")

    assert call.ids("/vips/x") == ["1", "2"]
    assert b'"apps__hashcode":"DOWN_1_UP_1_"' in call("GET", "/vips/x").body
    assert call.ids("/apps") == ["1", "2", "3"]
    assert b'"apps__hashcode":"DOWN_1_UP_2_"' in call("GET", "/apps").body
    assert call.ids("/apps/PAY") == ["2", "3"]


@pytest.mark.parametrize("path", ["/apps", "/apps/delta"])
def test_gzip_is_the_same_body(call: Caller, path: str) -> None:
    """Where it is asked for, and made once."""
    call.register()
    plain = call("GET", path)

    zipped = call("GET", path, accept_encoding="gzip, deflate")

    assert zipped.headers == (*plain.headers, (b"content-encoding", b"gzip"))
    assert gzip.decompress(zipped.body) == plain.body
    assert call("GET", path, accept_encoding="gzip").body is zipped.body
    assert call("GET", "/apps/CART", accept_encoding="gzip").headers == plain.headers


def test_regions_nobody_knows_change_nothing_and_are_fresh(
    make: MakeCaller,
) -> None:
    """They pass by the read-only layer, so no name of a region can be stale or kept."""
    call = make(read_only_cache=True)
    call.register()
    assert call.ids("/apps") == ["1"]
    call.register("2")

    assert call.ids("/apps?regions=moon") == ["1", "2"]
    assert call.ids("/apps") == ["1"]
    kept = len(call.service.cache)
    call.ids("/apps?regions=mars")
    assert len(call.service.cache) == kept


def test_a_switched_off_delta_is_answered_403(make: MakeCaller) -> None:
    """The full list is not."""
    call = make(disable_delta=True)

    assert call("GET", "/apps/delta") == Response(403)
    assert call("GET", "/apps").status == 200


def test_before_opening_lists_are_refused_and_everything_else_is_served(make: MakeCaller) -> None:
    """Clients keep their copies meanwhile."""
    call = make(opened=False)
    call.register()

    for path in ("/apps", "/apps/delta", "/apps/CART", "/apps/NONE", "/vips/cart", "/svips/cart"):
        assert call("GET", path) == Response(403)
    assert call("GET", "/apps/CART/1").status == 200
    assert call("GET", "/instances/1").status == 200
    assert call("PUT", "/apps/CART/1").status == 200


def test_forgotten_changes_leave_the_delta(make: MakeCaller, clock: HandClock) -> None:
    """The next read after the retention run does not show them."""
    call = make(delta_retention=20.0, delta_retention_interval=5.0, eviction_interval=1e6)
    call.register()
    assert call.ids("/apps/delta") == ["1"]

    clock.passes(25)
    events = call.node.registry.tick(now=call.clock.now(), rng=Random(1))
    call.service.happened(events)

    assert call.ids("/apps/delta") == []


# Methods


def test_head_and_options(call: Caller) -> None:
    """HEAD answers as GET, OPTIONS says what is allowed."""
    assert call("HEAD", "/apps") == call("GET", "/apps")
    assert call("OPTIONS", "/apps/CART/1") == Response(
        200, headers=((b"allow", b"DELETE,GET,HEAD,OPTIONS,PUT"),)
    )


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/apps", b"GET,HEAD,OPTIONS"),
        ("POST", "/apps/delta", b"GET,HEAD,OPTIONS"),
        ("GET", "/peerreplication/batch/", b"OPTIONS,POST"),
        ("PATCH", "/apps/CART/1", b"DELETE,GET,HEAD,OPTIONS,PUT"),
        ("GET", "/apps/CART/1/status", b"DELETE,OPTIONS,PUT"),
    ],
)
def test_a_wrong_method_is_answered_405(
    call: Caller, method: str, path: str, allowed: bytes
) -> None:
    """With the right ones."""
    assert call(method, path) == Response(405, headers=((b"allow", allowed),))


# Batches


def batch(call: Caller, *tasks: object, **headers: str) -> Response:
    """Send a batch as a peer does."""
    body = msgspec.json.encode({"replicationList": tasks})
    sent = {"content_type": "application/json", "accept": "application/json", **headers}
    return call("POST", "/peerreplication/batch/", body, **sent)


def heartbeat(**changes: object) -> dict[str, object]:
    """Return a renewal as a peer sends it."""
    return {"appName": "CART", "id": "1", "action": "Heartbeat", **changes}


def test_a_batch_is_answered_task_by_task(call: Caller) -> None:
    """The instance that is held comes with a 409; changes show in lists at once."""
    call.register()
    call.ids("/apps")

    response = batch(call, heartbeat(), heartbeat(id="2"), heartbeat(lastDirtyTimestamp=0))

    one, two, three = msgspec.json.decode(response.body)["responseList"]
    assert (one, two) == ({"statusCode": 200}, {"statusCode": 404})
    assert three["statusCode"] == 409
    assert three["responseEntity"]["instanceId"] == "1"
    batch(call, heartbeat(action="Cancel"))
    assert call.ids("/apps") == []


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b'{"replicationList":[]}', "application/json", 200),
        (b'{"replicationList":[]}', "", 200),
        (b'{"replicationList":[]}', "text/plain", 415),
        (b"{}", "application/json", 400),
    ],
)
def test_a_batch_is_json(call: Caller, body: bytes, content_type: str, status: int) -> None:
    """Of no type at all it is believed to be."""
    assert call("POST", "/peerreplication/batch", body, content_type=content_type).status == status


def test_a_node_refuses_its_own_batch(call: Caller) -> None:
    """That is how it finds out that a peer's URL is another name for itself."""
    call.service.node_id = "me"

    assert batch(call, x_eureka_node_id="me").status == MISDIRECTED
    assert batch(call, x_eureka_node_id="you").status == 200


def test_a_repeated_batch_counts_once(call: Caller, clock: HandClock) -> None:
    """It is known by its sender and number."""
    call.register()
    for _ in range(3):
        batch(call, heartbeat(), x_eureka_node_id="a", x_eureka_batch_id="1")

    clock.passes(60)
    assert call.node.registry.preservation.renewals_last_minute(now=60.0) == 1


def test_a_clients_call_is_told_to_the_senders(call: Caller) -> None:
    """After it is done."""
    told = []
    call.service.told = lambda: told.append(len(call.node.registry.leases))

    call.register()

    assert told == [1]
