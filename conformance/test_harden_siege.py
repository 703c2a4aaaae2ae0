"""Chapter 19, bad input and abuse: senders that are huge, deep, slow, or out for other hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.observe.siege import besieged, huge, posting, slow
from eureka_tck.verdict import deep, expect, requirement
from eureka_tck.wire import raw
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.markup import instance_xml
from eureka_tck.wire.sample import registration, sample

if TYPE_CHECKING:
    from eureka_tck.actors.instance import Instance
    from eureka_tck.cluster import Cluster
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case

NEEDS = {"settings", "peers", "destructive"}
MEGABYTE = 1 << 20
MEETING = 120.0
"""Registry s for the first change to arrive at the trap: 24 s of real time at speed 5."""

# HARDEN-03: huge, deep, slow


def deep_json(levels: int) -> bytes:
    """Return a registration whose metadata is nested so deep."""
    return b'{"instance":{"metadata":' + b'{"a":' * levels + b"1" + b"}" * levels + b"}}"


def deep_xml(levels: int) -> bytes:
    """Return elements nested so deep."""
    return b"<instance>" + b"<a>" * levels + b"</a>" * levels + b"</instance>"


@requirement("HARDEN-03", profile="abuse", needs=NEEDS, seconds=20)
@pytest.mark.parametrize("size", [20], ids=["20-MB"])
def test_a_huge_body_takes_nothing_from_others(
    cart: Instance, registry: Registry, case: Case, size: int
) -> None:
    """While a body of megabytes is sent and read, another instance's renewals are answered."""
    cart.register()
    fields = sample(case.app("HUGE"), "huge", metadata={"key": "x" * (size * MEGABYTE)})
    body = posting(registry, case.app("HUGE"), registration(fields))

    siege = besieged(cart, lambda client: huge(client, body))
    registry.cancel(case.app("HUGE"), "huge")

    case.note(f"{siege.said} for the body, {len(siege.codes)} renewals meanwhile")
    expect("the renewals not answered 200 meanwhile", siege.refused).equals([])


@requirement("HARDEN-03", profile="abuse", needs=NEEDS, seconds=5)
@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        pytest.param(JSON, deep_json(100_000), id="json"),
        pytest.param(JSON, b"[" * 100_000, id="json-arrays"),
        pytest.param(XML, deep_xml(100_000), id="xml"),
    ],
)
def test_deep_nesting_takes_nothing_from_others(
    cart: Instance, registry: Registry, case: Case, content_type: str, body: bytes
) -> None:
    """A body of 100,000 levels is answered, and renewals go on."""
    cart.register()
    headers = {"Content-Type": content_type, "Content-Length": str(len(body))}
    data = raw.request(registry, "POST", f"/apps/{case.app('DEEP')}", headers=headers, body=body)

    siege = besieged(cart, lambda client: huge(client, data))

    expect("what came for the deep body", siege.said).matches("[2-5][0-9][0-9]|closed")
    expect("the renewals not answered 200 meanwhile", siege.refused).equals([])


@requirement("HARDEN-03", profile="abuse", needs=NEEDS, seconds=20)
@pytest.mark.parametrize("connections", [pytest.param(1, marks=deep), 50])
@pytest.mark.parametrize("stage", ["in-the-headers", "in-the-body"])
def test_slow_senders_take_nothing_from_others(
    cart: Instance, registry: Registry, case: Case, stage: str, connections: int
) -> None:
    """While senders drip a byte now and then, another instance's renewals are answered."""
    cart.register()
    whole = posting(registry, case.app("SLOW"), b'{"instance":{', declared=10_000)
    beginning = whole if stage == "in-the-body" else whole[: whole.index(b"\r\n\r\n") - 5]

    siege = besieged(cart, lambda client: slow(client, beginning, connections))

    case.note(f"{siege.said}, {len(siege.codes)} renewals meanwhile")
    expect("the renewals not answered 200 meanwhile", siege.refused).equals([])


# HARDEN-01: XML that reaches out

