"""`peers_converge`, judged over hand-written histories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from eureka_tck.history.event import Seen
from eureka_tck.promises import peers_converge as judged

if TYPE_CHECKING:
    from tests.eureka_tck.promises.conftest import Story

UP = Seen("UP", "UNKNOWN", 1_700_000_000_000, "m1")


def test_nodes_that_agree_soon_after_the_heal_keep_it(partition: Story) -> None:
    """What was registered behind the cut and appears within the budget keeps the promise."""
    judgement = judged(partition.told())

    assert judgement.finding == "kept"
    assert judgement.said == (
        "All nodes agreed 2.0 s after the heal at 240.0 s at the latest (CART/new-a at node b); "
        "3 differences had arisen meanwhile."
    )
    assert (
        judgement.judged
        == "32 live instances on 3 nodes after the last heal, 3 differences to make up"
    )


def test_budget_is_computed_from_the_settings(partition: Story) -> None:
    """R, two batching delays, the peer time-out, a retry and the slack make the budget."""
    judgement = judged(partition.told())

    assert judgement.budget is not None
    assert judgement.budget.seconds == 16.5
    assert judgement.budget.formula == (
        "R + 2·0.5 + peer time-out + 1 + 1.5 = 10 + 1 + 3 + 1 + 1.5 s"
    )


def test_instance_that_stays_missing_after_the_heal_breaks_it(partition: Story) -> None:
    """An instance that a node never learns of breaks the promise, with the instants."""
    partition.shown["b", "CART/new-a"] = []

    judgement = judged(partition.told())

    assert judgement.finding == "broken"
    assert judgement.measured is None
    assert judgement.said == (
        "1 live instance at node b did not agree with its home in time. CART/new-a at 399.9 s: "
        "node b did not know it, its home a told status UP; all links were up from 240.0 s on, "
        "the budget of 16.5 s was over at 256.5 s, and they had not agreed when last seen, at "
        "400.0 s."
    )


def test_instance_that_appears_after_the_budget_breaks_it(partition: Story) -> None:
    """Late is broken, and the delay is measured."""
    partition.shown["b", "CART/new-a"] = [(270.0, UP)]

    judgement = judged(partition.told())

    assert (judgement.finding, judgement.measured) == ("broken", 32.0)
    assert judgement.violations[0].until == 272.0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"status": "OUT_OF_SERVICE"}, "told status OUT_OF_SERVICE"),
        ({"overridden": "DOWN"}, "told override DOWN"),
        ({"dirty_ms": 1_700_000_000_099}, "told T 1700000000099"),
        ({"data": "m2"}, "told metadata m2"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_every_part_of_an_instance_has_to_agree(
    partition: Story, change: dict[str, str | int], told: str
) -> None:
    """Status, override, T and metadata are compared, and the sentence names what differs."""
    partition.shows("a", "CART/00", 110.0, replace(UP, **change))

    judgement = judged(partition.told())

    assert judgement.finding == "broken"
    assert f"its home a {told};" in judgement.violations[0].said


def test_nodes_that_differ_before_any_fault_break_it(partition: Story) -> None:
    """Replication that never worked is not excused by a fault that comes later."""
    partition.shown["c", "CART/00"] = [(99.0, UP)]

    judgement = judged(partition.told())

    assert judgement.finding == "broken"
    assert "no fault was on yet, and it was registered by 1.1 s" in judgement.said


def test_lateness_of_the_harness_makes_a_late_node_inconclusive(partition: Story) -> None:
    """What the machine's own delay may explain is held against nobody."""
    partition.shown["b", "CART/new-a"] = [(260.0, UP)]
    partition.late(250.0, 5.0)

    judgement = judged(partition.told())

    assert judgement.finding == "inconclusive"
    assert judgement.said == (
        "CART/new-a took 19.9 s at node b, over the budget of 16.5 s; but this machine was 5.0 s "
        "late then."
    )


def test_run_that_ends_before_the_budget_is_inconclusive(partition: Story) -> None:
    """Who still differs when the watching ends too early has broken nothing yet."""
    partition.end = 250.0
    partition.shown["b", "CART/new-a"] = []

    judgement = judged(partition.told())

    assert judgement.finding == "inconclusive"
    assert judgement.said == (
        "CART/new-a still differed at node b when it was seen last, 10.0 s after the heal; "
        "its budget is 16.5 s."
    )


