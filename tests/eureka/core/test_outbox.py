"""When tasks leave for a peer, in which order, and what failures do to them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from eureka.core.instance import DataCenter, Instance, Key
from eureka.core.instant import Instant
from eureka.core.lease import Lease
from eureka.core.outbox import Batch, Missing, Newer, Outbox
from eureka.core.policy import ReplicationPolicy
from eureka.core.task import Kind, PeerAnswer, Task

REGISTER, HEARTBEAT, CANCEL = Kind.REGISTER, Kind.HEARTBEAT, Kind.CANCEL
SET, DELETE = Kind.STATUS_UPDATE, Kind.DELETE_STATUS_OVERRIDE


def task(kind: Kind, name: str = "1", dirty_ms: int = 0) -> Task:
    """Return a task for an instance of that id."""
    return Task(kind=kind, key=Key("CART", name), dirty_ms=dirty_ms)


def put(outbox: Outbox, *kinds: Kind, name: str = "1", now: float = 0.0, life: float = 30) -> None:
    """Put tasks of these kinds for one instance, numbered in their timestamps."""
    for number, kind in enumerate(kinds):
        outbox.put(task(kind, name, number), life=life, now=now)


def take(outbox: Outbox, *, now: float) -> Batch:
    """Take a batch that must be due."""
    batch = outbox.take(now=now)
    assert batch is not None
    return batch


def kinds(batch: Batch) -> list[tuple[Kind, int | None]]:
    """Return kind and timestamp of each task."""
    return [(one.kind, one.dirty_ms) for one in batch.tasks]


def names(batch: Batch) -> list[str]:
    """Return the id in each task."""
    return [one.key.id for one in batch.tasks]


@pytest.fixture
def outbox() -> Outbox:
    """Return an empty outbox of the usual policy."""
    return Outbox(ReplicationPolicy())


# Leaving


def test_an_empty_outbox_wants_nothing(outbox: Outbox) -> None:
    """Quiet nodes send nothing."""
    assert outbox.wakes_at() is None
    assert outbox.take(now=99) is None


def test_a_batch_leaves_one_delay_after_its_oldest_task(outbox: Outbox) -> None:
    """Not before, and everything that waits leaves with it."""
    put(outbox, REGISTER, name="1", now=10.0)
    put(outbox, REGISTER, name="2", now=10.4)

    assert outbox.wakes_at() == 10.5
    assert outbox.take(now=10.49) is None
    assert names(take(outbox, now=10.5)) == ["1", "2"]


def test_a_full_batch_leaves_at_once_and_the_rest_after_it(outbox: Outbox) -> None:
    """At most 250 tasks travel together; what is left keeps its own time."""
    for number in range(251):
        put(outbox, REGISTER, name=str(number), now=10.0 + number / 1000)

    assert outbox.wakes_at() == 0.0
    batch = take(outbox, now=10.3)
    assert len(batch.tasks) == 250
    outbox.delivered(batch, [], now=10.31)

    assert outbox.wakes_at() == 10.75
    assert names(take(outbox, now=10.75)) == ["250"]


def test_one_batch_at_a_time(outbox: Outbox) -> None:
    """What comes while one is on its way waits for its answer."""
    put(outbox, REGISTER)
    batch = take(outbox, now=0.5)
    put(outbox, REGISTER, name="2", now=0.5)

    assert outbox.wakes_at() is None
    assert outbox.take(now=9) is None

    outbox.delivered(batch, [], now=9)
    assert names(take(outbox, now=9)) == ["2"]


def test_a_hot_renewer_does_not_hold_up_the_others(outbox: Outbox) -> None:
    """Its repeated renewals coalesce and do not start the delay anew."""
    put(outbox, REGISTER, name="quiet", now=0.1)
    for tenth in range(5):
        put(outbox, HEARTBEAT, name="hot", now=tenth / 10)

    assert outbox.wakes_at() == 0.6
    assert sorted(names(take(outbox, now=0.6))) == ["hot", "quiet"]


# Coalescing


@pytest.mark.parametrize(
    ("calls", "sent"),
    [
        ([HEARTBEAT] * 5, [(HEARTBEAT, 4)]),
        ([REGISTER, REGISTER], [(REGISTER, 1)]),
        ([REGISTER, HEARTBEAT, REGISTER], [(REGISTER, 2), (HEARTBEAT, 1)]),
        ([HEARTBEAT, REGISTER, HEARTBEAT], [(REGISTER, 1), (HEARTBEAT, 2)]),
        ([REGISTER, CANCEL, REGISTER], [(CANCEL, 1), (REGISTER, 2)]),
        ([CANCEL, REGISTER, CANCEL], [(REGISTER, 1), (CANCEL, 2)]),
        ([SET, DELETE, SET], [(DELETE, 1), (SET, 2)]),
    ],
    ids=[
        "renewals become the last",
        "registrations become the last",
        "a renewal in between moves nothing",
        "a renewal follows the registration it is of",
        "registered, cancelled, registered: present",
        "cancelled, registered, cancelled: absent",
        "set, removed, set: set",
    ],
)
def test_changes_of_one_instance_leave_the_peer_as_the_node_is(
    outbox: Outbox, calls: list[Kind], sent: list[tuple[Kind, int]]
) -> None:
    """One task of a kind is sent, the newest, behind whatever change came before it."""
    put(outbox, *calls)

    assert kinds(take(outbox, now=0.5)) == sent


def test_other_instances_do_not_coalesce(outbox: Outbox) -> None:
    """Each instance has its own tasks."""
    put(outbox, HEARTBEAT, name="1")
    put(outbox, HEARTBEAT, name="2")
    put(outbox, HEARTBEAT, name="1")

    assert names(take(outbox, now=0.5)) == ["1", "2"]


def test_a_coalesced_task_lives_from_its_newest_call(outbox: Outbox) -> None:
    """Its age counts from the call whose data it carries."""
    put(outbox, HEARTBEAT, now=0.0, life=5)
    put(outbox, HEARTBEAT, now=4.0, life=5)

    assert take(outbox, now=8.9).tasks


# Failing


def test_a_failed_batch_is_sent_again_as_it_was(outbox: Outbox) -> None:
    """Same number, same tasks; what came meanwhile is another batch."""
    put(outbox, REGISTER)
    first = take(outbox, now=0.5)
    put(outbox, REGISTER, name="2", now=0.5)
    outbox.broken(first, now=0.6)

    assert outbox.wakes_at() == 0.7
    assert outbox.take(now=0.69) is None
    assert take(outbox, now=0.7) == first


@pytest.mark.parametrize(("failure", "pause"), [("broken", 0.1), ("timed_out", 1.0)])
def test_pauses_after_failures(outbox: Outbox, failure: str, pause: float) -> None:
    """A broken connection is tried again after 100 ms, a time-out after 1 s."""
    put(outbox, REGISTER)
    batch = take(outbox, now=0.5)

    getattr(outbox, failure)(batch, now=2.0)

    assert outbox.wakes_at() == 2.0 + pause


def test_a_busy_peer_is_asked_again_after_a_second(outbox: Outbox) -> None:
    """A 503 says nothing against the tasks."""
    put(outbox, REGISTER)
    batch = take(outbox, now=0.5)

    outbox.refused(batch, 503, now=0.6)

    assert outbox.wakes_at() == 1.6
    assert take(outbox, now=1.6) == batch


@pytest.mark.parametrize("status", [302, 401, 404, 429, 500])
def test_any_other_refusal_drops_the_batch(outbox: Outbox, status: int) -> None:
    """The same would be refused again."""
    put(outbox, REGISTER)
    put(outbox, REGISTER, name="2")
    batch = take(outbox, now=0.5)

    outbox.refused(batch, status, now=0.6)

    assert (outbox.take(now=99), outbox.waiting, outbox.dropped) == (None, 0, 2)


def test_a_batch_refused_as_unreadable_is_divided_until_the_odd_task_is_found(
    outbox: Outbox,
) -> None:
    """One task that a peer cannot read costs no other task its delivery."""
    for name in "abcd":
        put(outbox, REGISTER, name=name)
    delivered: list[str] = []
    now = 0.5
    while (batch := outbox.take(now=now)) is not None:
        if "c" in names(batch):
            outbox.refused(batch, 400, now=now)
        else:
            outbox.delivered(batch, [], now=now)
            delivered += names(batch)
        now += 0.1

    assert delivered == ["a", "b", "d"]
    assert outbox.dropped == 1


def test_a_task_too_old_to_be_true_is_dropped(outbox: Outbox) -> None:
    """It is sent until its age is its life, and not after; fewer tasks are another batch."""
    put(outbox, HEARTBEAT, name="old", life=5)
    put(outbox, CANCEL, name="young", life=30)
    first = take(outbox, now=0.5)
    outbox.broken(first, now=4.8)
    assert take(outbox, now=4.9) == first
    outbox.broken(first, now=4.95)

    second = take(outbox, now=5.05)

    assert names(second) == ["young"]
    assert second.number != first.number
    assert outbox.dropped == 1


def test_a_batch_of_nothing_but_old_tasks_makes_room_for_the_next(outbox: Outbox) -> None:
    """It is skipped without being sent."""
    put(outbox, HEARTBEAT, life=5)
    outbox.broken(take(outbox, now=0.5), now=0.6)
    put(outbox, CANCEL, name="2", now=9.0)

    assert outbox.take(now=9.4) is None
    assert names(take(outbox, now=9.5)) == ["2"]


def test_a_waiting_task_replaces_the_failed_one_it_repeats(outbox: Outbox) -> None:
    """The newest data is sent, once."""
    put(outbox, REGISTER, name="1")
    put(outbox, REGISTER, name="2")
    outbox.broken(take(outbox, now=0.5), now=0.6)
    outbox.put(task(REGISTER, "1", 7), life=30, now=0.7)

    again = take(outbox, now=0.8)
    assert names(again) == ["2"]
    outbox.delivered(again, [], now=0.8)
    assert kinds(take(outbox, now=1.2)) == [(REGISTER, 7)]


def test_when_full_the_oldest_task_is_dropped() -> None:
    """The newest are delivered once the peer is back, failed ones count as waiting."""
    outbox = Outbox(ReplicationPolicy(capacity=3))
    for number in range(2):
        put(outbox, REGISTER, name=str(number))
    failed = take(outbox, now=0.5)
    outbox.refused(failed, 503, now=0.6)
    for number in range(2, 5):
        put(outbox, REGISTER, name=str(number), now=0.7)

    assert (outbox.waiting, outbox.dropped) == (3, 2)
    assert names(take(outbox, now=1.6)) == ["2", "3", "4"]


def test_what_is_on_its_way_cannot_be_dropped() -> None:
    """The queue behind it is bounded all the same."""
    outbox = Outbox(ReplicationPolicy(capacity=2))
    put(outbox, REGISTER, name="1")
    put(outbox, REGISTER, name="2")
    take(outbox, now=0.5)
    for name in "345":
        put(outbox, REGISTER, name=name, now=0.6)

    assert outbox.waiting == 3
    assert outbox.dropped == 2


# Answers


def test_answers_count_for_renewals_only(outbox: Outbox) -> None:
    """A renewal answered 404 or 409 is to be healed; another kind's 404 means nothing."""
    other = Instance(
        key=Key("CART", "b"),
        host_name="h",
        ip_address="i",
        data_center=DataCenter("MyOwn"),
        metadata={},
        dirty_ms=9,
    )
    for name in "abcd":
        put(outbox, HEARTBEAT, name=name)
    put(outbox, CANCEL, name="e")
    batch = take(outbox, now=0.5)
    answers = [
        PeerAnswer(404),
        PeerAnswer(409, other),
        PeerAnswer(409),
        PeerAnswer(500),
        PeerAnswer(404),
    ]

    findings = outbox.delivered(batch, answers, now=0.6)

    assert findings == [Missing(Key("CART", "a")), Newer(Key("CART", "b"), other)]
    assert outbox.sent == 5


