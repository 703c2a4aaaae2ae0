"""`cancelled_stays_gone` and `dead_instances_go`, judged over hand-written histories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.promises.cancelled import cancelled_stays_gone
from eureka_tck.promises.dead import dead_instances_go
from tests.eureka_tck.promises.conftest import NODES, UP

if TYPE_CHECKING:
    from tests.eureka_tck.promises.conftest import Story


def cancelled(story: Story, at: float = 50.0, gone: float = 51.0) -> Story:
    """Let CART/1, which lives at a, be cancelled there, and be gone from the peers at `gone`."""
    story.lives("CART/1", "a", until=at).call(at, "a", "cancel", "CART/1")
    for node in NODES:
        story.shows(node, "CART/1", at if node == "a" else gone, None)
    return story


def test_cancelled_instance_that_goes_in_time_keeps_it(story: Story) -> None:
    """Gone at once at its node and within b + s at the peers: kept, and measured."""
    judgement = cancelled_stays_gone(cancelled(story).told())

    assert judgement.finding == "kept"
    assert judgement.measured == pytest.approx(1.9)
    assert judgement.budget is not None
    assert judgement.budget.formula == "0.5 + U + 1.5 = 0.5 + 0 + 1.5 s"


def test_peer_that_shows_it_beyond_the_batch_breaks_it(story: Story) -> None:
    """The budget of 2 s ends at 52.1 s: a reading asked for at 51.95 s is right, one later not."""
    assert cancelled_stays_gone(cancelled(story, gone=52.0).told()).finding == "kept"
    story.shown["b", "CART/1"] = [(2.0, UP), (54.5, None)]

    judgement = cancelled_stays_gone(story.told())

    assert judgement.finding == "broken"
    assert judgement.said == (
        "CART/1 was cancelled at node a, acknowledged at 50.1 s, and node b still showed it when "
        "asked at 54.0 s; it had to be gone by 52.1 s (0.5 + U + 1.5 = 0.5 + 0 + 1.5 s). It was "
        "gone at 56.0 s."
    )


def test_cancelled_instance_that_comes_back_at_its_node_breaks_it(story: Story) -> None:
    """What was seen to be gone must not come back without a registration."""
    cancelled(story).shows("a", "CART/1", 100.0, UP)

    judgement = cancelled_stays_gone(story.told())

    assert (judgement.finding, judgement.violations[0].node) == ("broken", "a")
    assert "It never went." in judgement.said


def test_registration_after_the_cancellation_ends_what_is_judged(story: Story) -> None:
    """An instance that registers again is nobody's ghost."""
    cancelled(story).lives("CART/1", "a", since=60.0)

    assert cancelled_stays_gone(story.told()).finding == "kept"


def lost(story: Story, gone: float | None) -> Story:
    """Let the cancellation of CART/1 be lost at b, which is cut off from 48 to 100 s."""
    story.cut(48.0, 100.0).counts("b", 200)
    cancelled(story)
    story.shown["b", "CART/1"] = [(2.0, UP)]
    return story if gone is None else story.shows("b", "CART/1", gone, None)


def test_ghost_that_goes_when_its_lease_is_out_keeps_it(story: Story) -> None:
    """A lost cancellation is bounded by the last renewal, two leases and an eviction run."""
    judgement = cancelled_stays_gone(lost(story, gone=165.0).told())

    assert judgement.finding == "kept"
    assert judgement.measured == pytest.approx(115.9)


def test_ghost_that_outlives_its_lease_breaks_it(story: Story) -> None:
    """A ghost that is never evicted though leases expire breaks the promise."""
    judgement = cancelled_stays_gone(lost(story, gone=None).told())

    assert (judgement.finding, judgement.measured) == ("broken", None)
    assert "2·D + 1·E + U + 1.5 = 2·60 + 1·7 + 0 + 1.5 s" in judgement.said


def test_ghost_at_a_node_that_protects_itself_is_left_open(story: Story) -> None:
    """While protection holds the eviction off, a ghost is neither right nor wrong."""
    lost(story, gone=None)
    story.events = [event for event in story.events if not hasattr(event, "threshold")]
    story.counts("b", 100, expires=False)

    judgement = cancelled_stays_gone(story.told())

    assert judgement.finding == "inconclusive"
    assert "it need not go while the node protects itself" in judgement.said


def test_cancellation_that_waited_behind_a_short_cut_arrives_after_the_heal(story: Story) -> None:
    """A task is kept 30 s: behind a cut of 20 s the peer has it one attempt after the heal."""
    story.cut(48.0, 68.0)
    cancelled(story)
    story.shown["b", "CART/1"] = [(2.0, UP), (79.0, None)]

    judgement = cancelled_stays_gone(story.told())

    assert judgement.finding == "broken"  # 68 + 3 + 1 + 0.5 + 1.5 = 74 s
    assert "it had to be gone by 74.0 s" in judgement.said


