"""
Chapter 5, status calls: setting a status, removing the override, and what is refused.

Which of reported status, override and existing status wins is judged in `test_override.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.sample import DIRTY_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.actors.instance import Instance
    from eureka_tck.registry import Registry

OLDER, NEWER = DIRTY_MS - 1, DIRTY_MS + 1
NO_STATUS = [
    pytest.param("BOGUS", id="unknown"),
    pytest.param("down", id="lower-case"),
    pytest.param("", id="empty"),
    pytest.param(None, id="missing"),
]


# STATUS-01: setting a status


@requirement("STATUS-01")
@pytest.mark.parametrize("value", ["DOWN", "OUT_OF_SERVICE", "STARTING"])
def test_setting_a_status_answers_200(cart: Instance, value: str) -> None:
    """A status call for a registered instance answers 200."""
    cart.register(status="UP")

    answer = cart.set_status(value)

    expect("the answer to a status call", answer).has_status(200)


@requirement("STATUS-01")
@pytest.mark.parametrize(
    ("reported", "value"),
    [("UP", "DOWN"), ("UP", "OUT_OF_SERVICE"), ("UP", "STARTING"), ("STARTING", "UP")],
    ids=["UP-to-DOWN", "UP-to-OUT_OF_SERVICE", "UP-to-STARTING", "STARTING-to-UP"],
)
def test_a_status_call_sets_status_and_override(cart: Instance, reported: str, value: str) -> None:
    """Status and overridden status are what the call says."""
    cart.register(status=reported)

    cart.set_status(value)

    record = cart.record()
    expect("status and override", (record.status, record.overridden_status)).equals((value, value))


@requirement("STATUS-01")
def test_a_status_call_moves_the_stamp_of_the_lease(
    cart: Instance, a_moment: Callable[[], None]
) -> None:
    """`lastRenewalTimestamp` is later after a status call than it was before."""
    cart.register()
    before = cart.record().leased.renewed_ms
    a_moment()

    cart.set_status("OUT_OF_SERVICE")

    expect("lastRenewalTimestamp", cart.record().leased.renewed_ms).is_more_than(
        before, unit="ms", because="a status call renews the lease"
    )


@requirement("STATUS-01")
def test_a_status_call_moves_the_stamp_of_the_update(
    cart: Instance, a_moment: Callable[[], None]
) -> None:
    """`lastUpdatedTimestamp` is later after a status call than it was before."""
    cart.register()
    before = cart.record().updated_ms or 0
    a_moment()

    cart.set_status("OUT_OF_SERVICE")

    expect("lastUpdatedTimestamp", cart.record().updated_ms).is_more_than(
        before, unit="ms", because="the status changed"
    )


@requirement("STATUS-01")
def test_setting_the_status_of_an_unknown_instance_is_404(cart: Instance) -> None:
    """Of an instance that nobody registered no status can be set."""
    answer = cart.set_status("OUT_OF_SERVICE")

    expect("the answer to a status call for an unknown instance", answer).has_status(404)


@requirement("STATUS-06")
@pytest.mark.parametrize("status", ["UP", "DOWN", "OUT_OF_SERVICE"])
def test_setting_the_status_it_has_stores_no_override(cart: Instance, status: str) -> None:
    """A call for the status an instance has already leaves it without an override."""
    cart.register(status=status)

    cart.set_status(status)

    expect("the stored override", cart.record().overridden_status).equals("UNKNOWN")


# STATUS-02, STATUS-03, STATUS-04: how long an override lasts


@requirement("STATUS-02")
def test_an_override_survives_renewals(cart: Instance) -> None:
    """An instance taken out of service stays so, though it renews as UP."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")

    cart.renew(dirty=DIRTY_MS, status="UP")
    cart.renew(dirty=DIRTY_MS, status="UP")

    record = cart.record()
    expect("status and override", (record.status, record.overridden_status)).equals(
        ("OUT_OF_SERVICE", "OUT_OF_SERVICE")
    )


@requirement("STATUS-02")
@pytest.mark.parametrize("dirty", [DIRTY_MS, NEWER], ids=["equal-T", "newer-T"])
def test_an_override_survives_a_registration_as_up(cart: Instance, dirty: int) -> None:
    """An instance taken out of service stays so, though it registers as UP again."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")

    cart.register(status="UP", dirty=dirty)

    record = cart.record()
    expect("status and override", (record.status, record.overridden_status)).equals(
        ("OUT_OF_SERVICE", "OUT_OF_SERVICE")
    )


@requirement("STATUS-03")
@pytest.mark.parametrize("value", ["UP", "DOWN"])
def test_removing_an_override_leaves_the_status_asked_for(cart: Instance, value: str) -> None:
    """After a removal with a value there is that status and no override."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")

    cart.remove_status(value)

    record = cart.record()
    expect("status and override", (record.status, record.overridden_status)).equals(
        (value, "UNKNOWN")
    )