def test_a_list_of_another_length_is_accepted_and_says_nothing(outbox: Outbox) -> None:
    """The batch was delivered; which answer is whose cannot be told."""
    put(outbox, HEARTBEAT)
    batch = take(outbox, now=0.5)

    assert outbox.delivered(batch, [PeerAnswer(404)] * 2, now=0.6) == []
    assert outbox.waiting == 0


def test_a_late_answer_counts_until_the_batch_is_another(outbox: Outbox) -> None:
    """A peer slower than the time-out is healed too; the repetition is spared."""
    put(outbox, HEARTBEAT)
    batch = take(outbox, now=0.5)
    outbox.timed_out(batch, now=0.7)

    assert outbox.delivered(batch, [PeerAnswer(404)], now=0.9) == [Missing(Key("CART", "1"))]
    assert outbox.take(now=2) is None


def test_news_of_a_batch_that_is_gone_mean_nothing(outbox: Outbox) -> None:
    """A second answer to the same batch, or a failure after it, changes nothing."""
    put(outbox, HEARTBEAT)
    batch = take(outbox, now=0.5)
    outbox.delivered(batch, [], now=0.6)
    put(outbox, HEARTBEAT, name="2", now=0.6)

    assert outbox.delivered(batch, [PeerAnswer(404)], now=0.7) == []
    outbox.refused(batch, 400, now=0.7)
    outbox.broken(batch, now=0.7)

    assert (outbox.waiting, outbox.sent, outbox.wakes_at()) == (1, 1, 1.1)


