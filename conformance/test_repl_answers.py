"""
Chapter 13, the sending side of replication: what a sender does with its peer's answers.

The tests read recordings of profile `peer`, in which peers that are ours answer single tasks with
404 and 409 (`healing`), do so after the read time-out (`late_healing`), fail in every way we know
(`failures`), or are busy for a minute and a half (`persistence`).
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import pytest

from eureka_tck.verdict import Inconclusive, expect, requirement
from eureka_tck.wire.sample import DIRTY_MS

if TYPE_CHECKING:
    from eureka_tck.observe.failing import Failure, Failures, Persistence
    from eureka_tck.observe.healing import Healing, LateHealing

NEEDS = {"settings", "peers"}
NEWER = DIRTY_MS + 1000


# REPL-06: how long a task is tried


@requirement("REPL-06", profile="peer", needs=NEEDS, seconds=100, depth="full")
@pytest.mark.parametrize(
    ("call", "due"),
    [
        ("registration with R = 12 s", 12),
        ("registration with R = 0", 30),
        ("renewal with R = 12 s", 12),
        ("cancellation", 20),
        ("status change", 20),
        ("override removal", 20),
        ("registration without leaseInfo", 90),
    ],
)
def test_a_task_is_tried_until_it_is_so_old(persistence: Persistence, call: str, due: int) -> None:
    """
    At a peer that answers 503 the last attempt comes 1.2 s before the age at the earliest.

    It is tried about once a second, so that the last attempt may be so much early.
    """
    age = persistence.ages[call]
    if age is None:
        raise Inconclusive(f"the {call} was never tried at the busy peer.")

    expect(f"the age of the {call} at its last attempt", age).is_at_least(
        due - 1.7, because=f"tried once a second until it is {due} s old", margin=0.5
    )


# REPL-07: 404


@requirement("REPL-07", profile="peer", needs=NEEDS, seconds=8)
def test_a_renewal_answered_404_is_followed_by_a_registration(healing: Healing) -> None:
    """The peer that said so, and it alone, is sent the instance."""
    expect("the tasks of the peer that said 404", healing.actions("knowing", "404")).equals(
        ["Heartbeat", "Register"]
    )
    expect("the tasks of another peer", healing.actions("one", "404")).equals(["Heartbeat"])


@requirement("REPL-07", profile="peer", needs=NEEDS, seconds=8)
def test_the_registration_comes_within_one_batching_delay(healing: Healing) -> None:
    """It leaves 0.5 s after the answer."""
    tasks = healing.told["knowing"].get("404", ())
    if [task.action for task in tasks] != ["Heartbeat", "Register"]:
        raise Inconclusive("no registration followed the renewal, so it was not late either.")

    expect("the time from the renewal to the registration", tasks[1].at - tasks[0].at).is_at_most(
        1.15, because="0.5 s, and 0.65 s for a busy machine", margin=0.1
    )


@requirement("REPL-07", profile="peer", needs=NEEDS, seconds=8)
@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("register-404", "Register"),
        ("status-404", "StatusUpdate"),
        ("removal-404", "DeleteStatusOverride"),
        ("cancel-404", "Cancel"),
    ],
)
def test_a_404_to_another_kind_does_nothing(healing: Healing, name: str, action: str) -> None:
    """Only a renewal says of an instance that it lives."""
    expect("the tasks of the peer that said 404", healing.actions("knowing", name)).equals([action])


# REPL-08, REPL-23: 409


@requirement("REPL-08", profile="peer", needs=NEEDS, seconds=8)
def test_the_instance_of_a_409_is_adopted(healing: Healing) -> None:
    """Data and override of the newer record that the peer holds are taken over."""
    record = healing.held["409"]

    expect("the instance", record).is_present()
    assert record is not None  # noqa: S101 - for the type checker: it was just required
    expect("its T and metadata", (record.dirty_ms, record.user_metadata)).equals(
        (NEWER, {"colour": "red"})
    )
    expect("status and override", (record.status, record.overridden_status)).equals(
        ("OUT_OF_SERVICE", "OUT_OF_SERVICE")
    )


@requirement("REPL-08", profile="peer", needs=NEEDS, seconds=8)
@pytest.mark.parametrize("peer", ["knowing", "one"])
def test_what_is_adopted_is_not_sent_on(healing: Healing, peer: str) -> None:
    """The renewal is all that any peer is told of the instance."""
    expect(f"the tasks of peer {peer}", healing.actions(peer, "409")).equals(["Heartbeat"])


@requirement("REPL-08", profile="peer", needs=NEEDS, seconds=8)
@pytest.mark.parametrize("answer", ["409-bare", "409-older", "409-older-override", "400", "500"])
def test_other_answers_change_nothing(healing: Healing, answer: str) -> None:
    """A 409 without an instance, one with an older T, and other codes leave what is held."""
    record = healing.held[answer]

    expect("the instance", record).is_present()
    assert record is not None  # noqa: S101 - the same
    expect("T, status and metadata", (record.dirty_ms, record.status, record.user_metadata)).equals(
        (DIRTY_MS, "UP", {"zone": "z1"})
    )


@requirement("REPL-23", profile="peer", needs=NEEDS, seconds=8)
@pytest.mark.parametrize("what", ["another id", "another application"])
def test_a_foreign_instance_is_not_adopted(healing: Healing, what: str) -> None:
    """A 409 that carries another instance than the one renewed plants nothing."""
    expect(f"the instance of {what} that the answer carried", healing.foreign[what]).is_absent()


# REPL-22: answers after the read time-out


@requirement("REPL-22", profile="peer", needs=NEEDS, seconds=25, depth="full")
def test_a_404_after_the_read_timeout_counts(late_healing: LateHealing) -> None:
    """The peer that says 404 too late is sent the instance all the same."""
    expect("the instance is registered at the late peer", late_healing.registered).is_true()


@requirement("REPL-22", profile="peer", needs=NEEDS, seconds=25, depth="full")
def test_a_409_after_the_read_timeout_counts(late_healing: LateHealing) -> None:
    """The newer record of a peer that answers too late is adopted all the same."""
    held = late_healing.held

    expect("the T of the instance", held.dirty_ms if held else None).equals(NEWER)


# REPL-09: failures of a whole batch


@requirement("REPL-09", profile="peer", needs=NEEDS, seconds=60, depth="full")
@pytest.mark.parametrize("failure", ["503", "hang", "reset", "close"])
def test_what_may_pass_later_is_tried_again(failures: Failures, failure: str) -> None:
    """A busy peer, one that hangs and one that breaks the connection get the batch again."""
    expect(f"the number of attempts ({failure})", len(failures.by[failure].attempts)).is_at_least(
        2, unit=""
    )


@requirement("REPL-09", profile="peer", needs=NEEDS, seconds=60, depth="full")
@pytest.mark.parametrize("failure", ["503", "hang", "reset", "close", "refuse"])
def test_what_was_tried_in_vain_comes_when_the_peer_is_well(
    failures: Failures, failure: str
) -> None:
    """Each of these failures lasted seconds, and cost no change."""
    expect(
        f"what was changed during the failure ({failure}) comes", failures.by[failure].delivered
    ).is_true()


@requirement("REPL-09", profile="peer", needs=NEEDS, seconds=60, depth="full")
@pytest.mark.parametrize("status", ["302", "400", "401", "404", "429", "500"])
def test_what_was_refused_is_not_sent_again_unchanged(failures: Failures, status: str) -> None:
    """A batch that is answered so is not repeated; it may be split."""
    failure = failures.by[status]
    if not failure.attempts:
        raise Inconclusive(f"no batch came while the peer would have answered {status}.")

    expect(f"the number of repeated batches ({status})", failure.repeats).equals(0)


# REPL-04: how much


@requirement("REPL-04", profile="peer", needs=NEEDS, seconds=70, depth="full")
def test_a_batch_has_250_tasks_at_most(failures: Failures) -> None:
    """Three hundred changes that waited for a busy peer come in more than one batch."""
    if failures.arrived <= 250:
        raise Inconclusive(f"only {failures.arrived} of 300 changes came, too few for the bound.")

    expect("the size of the largest batch", max(failures.sizes)).is_at_most(250, unit="tasks")


# REPL-10: who else feels it


@requirement("REPL-10", profile="peer", needs=NEEDS, seconds=60, depth="full")
def test_peers_that_fail_do_not_delay_the_others(failures: Failures) -> None:
    """
    While one peer hangs and one is busy, a third is told within a second as ever.

    Of ten changes five may be later by a stall of the machine.
    """
    late = [call.lag for call in failures.calls if call.lag > 1.15]

    expect("the number of changes that came late", len(late)).is_at_most(
        5, unit="of 10", because="0.5 s of batching, and 0.65 s for a busy machine", margin=0.5
    )


@requirement("REPL-10", profile="peer", needs=NEEDS, seconds=60, depth="full")
def test_peers_that_fail_do_not_delay_a_client(failures: Failures) -> None:
    """While one peer hangs for 3 s an attempt, half of the calls are answered within 1 s."""
    expect(
        "the median duration of a call", median(call.seconds for call in failures.calls)
    ).is_at_most(1.0, because="a call that waits for the peer takes 3 s", margin=0.5)


# REPL-20: how often


def tried(failures: Failures, name: str) -> Failure:
    """Return a failure that a batch ran into; one that was never tried has hammered nobody."""
    failure = failures.by[name]
    if not failure.attempts:
        raise Inconclusive(f"no batch came while the peer failed ({name}).")
    return failure


@requirement("REPL-20", profile="peer", needs=NEEDS, seconds=60, depth="full")
@pytest.mark.parametrize(
    ("failure", "most"), [("503", 12), ("reset", 12), ("close", 12), ("hang", 2)]
)
def test_a_failing_peer_is_not_hammered(failures: Failures, failure: str, most: int) -> None:
    """It is tried about eleven times a second, and while it hangs once per read time-out."""
    expect(
        f"the most attempts in a second ({failure})", tried(failures, failure).busiest_second
    ).is_at_most(most, unit="")


@requirement("REPL-20", profile="peer", needs=NEEDS, seconds=60, depth="full")
def test_a_hanging_peer_is_tried_once_per_read_timeout(failures: Failures) -> None:
    """In 10 s there is room for three attempts of 3 s and a second's pause between them."""
    failure = tried(failures, "hang")

    expect("the number of attempts", len(failure.attempts)).is_at_most(
        round(failure.seconds / 4) + 1, unit="", because="one each 4 s"
    )


@requirement("REPL-20", profile="peer", needs=NEEDS, seconds=60, depth="full")
@pytest.mark.parametrize("failure", ["503", "hang", "reset", "close"])
def test_connections_to_a_failing_peer_do_not_grow(failures: Failures, failure: str) -> None:
    """However it fails, no more than a handful are open at the end."""
    expect(f"the number of open connections ({failure})", tried(failures, failure).open).is_at_most(
        10, unit=""
    )


# REPL-21: afterwards


@requirement("REPL-21", profile="peer", needs=NEEDS, seconds=60, depth="full")
@pytest.mark.parametrize(
    "failure",
    [
        *("503", "hang", "reset", "close", "refuse"),
        *("302", "400", "401", "404", "429", "500"),
        *("nothing", "garbage", "no list", "an empty list"),
    ],
)
def test_replication_goes_on_after_a_failure(failures: Failures, failure: str) -> None:
    """A change made when the peer is well again arrives, whatever came before."""
    expect(
        f"a change made after the failure ({failure}) arrives", failures.by[failure].fresh
    ).is_true()
