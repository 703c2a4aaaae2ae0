"""What nodes tell of the living: without faults, after contested writes, under overrides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from eureka_tck.promises.divergence import no_divergence_without_cause
from eureka_tck.promises.newest import newest_write_wins
from eureka_tck.promises.overrides import overrides_survive
from tests.eureka_tck.promises.conftest import NODES, UP

if TYPE_CHECKING:
    from eureka_tck.history.event import Seen
    from tests.eureka_tck.promises.conftest import Story

T = UP.dirty_ms
NEWER = replace(UP, dirty_ms=T + 9)
OUT = replace(UP, status="OUT_OF_SERVICE", overridden="OUT_OF_SERVICE")


def changed(story: Story, at_b: float, seen: Seen = NEWER) -> Story:
    """Let CART/1, at home at a, change at 50 s; c knows at 51 s and b at `at_b`."""
    story.lives("CART/1", "a").call(50.0, "a", "metadata", "CART/1")
    for node, at in (("a", 50.05), ("b", at_b), ("c", 51.0)):
        story.shows(node, "CART/1", at, seen)
    return story


@pytest.mark.parametrize(("at_b", "finding"), [(51.9, "kept"), (54.0, "broken")])
def test_change_arrives_within_one_batch(story: Story, at_b: float, finding: str) -> None:
    """The budget of 2 s after the end of the call at 50.1 s lies between the two."""
    assert no_divergence_without_cause(changed(story, at_b).told()).finding == finding


def test_divergence_behind_a_cut_has_its_cause(story: Story) -> None:
    """What a cut kept apart is not judged here, not after the heal either."""
    changed(story, at_b=300.0).cut(45.0, 100.0)

    judgement = no_divergence_without_cause(story.told())

    assert judgement.finding == "kept"


def test_nodes_on_the_same_side_of_a_cut_have_no_cause(story: Story) -> None:
    """A cut of b is no reason why c should differ from a."""
    changed(story, at_b=51.0).cut(45.0, 100.0).shows("c", "CART/1", 60.0, OUT)

    judgement = no_divergence_without_cause(story.told())

    assert (judgement.finding, judgement.violations[0].node) == ("broken", "c")


def test_hurried_changes_are_not_judged_from_then_on(story: Story) -> None:
    """Two changes within two batches may be reordered: another row's affair."""
    changed(story, at_b=300.0).call(51.0, "a", "metadata", "CART/1")

    assert no_divergence_without_cause(story.told()).finding == "kept"


def contested(story: Story, at_b: float | None) -> Story:
    """Let CART/1 register anew at a behind a cut of b, which learns of it at `at_b`."""
    story.cut(100.0, 140.0)
    story.call(1.0, "a", "register", "CART/1", lease=60.0, interval=10.0, dirty_ms=T)
    for renewal in range(39):
        story.call(11.0 + 10 * renewal, "a", "renew", "CART/1")
    story.call(110.0, "a", "register", "CART/1", lease=60.0, interval=10.0, dirty_ms=T + 9)
    for node in NODES:
        story.shows(node, "CART/1", 2.0, UP)
    story.shows("a", "CART/1", 110.0, NEWER).shows("c", "CART/1", 111.0, NEWER)
    return story if at_b is None else story.shows("b", "CART/1", at_b, NEWER)


@pytest.mark.parametrize(
    ("at_b", "finding"), [(156.0, "kept"), (160.0, "broken"), (None, "broken")]
)
def test_newest_registration_is_everywhere_one_renewal_after_the_heal(
    story: Story, at_b: float | None, finding: str
) -> None:
    """The budget of 16.5 s after the heal at 140 s lies between the two."""
    assert newest_write_wins(contested(story, at_b).told()).finding == finding


def test_older_registration_that_comes_back_breaks_it(story: Story) -> None:
    """A stale record that wins at any time after the budget breaks the promise."""
    contested(story, 145.0).shows("a", "CART/1", 300.0, UP)

    judgement = newest_write_wins(story.told())

    assert judgement.finding == "broken"
    assert f"node a held T {T}, but node a had accepted T {T + 9} at 110.1 s" in judgement.said


def test_run_without_older_records_says_nothing(story: Story) -> None:
    """Where no node was ever behind, no write won."""
    assert newest_write_wins(story.lives("CART/1", "a").told()).finding == "inconclusive"


def overridden(story: Story, at_b: float) -> Story:
    """Let an operator take CART/1 out of service at a at 110 s; b tells so from `at_b` on."""
    story.lives("CART/1", "a").call(110.0, "a", "status", "CART/1", value="OUT_OF_SERVICE")
    for node, at in (("a", 110.0), ("b", at_b), ("c", 111.0)):
        story.shows(node, "CART/1", at, OUT)
    return story


@pytest.mark.parametrize(("at_b", "finding"), [(136.0, "kept"), (142.0, "broken")])
def test_override_is_everywhere_after_two_renewals(story: Story, at_b: float, finding: str) -> None:
    """Without a fault the budget is 2·10 + 1 + 3 + 1 + 1.5 = 26.5 s, which ends at 136.6 s."""
    assert overrides_survive(overridden(story, at_b).told()).finding == finding


