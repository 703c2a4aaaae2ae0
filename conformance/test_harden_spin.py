"""
Chapter 19, bad input and abuse: requests that must be answered, and must cost nothing afterwards.

The tests read recordings of one request each, to a node that is killed if it goes on working.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.observe.spin import SLOW, Spin, Spinner
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.client import JSON, XML

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.cluster import Cluster
    from eureka_tck.verdict import Case

NEEDS = {"settings", "kill", "memory", "destructive"}
HEAD = b'"app":"SPIN","hostName":"h","ipAddr":"i","instanceId":"x"'
CENTRE = b'"dataCenterInfo":{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo"'
WHOLE = HEAD + b"," + CENTRE + b',"name":"MyOwn"}'
BATCH = "/peerreplication/batch/"

# The most harmless first: what makes a node spin costs a restart.
REQUESTS: dict[str, tuple[str, str, str, bytes]] = {
    "instance-of-nothing": ("POST", "/apps/SPIN", JSON, b'{"instance":{}}'),
    "instance-null": ("POST", "/apps/SPIN", JSON, b'{"instance":null}'),
    "array": ("POST", "/apps/SPIN", JSON, b"[]"),
    "instance-text": ("POST", "/apps/SPIN", JSON, b'{"instance":""}'),
    "empty-xml-instance": ("POST", "/apps/SPIN", XML, b"<instance/>"),
    "nested-xml-instances": ("POST", "/apps/SPIN", XML, b"<instance><instance/></instance>"),
    "empty-batch": ("POST", BATCH, JSON, b'{"replicationList":[]}'),
    "batch-of-null": ("POST", BATCH, JSON, b'{"replicationList":[null]}'),
    "batch-of-arrays": ("POST", BATCH, JSON, b'{"replicationList":[[]]}'),
    "batch-no-array": ("POST", BATCH, JSON, b'{"replicationList":{}}'),
    "port-array": ("POST", "/apps/SPIN", JSON, b'{"instance":{%s,"port":[]}}' % WHOLE),
    "data-centre-array": (
        "POST", "/apps/SPIN", JSON, b'{"instance":{%s,"dataCenterInfo":[]}}' % HEAD,
    ),
    "lease-array": ("POST", "/apps/SPIN", JSON, b'{"instance":{%s,"leaseInfo":[]}}' % WHOLE),
    "metadata-array": ("POST", "/apps/SPIN", JSON, b'{"instance":{%s,"metadata":[]}}' % WHOLE),
    "batch-instance-array": (
        "POST",
        BATCH,
        JSON,
        b'{"replicationList":[{"appName":"SPIN","id":"x","action":"Register","instanceInfo":[]}]}',
    ),
    "instance-array": ("POST", "/apps/SPIN", JSON, b'{"instance":[]}'),
}  # fmt: skip


@pytest.fixture(scope="session")
def spins(profile_cluster: Callable[[str], Cluster]) -> Callable[[str], Spin]:
    """Send each request once."""
    recorded: dict[str, Spin] = {}
    spinners: list[Spinner] = []

    def recording(name: str) -> Spin:
        if not spinners:
            spinners.append(Spinner(profile_cluster("spin")))
        if name not in recorded:
            recorded[name] = spinners[0].ask(name, *REQUESTS[name])
        return recorded[name]

    return recording


@pytest.fixture
def spin(spins: Callable[[str], Spin], name: str, case: Case) -> Spin:
    """Read what came of the request of that name."""
    recording = spins(name)
    recording.tape.play(case)
    return recording


@requirement("HARDEN-10", profile="spin", needs=NEEDS, seconds=5)
@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_with_a_complete_body_is_answered(spin: Spin, name: str) -> None:
    """An answer comes, whatever it is."""
    expect(f"what came for {name}", spin.said).matches("[2-5][0-9][0-9]")


@requirement("HARDEN-10", profile="spin", needs=NEEDS, seconds=5)
@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_answered_within_a_second(spin: Spin, name: str) -> None:
    """On an idle node the fastest of three tries takes less than 1 s of real time."""
    expect(f"the real time until {name} was over", spin.seconds).is_at_most(SLOW)


@requirement("HARDEN-10", profile="spin", needs=NEEDS, seconds=5)
@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_costs_nothing_once_it_is_over(spin: Spin, name: str) -> None:
    """Answered or given up, it leaves the node's processor at rest."""
    expect(f"that the node comes to rest after {name}", spin.calm).is_true(
        because="half a second at no more than 6 % of a core comes within 3 s"
    )
