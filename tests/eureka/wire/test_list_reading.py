"""Lists in JSON, as a whole and piece by piece."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eureka.core.errors import InvalidRequest
from eureka.core.status import Action
from eureka.wire import list_reading
from eureka.wire.list_reading import Listed, read_applications
from eureka.wire.reading import PLAIN

ARRIVED = 5_000
MINIMAL = {
    "instanceId": "host-1:cart:80",
    "hostName": "host-1",
    "app": "CART",
    "ipAddr": "10.0.0.1",
    "dataCenterInfo": {"@class": PLAIN, "name": "MyOwn"},
}

TEXTS = st.sampled_from(["", "a", '},{"', '"},{"name":"X","instance":[', "]}]", "\\", "é", "}"])


@st.composite
def instances(draw: st.DrawFn) -> dict[str, object]:
    """Return an instance, odd in what it may be odd in."""
    found: dict[str, object] = {**MINIMAL, "instanceId": draw(st.text("abc", min_size=1))}
    found["metadata"] = draw(st.dictionaries(TEXTS, TEXTS, max_size=3))
    if draw(st.booleans()):
        del found["hostName"]
    if draw(st.booleans()):
        found["more"] = [{"a": draw(TEXTS)}, {"b": draw(TEXTS)}]
    return found


@st.composite
def lists(draw: st.DrawFn) -> bytes:
    """Return a list, its facts before or behind the applications."""
    several = st.lists(instances(), max_size=4)
    applications: list[object] = [
        {"name": name, "instance": found}
        for name, found in draw(st.lists(st.tuples(TEXTS, several | instances() | st.none())))
    ]
    facts = {"apps__hashcode": draw(TEXTS), "x": {"application": [{}, {}]}}
    listed = {"application": applications}
    inner = {**facts, **listed} if draw(st.booleans()) else {**listed, **facts}
    return msgspec.json.encode({"applications": inner})


def in_parts(body: bytes, size: int) -> list[bytes]:
    """Return a body as a connection brings it."""
    return [body[start : start + size] for start in range(0, len(body), size)]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=lists(), size=st.integers(1, 400), piece=st.integers(1, 300))
def test_a_list_reads_the_same_in_pieces(body: bytes, size: int, piece: int) -> None:
    """However it is cut, and whatever the texts in it look like."""
    whole = read_applications([body], arrived_ms=ARRIVED, piece=len(body))

    assert read_applications(in_parts(body, size), arrived_ms=ARRIVED, piece=piece) == whole


def test_a_list_of_some_size_is_never_taken_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small applications as well as a large one."""
    monkeypatch.setattr(list_reading, "_Whole", None)
    large = [{**MINIMAL, "instanceId": str(number)} for number in range(300)]
    small = [{"name": str(number), "instance": [MINIMAL]} for number in range(300)]
    listed = {"application": [{"name": "CART", "instance": large}, *small]}
    body = msgspec.json.encode({"applications": {"apps__hashcode": "UP_600_", **listed}})

    found = read_applications(in_parts(body, 1000), arrived_ms=ARRIVED, piece=2000)

    assert len(found.instances) == 600
    assert [found.instances[at].key.id for at in (0, 299, 300)] == ["0", "299", "host-1:cart:80"]
    assert (found.unreadable, found.hash) == (0, "UP_600_")


@pytest.mark.parametrize("end", [1, 2, 3, 300, 1500])
def test_a_list_that_ends_too_early_is_refused(end: int) -> None:
    """Wherever that is."""
    application = {"name": "CART", "instance": [MINIMAL] * 20}
    body = msgspec.json.encode({"applications": {"application": [application] * 3}})

    with pytest.raises(InvalidRequest, match="cannot parse the request body"):
        read_applications(in_parts(body[:-end], 100), arrived_ms=ARRIVED, piece=200)


def test_a_full_list_is_read_without_what_cannot_be() -> None:
    """One odd instance of a peer does not spoil the copy of the others."""
    applications = {
        "versions__delta": "1",
        "apps__hashcode": "UP_3_",
        "application": [
            {"name": "CART", "instance": [MINIMAL, {**MINIMAL, "instanceId": "2"}]},
            {"name": "PAY", "instance": {**MINIMAL, "app": "PAY"}},
            {"name": "ODD", "instance": [{"app": "ODD"}]},
            {"name": "NONE"},
        ],
    }
    encoded = msgspec.json.encode({"applications": applications})

    found = read_applications([encoded], arrived_ms=ARRIVED)

    assert [str(instance.key) for instance in found.instances] == [
        "CART/host-1:cart:80",
        "CART/2",
        "PAY/host-1:cart:80",
    ]
    assert (found.unreadable, found.hash) == (1, "UP_3_")


def test_an_empty_list_has_no_instances() -> None:
    """Nor has one without the field."""
    for encoded in (b'{"applications":{"application":[]}}', b'{"applications":{}}'):
        assert read_applications([encoded], arrived_ms=ARRIVED) == Listed([], 0, None)


def test_a_list_is_read_with_the_stamps_of_who_holds_it() -> None:
    """Those that mean nothing are as if absent."""
    instance = {
        **MINIMAL,
        "leaseInfo": {
            "registrationTimestamp": 1,
            "serviceUpTimestamp": "2",
            "evictionTimestamp": [],
        },
        "lastUpdatedTimestamp": "4",
        "actionType": "DELETED",
    }
    odd = {**MINIMAL, "actionType": "LOST"}
    applications = [{"name": "CART", "instance": [instance, odd]}]
    written = msgspec.json.encode({"applications": {"application": applications}})

    found = read_applications([written], arrived_ms=ARRIVED)
    one, other = found.instances

    assert (one.registered_ms, one.service_up_ms, one.evicted_ms, one.updated_ms) == (1, 2, 0, 4)
    assert (one.action, other.action, found.unreadable) == (Action.DELETED, Action.ADDED, 0)