def test_override_lost_behind_a_cut_breaks_it(story: Story) -> None:
    """A node that never learns of an override after the heal breaks the promise, with words."""
    overridden(story, at_b=900.0).cut(100.0, 160.0)

    judgement = overrides_survive(story.told())

    assert judgement.finding == "broken"
    assert judgement.said.startswith(
        "CART/1 was set to OUT_OF_SERVICE at node a, acknowledged at 110.1 s, and node b told "
        "status UP, override UNKNOWN at "
    )


def test_override_that_is_forgotten_on_heal_breaks_it(story: Story) -> None:
    """An override that was there and is gone after the heal breaks the promise."""
    overridden(story, at_b=111.0).cut(150.0, 200.0)
    for node in NODES:
        story.shows(node, "CART/1", 201.0, UP)

    judgement = overrides_survive(story.told())

    assert judgement.finding == "broken"
    assert {violation.node for violation in judgement.violations} == set(NODES)


def test_removed_override_has_to_be_gone(story: Story) -> None:
    """What was removed must not go on being told."""
    overridden(story, at_b=111.0).call(200.0, "a", "remove-status", "CART/1")
    story.shows("a", "CART/1", 200.0, UP).shows("b", "CART/1", 201.0, UP)

    judgement = overrides_survive(story.told())

    assert (judgement.finding, judgement.violations[0].node) == ("broken", "c")


@pytest.mark.parametrize(("died", "finding"), [(155.0, "inconclusive"), (157.0, "broken")])
def test_override_that_only_the_dead_node_knew_is_lost_with_it(
    story: Story, died: float, finding: str
) -> None:
    """From the heal at 150 s to its death a had to have 3 + 1 + 0.5 + 1.5 = 6 s to tell of it."""
    overridden(story, at_b=900.0).cut(105.0, 150.0, links=("a>b", "a>c"))
    story.cut(died, died + 10.0, links=(), nodes=("a",), forgets=("a",), fault="killed")
    for node in NODES:
        story.shows(node, "CART/1", died + 11.0, UP)

    assert overrides_survive(story.told()).finding == finding


def test_run_without_overrides_says_nothing(story: Story) -> None:
    """No status call, no verdict."""
    assert overrides_survive(story.lives("CART/1", "a").told()).finding == "inconclusive"


def test_machine_that_was_late_itself_blames_nobody(story: Story) -> None:
    """What is over its budget by less than our own lateness is no breach, and no pass."""
    changed(story, at_b=54.0).late(55.0, 5.0)

    judgement = no_divergence_without_cause(story.told())

    assert judgement.finding == "inconclusive"
    assert "this machine was late itself by as much" in judgement.said


@pytest.mark.parametrize(
    ("at_b", "finding"),
    [([(2.0, UP), (14.0, None), (30.0, UP)], "broken"), ([(30.0, UP)], "inconclusive")],
    ids=["lost what it told", "has not learnt of it"],
)
def test_lateness_explains_what_has_not_come_and_not_what_went(
    story: Story, at_b: list[tuple[float, Seen | None]], finding: str
) -> None:
    """Every answer takes 1.9 s for a minute, and b does not tell of an instance until 30 s."""
    story.lives("CART/1", "a")
    for second in range(0, 60, 2):
        story.call(second, "c", "renew", "CART/2", status=404)
        story.events[-1] = replace(story.events[-1], at=second + 1.9)
    story.shown["b", "CART/1"] = at_b

    assert no_divergence_without_cause(story.told()).finding == finding


def test_agreement_before_it_was_due_says_nothing(story: Story) -> None:
    """Readings within the budget after a change cannot show a divergence, so they keep nothing."""
    story.end = 20.0
    story.settings["eureka.server.useReadOnlyResponseCache"] = "true"  # of 30 s
    story.call(1.0, "a", "register", "CART/1", lease=60.0, interval=10.0)
    story.call(5.0, "a", "renew", "CART/1")
    for node in NODES:
        story.shows(node, "CART/1", 1.1, UP)

    assert no_divergence_without_cause(story.told()).finding == "inconclusive"


def test_change_that_nobody_acknowledged_has_no_due(story: Story) -> None:
    """A call without an answer may be applied late: when a peer must know of it, nobody can say."""
    changed(story, at_b=51.0).call(100.0, "a", "metadata", "CART/1", status=None)
    for node, at in (("a", 100.05), ("b", 108.0), ("c", 101.0)):
        story.shows(node, "CART/1", at, replace(UP, dirty_ms=T + 99))

    assert no_divergence_without_cause(story.told()).finding == "kept"


def test_newest_registration_at_a_node_that_nobody_read_says_nothing(story: Story) -> None:
    """That a node held the newest is seen after its due, or not at all."""
    contested(story, 145.0).unread["b"] = (150.0, 999.0)

    judgement = newest_write_wins(story.told())

    assert judgement.finding == "inconclusive"
