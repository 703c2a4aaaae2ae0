"""Chapter 1, the wire: what a registration may look like, as clients of all languages send it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.markup import instance_xml
from eureka_tck.wire.sample import (
    DIRTY_MS,
    registration,
    sample,
    without,
)

if TYPE_CHECKING:
    from eureka_tck.actors.instance import Instance
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.record import Record
    from eureka_tck.wire.sample import Json, Sample

FORMS = [pytest.param(JSON, id="json"), pytest.param(XML, id="xml")]
A_MOMENT_MS = 2000
"""Registry ms between reading a body and storing it: generous for a stall at speed 20."""

OVERRIDES = ["overriddenStatus", "overriddenstatus"]


def send(cart: Instance, fields: Sample, form: str = JSON) -> Answer:
    """Register these fields in a form."""
    body = instance_xml(fields) if form == XML else registration(fields)
    return cart.registry.post(cart.app, body, content_type=form)


def sent(cart: Instance, fields: Sample, form: str = JSON) -> Record:
    """Register these fields, which must be taken, and return the instance as it reads back."""
    __tracebackhide__ = True
    expect("the answer to the registration", send(cart, fields, form)).has_status(204)
    return cart.record()


def spelled(cart: Instance, name: str, value: Json) -> Sample:
    """Return a registration with an override in this spelling only."""
    return without(sample(cart.app, cart.id), "overriddenStatus") | {name: value}


def xml_of(cart: Instance, name: str, text: str) -> bytes:
    """Return a registration by XML with an override in this spelling only."""
    body = instance_xml(without(sample(cart.app, cart.id), "overriddenStatus"))
    return body.replace(b"</instance>", f"<{name}>{text}</{name}></instance>".encode())


# WIRE-06: overrides, and nulls


@requirement("WIRE-06")
@pytest.mark.parametrize("name", OVERRIDES)
def test_an_override_is_read_in_both_spellings(cart: Instance, name: str) -> None:
    """`overriddenStatus` and `overriddenstatus` are the same field."""
    record = sent(cart, spelled(cart, name, "OUT_OF_SERVICE"))

    expect("the stored override", record.overridden_status).equals("OUT_OF_SERVICE")


@requirement("WIRE-06")
@pytest.mark.parametrize("name", OVERRIDES)
def test_an_override_in_xml_is_read_in_both_spellings(cart: Instance, name: str) -> None:
    """The element may be written either way too."""
    cart.registry.post(cart.app, xml_of(cart, name, "OUT_OF_SERVICE"), content_type=XML)

    expect("the stored override", cart.record().overridden_status).equals("OUT_OF_SERVICE")


@requirement("WIRE-06")
@pytest.mark.parametrize("name", OVERRIDES)
@pytest.mark.parametrize("value", [None, "", "BOGUS", "UNKNOWN"], ids=str)
def test_no_override_is_stored_as_unknown(cart: Instance, name: str, value: Json) -> None:
    """Null, empty, or a word that nobody knows is no override."""
    record = sent(cart, spelled(cart, name, value))

    expect("override and status", (record.overridden_status, record.status)).equals(
        ("UNKNOWN", "UP")
    )


@requirement("WIRE-06")
@pytest.mark.parametrize("name", OVERRIDES)
@pytest.mark.parametrize("text", ["", "BOGUS"], ids=["empty", "unknown"])
def test_no_override_in_xml_is_stored_as_unknown(cart: Instance, name: str, text: str) -> None:
    """The same of an element that is empty or says what nobody knows."""
    cart.registry.post(cart.app, xml_of(cart, name, text), content_type=XML)

    record = cart.record()
    expect("override and status", (record.overridden_status, record.status)).equals(
        ("UNKNOWN", "UP")
    )


@requirement("WIRE-06")
@pytest.mark.parametrize("form", FORMS)
def test_an_absent_override_is_stored_as_unknown(cart: Instance, form: str) -> None:
    """A registration that says nothing of an override has none."""
    record = sent(cart, without(sample(cart.app, cart.id), "overriddenStatus"), form)

    expect("the stored override", record.overridden_status).equals("UNKNOWN")


OPTIONAL = [
    *("leaseInfo", "metadata", "actionType", "homePageUrl", "statusPageUrl", "healthCheckUrl"),
    *("secureHealthCheckUrl", "vipAddress", "secureVipAddress", "appGroupName", "asgName"),
    *("overriddenStatus", "isCoordinatingDiscoveryServer", "lastUpdatedTimestamp"),
    *("lastDirtyTimestamp", "countryId", "port", "securePort", "sid", "status"),
]


@requirement("WIRE-06")
@pytest.mark.parametrize("name", OPTIONAL)
def test_a_null_is_as_if_the_field_were_absent(cart: Instance, name: str) -> None:
    """An explicit null makes the same instance as no field at all."""
    fields = sample(cart.app, cart.id, lastDirtyTimestamp=str(DIRTY_MS))
    absent = sent(cart, without(fields, name))
    cart.cancel()

    null = sent(cart, fields | {name: None})

    expect("what differs from the absent field", absent.differences(dated(null, absent))).equals(
        "nothing"
    )


def dated(record: Record, other: Record) -> Record:
    """Return the record with the T of the other where both were given the time of arrival."""
    arrived = DIRTY_MS not in (record.dirty_ms, other.dirty_ms)
    return msgspec.structs.replace(record, dirty_ms=other.dirty_ms) if arrived else record


# WIRE-07: numbers and flags


@requirement("WIRE-07")
@pytest.mark.parametrize("number", [8081, "8081"], ids=["number", "string"])
@pytest.mark.parametrize("flag", [True, "true"], ids=["boolean", "string"])
@pytest.mark.parametrize("name", ["port", "securePort"])
def test_a_port_is_read_as_clients_write_it(
    cart: Instance, name: str, number: Json, flag: Json
) -> None:
    """The number may stand in quotes, the flag may stand without."""
    record = sent(cart, sample(cart.app, cart.id, **{name: {"$": number, "@enabled": flag}}))

    port = record.port if name == "port" else record.secure_port
    expect(name, (port and port.number, port and port.enabled)).equals((8081, True))


@requirement("WIRE-07")
@pytest.mark.parametrize("flag", [False, "false"], ids=["boolean", "string"])
def test_a_port_that_is_off_is_read_as_off(cart: Instance, flag: Json) -> None:
    """A flag of false is false in both ways of writing."""
    record = sent(cart, sample(cart.app, cart.id, port={"$": 8081, "@enabled": flag}))

    expect("the port", (record.port and record.port.enabled)).equals(False)


@requirement("WIRE-07")
@pytest.mark.parametrize("figure", [int, str], ids=["number", "string"])
def test_the_figures_of_a_lease_are_read_as_clients_write_them(
    cart: Instance, figure: type[int | str]
) -> None:
    """Duration and interval may stand in quotes."""
    record = sent(cart, sample(cart.app, cart.id, duration=figure(77), interval=figure(22)))

    expect("the lease", (record.leased.duration, record.leased.renewal_interval)).equals((77, 22))


@requirement("WIRE-07")
@pytest.mark.parametrize("stamp", [DIRTY_MS, str(DIRTY_MS)], ids=["number", "string"])
def test_a_timestamp_is_read_as_clients_write_it(cart: Instance, stamp: Json) -> None:
    """T is the same whether it stands in quotes or not."""
    record = sent(
        cart, sample(cart.app, cart.id, lastDirtyTimestamp=stamp, lastUpdatedTimestamp=stamp)
    )

    expect("T", record.dirty_ms).equals(DIRTY_MS)


@requirement("WIRE-07")
@pytest.mark.parametrize("form", FORMS)
def test_timestamps_may_be_absent(cart: Instance, form: str) -> None:
    """A registration without any timestamp is taken, and has some."""
    fields = without(sample(cart.app, cart.id), "lastDirtyTimestamp", "lastUpdatedTimestamp")

    record = sent(cart, fields, form)

    late = abs((record.dirty_ms or 0) - record.leased.registered_ms)
    expect("the distance of T from the registration's stamp", late).is_at_most(A_MOMENT_MS, "ms")


@requirement("WIRE-07")
@pytest.mark.parametrize("flag", [True, False, "true", "false"], ids=repr)
def test_the_coordinating_flag_is_taken_as_clients_write_it(cart: Instance, flag: Json) -> None:
    """`isCoordinatingDiscoveryServer` is a boolean or a string; what it says is the registry's."""
    record = sent(cart, sample(cart.app, cart.id, isCoordinatingDiscoveryServer=flag))

    expect("the id read back", record.id).equals(cart.id)


