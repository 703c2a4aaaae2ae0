"""
Chapter 5, which status shows: the reported one, the override, or the one it had.

STATUS-05 in four rules: (1) a reported status other than UP or OUT_OF_SERVICE wins; (2) else the
override; (3) else, for a client's call, an existing UP or OUT_OF_SERVICE stays; (4) else what is
reported shows. The tables below pin each rule, each against the one it precedes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.sample import DIRTY_MS

if TYPE_CHECKING:
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case

CLIENT, PEER = False, True
SENDERS = pytest.mark.parametrize("sender", [CLIENT, PEER], ids=["client", "peer"])
STATUSES = ["UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"]


# STATUS-05: the table


@requirement("STATUS-05")
@SENDERS
@pytest.mark.parametrize("reported", STATUSES)
def test_a_new_instance_shows_what_it_reports(cart: Instance, reported: str, sender: bool) -> None:
    """Without an override and without an existing lease every reported status shows."""
    cart.register(status=reported, replication=sender)

    expect("the status of a new instance", cart.record().status).equals(reported)


@requirement("STATUS-05")
@SENDERS
@pytest.mark.parametrize("reported", ["DOWN", "STARTING", "UNKNOWN"])
@pytest.mark.parametrize("existing", ["UP", "OUT_OF_SERVICE"])
def test_rule_1_a_report_of_not_being_ready_wins_over_the_existing_status(
    cart: Instance, existing: str, reported: str, sender: bool
) -> None:
    """DOWN, STARTING and UNKNOWN show at once, whatever the instance was."""
    cart.register(status=existing)

    cart.register(status=reported, dirty=DIRTY_MS + 1, replication=sender)

    expect("the status after the report", cart.record().status).equals(reported)


@requirement("STATUS-05")
@SENDERS
@pytest.mark.parametrize("reported", ["DOWN", "STARTING", "UNKNOWN"])
def test_rule_1_a_report_of_not_being_ready_wins_over_the_override(
    cart: Instance, reported: str, sender: bool
) -> None:
    """DOWN, STARTING and UNKNOWN show at once, though an override says otherwise."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")

    cart.register(status=reported, dirty=DIRTY_MS + 1, replication=sender)

    expect("the status after the report", cart.record().status).equals(reported)


@requirement("STATUS-05")
@SENDERS
@pytest.mark.parametrize(
    ("existing", "override", "reported"),
    [
        pytest.param("UP", "OUT_OF_SERVICE", "UP", id="out-of-service-over-up"),
        pytest.param("UP", "DOWN", "UP", id="down-over-up"),
        pytest.param("UP", "DOWN", "OUT_OF_SERVICE", id="down-over-out-of-service"),
        pytest.param("STARTING", "UP", "OUT_OF_SERVICE", id="up-over-out-of-service"),
    ],
)
def test_rule_2_an_override_wins_over_a_report_of_being_ready(
    cart: Instance, existing: str, override: str, reported: str, sender: bool
) -> None:
    """UP and OUT_OF_SERVICE give way to the override."""
    cart.register(status=existing)
    cart.set_status(override)

    cart.register(status=reported, dirty=DIRTY_MS + 1, replication=sender)

    expect("the status after the report", cart.record().status).equals(override)


@requirement("STATUS-05")
@pytest.mark.parametrize(
    ("existing", "reported"),
    [("UP", "OUT_OF_SERVICE"), ("OUT_OF_SERVICE", "UP")],
    ids=["UP-reports-OUT_OF_SERVICE", "OUT_OF_SERVICE-reports-UP"],
)
def test_rule_3_a_clients_report_leaves_the_existing_status(
    cart: Instance, existing: str, reported: str
) -> None:
    """A client that goes from UP to OUT_OF_SERVICE, or back, by registration is ignored."""
    cart.register(status=existing)

    cart.register(status=reported, dirty=DIRTY_MS + 1)

    expect("the status after a client's report", cart.record().status).equals(existing)