EXTERNAL = b'<!DOCTYPE instance [<!ENTITY x SYSTEM "TRAP">]>'
REACHING: dict[str, tuple[bytes, bytes]] = {
    "bare-doctype": (b"<!DOCTYPE instance>", b"x"),
    "external-entity": (EXTERNAL, b"&x;"),
    "external-entity-unused": (EXTERNAL, b"x"),
    "external-dtd": (b'<!DOCTYPE instance SYSTEM "TRAP">', b"x"),
    "public-dtd": (b'<!DOCTYPE instance PUBLIC "a" "TRAP">', b"x"),
    "parameter-entity": (b'<!DOCTYPE instance [<!ENTITY % p SYSTEM "TRAP"> %p;]>', b"x"),
    "nested-entities": (b'<!DOCTYPE instance [<!ENTITY a "a"><!ENTITY b "&a;&a;">]>', b"&b;"),
}


def reaching(case: Case, prologue: bytes, value: bytes, trap: str = "http://127.0.0.1:9/") -> bytes:
    """Return a registration by XML with this before it and this as a value in it."""
    body = instance_xml(sample(case.app("TRAP"), "trap", metadata={"key": "PLACE"}))
    return prologue.replace(b"TRAP", trap.encode()) + body.replace(b"PLACE", value)


@requirement("HARDEN-01", profile="abuse", needs=NEEDS, seconds=2)
@pytest.mark.parametrize("name", REACHING)
def test_xml_with_a_document_type_is_refused(registry: Registry, case: Case, name: str) -> None:
    """A registration with a DOCTYPE answers 4xx and stores nothing."""
    body = reaching(case, *REACHING[name])

    answer = registry.post(case.app("TRAP"), body, content_type=XML)

    expect("the status of the answer", answer.status).is_between(400, 499, unit="")
    expect("the application", registry.app(case.app("TRAP"))).is_absent()


@requirement("HARDEN-01", profile="abuse", needs=NEEDS, seconds=2)
def test_the_same_xml_without_a_document_type_is_taken(registry: Registry, case: Case) -> None:
    """The control: it is the DOCTYPE that the others are refused for."""
    answer = registry.post(case.app("TRAP"), reaching(case, b"", b"x"), content_type=XML)

    expect("the answer to the registration without a DOCTYPE", answer).has_status(204)


@requirement("HARDEN-01", profile="abuse", needs=NEEDS, seconds=10)
def test_no_document_type_makes_the_registry_call_anybody(
    registry: Registry, cart: Instance, cluster: Cluster, case: Case
) -> None:
    """No request for an entity arrives at a listener that the node is seen to reach."""
    trap = cluster.peer("trap")
    cart.register()
    trap.await_tasks([cart.id], app=cart.app, within=MEETING)
    case.given(f"the node replicates to {trap.host}, and entities point there")
    for prologue, value in REACHING.values():
        body = reaching(case, prologue, value, f"http://{trap.host}:{trap.port}/entity")
        registry.post(case.app("TRAP"), body, content_type=XML)
    cart.renew()
    trap.await_tasks([cart.id], app=cart.app, action="Heartbeat", within=MEETING)

    called = [one.path for one in trap.arrivals() if "/entity" in one.path]

    expect("the requests that arrived at the listener", called).equals([])


@requirement("HARDEN-01", profile="abuse", needs={*NEEDS, "memory"}, seconds=10)
def test_entities_that_multiply_take_no_memory(
    registry: Registry, cluster: Cluster, case: Case
) -> None:
    """A body of 1 KB that stands for 3 GB is refused, and the node does not grow by it."""
    entities = [b'<!ENTITY e0 "lol">']
    entities += [b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10)]
    prologue = b"<!DOCTYPE instance [%s]>" % b"".join(entities)
    registry.post(case.app("TRAP"), reaching(case, prologue, b"x"), content_type=XML)
    before = cluster["a"].memory()

    answers = [
        registry.post(case.app("TRAP"), reaching(case, prologue, b"&e9;"), content_type=XML).status
        for _ in range(3)
    ]

    grown = (cluster["a"].memory() - before) / MEGABYTE
    expect("the answers to the entities", answers).equals([400, 400, 400])
    expect("the growth of the node's memory", grown).is_at_most(GROWTH, unit="MB")


GROWTH = 64.0
"""MB: a collector's luck, 5 MB were seen; expanded once the body is 3,000 MB."""
