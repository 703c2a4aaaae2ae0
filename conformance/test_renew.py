"""
Chapter 3, renewing: which renewals are taken and which are sent back to register.

What a renewal counts for is judged in `test_preserve.py` (RENEW-05, RENEW-09),
how long the renewed lease lives in `test_lease.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.client import REPLICATION_HEADER
from eureka_tck.wire.sample import DIRTY_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.actors.instance import Instance
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case

OLDER, EQUAL, NEWER = DIRTY_MS - 1, DIRTY_MS, DIRTY_MS + 1
NOT_A_NUMBER = [
    pytest.param("abc", id="text"),
    pytest.param("", id="empty"),
    pytest.param(" ", id="blank"),
    pytest.param("1.5", id="fraction"),
    pytest.param("9223372036854775808", id="beyond-64-bits"),
]


# RENEW-01, RENEW-02: known and unknown


@requirement("RENEW-01")
def test_renewing_a_known_instance_answers_200_without_a_body(cart: Instance) -> None:
    """A renewal of a registered instance answers 200, and nothing with it."""
    cart.register()

    answer = cart.renew()

    expect("the answer to a renewal of a known instance", answer).has_status(200).has_no_body()


@requirement("RENEW-01")
def test_a_renewal_moves_the_stamp_of_the_lease(
    cart: Instance, a_moment: Callable[[], None]
) -> None:
    """`lastRenewalTimestamp` is later after a renewal than it was before."""
    cart.register()
    before = cart.record().leased.renewed_ms
    a_moment()

    cart.renew()

    expect("lastRenewalTimestamp", cart.record().leased.renewed_ms).is_more_than(
        before, unit="ms", because="the lease was renewed after it was registered"
    )


@requirement("RENEW-02")
def test_renewing_an_unknown_instance_is_404(
    registry: Registry, case: Case, cart: Instance
) -> None:
    """Beside a registered instance of its application, an unknown one is told to register."""
    case.given("another instance of the application is registered")
    cart.register()

    answer = registry.renew(cart.app, case.id("nobody"))

    expect("the answer to a renewal of an unknown instance", answer).has_status(404)


@requirement("RENEW-02")
def test_renewing_in_an_unknown_application_is_404(cart: Instance) -> None:
    """An instance of an application that nobody registered is told to register."""
    answer = cart.renew(dirty=DIRTY_MS, status="UP")

    expect("the answer to a renewal in an unknown application", answer).has_status(404)


# RENEW-03, RENEW-04: whose data is newer


@requirement("RENEW-03")
@pytest.mark.parametrize(
    ("dirty", "due"), [(OLDER, 200), (EQUAL, 200), (NEWER, 404)], ids=["older", "equal", "newer"]
)
def test_a_client_with_newer_data_must_register_again(cart: Instance, dirty: int, due: int) -> None:
    """From a client, T newer than the stored one is 404; older or equal is 200."""
    cart.register(dirty=DIRTY_MS)

    answer = cart.renew(dirty=dirty)

    expect("the answer to a client's renewal with its T", answer).has_status(due)


@requirement("RENEW-04")
@pytest.mark.parametrize(
    ("dirty", "due"), [(OLDER, 409), (EQUAL, 200), (NEWER, 404)], ids=["older", "equal", "newer"]
)
def test_a_peer_learns_whose_data_is_newer(cart: Instance, dirty: int, due: int) -> None:
    """From a peer, T older than the stored one is 409, newer is 404, equal is 200."""
    cart.register(dirty=DIRTY_MS)

    answer = cart.renew(dirty=dirty, replication=True)

    expect("the answer to a replicated renewal with its T", answer).has_status(due)


@requirement("RENEW-04")
def test_a_peer_with_older_data_is_given_the_stored_instance(cart: Instance) -> None:
    """The body of a 409 is the stored instance, with its newer T and its metadata."""
    cart.register(dirty=DIRTY_MS, metadata={"from": "the registry"})

    answer = cart.renew(dirty=OLDER, replication=True)

    given = answer.record()
    expect(
        "the instance in the answer to a replicated renewal with an older T",
        (given.app, given.id, given.dirty_ms, given.user_metadata),
    ).equals((cart.app, cart.id, DIRTY_MS, {"from": "the registry"}))


@requirement("RENEW-04")
@pytest.mark.parametrize("value", ["TRUE", "1", "yes", "false"])
def test_another_value_of_the_replication_header_makes_no_peer(
    registry: Registry, cart: Instance, value: str
) -> None:
    """Only `true` marks a peer: with another value, an older T is a client's and is 200."""
    cart.register(dirty=DIRTY_MS)

    answer = registry.call(
        "PUT",
        f"/apps/{cart.app}/{cart.id}",
        params={"lastDirtyTimestamp": OLDER},
        headers={REPLICATION_HEADER: value},
    )

    expect("the answer to a renewal that is not marked as replicated", answer).has_status(200)


# RENEW-06, RENEW-07: the status and a renewal


