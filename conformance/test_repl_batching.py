"""
Chapter 13, the sending side of replication: what happens within one batching delay of 0.5 s.

The tests read recordings of profile `peer-fine`, held down to speed 2: a sequence of calls counts
only if it was made within 0.4 s. What a step of the wall clock holds up is told by `step`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.verdict import Inconclusive, expect, requirement

if TYPE_CHECKING:
    from eureka_tck.observe.batching import Delays, Hot, Quick
    from eureka_tck.observe.step_sending import StepSending

NEEDS = {"settings", "peers"}


@requirement("REPL-04", profile="peer-fine", needs=NEEDS, seconds=10)
def test_a_change_leaves_within_half_a_second(delays: Delays) -> None:
    """
    Of ten single changes at most five arrive later than 0.65 s, the machine's lateness beside.

    A right registry is late by a stall of the machine, in one sample of twenty at most: six of ten
    then come once in 350,000 gates. A registry with a delay of 1.0 s is late in all ten. Where the
    machine is so late that nobody could tell, the row is inconclusive.
    """
    delays.tell()

    expect("the number of late changes", delays.late).is_at_most(
        5, unit="of 10", because="0.5 s of batching, 0.15 s on the way, and the machine's lateness"
    )


@requirement("REPL-05", profile="peer-fine", needs=NEEDS, seconds=3)
@pytest.mark.parametrize("action", ["Heartbeat", "Register"])
def test_tasks_of_one_kind_are_sent_once(quick: Quick, action: str) -> None:
    """Of five renewals and three registrations within 0.4 s the peer is told one of each."""
    told = quick.by["alike"].of(action)

    expect(f"the tasks of the kind {action}", [task.action for task in told]).equals([action])


@requirement("REPL-05", profile="peer-fine", needs=NEEDS, seconds=3)
def test_the_newest_data_are_sent(quick: Quick) -> None:
    """The registration that is sent has T and metadata of the last of three."""
    told = quick.by["alike"].of("Register")
    if not told:
        raise Inconclusive("no registration was sent, so its data are not known.")

    expect("the metadata that the peer was told last", dict(told[-1].metadata)).equals(
        {"version": "3"}
    )


@requirement("REPL-16", profile="peer-fine", needs=NEEDS, seconds=6)
@pytest.mark.parametrize(
    ("story", "there"),
    [("register, cancel, register", True), ("cancel, register, cancel", False)],
    ids=["ends-registered", "ends-cancelled"],
)
def test_a_peer_ends_where_the_node_ended(quick: Quick, story: str, there: bool) -> None:
    """After three changes within 0.4 s the peer holds the instance if the node does."""
    told = quick.by[story]
    if not told.tasks:
        raise Inconclusive(f"the peer was told nothing of {story}.")

    expect(f"the instance is at the peer after {story}", told.there).equals(
        there, because=f"the peer was told {', '.join(task.action for task in told.tasks)}"
    )


@requirement("REPL-15", profile="peer-fine", needs=NEEDS, seconds=6)
@pytest.mark.parametrize(
    ("story", "override"),
    [("set, remove, set", "DOWN"), ("remove, set, remove", None)],
    ids=["ends-set", "ends-removed"],
)
def test_an_override_ends_at_the_peer_as_at_the_node(
    quick: Quick, story: str, override: str | None
) -> None:
    """After three changes of the override within 0.4 s the peer holds the last one."""
    told = quick.by[story]
    if not told.tasks:
        raise Inconclusive(f"the peer was told nothing of {story}.")

    expect(f"the override at the peer after {story}", told.override).equals(
        override, because=f"the peer was told {', '.join(task.action for task in told.tasks)}"
    )


@requirement("REPL-14", profile="peer-fine", needs=NEEDS, seconds=8, depth="full")
def test_a_hasty_client_does_not_hold_up_the_others(hot: Hot) -> None:
    """A registration made while another instance renews every 0.15 s arrives within 2 s."""
    expect("the time until the peer was told", hot.delay).is_at_most(
        2.0, because="0.5 s of batching; the haste goes on for 4 s", margin=1.0
    )


@requirement("REPL-19", profile="step", needs=NEEDS | {"step", "stamps"}, seconds=45)
@pytest.mark.parametrize("way", ["back", "forward"])
def test_a_step_of_the_wall_clock_does_not_stop_replication(
    step_sending: StepSending, way: str
) -> None:
    """A change made right after a step of 30 s is told to the peer within 5 s."""
    expect(
        f"the time until the peer was told after a step {way}", step_sending.delays[way]
    ).is_at_most(5.0, because="0.5 s of batching; the step was 30 s", margin=3.0)
