"""The list of recent changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka.core.delta import RecentChanges
from eureka.core.instance import Record
from eureka.core.lease import Lease

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder, HandClock


@pytest.fixture
def leases(clock: HandClock, build: Builder) -> tuple[Lease, Lease]:
    """Return the leases of two instances."""
    first, second = (Lease.of(build("1", app), now=clock.now) for app in "AB")
    return first, second


def test_each_instance_is_listed_once_by_its_latest_change(leases: tuple[Lease, Lease]) -> None:
    """A second change moves an instance to the end instead of listing it again."""
    one, other = leases
    changes = RecentChanges()

    changes.note(one, now=1)
    changes.note(other, now=2)
    changes.note(one, now=3)

    assert list(changes) == [other, one]
    assert len(changes) == 2


def test_an_instance_that_left_keeps_its_final_record(leases: tuple[Lease, Lease]) -> None:
    """The final state is kept for as long as the change is."""
    changes = RecentChanges()
    final = Record(leases[0].instance, 5)

    changes.note(leases[0], now=0)
    changes.note(final, now=1)

    assert list(changes) == [final]


def test_old_changes_are_forgotten(leases: tuple[Lease, Lease]) -> None:
    """What changed before the given moment leaves, what changed at it stays."""
    changes = RecentChanges()
    changes.note(leases[0], now=1)
    changes.note(leases[1], now=2)

    assert changes.forget(before=3, most=0) == 0
    assert changes.forget(before=2) == 1
    assert list(changes) == [leases[1]]
    assert changes.forget(before=3) == 1
    assert changes.forget(before=3) == 0


def test_the_version_rises_with_every_change_and_never_falls(
    leases: tuple[Lease, Lease],
) -> None:
    """Forgetting is no change."""
    changes = RecentChanges()
    changes.note(leases[0], now=1)
    changes.note(leases[0], now=2)
    changes.forget(before=9)

    assert changes.version == 2