@requirement("STATUS-05")
@pytest.mark.parametrize(
    ("existing", "reported"),
    [("UP", "OUT_OF_SERVICE"), ("OUT_OF_SERVICE", "UP")],
    ids=["UP-reported-OUT_OF_SERVICE", "OUT_OF_SERVICE-reported-UP"],
)
def test_rule_4_a_peers_report_replaces_the_existing_status(
    cart: Instance, existing: str, reported: str
) -> None:
    """What a peer passes on shows, where a client's own report would be ignored."""
    cart.register(status=existing)

    cart.register(status=reported, dirty=DIRTY_MS + 1, replication=PEER)

    expect("the status after a peer's report", cart.record().status).equals(reported)


@requirement("STATUS-05")
@SENDERS
@pytest.mark.parametrize("reported", ["UP", "OUT_OF_SERVICE"])
@pytest.mark.parametrize("existing", ["DOWN", "STARTING", "UNKNOWN"])
def test_rule_4_an_existing_status_of_not_being_ready_gives_way(
    cart: Instance, existing: str, reported: str, sender: bool
) -> None:
    """From DOWN, STARTING and UNKNOWN an instance becomes what it reports."""
    cart.register(status=existing)

    cart.register(status=reported, dirty=DIRTY_MS + 1, replication=sender)

    expect("the status after the report", cart.record().status).equals(reported)


# STATUS-07, STATUS-15: what follows from it


@requirement("STATUS-07")
@pytest.mark.parametrize("before", ["STARTING", "DOWN"])
def test_an_instance_goes_up_by_registration_at_once(cart: Instance, before: str) -> None:
    """The first single read after the registration as UP shows UP."""
    cart.register(status=before)

    cart.register(status="UP")

    expect("the status after the registration as UP", cart.record().status).equals("UP")


@requirement("STATUS-15")
@pytest.mark.parametrize("reported", ["DOWN", "STARTING"])
def test_a_report_shows_in_spite_of_an_override(cart: Instance, reported: str) -> None:
    """An instance out of service that reports DOWN or STARTING shows it."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")

    cart.register(status=reported)

    expect("the status after the report", cart.record().status).equals(reported)


@requirement("STATUS-15")
@pytest.mark.parametrize("reported", ["DOWN", "STARTING"])
def test_an_override_stays_stored_while_a_report_shows(cart: Instance, reported: str) -> None:
    """The override of an instance that reports DOWN or STARTING is kept."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")

    cart.register(status=reported)

    expect("the stored override", cart.record().overridden_status).equals("OUT_OF_SERVICE")


@requirement("STATUS-15")
@pytest.mark.parametrize("reported", ["DOWN", "STARTING"])
def test_an_override_is_back_when_up_is_reported(cart: Instance, reported: str) -> None:
    """After DOWN or STARTING, a report of UP shows the override again."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")
    cart.register(status=reported)

    cart.register(status="UP")

    expect("the status after the report of UP", cart.record().status).equals("OUT_OF_SERVICE")


# STATUS-08: whose override it is


@requirement("STATUS-08")
def test_an_override_leaves_a_namesake_alone_when_it_renews(
    registry: Registry, case: Case, cart: Instance
) -> None:
    """An instance that renews keeps its status, though a namesake elsewhere has an override."""
    namesake = Instance(registry, case.app("SHOP"), cart.id)
    cart.register(status="UP")
    namesake.register(status="UP")
    namesake.set_status("OUT_OF_SERVICE")

    cart.renew(dirty=DIRTY_MS)

    expect("the status of the namesake without an override", cart.record().status).equals("UP")


@requirement("STATUS-08")
def test_an_override_leaves_a_namesake_alone_when_it_registers(
    registry: Registry, case: Case, cart: Instance
) -> None:
    """An instance that registers shows what it reports, though a namesake has an override."""
    namesake = Instance(registry, case.app("SHOP"), cart.id)
    namesake.register(status="UP")
    namesake.set_status("OUT_OF_SERVICE")

    cart.register(status="UP")

    expect("the status of the namesake without an override", cart.record().status).equals("UP")