def test_cancellation_that_a_peer_lied_about_is_bounded_by_the_lease(story: Story) -> None:
    """A peer that says "done" and drops it: nobody retries, so the ghost lives its lease out."""
    story.cut(48.0, 68.0, kind="wrong-answers").counts("b", 200)
    cancelled(story)
    story.shown["b", "CART/1"] = [(2.0, UP), (165.0, None)]

    assert cancelled_stays_gone(story.told()).finding == "kept"


def test_node_that_forgot_the_cancellation_may_show_it_while_its_lease_lasts(story: Story) -> None:
    """A node that was killed and copied an old list cannot know better; its lease can."""
    story.cut(60.0, 70.0, links=(), nodes=("a",), forgets=("a",)).counts("a", 200)
    cancelled(story)
    story.shows("a", "CART/1", 71.0, UP).shows("a", "CART/1", 170.0, None)

    assert cancelled_stays_gone(story.told()).finding == "kept"


def test_run_without_cancellations_says_nothing(story: Story) -> None:
    """Nothing cancelled, nothing judged: that is no pass."""
    judgement = cancelled_stays_gone(story.lives("CART/1", "a").told())

    assert judgement.finding == "inconclusive"


def dead(story: Story, gone: float | None) -> Story:
    """Let CART/1 fall silent after its renewal at 41 s, and go from all nodes at `gone`."""
    story.lives("CART/1", "a", until=45.0)
    for node in NODES:
        story.counts(node, 200)
        if gone is not None:
            story.shows(node, "CART/1", gone, None)
    return story


def test_dead_instance_that_goes_after_two_leases_keeps_it(story: Story) -> None:
    """Two leases of 60 s and one run of 7 s after the last renewal at 41.1 s end at 169.6 s."""
    judgement = dead_instances_go(dead(story, gone=168.0).told())

    assert judgement.finding == "kept"
    assert judgement.budget is not None
    assert judgement.budget.seconds == pytest.approx(128.5 + 2, abs=0.1)


def test_dead_instance_that_stays_breaks_it(story: Story) -> None:
    """An instance that is never evicted though leases expire breaks the promise."""
    judgement = dead_instances_go(dead(story, gone=None).told())

    assert judgement.finding == "broken"
    assert judgement.violations[0].at == pytest.approx(41.1 + 120 + 7 + 1.5)


def test_dead_instance_at_nodes_without_counters_is_left_open(story: Story) -> None:
    """Nobody knows whether leases expired: nothing is said."""
    dead(story, gone=None)
    story.events = [event for event in story.events if not hasattr(event, "threshold")]

    assert dead_instances_go(story.told()).finding == "inconclusive"


def test_many_dead_at_once_have_as_many_runs_as_their_share_takes(story: Story) -> None:
    """Ten of ten that die at once take eight runs: two, two, and then one each."""
    for number in range(10):
        story.lives(f"CART/{number}", "a", until=45.0)
        for node in NODES:
            run = number // 2 if number < 4 else number - 2
            story.shows(node, f"CART/{number}", 163.0 + 7 * run, None)
    for node in NODES:
        story.counts(node, 200)

    judgement = dead_instances_go(story.told())

    assert judgement.finding == "kept"
    assert judgement.budget is not None
    assert "2·D + 8·E + U" in judgement.budget.formula


def test_machine_that_was_late_itself_blames_nobody(story: Story) -> None:
    """A ghost that is over its budget by less than our own lateness is no breach, and no pass."""
    cancelled(story).late(55.0, 5.0)
    story.shown["b", "CART/1"] = [(2.0, UP), (54.5, None)]

    judgement = cancelled_stays_gone(story.told())

    assert judgement.finding == "inconclusive"
    assert "was late itself by as much" in judgement.said


def test_renewal_that_a_frozen_node_reads_late_renews_the_lease(story: Story) -> None:
    """What was sent to a node that stood still takes effect when it goes on."""
    story.cut(60.0, 100.0, links=(), nodes=("a",), kind="pause")
    dead(story, gone=225.0).call(62.0, "a", "renew", "CART/1", status=None)

    judgement = dead_instances_go(story.told())

    assert judgement.finding == "kept"


def test_renewal_in_the_socket_of_a_frozen_node_leaves_the_cancellation_open(story: Story) -> None:
    """Its client went on to b and signed off there; a reads the old renewal later, and tells b."""
    story.cut(60.0, 100.0, links=(), nodes=("a",), kind="pause")
    story.lives("CART/1", "a", until=55.0).call(62.0, "a", "renew", "CART/1", status=None)
    story.call(68.0, "b", "register", "CART/1", lease=60.0, interval=10.0)
    story.call(85.0, "b", "cancel", "CART/1")
    for node in NODES:
        story.shows(node, "CART/1", 85.0, None).shows(node, "CART/1", 102.0, UP)

    assert cancelled_stays_gone(story.told()).finding == "inconclusive"
