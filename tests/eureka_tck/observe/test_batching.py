"""What a peer ends with, told from the tasks it got: the page on which they are replayed."""

from __future__ import annotations

import pytest

from eureka_tck.actors.arrival import Task
from eureka_tck.observe.batching import Delays, Page
from eureka_tck.observe.tape import Tape

TAPE = Tape("", 0.0, (), ())


def task(action: str, **fields: object) -> Task:
    """Return a task of that kind."""
    told = {"appName": "A", "id": "a", "action": action, **fields}
    return Task(0.0, 1, 0, told)  # type: ignore[arg-type]  # plain JSON values


@pytest.mark.parametrize(
    ("actions", "there"),
    [
        ("Register Cancel Register", True),
        ("Register Cancel", False),
        ("Cancel Register", True),
        ("Cancel", False),
        ("Heartbeat", False),
    ],
)
def test_the_last_word_decides_whether_an_instance_is_there(actions: str, there: bool) -> None:
    """A renewal creates nothing."""
    page = Page().read(task(action) for action in actions.split())

    assert page.there is there


def test_an_override_is_set_and_removed_in_order() -> None:
    """The last of a status change and a removal decides; a cancellation takes it away."""
    page = Page()
    page.read([task("StatusUpdate", status="DOWN")])
    assert page.override == "DOWN"

    assert page.read([task("DeleteStatusOverride")]).override is None
    assert page.read([task("StatusUpdate", status="DOWN"), task("Cancel")]).override is None


def test_a_registration_brings_an_override_only_where_there_is_none() -> None:
    """The one that is held wins (PEER-05)."""
    told = task("Register", instanceInfo={"overriddenStatus": "DOWN"})

    assert Page().read([told]).override == "DOWN"
    assert Page(override="OUT_OF_SERVICE").read([told]).override == "OUT_OF_SERVICE"


def test_our_own_lateness_is_no_delay() -> None:
    """A change is late only beyond the batching delay, a tolerance, and our own stall."""
    delays = Delays(TAPE, (0.52, 1.2, 1.2, 3.0), (0.0, 0.0, 0.3, 0.1))

    assert delays.late == 2
