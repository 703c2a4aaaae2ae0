"""What a peer ends with, told from the tasks it got: the page on which they are replayed."""

from __future__ import annotations

import pytest

from eureka_tck.actors.arrival import Task
from eureka_tck.observe.batching import SAMPLES, Delays, Page
from eureka_tck.observe.tape import Tape
from eureka_tck.verdict import Inconclusive

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


def delays(delay: float, lateness: float) -> Delays:
    """Return ten samples of that delay, on a machine that was so late."""
    return Delays(TAPE, (delay,) * SAMPLES, (lateness,) * SAMPLES)


def test_on_a_calm_machine_a_delay_of_a_second_is_late() -> None:
    """The right one comes 0.5 s after its call and is on its way for some milliseconds."""
    right, wrong = delays(0.52, 0.02), delays(1.02, 0.02)
    right.tell()
    wrong.tell()

    assert (right.late, right.prompt) == (0, SAMPLES)
    assert wrong.late == SAMPLES


def test_on_a_late_machine_a_delay_of_a_second_says_nothing() -> None:
    """It may be 0.5 s of batching and a stall; only what no stall explains is late."""
    with pytest.raises(Inconclusive, match=r"by 0\.30 s at worst") as raised:
        delays(1.02, 0.3).tell()

    assert raised.value.late
    assert delays(3.0, 0.3).late == SAMPLES


def test_what_comes_in_time_was_in_time_however_late_the_machine() -> None:
    """A stall makes nothing quicker: half of the samples are enough to know the delay."""
    mixed = Delays(TAPE, (0.55,) * 5 + (1.4,) * 5, (0.4,) * SAMPLES)
    mixed.tell()

    assert (mixed.prompt, mixed.late) == (5, 0)