@requirement("STATUS-03")
def test_removing_an_override_leaves_an_unknown_status(cart: Instance) -> None:
    """After a removal without a value the status is UNKNOWN, and there is no override."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")

    cart.remove_status()

    record = cart.record()
    expect("status and override", (record.status, record.overridden_status)).equals(
        ("UNKNOWN", "UNKNOWN")
    )


@requirement("STATUS-03")
@pytest.mark.parametrize("value", [None, "DOWN"], ids=["no-value", "value"])
def test_removing_no_override_answers_200(cart: Instance, value: str | None) -> None:
    """A removal is welcome where there is nothing to remove."""
    cart.register(status="UP")

    answer = cart.remove_status(value)

    expect("the answer to a removal of no override", answer).has_status(200)


@requirement("STATUS-03")
@pytest.mark.parametrize("value", [None, "DOWN"], ids=["no-value", "value"])
def test_removing_no_override_changes_nothing(cart: Instance, value: str | None) -> None:
    """Where there is no override its removal leaves the instance as it was."""
    cart.register(status="UP")
    before = cart.record()

    cart.remove_status(value)

    expect(
        "the difference that a removal of no override made", before.differences(cart.record())
    ).equals("nothing")


@requirement("STATUS-04")
def test_after_a_plain_removal_a_renewal_is_404(cart: Instance) -> None:
    """An instance whose override is gone is told to register again."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")
    cart.remove_status()

    answer = cart.renew(dirty=DIRTY_MS, status="UP")

    expect("the answer to a renewal after a plain removal", answer).has_status(404)


@requirement("STATUS-04")
def test_after_a_plain_removal_the_same_registration_is_up(cart: Instance) -> None:
    """A registration with the same T brings an instance back whose override is gone."""
    cart.register(status="UP", dirty=DIRTY_MS)
    cart.set_status("OUT_OF_SERVICE")
    cart.remove_status()

    cart.register(status="UP", dirty=DIRTY_MS)

    expect("the status after the registration", cart.record().status).equals("UP")


# STATUS-09, STATUS-12, STATUS-13: what is a status, what is a timestamp


@requirement("STATUS-09")
@pytest.mark.parametrize("value", NO_STATUS)
def test_setting_no_status_answers_4xx(cart: Instance, value: str | None) -> None:
    """A value that is no status is the sender's fault."""
    cart.register(status="UP")

    answer = cart.set_status(value)

    expect("the status of the answer to a call without a status", answer.status).is_between(
        400, 499, unit=""
    )


@requirement("STATUS-09")
@pytest.mark.parametrize("value", NO_STATUS)
def test_setting_no_status_changes_nothing(cart: Instance, value: str | None) -> None:
    """After a value that is no status the instance is as it was."""
    cart.register(status="UP")
    before = cart.record()

    cart.set_status(value)

    expect("the difference that a refused call made", before.differences(cart.record())).equals(
        "nothing"
    )


@requirement("STATUS-09")
@pytest.mark.parametrize("value", ["BOGUS", "down"], ids=["unknown", "lower-case"])
def test_removing_an_override_for_no_status_answers_4xx(cart: Instance, value: str) -> None:
    """A status to go on with that is none is the sender's fault."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")

    answer = cart.remove_status(value)

    expect("the status of the answer to a removal for no status", answer.status).is_between(
        400, 499, unit=""
    )


@requirement("STATUS-09")
@pytest.mark.parametrize("value", ["BOGUS", "down"], ids=["unknown", "lower-case"])
def test_removing_an_override_for_no_status_changes_nothing(cart: Instance, value: str) -> None:
    """After a removal for a status that is none the override is still there."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")
    before = cart.record()

    cart.remove_status(value)

    expect("the difference that a refused call made", before.differences(cart.record())).equals(
        "nothing"
    )


@requirement("STATUS-09")
def test_setting_a_status_with_an_unreadable_t_answers_4xx(cart: Instance) -> None:
    """`lastDirtyTimestamp` that is no number is the sender's fault."""
    cart.register(status="UP")

    answer = cart.set_status("DOWN", dirty="abc")

    expect("the status of the answer to an unreadable T", answer.status).is_between(
        400, 499, unit=""
    )


