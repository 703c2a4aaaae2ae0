"""What becomes of a record, and what the registry stamps on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from eureka.core import edition
from eureka.core.status import Action, Status

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder, HandClock

UP, DOWN, OUT, UNKNOWN = Status.UP, Status.DOWN, Status.OUT_OF_SERVICE, Status.UNKNOWN


def test_a_first_registration_is_stamped_with_its_moment(build: Builder, clock: HandClock) -> None:
    """It starts the lease, and the time the instance is up."""
    now = clock.now

    after = edition.registered(build(), held=None, replicated=False, now=now)

    assert after == replace(
        build(),
        registered_ms=now.epoch_ms,
        service_up_ms=now.epoch_ms,
        updated_ms=now.epoch_ms,
        action=Action.ADDED,
    )


@pytest.mark.parametrize(("brought_ms", "data"), [(99, "held"), (100, "brought"), (101, "brought")])
def test_an_older_registration_changes_no_data(
    build: Builder, clock: HandClock, brought_ms: int, data: str
) -> None:
    """It starts a fresh lease all the same."""
    held = build(dirty_ms=100, metadata={"of": "held"})
    brought = build(dirty_ms=brought_ms, metadata={"of": "brought"})

    after = edition.registered(brought, held=held, replicated=True, now=clock.now)

    assert after.metadata == {"of": data}
    assert after.registered_ms == clock.now.epoch_ms


@pytest.mark.parametrize(("stored", "lasts"), [(UNKNOWN, DOWN), (OUT, OUT)])
def test_an_override_that_is_stored_outlives_a_registration(
    build: Builder, clock: HandClock, stored: Status, lasts: Status
) -> None:
    """The one it brings counts where none is stored."""
    held = build(overridden_status=stored)
    brought = build(overridden_status=DOWN)

    after = edition.registered(brought, held=held, replicated=True, now=clock.now)

    assert (after.status, after.overridden_status) == (lasts, lasts)


def test_an_instance_is_up_since_it_first_was(build: Builder, clock: HandClock) -> None:
    """Whatever becomes of it later; who was never up has no such stamp."""
    starting = edition.registered(
        build(status=Status.STARTING), held=None, replicated=False, now=clock.now
    )
    first = clock.passes(1).epoch_ms
    up = edition.modified(starting, status=UP, now=clock.now)
    down = edition.modified(up, status=DOWN, now=clock.passes(1))
    again = edition.registered(build(), held=down, replicated=False, now=clock.passes(1))

    assert starting.service_up_ms == 0
    assert (up.service_up_ms, down.service_up_ms, again.service_up_ms) == (first, first, first)


@pytest.mark.parametrize(("asked_ms", "kept_ms"), [(None, 100), (99, 100), (101, 101)])
def test_a_dirty_timestamp_never_falls(
    build: Builder, clock: HandClock, asked_ms: int | None, kept_ms: int
) -> None:
    """A late change of a status is no older record."""
    after = edition.modified(build(dirty_ms=100), override=OUT, dirty_ms=asked_ms, now=clock.now)

    assert (after.dirty_ms, after.overridden_status, after.status) == (kept_ms, OUT, UP)


@pytest.mark.parametrize(
    ("is_held", "fresh", "action", "keeps"),
    [
        (True, False, Action.MODIFIED, True),
        (True, True, Action.ADDED, False),
        (False, False, Action.ADDED, False),
    ],
)
def test_a_record_that_nodes_agreed_on_goes_on(
    build: Builder, clock: HandClock, action: Action, *, is_held: bool, fresh: bool, keeps: bool
) -> None:
    """With the override and the statuses it has; unless it was not held, or its lease is fresh."""
    held = edition.registered(build(), held=None, replicated=False, now=clock.now)
    clock.passes(1)
    agreed = build(status=DOWN, overridden_status=DOWN, dirty_ms=200)

    after = edition.adopted(agreed, held=held if is_held else None, fresh=fresh, now=clock.now)

    assert (after.status, after.overridden_status, after.dirty_ms) == (DOWN, DOWN, 200)
    assert after.action is action
    assert (after.registered_ms == held.registered_ms) is keeps


def test_the_last_edition_says_when_the_instance_left(build: Builder, clock: HandClock) -> None:
    """And nothing else."""
    held = edition.registered(build(), held=None, replicated=False, now=clock.now)
    left = clock.passes(1).epoch_ms

    after = edition.removed(held, now=clock.now)

    assert after == replace(held, evicted_ms=left, updated_ms=left, action=Action.DELETED)