@requirement("RENEW-06")
@pytest.mark.parametrize("status", ["DOWN", "OUT_OF_SERVICE", "STARTING", "UNKNOWN", "BOGUS"])
def test_the_status_in_a_renewal_changes_nothing(cart: Instance, status: str) -> None:
    """An instance that is UP stays UP, whatever status its renewal names."""
    cart.register(status="UP")

    answer = cart.renew(dirty=DIRTY_MS, status=status)

    expect("the answer to the renewal", answer).has_status(200)
    expect("the status after a renewal that names another", cart.record().status).equals("UP")


@requirement("RENEW-06")
@pytest.mark.parametrize("status", ["DOWN", "BOGUS"])
def test_a_renewal_that_names_another_status_is_taken(cart: Instance, status: str) -> None:
    """The status in the query is no reason to refuse a renewal."""
    cart.register(status="UP")

    answer = cart.renew(dirty=DIRTY_MS, status=status)

    expect("the answer to a renewal that names another status", answer).has_status(200)


@requirement("RENEW-06")
def test_a_renewal_applies_the_rules_to_the_stored_status(cart: Instance) -> None:
    """A stored DOWN wins over the override at a renewal, though the query says UP."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")
    cart.register(status="DOWN")

    answer = cart.renew(dirty=DIRTY_MS, status="UP")

    expect("the answer to the renewal", answer).has_status(200)
    expect("the status after the renewal", cart.record().status).equals(
        "DOWN", because="the rules start from what is stored, and DOWN wins over any override"
    )


@requirement("RENEW-07")
@pytest.mark.parametrize("reported", ["UNKNOWN", "BOGUS"])
def test_an_instance_registered_as_unknown_cannot_renew(cart: Instance, reported: str) -> None:
    """UNKNOWN, or a status that nobody knows, makes a renewal 404."""
    cart.register(status=reported)

    answer = cart.renew(dirty=DIRTY_MS)

    expect("the answer to a renewal of an instance whose status is UNKNOWN", answer).has_status(404)


@requirement("RENEW-07")
def test_an_instance_whose_override_was_removed_cannot_renew(cart: Instance) -> None:
    """The UNKNOWN that the removal of an override leaves makes a renewal 404."""
    cart.register(status="UP")
    cart.set_status("OUT_OF_SERVICE")
    cart.remove_status()

    answer = cart.renew(dirty=DIRTY_MS)

    expect("the answer to a renewal after the override was removed", answer).has_status(404)


# RENEW-08: what is no timestamp


@requirement("RENEW-08")
@pytest.mark.parametrize("dirty", NOT_A_NUMBER)
def test_a_renewal_with_an_unreadable_t_answers_4xx(cart: Instance, dirty: str) -> None:
    """`lastDirtyTimestamp` that is no 64-bit number is the sender's fault."""
    cart.register()

    answer = cart.renew(dirty=dirty)

    expect("the status of the answer to an unreadable T", answer.status).is_between(
        400, 499, unit=""
    )


@requirement("RENEW-08")
@pytest.mark.parametrize("dirty", NOT_A_NUMBER)
def test_a_renewal_with_an_unreadable_t_renews_nothing(
    cart: Instance, a_moment: Callable[[], None], dirty: str
) -> None:
    """A renewal that is refused for its T leaves the lease's stamp where it was."""
    cart.register()
    before = cart.record().leased.renewed_ms
    a_moment()

    cart.renew(dirty=dirty)

    expect("lastRenewalTimestamp", cart.record().leased.renewed_ms).equals(
        before, because="the renewal was refused"
    )


# RENEW-10: an override that a peer knows


@requirement("RENEW-10")
def test_a_peers_renewal_with_a_newer_t_and_an_override_is_404(cart: Instance) -> None:
    """The override in the query does not change the answer to a replicated renewal."""
    cart.register(dirty=DIRTY_MS)

    answer = cart.renew(dirty=NEWER, overridden="OUT_OF_SERVICE", replication=True)

    expect("the answer to a replicated renewal with a newer T", answer).has_status(404)


@requirement("RENEW-10")
def test_a_peers_renewal_with_a_newer_t_leaves_its_override(cart: Instance) -> None:
    """The override in the query of the refused renewal is stored."""
    cart.register(dirty=DIRTY_MS)

    cart.renew(dirty=NEWER, overridden="OUT_OF_SERVICE", replication=True)

    expect("the stored override", cart.record().overridden_status).equals("OUT_OF_SERVICE")


@requirement("RENEW-10")
def test_the_status_follows_a_peers_override_at_the_next_renewal(cart: Instance) -> None:
    """The stored override decides the status as soon as the instance renews."""
    cart.register(dirty=DIRTY_MS)
    cart.renew(dirty=NEWER, overridden="OUT_OF_SERVICE", replication=True)

    cart.renew(dirty=DIRTY_MS)

    expect("the status after the next renewal", cart.record().status).equals("OUT_OF_SERVICE")
