"""What waits for a peer: what replaces what, and in which order it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka.core.backlog import Backlog
from eureka.core.instance import Key
from eureka.core.lease import Lease
from eureka.core.task import Kind, Task

if TYPE_CHECKING:
    from eureka.core.backlog import Waiting
    from tests.eureka.conftest import Builder, HandClock

REGISTER, HEARTBEAT, CANCEL = Kind.REGISTER, Kind.HEARTBEAT, Kind.CANCEL
CART = Key("CART", "1")


def change(backlog: Backlog, *kinds: Kind, name: str = "1", since: float = 0.0) -> None:
    """Let changes of these kinds wait, numbered in their timestamps."""
    for number, kind in enumerate(kinds):
        task = Task(kind=kind, key=Key("CART", name), dirty_ms=number)
        if not backlog.repeat(task, expires_at=since + 30):
            backlog.add(task, since=since, expires_at=since + 30)


def told(waiting: list[Waiting]) -> list[tuple[Kind, str]]:
    """Return the kind and the id in each task."""
    return [(one.task.kind, one.task.key.id) for one in waiting]


@pytest.fixture
def backlog() -> Backlog:
    """Return an empty backlog."""
    return Backlog()


@pytest.fixture
def lease(build: Builder, clock: HandClock) -> Lease:
    """Return the lease of the instance that the changes are of."""
    return Lease.of(build("1"), now=clock.now)


def test_a_change_takes_the_place_of_the_one_it_repeats(backlog: Backlog) -> None:
    """What another instance waits for is not held up by it."""
    change(backlog, REGISTER)
    change(backlog, REGISTER, name="2")
    change(backlog, REGISTER, REGISTER)

    (first, _) = waiting = backlog.leave(9)
    assert told(waiting) == [(REGISTER, "1"), (REGISTER, "2")]
    assert first.task.dirty_ms == 1


def test_a_change_that_was_overtaken_goes_behind(backlog: Backlog) -> None:
    """The peer must end where this node ended: with the registration."""
    change(backlog, REGISTER, CANCEL, REGISTER)

    assert told(backlog.leave(9)) == [(CANCEL, "1"), (REGISTER, "1")]


def test_a_heartbeat_overtakes_nothing(backlog: Backlog) -> None:
    """It changes nothing."""
    change(backlog, REGISTER, HEARTBEAT, REGISTER)

    assert told(backlog.leave(9)) == [(REGISTER, "1"), (HEARTBEAT, "1")]


@pytest.mark.parametrize(
    ("changes", "order"),
    [
        ([REGISTER], [REGISTER, HEARTBEAT]),
        ([CANCEL], [HEARTBEAT, CANCEL]),
        ([REGISTER, CANCEL], [HEARTBEAT, REGISTER, CANCEL]),
        ([CANCEL, REGISTER], [CANCEL, REGISTER, HEARTBEAT]),
    ],
)
def test_a_renewal_goes_where_the_peer_knows_the_instance(
    backlog: Backlog, lease: Lease, changes: list[Kind], order: list[Kind]
) -> None:
    """Behind what makes it known, before what makes it unknown."""
    change(backlog, *changes)
    backlog.renewals[lease] = 1.0

    assert [kind for kind, _ in told(backlog.leave(9))] == order


def test_a_renewal_of_a_lease_that_was_replaced_is_left_out(
    backlog: Backlog, lease: Lease, build: Builder, clock: HandClock
) -> None:
    """The registration that replaced it waits, and says more."""
    backlog.renewals[lease] = 1.0
    change(backlog, REGISTER)
    backlog.renewals[Lease.of(build("1"), now=clock.now)] = 2.0

    assert told(backlog.leave(9)) == [(REGISTER, "1"), (HEARTBEAT, "1")]


def test_what_is_left_waits_since_it_came(backlog: Backlog, lease: Lease) -> None:
    """Changes leave first; renewals keep the moment of those that came with them."""
    change(backlog, REGISTER, since=1.0)
    change(backlog, REGISTER, name="2", since=2.0)
    assert backlog.oldest == 1.0

    assert told(backlog.leave(1)) == [(REGISTER, "1")]
    assert backlog.oldest == 2.0

    backlog.renewals[lease] = 3.0
    assert told(backlog.leave(1)) == [(REGISTER, "2")]
    assert told(backlog.leave(1)) == [(HEARTBEAT, "1")]


def test_renewals_are_dropped_before_changes(backlog: Backlog, lease: Lease) -> None:
    """No more than are there."""
    change(backlog, REGISTER)
    backlog.renewals[lease] = 1.0

    assert backlog.drop(1) == 1
    assert (len(backlog.changes), len(backlog.renewals)) == (1, 0)
    assert backlog.drop(2) == 1
    assert backlog.leave(9) == []


def test_what_is_withdrawn_is_not_told(backlog: Backlog, lease: Lease) -> None:
    """Of that instance alone, and whether or not changes wait."""
    change(backlog, REGISTER, CANCEL)
    change(backlog, REGISTER, name="2")
    backlog.renewals[lease] = 1.0

    backlog.withdraw(CART, lease)

    assert told(backlog.leave(9)) == [(REGISTER, "2")]
    backlog.withdraw(CART, lease)
    assert backlog.leave(9) == []


def test_what_waits_again_need_not_be_told_as_it_was(backlog: Backlog, lease: Lease) -> None:
    """A change by its kind, a renewal by its lease."""
    change(backlog, REGISTER, CANCEL)
    change(backlog, REGISTER, name="2")
    backlog.renewals[lease] = 1.0
    gone = backlog.leave(9)
    assert backlog.unrepeated(gone) == gone

    change(backlog, CANCEL)
    backlog.renewals[lease] = 2.0

    assert told(backlog.unrepeated(gone)) == [(REGISTER, "1"), (REGISTER, "2")]