def test_partition_in_which_nothing_differed_is_inconclusive(story: Story) -> None:
    """Where nothing differed, nothing had to converge."""
    judgement = judged(story.lives("CART/1", "a").cut(100.0, 240.0).told())

    assert (judgement.finding, judgement.said) == (
        "inconclusive",
        "The nodes never differed while a fault was on, so there was nothing to make up.",
    )


def test_fault_without_proof_makes_it_inconclusive(story: Story) -> None:
    """A partition that was never seen to bite shows nothing."""
    judgement = judged(story.lives("CART/1", "a").cut(100.0, 240.0, bit=False).told())

    assert judgement.said == "Node b is cut off: but this was never seen to bite."


def test_partition_that_was_never_healed_is_inconclusive(story: Story) -> None:
    """Without a heal there is nothing to be judged after it."""
    judgement = judged(story.lives("CART/1", "a").cut(100.0, 240.0, healed=False).told())

    assert (judgement.finding, judgement.said) == (
        "inconclusive",
        "Node b is cut off: but this was never healed.",
    )


def test_run_without_a_fault_is_inconclusive(story: Story) -> None:
    """A healthy run had nothing to make up."""
    assert judged(story.lives("CART/1", "a").told()).finding == "inconclusive"


def test_run_that_was_broken_off_is_inconclusive(partition: Story) -> None:
    """A history without its end is not judged as if it were whole."""
    partition.ended = False

    assert judged(partition.told()).said == "The run was broken off: its history has no end."


def test_instance_that_died_is_not_compared(partition: Story) -> None:
    """Leases run out at each node by itself, so dead instances may differ."""
    partition.shown["c", "CANARY/2"] = partition.shown["c", "CANARY/2"][:1]

    assert judged(partition.told()).finding == "kept"


def test_node_that_could_not_be_read_after_the_heal_is_named(partition: Story) -> None:
    """What could not be compared is not taken for equal."""
    partition.unread["b"] = (239.0, 999.0)

    judgement = judged(partition.told())

    assert judgement.finding == "inconclusive"
    assert judgement.said.endswith("could not be compared at node b after the heal.")


def test_instance_that_nobody_registered_is_noted(partition: Story) -> None:
    """What one node lists and nobody registered is told, not judged."""
    partition.shows("c", "STRAY/1", 50.0, UP)

    judgement = judged(partition.told())

    assert (judgement.finding, judgement.notes) == (
        "kept",
        ("node c lists STRAY/1, which nobody here registered",),
    )


def test_reads_are_no_instances(partition: Story) -> None:
    """What clients read has no name, and nobody looks for it at the nodes."""
    for at in range(10, 400, 10):
        partition.call(float(at), "a", "read", "")

    assert judged(partition.told()).finding == "kept"


def test_differences_seen_only_after_the_heal_count(partition: Story) -> None:
    """A node that was down had nothing to differ in; what it makes up after it counts."""
    partition.events = [event for event in partition.events if not hasattr(event, "fault")]
    partition.cut(100.0, 240.0, links=(), nodes=("b",), forgets=("b",), kind="death")
    partition.unread["b"] = (99.0, 240.0)
    partition.shown["b", "CART/new-a"] = [(245.0, UP)]

    judgement = judged(partition.told())

    assert judgement.finding == "kept"
    assert judgement.measured == 6.0


def test_differences_that_were_gone_by_the_heal_say_nothing(story: Story) -> None:
    """Where all that differed was cancelled behind the cut, nobody had anything to make up."""
    story.lives("CART/1", "a").cut(100.0, 240.0)
    story.lives("CART/2", "a", since=110.0, until=130.0).call(130.0, "a", "cancel", "CART/2")
    story.shown["b", "CART/2"] = []
    for node in ("a", "c"):
        story.shows(node, "CART/2", 130.0, None)

    judgement = judged(story.told())

    assert judgement.finding == "inconclusive"
    assert judgement.said.startswith("All that the nodes had differed in was gone by the heal")
