"""What a node owes while it runs: eviction's share, protection, no echo, restarts, reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.history.event import Copied
from eureka_tck.promises.clients import client_copies_follow
from eureka_tck.promises.linear import replication_is_linear
from eureka_tck.promises.protection import protection_follows_renewals
from eureka_tck.promises.reads import reads_are_answered
from eureka_tck.promises.restarted import restarted_node_serves_all
from eureka_tck.promises.share import no_run_evicts_too_many
from tests.eureka_tck.promises.conftest import NODES, UP

if TYPE_CHECKING:
    from tests.eureka_tck.promises.conftest import Story


def dying(story: Story, *batches: int) -> Story:
    """Let 20 instances die, and go from node a in batches, 10 s apart from 170 s on."""
    number = 0
    gone: dict[int, float] = {}
    for order, batch in enumerate(batches):
        for _ in range(batch):
            gone[number] = 170.0 + 10 * order
            number += 1
    for number in range(20):
        story.lives(f"CART/{number:02}", "a", until=40.0)
        if number in gone:
            story.shows("a", f"CART/{number:02}", gone[number], None)
    return story


@pytest.mark.parametrize(("first", "finding"), [(3, "kept"), (4, "broken")])
def test_run_takes_three_of_twenty_and_not_four(story: Story, first: int, finding: str) -> None:
    """20 - int(20 · 0.85) = 3 is what one run may take."""
    assert no_run_evicts_too_many(dying(story, first, 3, 2).told()).finding == finding


def test_limit_that_never_bit_says_nothing(story: Story) -> None:
    """Two evictions of twenty show nothing of the limit."""
    assert no_run_evicts_too_many(dying(story, 2).told()).finding == "inconclusive"


def test_cancelled_instances_are_no_evictions(story: Story) -> None:
    """A fleet that is shut down in order leaves as fast as it likes."""
    dying(story, 3, 3, 2)
    for number in range(8, 20):
        name = f"CART/{number:02}"
        story.call(200.0, "a", "cancel", name).shows("a", name, 201.0, None)

    assert no_run_evicts_too_many(story.told()).finding == "kept"


def protected(story: Story, begins: float = 170.0, ends: float = 310.0) -> Story:
    """Let the nodes protect themselves between the two: b counts 60 of 180 renewals, others 120."""
    for node in NODES:
        story.counts(node, 180, until=begins - 5)
        story.counts(node, 60 if node == "b" else 120, since=begins, until=ends, expires=False)
        story.counts(node, 180, since=ends + 5)
    return story


def test_protection_in_time_and_not_for_ever_keeps_it(partition: Story) -> None:
    """On within two windows after the cut, off again after the heal."""
    assert protection_follows_renewals(protected(partition).told()).finding == "kept"


def test_protection_that_comes_too_late_breaks_it(partition: Story) -> None:
    """30 instances, 10 left to b: 75 s and the slack after the cut protection has to be there."""
    judgement = protection_follows_renewals(protected(partition, begins=205.0).told())

    assert judgement.finding == "broken"
    assert "from 100.0 s on left it 60 of 180 renewals a minute" in judgement.said


def test_protection_that_never_ends_breaks_it(partition: Story) -> None:
    """All renew again, and the node still protects itself two windows later."""
    partition.end = 600.0
    for node in NODES:
        partition.counts(node, 60, expires=False)
    for number in range(30):
        name = f"CART/{number:02}"
        for at in range(400, 600, 10):
            partition.call(at + 1.0, NODES[number % 3], "renew", name)

    judgement = protection_follows_renewals(partition.told())

    assert judgement.finding == "broken"
    assert any("still protected itself" in one.said for one in judgement.violations)


def test_page_that_contradicts_itself_breaks_it(partition: Story) -> None:
    """At the threshold a node protects itself; one that lets leases expire breaks the promise."""
    partition.counts("a", 153, threshold=153, until=60.0)

    judgement = protection_follows_renewals(partition.told())

    assert judgement.finding == "broken"
    assert "let leases expire at 10.0 s with 153 renewals" in judgement.said


def test_run_without_protection_says_nothing(story: Story) -> None:
    """Expiry that was never held off shows nothing."""
    story.lives("CART/1", "a").counts("a", 200)

    assert protection_follows_renewals(story.told()).finding == "inconclusive"


@pytest.mark.parametrize(("counted", "finding"), [(62, "kept"), (80, "broken")])
def test_renewals_are_counted_once(story: Story, counted: int, finding: str) -> None:
    """Ten instances every 10 s are 60 a minute, and 70 in the 64 s that are allowed for."""
    for number in range(10):
        story.lives(f"CART/{number}", NODES[number % 3], since=1.0 + number)
    story.counts("b", counted, threshold=1, since=140.0)

    assert replication_is_linear(story.told()).finding == finding


def test_counters_during_faults_are_not_judged(story: Story) -> None:
    """Retries over a broken link may count twice; nothing is said of such minutes."""
    story.lives("CART/1", "a").cut(50.0, 390.0).counts("b", 900, since=100.0)

    assert replication_is_linear(story.told()).finding == "inconclusive"


def restarted(story: Story, back: float | None) -> Story:
    """Kill b at 100 s; it answers again from 110 s on, and shows CART/1 from `back` on."""
    story.lives("CART/1", "a").cut(100.0, 110.0, links=(), nodes=("b",), forgets=("b",))
    story.unread["b"] = (100.0, 111.0)
    story.shows("b", "CART/1", 100.0, None)
    return story if back is None else story.shows("b", "CART/1", back, UP)


@pytest.mark.parametrize(
    ("back", "finding"), [(126.0, "kept"), (132.0, "broken"), (None, "broken")]
)
def test_restarted_node_serves_all_after_one_renewal(
    story: Story, back: float | None, finding: str
) -> None:
    """It answered first at 112 s; the budget of 16.5 s lies between the two."""
    assert restarted_node_serves_all(restarted(story, back).told()).finding == finding


def test_run_without_a_restart_says_nothing(partition: Story) -> None:
    """A cut node loses nothing of its memory."""
    assert restarted_node_serves_all(partition.told()).finding == "inconclusive"


def test_reads_of_the_cut_node_are_answered(partition: Story) -> None:
    """A node without its peers serves its clients."""
    judgement = reads_are_answered(partition.told())

    assert judgement.finding == "kept"
    assert "while a fault was on" in judgement.said


def test_read_without_an_answer_breaks_it(partition: Story) -> None:
    """A node that hangs because its peers do breaks the promise."""
    partition.unread["a"] = (150.0, 154.0)

    judgement = reads_are_answered(partition.told())

    assert (judgement.finding, len(judgement.violations)) == ("broken", 3)


def test_read_of_a_dead_node_is_nobodys_fault(story: Story) -> None:
    """What a fault put out of action need not answer."""
    assert reads_are_answered(restarted(story, 120.0).told()).finding == "kept"


def test_read_that_our_own_machine_spoiled_is_left_open(partition: Story) -> None:
    """A harness that was late itself blames nobody."""
    partition.unread["a"] = (150.0, 150.0)
    partition.late(151.0, 5.0)

    assert reads_are_answered(partition.told()).finding == "inconclusive"


def copied(story: Story, *held: tuple[float, bool]) -> Story:
    """Let CART/1 live from 1 to 60 s, be cancelled, and a client hold it or not at instants."""
    story.lives("CART/1", "a", until=60.0).call(60.0, "a", "cancel", "CART/1")
    for node in NODES:
        story.shows(node, "CART/1", 60.0, None)
    for at, has in held:
        present = {"CART/1": "UP"} if has else {}
        story.events.append(
            Copied(at=at, client="reader", node="a", read_at=at - 0.1, whole=True, present=present)
        )
    return story


def test_copy_that_follows_its_registry_keeps_it(story: Story) -> None:
    """There before the cancellation, gone after it."""
    assert client_copies_follow(copied(story, (40.0, True), (70.0, False)).told()).finding == "kept"


def test_copy_that_keeps_what_is_gone_breaks_it(story: Story) -> None:
    """A client that still tells of a cancelled instance after a read breaks the promise."""
    judgement = client_copies_follow(copied(story, (40.0, True), (70.0, True)).told())

    assert judgement.finding == "broken"
    assert judgement.said.startswith("reader held CART/1 as UP after its read of node a at 69.9 s")


def test_sample_under_way_at_the_read_proves_nothing_against_a_copy(story: Story) -> None:
    """It tells of any instant of its own, before the client's read or after it."""
    copied(story, (40.0, True), (63.0, True), (70.0, False)).takes_long("a", 60.5, 66.0)
    story.shown["a", "CART/1"] = [(1.0, UP), (63.5, None)]

    assert client_copies_follow(story.told()).finding == "kept"


