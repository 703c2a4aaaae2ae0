"""`no_live_instance_is_evicted`, judged over hand-written histories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from eureka_tck.history.samples import readings
from eureka_tck.history.spans import fault_spans
from eureka_tck.promises import no_live_instance_is_evicted as judged
from eureka_tck.promises.absence import Excuse
from eureka_tck.promises.divergence import no_divergence_without_cause
from eureka_tck.promises.eviction import evictions
from eureka_tck.promises.lives import lives
from tests.eureka_tck.promises.conftest import UP

if TYPE_CHECKING:
    from tests.eureka_tck.promises.conftest import Story


def test_partition_that_every_node_survives_is_kept(partition: Story) -> None:
    """Leases that ran out behind the cut and were all kept keep the promise, and are counted."""
    judgement = judged(partition.told())

    assert judgement.finding == "kept"
    assert judgement.said == (
        "No live instance was ever missing. The leases that ran out during the fault (node b is "
        "cut off, 100.0 to 240.0 s) were all kept: 10 at a, 20 at b and 10 at c."
    )
    assert judgement.judged == "32 live instances, 600 samples of 3 nodes"
    assert judgement.notes == (
        (
            "CANARY/1, which nobody renewed, was evicted at a (by 72.0 s), b (by 72.0 s) and "
            "c (by 72.0 s)"
        ),
        (
            "CANARY/2, which nobody renewed, was evicted at a (by 366.0 s), b (by 366.0 s) and "
            "c (by 366.0 s)"
        ),
    )


def test_lease_that_runs_out_behind_the_cut_and_is_evicted_breaks_it(partition: Story) -> None:
    """A node that owes protection and drops an instance of the other side breaks the promise."""
    partition.shows("b", "CART/00", 215.0, None).shows(
        "b", "CART/00", 241.0, partition.shown["b", "CART/00"][0][1]
    )

    judgement = judged(partition.told())

    assert judgement.finding == "broken"
    assert judgement.said == (
        "1 live instance was lost at node b. CART/00 was gone from node b at 216.0 s, seen there "
        "last at 214.0 s; it renewed at its home a every 10 s, last at 211.0 s, and its lease is "
        "60 s. It was back at 242.0 s."
    )
    assert judgement.measured == 26.0


def test_live_instance_lost_at_home_breaks_it_without_any_fault_there(partition: Story) -> None:
    """A home node may never miss what renews there."""
    partition.shows("a", "CART/03", 60.0, None)

    judgement = judged(partition.told())

    assert judgement.finding == "broken"
    assert [(one.node, one.instance, one.until) for one in judgement.violations] == [
        ("a", "CART/03", None)
    ]


def test_live_instance_lost_at_a_peer_over_a_healthy_link_breaks_it(partition: Story) -> None:
    """A peer that learns of every renewal may not miss it either."""
    partition.shows("c", "CART/00", 60.0, None).shows(
        "c", "CART/00", 65.0, partition.shown["a", "CART/00"][0][1]
    )

    assert judged(partition.told()).finding == "broken"


def test_renewal_of_a_live_instance_answered_404_breaks_it(partition: Story) -> None:
    """A home node that no longer knows who renewed 10 s ago has lost it, seen or not."""
    partition.lives("CART/x", "a", since=5.0, until=60.0).call(
        65.0, "a", "renew", "CART/x", status=404
    )

    judgement = judged(partition.told())

    assert judgement.finding == "broken"
    assert judgement.violations[0].said == (
        "CART/x renewed at its home a at 65.0 s and was answered 404, though its renewal sent at "
        "55.0 s had been accepted."
    )


def registered_anew(story: Story, *, late: bool) -> Story:
    """Let CART/1 cancel at 100 s and register anew; b learns both late, or loses the newer one."""
    newer = replace(UP, dirty_ms=UP.dirty_ms + 1)
    story.call(1.0, "a", "register", "CART/1", dirty_ms=UP.dirty_ms, lease=60.0, interval=10.0)
    renewals = (*range(10, 100, 10), *range(115, 400, 10))
    for second in renewals:
        story.call(float(second), "a", "renew", "CART/1")
    story.call(100.0, "a", "cancel", "CART/1")
    story.call(105.0, "a", "register", "CART/1", dirty_ms=newer.dirty_ms, lease=60.0, interval=10.0)
    for node in "ac":
        story.shows(node, "CART/1", 2.0, UP).shows(node, "CART/1", 100.0, None)
        story.shows(node, "CART/1", 105.0, newer)
    story.shows("b", "CART/1", 2.0, UP)
    for at, seen in ((110.0, None), (112.0, newer)) if late else ((106.0, newer), (120.0, None)):
        story.shows("b", "CART/1", at, seen)
    return story


@pytest.mark.parametrize(("late", "finding"), [(True, "inconclusive"), (False, "broken")])
def test_what_an_older_registration_left_is_not_the_live_one(
    story: Story, late: bool, finding: str
) -> None:
    """A cancellation that comes late ends the older one; the newer one may not go."""
    assert judged(registered_anew(story, late=late).told()).finding == finding


@pytest.mark.parametrize(("asked", "covers"), [(19.9, True), (20.1, False)])
def test_answer_that_took_long_may_be_as_old_as_its_question(asked: float, covers: bool) -> None:
    """An absence is excused if any instant that the answer may tell of is."""
    assert Excuse("CART/1", "b", 10.0, 20.0).covers("CART/1", "b", asked, 30.0) == covers


def test_instance_that_renewed_too_late_may_be_evicted(partition: Story) -> None:
    """Who stays silent for longer than its lease is not live, so its home may answer 404."""
    partition.lives("CART/x", "a", since=5.0, until=20.0)
    for node in "abc":
        partition.shows(node, "CART/x", 80.0, None)
    partition.call(90.0, "a", "renew", "CART/x", status=404)

    assert judged(partition.told()).finding == "kept"


def test_renewal_without_an_answer_keeps_nothing_alive(partition: Story) -> None:
    """Only acknowledged renewals count: an unknown one blames nobody."""
    partition.lives("CART/x", "a", since=5.0, until=20.0)
    for at in (25.0, 45.0, 65.0):
        partition.call(at, "a", "renew", "CART/x", status=None)
    for node in "abc":
        partition.shows(node, "CART/x", 78.0, None)

    assert judged(partition.told()).finding == "kept"


def test_cancelled_instance_may_go(partition: Story) -> None:
    """A cancellation ends a life."""
    partition.lives("CART/x", "a", since=5.0, until=60.0).call(60.0, "a", "cancel", "CART/x")
    for node in "abc":
        partition.shows(node, "CART/x", 60.05, None)

    assert judged(partition.told()).finding == "kept"


def test_lease_may_run_out_behind_the_cut_without_self_preservation(partition: Story) -> None:
    """With self-preservation off an eviction behind the cut is right, so nothing was judged."""
    partition.settings["eureka.server.enableSelfPreservation"] = "false"
    partition.shows("b", "CART/00", 215.0, None).shows(
        "b", "CART/00", 241.0, partition.shown["a", "CART/00"][0][1]
    )

    judgement = judged(partition.told())

    assert judgement.finding == "inconclusive"
    assert judgement.said == (
        "Every lease that ran out during a fault may rightly have been evicted: at node a, "
        "self-preservation is off."
    )
    assert judgement.notes[0] == "1 absence during faults, which the settings allow"


def test_lease_shorter_than_the_wait_for_protection_may_run_out(story: Story) -> None:
    """Protection can come two windows after the cut; what does not last so long is not owed."""
    for number in range(30):
        story.lives(f"CART/{number:02}", "abc"[number % 3], since=1.0 + number / 10, lease=30.0)
    story.cut(100.0, 240.0).shows("b", "CART/00", 150.0, None)

    judgement = judged(story.told())

    assert judgement.finding == "inconclusive"
    assert "and protection may come as late as 88.5 s after it" in judgement.said


def test_node_that_keeps_enough_renewals_owes_no_protection(story: Story) -> None:
    """A node that loses only a tenth of its renewals evicts what it no longer hears of."""
    for number in range(30):
        home = "b" if number < 3 else "ac"[number % 2]
        story.lives(f"CART/{number:02}", home, since=1.0 + number / 10)
    story.cut(100.0, 240.0, links=("b>a", "b>c")).shows("a", "CART/00", 220.0, None)

    judgement = judged(story.told())

    assert judgement.finding == "inconclusive"
    assert "162 renewals a minute go on and the threshold is 153" in judgement.said


def test_fault_without_proof_makes_it_inconclusive(partition: Story) -> None:
    """A partition that was never seen to bite shows nothing."""
    partition.events = [event for event in partition.events if type(event).__name__ != "FaultBit"]

    judgement = judged(partition.told())

    assert (judgement.finding, judgement.said) == (
        "inconclusive",
        "Node b is cut off: but this was never seen to bite.",
    )


def test_fault_shorter_than_the_leases_makes_it_inconclusive(story: Story) -> None:
    """Where no lease ran out, none could have been evicted."""
    story.lives("CART/1", "a").cut(100.0, 140.0)

    judgement = judged(story.told())

    assert (judgement.finding, judgement.said) == (
        "inconclusive",
        "No lease ran out while a fault was on; the longest lasted 39.9 s.",
    )


@pytest.mark.parametrize(
    ("canary", "when"),
    [("CANARY/1", "before the first fault"), ("CANARY/2", "after the last fault")],
)
def test_run_without_a_proven_eviction_is_inconclusive(
    partition: Story, canary: str, when: str
) -> None:
    """That nothing went says little where nothing ever went."""
    partition.shown["b", canary] = partition.shown["b", canary][:1]

    judgement = judged(partition.told())

    assert judgement.finding == "inconclusive"
    assert judgement.said.startswith(f"No eviction is proven on node b {when}: ")


def test_run_without_a_fault_is_inconclusive(story: Story) -> None:
    """A healthy run puts no lease at risk."""
    assert judged(story.lives("CART/1", "a").told()).finding == "inconclusive"


def test_run_that_was_broken_off_is_inconclusive(partition: Story) -> None:
    """A history without its end is not judged as if it were whole."""
    partition.ended = False

    judgement = judged(partition.told())

    assert (judgement.finding, judgement.said) == (
        "inconclusive",
        "The run was broken off: its history has no end.",
    )


def test_unread_node_is_no_absence(partition: Story) -> None:
    """A node that cannot be asked has not lost anything."""
    partition.unread["b"] = (150.0, 180.0)

    assert judged(partition.told()).finding == "kept"


def test_node_that_was_never_read_makes_it_inconclusive(partition: Story) -> None:
    """Nothing is said of a node that nobody could read."""
    partition.unread["c"] = (0.0, 999.0)

    assert judged(partition.told()).said == "No sample of node c could be read."


def shifted(story: Story) -> Story:
    """Let a clock be wrong from 100 to 160 s, and controls go before and after it."""
    for node in "abc":
        story.lives(f"CART/{node}", node)
    story.dies("CANARY/1", registered=20.0, gone=71.0)
    story.cut(100.0, 160.0, links=(), kind="clock-shift")
    return story.dies("CANARY/2", registered=165.0, gone=200.0)


def test_clock_that_jumps_threatens_all_and_may_take_none(story: Story) -> None:
    """Leases are no affair of the wall clock: all that lives is at risk, and has to stay."""
    judgement = judged(shifted(story).told())

    assert judgement.finding == "kept"
    assert judgement.said.startswith("No live instance was ever missing, whatever the clocks told")

    story.shows("b", "CART/a", 105.0, None)

    assert judged(story.told()).finding == "broken"


def test_link_that_carries_now_and_then_owes_nothing_for_certain(partition: Story) -> None:
    """Behind a link that flaps a lease may or may not run out: no absence is blamed there."""
    partition.events = [event for event in partition.events if not hasattr(event, "fault")]
    partition.cut(100.0, 240.0, kind="flapping").shows("b", "CART/00", 230.0, None)
    partition.shows("b", "CART/00", 242.0, partition.shown["b", "CART/00"][0][1])

    assert judged(partition.told()).finding == "inconclusive"


def test_what_a_restarted_node_has_forgotten_was_not_evicted(story: Story) -> None:
    """A node that lost its memory shows a dead instance no more: that is no control."""
    story.dies("CANARY/1", registered=20.0, gone=71.0)
    story.cut(69.0, 75.0, links=(), nodes=("b",), forgets=("b",), kind="death")
    history = story.told()

    gone = evictions(readings(history), lives(history), fault_spans(history))

    assert {one.node for one in gone} == {"a", "c"}


def forgotten(story: Story, refused: float) -> Story:
    """Kill a at 100 s and start it at 110 s; CART/1, at home there, is refused when it renews."""
    story.call(1.0, "a", "register", "CART/1", lease=60.0, interval=10.0)
    for at in range(11, 100, 10):
        story.call(float(at), "a", "renew", "CART/1")
    story.call(refused, "a", "renew", "CART/1", status=404)
    story.call(refused + 0.2, "a", "register", "CART/1", lease=60.0, interval=10.0)
    return story.cut(100.0, 110.0, links=(), nodes=("a",), forgets=("a",), kind="death")


def test_renewal_refused_by_a_node_that_forgot_is_excused_for_one_renewal(story: Story) -> None:
    """R + 6.5 s after it is back a client must have been there and registered again."""
    assert judged(forgotten(story, 126.0).told()).finding == "inconclusive"


@pytest.mark.parametrize(("late", "finding"), [(0.0, "broken"), (5.0, "inconclusive")])
def test_renewal_that_this_machine_sent_late_is_held_against_nobody(
    story: Story, late: float, finding: str
) -> None:
    """A client of ours that stood still for as long says nothing of the node."""
    forgotten(story, 130.0).late(131.0, late)

    assert judged(story.told()).finding == finding


@pytest.mark.parametrize(
    ("slow_since", "is_blamed"), [(185.0, False), (230.0, True)], ids=["for a lease", "for less"]
)
def test_peer_that_could_hear_nothing_for_a_whole_lease_is_not_blamed(
    story: Story, slow_since: float, *, is_blamed: bool
) -> None:
    """Where all answers take seconds calls between nodes fail, and a peer evicts what is silent."""
    story.lives("CART/1", "a").shows("b", "CART/1", 300.0, None).shows("b", "CART/1", 312.0, UP)
    for number in range(10):
        each = (315.0 - slow_since) / 10
        story.takes_long("c", slow_since + number * each, slow_since + (number + 1) * each)
    told = story.told()

    findings = {judged(told).finding, no_divergence_without_cause(told).finding}

    assert ("broken" in findings) is is_blamed