# Renewals by their leases


def lease(name: str = "1", dirty_ms: int = 5) -> Lease:
    """Return the lease of an instance of that id."""
    instance = Instance(
        key=Key("CART", name),
        host_name="h",
        ip_address="i",
        data_center=DataCenter("MyOwn"),
        metadata={},
        dirty_ms=dirty_ms,
    )
    return Lease.of(instance, now=Instant(0.0, 0))


def test_a_renewal_leaves_as_the_record_is_then(outbox: Outbox) -> None:
    """However often it came, it is one task."""
    renewed = lease()
    for tenth in range(5):
        outbox.beat(renewed, now=tenth / 10)
    renewed.hold(replace(renewed.instance, dirty_ms=9))

    assert outbox.wakes_at() == 0.5
    assert kinds(take(outbox, now=0.5)) == [(HEARTBEAT, 9)]


def test_a_renewal_follows_the_change_that_waits(outbox: Outbox) -> None:
    """The peer would not know the instance otherwise."""
    outbox.beat(lease(), now=0.0)
    put(outbox, REGISTER, now=0.1)

    assert [kind for kind, _ in kinds(take(outbox, now=0.5))] == [REGISTER, HEARTBEAT]


def test_a_renewal_goes_before_a_cancellation(outbox: Outbox) -> None:
    """It was one of before."""
    outbox.beat(lease(), now=0.0)
    put(outbox, CANCEL, now=0.1)

    assert [kind for kind, _ in kinds(take(outbox, now=0.5))] == [HEARTBEAT, CANCEL]


