"""What happened since the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from eureka.core.event import Changed, Evicted, EvictionRan
from eureka.core.status import Action
from eureka.server.account import KEPT, Account, Went

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder


def test_registrations_changes_and_ends_are_counted_apart(build: Builder) -> None:
    """An eviction is no cancellation."""
    account = Account()
    one = build()
    gone = replace(one, action=Action.DELETED, updated_ms=7)
    run = EvictionRan(enabled=True, overdue=1, limit=1, evicted=1, compensation=0.0)

    account.note((Changed(None, one), Changed(one, one)))
    account.note((Changed(one, replace(one, action=Action.MODIFIED)),))
    account.note((Changed(one, gone),))
    account.note((run, Changed(one, gone), Evicted(gone, 1.0)))

    assert (account.registrations, account.first_registrations) == (2, 1)
    assert (account.status_changes, account.cancels, account.evictions) == (1, 1, 1)
    assert [came.again for came in account.came] == [False, True]
    assert list(account.went) == [Went(7, one.key, "cancelled"), Went(7, one.key, "evicted")]
    assert account.last_run == run


def test_only_the_last_are_kept(build: Builder) -> None:
    """A thousand of each, however many came."""
    account = Account()
    one = build()

    for _ in range(KEPT + 5):
        account.note((Changed(None, one), Changed(one, replace(one, action=Action.DELETED))))

    assert (len(account.came), len(account.went)) == (KEPT, KEPT)
    assert account.registrations == KEPT + 5