def test_copy_as_old_as_the_cache_allows_keeps_it(story: Story) -> None:
    """With a response cache of 30 s a client may hold what was gone 20 s ago."""
    story.settings["eureka.server.useReadOnlyResponseCache"] = "true"
    copied(story, (40.0, True), (80.0, True), (120.0, False))

    assert client_copies_follow(story.told()).finding == "kept"


def evicted(story: Story, *, cache: bool, listed_until: float) -> Story:
    """Let a reader of deltas know at 100 s that CART/1 was evicted, and the full list later."""
    story.settings["eureka.server.useReadOnlyResponseCache"] = str(cache).lower()
    story.dies("CART/1", registered=5.0, gone=listed_until)
    for at, present in ((50.0, {"CART/1": "UP"}), (100.0, {})):
        story.events.append(
            Copied(at=at, client="reader", node="a", read_at=at - 0.1, whole=True, present=present)
        )
    return story


@pytest.mark.parametrize(
    ("cache", "listed_until", "finding"),
    [(True, 130.0, "kept"), (True, 140.0, "broken"), (False, 110.0, "broken")],
    ids=["within the cache's age", "longer than that", "without a cache"],
)
def test_copy_may_know_before_the_full_list_as_long_as_a_list_is_cached(
    story: Story, finding: str, listed_until: float, *, cache: bool
) -> None:
    """A delta and a list are renewed one after the other, and an eviction may come in between."""
    told = evicted(story, cache=cache, listed_until=listed_until).told()

    assert client_copies_follow(told).finding == finding


