"""How many bytes a call is on the network, asked of a registry once."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from eureka_tck.fleet.request import Requests
from eureka_tck.fleet.storm import Storm
from eureka_tck.fleet.weight import weighed
from eureka_tck.wire.client import WireClient

if TYPE_CHECKING:
    from tests.eureka_tck.fleet.conftest import Registry

STORM = Storm(name="x", story="", instances=3, minutes=1, applications=2)
PATIENT = 30.0
"""Seconds for an answer: of a machine with other things to do."""


def test_each_kind_of_call_is_weighed_heads_and_all(registry: Registry) -> None:
    """The request is what the fleet sends to the byte; an answer is more than its body."""
    registry.held["fleet-0000002"] = 1.0
    host, port = registry.address

    with closing(WireClient(f"http://{host}:{port}")) as client:
        sizes = weighed(STORM, client, 1_700_000_000_000, PATIENT)

    sent = Requests(STORM, f"{host}:{port}", "/eureka").renew(2, 1_700_000_000_000)
    assert sizes["PUT renew"].request == len(sent)
    assert sizes["PUT renew"].answer > len("HTTP/1.1 200 OK\r\n\r\n")
    assert sizes["GET apps"].answer > sizes["PUT renew"].answer
    assert registry.seen == {"PUT": 1, "GET apps": 1, "GET delta": 1}


def test_what_is_not_answered_has_no_weight(registry: Registry) -> None:
    """A renewal of an instance that is not there says nothing of one that is."""
    host, port = registry.address

    with closing(WireClient(f"http://{host}:{port}")) as client:
        sizes = weighed(STORM, client, 1_700_000_000_000, PATIENT)

    assert set(sizes) == {"GET apps", "GET delta"}