@requirement("STATUS-09")
def test_setting_a_status_with_an_unreadable_t_changes_nothing(cart: Instance) -> None:
    """A status call that is refused for its T leaves the instance as it was."""
    cart.register(status="UP")
    before = cart.record()

    cart.set_status("DOWN", dirty="abc")

    expect("the difference that a refused call made", before.differences(cart.record())).equals(
        "nothing"
    )


@requirement("STATUS-09")
def test_removing_an_override_with_an_unreadable_t_answers_4xx(cart: Instance) -> None:
    """`lastDirtyTimestamp` that is no number is the sender's fault in a removal too."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")

    answer = cart.remove_status(dirty="abc")

    expect("the status of the answer to an unreadable T", answer.status).is_between(
        400, 499, unit=""
    )


@requirement("STATUS-09")
def test_removing_an_override_with_an_unreadable_t_changes_nothing(cart: Instance) -> None:
    """A removal that is refused for its T leaves the override where it was."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")
    before = cart.record()

    cart.remove_status(dirty="abc")

    expect("the difference that a refused call made", before.differences(cart.record())).equals(
        "nothing"
    )


@requirement("STATUS-12")
def test_a_client_gets_out_of_a_status_set_to_unknown(cart: Instance) -> None:
    """Whether `value=UNKNOWN` is refused or taken, a new registration makes renewals 200 again."""
    cart.register(status="UP")
    cart.set_status("UNKNOWN")
    cart.register(status="UP", dirty=NEWER)

    answer = cart.renew(dirty=NEWER, status="UP")

    expect("the answer to a renewal after the new registration", answer).has_status(200)


@requirement("STATUS-13")
@pytest.mark.parametrize("status", ["UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"])
def test_a_status_reads_back_by_its_name(cart: Instance, status: str) -> None:
    """Each of the five statuses is registered and read back by its upper-case name."""
    cart.register(status=status)

    expect("the status read back", cart.record().status).equals(status)


@requirement("STATUS-13")
def test_a_lower_case_status_is_none_of_the_five(cart: Instance) -> None:
    """`up` is not UP: it is stored as UNKNOWN."""
    cart.register(status="up")

    expect("the status of an instance registered as up", cart.record().status).equals("UNKNOWN")


# STATUS-08, STATUS-10, STATUS-11, STATUS-14: what else a status call does


@requirement("STATUS-10")
@pytest.mark.parametrize("value", ["OUT_OF_SERVICE", "DOWN"])
def test_a_status_call_is_told_as_modified(cart: Instance, value: str) -> None:
    """The delta tells the instance with its new status and action type MODIFIED."""
    cart.register(status="UP")

    cart.set_status(value)

    change = cart.change()
    expect("action and status in the delta", change and (change.action, change.status)).equals(
        ("MODIFIED", value)
    )


@requirement("STATUS-10")
def test_a_removal_of_an_override_is_told_as_modified(cart: Instance) -> None:
    """The delta tells the instance with the status after the removal and MODIFIED."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")

    cart.remove_status("UP")

    change = cart.change()
    expect("action and status in the delta", change and (change.action, change.status)).equals(
        ("MODIFIED", "UP")
    )


@requirement("STATUS-11")
def test_the_list_of_overrides_is_served_or_unknown(registry: Registry, cart: Instance) -> None:
    """`/serverinfo/statusoverrides` lists the overrides, or is 404 as with Spring."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")

    answer = registry.call("GET", "/serverinfo/statusoverrides")

    expect("the answer to a read of the overrides", answer).has_status(200, 404)


@requirement("STATUS-14")
@pytest.mark.parametrize(
    ("dirty", "due"), [(NEWER, NEWER), (OLDER, DIRTY_MS)], ids=["newer", "older"]
)
def test_a_newer_t_of_a_status_call_becomes_the_stored_one(
    cart: Instance, dirty: int, due: int
) -> None:
    """T of a status call is stored if it is newer, ignored if it is older."""
    cart.register(dirty=DIRTY_MS)

    cart.set_status("OUT_OF_SERVICE", dirty=dirty)

    expect("the stored T", cart.record().dirty_ms).equals(due)


@requirement("STATUS-14")
@pytest.mark.parametrize(
    ("dirty", "due"), [(NEWER, NEWER), (OLDER, DIRTY_MS)], ids=["newer", "older"]
)
def test_a_newer_t_of_a_removal_becomes_the_stored_one(
    cart: Instance, dirty: int, due: int
) -> None:
    """T of the removal of an override is stored if it is newer, ignored if it is older."""
    cart.register(dirty=DIRTY_MS)
    cart.set_status("OUT_OF_SERVICE")

    cart.remove_status("UP", dirty=dirty)

    expect("the stored T", cart.record().dirty_ms).equals(due)