def test_a_renewal_of_a_lease_that_was_replaced_is_left_out(outbox: Outbox) -> None:
    """The one of the new lease says more."""
    outbox.beat(lease(dirty_ms=1), now=0.0)
    put(outbox, REGISTER, now=0.1)
    outbox.beat(lease(dirty_ms=2), now=0.2)

    assert kinds(take(outbox, now=0.5)) == [(REGISTER, 0), (HEARTBEAT, 2)]


def test_a_full_batch_of_renewals_leaves_at_once(outbox: Outbox) -> None:
    """And no renewal is lost over it."""
    for number in range(300):
        outbox.beat(lease(str(number)), now=0.0)

    first = take(outbox, now=0.01)
    outbox.delivered(first, [], now=0.02)
    second = take(outbox, now=0.5)

    assert (len(first.tasks), len(second.tasks)) == (250, 50)
    assert len({one.key for one in first.tasks + second.tasks}) == 300


def test_a_renewal_is_tried_until_the_next_is_due(outbox: Outbox) -> None:
    """Age counts from the client's call."""
    outbox.beat(lease(), now=0.0)
    outbox.broken(take(outbox, now=0.5), now=0.5)
    outbox.broken(take(outbox, now=29.9), now=29.9)

    assert outbox.take(now=30.1) is None
    assert outbox.dropped == 1


def test_a_full_outbox_gives_up_renewals_first() -> None:
    """Another follows each of them."""
    small = Outbox(ReplicationPolicy(capacity=2))
    small.beat(lease("renewed"), now=0.0)
    put(small, REGISTER, name="first", now=0.1)
    put(small, REGISTER, name="second", now=0.2)

    assert names(take(small, now=1.0)) == ["first", "second"]
    assert small.dropped == 1


def test_what_was_cancelled_elsewhere_is_withdrawn(outbox: Outbox) -> None:
    """It is not true any more."""
    gone = lease()
    outbox.beat(gone, now=0.0)
    put(outbox, REGISTER, SET, now=0.1)
    put(outbox, REGISTER, name="other", now=0.1)

    outbox.withdraw(gone.instance.key, gone)

    assert names(take(outbox, now=1.0)) == ["other"]