@requirement("WIRE-07")
def test_xml_may_leave_the_class_of_the_data_centre_out(cart: Instance) -> None:
    """`dataCenterInfo` without its attribute, and with empty metadata in it, is taken."""
    fields = sample(cart.app, cart.id, dataCenterInfo={"name": "MyOwn", "metadata": {}})

    record = sent(cart, fields, XML)

    expect("the data centre's name", record.located.name).equals("MyOwn")


# WIRE-24, WIRE-25: status and override of a registration


@requirement("WIRE-24")
@pytest.mark.parametrize("form", FORMS)
def test_an_override_in_a_registration_decides_the_status(cart: Instance, form: str) -> None:
    """An instance that registers as UP with an override has the status of the override."""
    record = sent(cart, sample(cart.app, cart.id, overriddenStatus="OUT_OF_SERVICE"), form)

    expect("status and override", (record.status, record.overridden_status)).equals(
        ("OUT_OF_SERVICE", "OUT_OF_SERVICE")
    )


@requirement("WIRE-24")
@pytest.mark.parametrize("later", ["DOWN", "UP", "UNKNOWN"])
def test_a_later_override_does_not_replace_the_stored_one(cart: Instance, later: str) -> None:
    """The override of the first registration stays, and goes on deciding."""
    cart.register(overriddenStatus="OUT_OF_SERVICE")

    record = sent(
        cart,
        sample(cart.app, cart.id, overriddenStatus=later, lastDirtyTimestamp=str(DIRTY_MS + 1)),
    )

    expect("status and override", (record.status, record.overridden_status)).equals(
        ("OUT_OF_SERVICE", "OUT_OF_SERVICE")
    )


