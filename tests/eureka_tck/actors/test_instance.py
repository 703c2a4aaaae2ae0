"""An instance makes the calls its methods are named after, under its own name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.wire.answer import Answer
from eureka_tck.wire.client import WireClient
from eureka_tck.wire.exchange import Exchange
from eureka_tck.wire.record import Record
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


INSTANCES = b"""[{"app":"CART","instanceId":"1","status":"UP"},
{"app":"CART","instanceId":"2","status":"DOWN"}]"""
LIST = b'{"applications":{"application":[{"name":"CART","instance":%b}]}}' % INSTANCES
SINGLE = b'{"instance":{"app":"CART","instanceId":"1","status":"UP"}}'


class Heard(WireClient):
    """A client that keeps what it would send, and answers every read with the same."""

    def __init__(self) -> None:
        super().__init__("http://registry")
        self.said: list[tuple[str, str, dict[str, object], bytes]] = []

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int | None] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: bytes = b"",
    ) -> Answer:
        """Keep the request: verb, path, all that is not None of query and headers, body."""
        told: dict[str, object] = {**(params or {}), **(headers or {})}
        kept = {name: value for name, value in told.items() if value is not None}
        self.said.append((method, path, kept, body))
        text = LIST if path in ("/apps", "/apps/delta") else SINGLE
        return Answer(200, {}, text, text, Exchange(method=method, url=path), 0.0)


@pytest.fixture
def heard() -> Heard:
    """Give a registry that listens only."""
    return Heard()


@pytest.fixture
def instance(heard: Heard) -> Instance:
    """Give the instance CART/1 of that registry."""
    return Instance(heard, "CART", "1")


PEER = {"x-netflix-discovery-replication": "true"}


@pytest.mark.parametrize(
    ("speak", "method", "path", "said"),
    [
        pytest.param(
            lambda i: i.renew(dirty=5, status="UP", overridden="DOWN", replication=True),
            "PUT",
            "/apps/CART/1",
            {"lastDirtyTimestamp": 5, "status": "UP", "overriddenstatus": "DOWN"} | PEER,
            id="renew",
        ),
        pytest.param(
            lambda i: i.cancel(replication=True), "DELETE", "/apps/CART/1", PEER, id="cancel"
        ),
        pytest.param(
            lambda i: i.set_status("DOWN", dirty=5, replication=True),
            "PUT",
            "/apps/CART/1/status",
            {"value": "DOWN", "lastDirtyTimestamp": 5} | PEER,
            id="set-status",
        ),
        pytest.param(
            lambda i: i.remove_status("UP", dirty=5, replication=True),
            "DELETE",
            "/apps/CART/1/status",
            {"value": "UP", "lastDirtyTimestamp": 5} | PEER,
            id="remove-status",
        ),
        pytest.param(
            lambda i: i.set_metadata({"k": "v"}),
            "PUT",
            "/apps/CART/1/metadata",
            {"k": "v"},
            id="set-metadata",
        ),
        pytest.param(lambda i: i.read(), "GET", "/apps/CART/1", {}, id="read"),
        pytest.param(lambda i: i.record(), "GET", "/apps/CART/1", {}, id="record"),
        pytest.param(lambda i: i.change(), "GET", "/apps/delta", {}, id="change"),
        pytest.param(lambda i: i.listed(), "GET", "/apps", {}, id="listed"),
    ],
)
def test_an_instance_says_what_its_method_is_named_after(
    heard: Heard,
    instance: Instance,
    speak: Callable[[Instance], Answer],
    method: str,
    path: str,
    said: dict[str, object],
) -> None:
    """Each method is one call with the instance's own names."""
    speak(instance)

    assert heard.said == [(method, path, said, b"")]


def test_an_instance_registers_as_its_sample(heard: Heard, instance: Instance) -> None:
    """A registration is the sample of its names with the changes asked for."""
    instance.register(dirty=5, duration=10, status="DOWN", replication=True)

    [(method, path, said, body)] = heard.said
    assert (method, path, said) == (
        "POST",
        "/apps/CART",
        PEER | {"Content-Type": "application/json"},
    )
    assert msgspec.json.decode(body) == {
        "instance": sample("CART", "1", duration=10, status="DOWN", lastDirtyTimestamp=5)
    }


def test_an_instance_is_looked_for_under_its_names(instance: Instance) -> None:
    """In lists and deltas an instance is found by application and id."""
    due = Record(app="CART", instance_id="1", status="UP")
    assert [instance.change(), instance.listed(), instance.record()] == [due, due, due]
