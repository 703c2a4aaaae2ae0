"""The list of recent changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka.core.delta import RecentChanges
from eureka.core.instance import Key, Record

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder

A, B = Key("A", "1"), Key("B", "1")


def test_each_instance_is_listed_once_by_its_latest_change() -> None:
    """A second change moves an instance to the end instead of listing it again."""
    changes = RecentChanges()

    changes.note(A, now=1)
    changes.note(B, now=2)
    changes.note(A, now=3)

    assert list(changes) == [(B, None), (A, None)]
    assert len(changes) == 2


def test_an_instance_that_left_keeps_its_final_record(build: Builder) -> None:
    """The final state is kept for as long as the change is."""
    changes = RecentChanges()
    final = Record(build(), 5)

    changes.note(A, now=1, final=final)

    assert list(changes) == [(A, final)]


def test_old_changes_are_forgotten() -> None:
    """What changed before the given moment leaves, what changed at it stays."""
    changes = RecentChanges()
    changes.note(A, now=1)
    changes.note(B, now=2)

    assert changes.forget(before=2) == 1
    assert list(changes) == [(B, None)]
    assert changes.forget(before=3) == 1
    assert changes.forget(before=3) == 0


def test_the_version_rises_with_every_change_and_never_falls() -> None:
    """Forgetting is no change."""
    changes = RecentChanges()
    changes.note(A, now=1)
    changes.note(A, now=2)
    changes.forget(before=9)

    assert changes.version == 2