def test_copy_at_the_end_of_a_run_is_blamed_for_nothing_that_was_not_awaited(story: Story) -> None:
    """Whoever stops reading before a list has to be renewed cannot say what it would have told."""
    story.end = 120.0

    judgement = client_copies_follow(evicted(story, cache=True, listed_until=130.0).told())

    assert judgement.finding == "kept"


def test_run_without_clients_says_nothing(story: Story) -> None:
    """No copies, no verdict."""
    assert client_copies_follow(story.told()).finding == "inconclusive"


def test_eviction_while_the_node_says_that_it_protects_itself_breaks_it(partition: Story) -> None:
    """What went between readings that all say "protected" was evicted all the same."""
    protected(partition).dies("CANARY/3", registered=150.0, gone=250.0)

    judgement = protection_follows_renewals(partition.told())

    assert judgement.finding == "broken"
    assert "lost CANARY/3 by 252.0 s, though it protected itself from" in judgement.said


def test_evictions_that_never_met_say_nothing_of_the_limit(story: Story) -> None:
    """Two and two that died minutes apart are more than three, but never waited for one run."""
    for number in range(20):
        early = number in {0, 1}
        story.lives(f"CART/{number:02}", "a", until=40.0 if early else 180.0)
        if number < 4:
            story.shows("a", f"CART/{number:02}", 170.0 if early else 320.0, None)

    judgement = no_run_evicts_too_many(story.told())

    assert judgement.finding == "inconclusive"
    assert "the limit never bit" in judgement.said


def test_protection_of_the_first_minute_alone_says_nothing(story: Story) -> None:
    """Before its first window a node has no renewals: to protect itself then shows nothing."""
    story.lives("CART/1", "a")
    story.counts("a", 0, threshold=1, until=60.0, expires=False)
    story.counts("a", 6, threshold=1, since=65.0)

    judgement = protection_follows_renewals(story.told())

    assert judgement.finding == "inconclusive"
    assert "let leases expire and then to protect itself" in judgement.said


def test_renewals_that_were_late_on_their_way_are_no_echo(story: Story) -> None:
    """On a machine that stood still for 15 s a minute counts what was sent in 79."""
    for number in range(10):
        story.lives(f"CART/{number}", NODES[number % 3], since=1.0 + number)
    story.counts("b", 78, threshold=1, since=140.0).late(400.0, 15.0)

    assert replication_is_linear(story.told()).finding == "kept"


def test_reads_that_all_failed_during_the_fault_show_nothing(story: Story) -> None:
    """Where nobody could be reached, no read was put to the test."""
    story.cut(100.0, 200.0, links=("client>a", "client>b", "client>c"))
    story.unread = dict.fromkeys(NODES, (99.0, 201.0))

    judgement = reads_are_answered(story.told())

    assert judgement.finding == "inconclusive"
    assert judgement.said == "No node answered a read while a fault was on."


def test_copy_beside_a_registry_that_nobody_read_shows_nothing(story: Story) -> None:
    """A copy whose registry was not read before and after it cannot be compared."""
    copied(story, (40.0, True), (70.0, False)).unread["a"] = (60.0, 999.0)

    judgement = client_copies_follow(story.told())

    assert (judgement.finding, judgement.judged) == ("inconclusive", "1 copy, 0 changes")