@requirement("WIRE-24")
def test_an_operators_override_is_not_replaced_by_a_body(cart: Instance) -> None:
    """What was set by a status call outlives a registration with another override."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")

    cart.register(overriddenStatus="DOWN")

    expect("the stored override", cart.record().overridden_status).equals("OUT_OF_SERVICE")


@requirement("WIRE-24")
def test_an_override_is_stored_if_none_is_stored_yet(cart: Instance) -> None:
    """A second registration may bring the first override."""
    cart.register()

    cart.register(overriddenStatus="OUT_OF_SERVICE")

    record = cart.record()
    expect("status and override", (record.status, record.overridden_status)).equals(
        ("OUT_OF_SERVICE", "OUT_OF_SERVICE")
    )


@requirement("WIRE-25")
@pytest.mark.parametrize(
    ("status", "form"), [("BOGUS", JSON), ("BOGUS", XML), ("up", JSON), ("Up", JSON)]
)
def test_an_unrecognised_status_is_stored_as_unknown(
    cart: Instance, status: str, form: str
) -> None:
    """A word that is no status, or is one in other letters, is UNKNOWN."""
    record = sent(cart, sample(cart.app, cart.id, status=status), form)

    expect("the stored status", record.status).equals("UNKNOWN")


@requirement("WIRE-25")
@pytest.mark.parametrize("form", FORMS)
def test_a_missing_status_is_stored_as_up(cart: Instance, form: str) -> None:
    """An instance that says nothing of its status is UP."""
    record = sent(cart, without(sample(cart.app, cart.id), "status"), form)

    expect("the stored status", record.status).equals("UP")


@requirement("WIRE-25")
def test_a_status_of_null_is_stored_as_up(cart: Instance) -> None:
    """So is one whose status is null."""
    record = sent(cart, sample(cart.app, cart.id, status=None))

    expect("the stored status", record.status).equals("UP")
