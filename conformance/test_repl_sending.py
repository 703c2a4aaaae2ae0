"""
Chapter 13, the sending side of replication: what is sent, to whom, and in which words.

The tests read a recording of profile `peer`: each call was made once, and two peers that are ours
say what they were told. What was not sent is judged beside what was sent in the same moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.sample import DIRTY_MS

if TYPE_CHECKING:
    from eureka_tck.observe.bracket import Bracket
    from eureka_tck.observe.sending import ReplicatedLease, Sending

NEEDS = {"settings", "peers"}


# REPL-01: what


@requirement("REPL-01", profile="peer", needs=NEEDS, seconds=8)
@pytest.mark.parametrize("peer", ["one", "two"])
@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("client-new", "Register"),
        ("client-renewed", "Heartbeat"),
        ("client-cancelled", "Cancel"),
        ("client-status", "StatusUpdate"),
        ("client-removal", "DeleteStatusOverride"),
        ("client-metadata", "Register"),
    ],
)
def test_a_clients_call_reaches_every_peer_once(
    sending: Sending, name: str, action: str, peer: str
) -> None:
    """One call is one task at each peer; a change of metadata travels as a registration."""
    expect(f"the tasks that peer {peer} got for {name}", sending.actions(peer, name)).equals(
        [action]
    )


@requirement("META-04", profile="peer", needs=NEEDS, seconds=8)
def test_a_change_of_metadata_travels_with_the_instance(sending: Sending) -> None:
    """The registration that it travels as carries the metadata as they are after the change."""
    expect(
        "the metadata that the peer was told", dict(sending.task("client-metadata").metadata)
    ).equals({"zone": "z1", "colour": "blue"})


@requirement("REPL-01", profile="peer", needs=NEEDS, seconds=8)
@pytest.mark.parametrize("kind", ["renewed", "cancelled", "status", "removal", "metadata"])
def test_a_call_for_nobody_is_not_sent(sending: Sending, kind: str) -> None:
    """A call answered 404 because nobody knows the instance reaches no peer."""
    told = sending.unsent(f"nobody-{kind}")

    expect(f"the tasks for an unknown instance ({kind})", told).is_absent()


@requirement("REPL-01", profile="peer", needs=NEEDS, seconds=8)
def test_a_renewal_with_a_newer_t_is_sent(sending: Sending) -> None:
    """It is answered 404, and has renewed the lease here: so it must there."""
    expect("the tasks for it", sending.actions("one", "client-newer")).equals(["Heartbeat"])


# REPL-02, META-05, PEER-09: what a peer brought


@requirement("REPL-02", profile="peer", needs=NEEDS, seconds=8)
@pytest.mark.parametrize("kind", ["new", "renewed", "cancelled", "status", "removal"])
def test_a_replicated_call_is_not_sent_on(sending: Sending, kind: str) -> None:
    """With the header `x-netflix-discovery-replication: true` a call goes no further."""
    told = sending.unsent(f"replicated-{kind}")

    expect(f"the tasks for a replicated call ({kind})", told).is_absent()


@requirement("REPL-02", profile="peer", needs=NEEDS, seconds=8)
@pytest.mark.parametrize("word", ["True", "TRUE", "1", "false"])
def test_only_the_value_true_makes_a_call_a_replicated_one(sending: Sending, word: str) -> None:
    """With any other value of the header it is a client's, and is sent."""
    expect(
        f"the tasks for a renewal with the header {word}", sending.actions("one", f"header-{word}")
    ).equals(["Heartbeat"])


@requirement("META-05", profile="peer", needs=NEEDS, seconds=8)
def test_a_replicated_metadata_change_is_sent_on(sending: Sending) -> None:
    """The replication header is ignored: the change travels as a registration all the same."""
    told = sending.unsent("replicated-metadata")

    expect("the tasks for a replicated metadata change", told).equals(["Register"])


@requirement("PEER-09", profile="peer", needs=NEEDS, seconds=8)
@pytest.mark.parametrize("kind", ["new", "renewed", "cancelled", "status", "removal"])
def test_what_comes_in_a_batch_is_not_sent_on(sending: Sending, kind: str) -> None:
    """No task of a batch goes any further, whatever it does here."""
    told = sending.unsent(f"batch-{kind}")

    expect(f"the tasks for a call that came in a batch ({kind})", told).is_absent()


@requirement("PEER-09", profile="peer", needs=NEEDS, seconds=10)
def test_a_renewal_in_a_batch_renews_the_lease(replicated_lease: ReplicatedLease) -> None:
    """Of two leases of 4 s, the one that a batch renewed is there when the other has gone."""
    expect("the instance is listed when its twin has gone", replicated_lease.listed).is_true()


@requirement(
    "PEER-09", profile="windows-a", needs={"settings", "counters"}, seconds=255, depth="full"
)
def test_a_renewal_in_a_batch_counts(bracket: Bracket) -> None:
    """It is one of the renewals of the current minute."""
    expect(
        f"a renewal in a batch is counted (the sum is {bracket.kinds})",
        bracket.counted("renewal in a batch"),
    ).is_true()


# REPL-03: in which words


@requirement("REPL-03", profile="peer", needs=NEEDS, seconds=8)
def test_replication_is_posted_as_json(sending: Sending) -> None:
    """A batch is a POST to peerreplication/batch/ of a JSON object with a list of tasks."""
    batch = sending.words()

    expect("the request", f"{batch.method} {batch.path}").equals(
        "POST /eureka/peerreplication/batch/"
    )
    expect("what is wrong with its body", batch.fault).equals("")
    expect("its Content-Type", batch.header("Content-Type")).matches("application/json.*")


@requirement("REPL-03", profile="peer", needs=NEEDS, seconds=8)
def test_a_batch_asks_for_json(sending: Sending) -> None:
    """Without it the reference answers in XML."""
    expect("the header Accept of a batch", sending.words().header("Accept")).matches(
        ".*application/json.*"
    )


@requirement("REPL-03", profile="peer", needs=NEEDS, seconds=8)
def test_a_batch_carries_no_replication_header(sending: Sending) -> None:
    """The endpoint itself says that it is replication."""
    header = sending.words().header("x-netflix-discovery-replication")

    expect("the header x-netflix-discovery-replication", header).is_absent()


@requirement("REPL-03", profile="peer", needs=NEEDS, seconds=8)
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("client-cancelled", []),
        ("client-renewed", ["lastDirtyTimestamp", "status"]),
        ("client-overridden", ["lastDirtyTimestamp", "overriddenStatus", "status"]),
        ("client-new", ["instanceInfo", "lastDirtyTimestamp", "status"]),
        ("client-status", ["lastDirtyTimestamp", "status"]),
        ("client-removal", ["lastDirtyTimestamp", "status"]),
    ],
    ids=["Cancel", "Heartbeat", "Heartbeat-override", "Register", "StatusUpdate", "Removal"],
)
def test_a_task_has_these_fields(sending: Sending, name: str, more: list[str]) -> None:
    """Each kind has the fields it needs and no others; what has no value is left out."""
    expect(f"the fields of the task for {name}", sorted(sending.task(name).fields)).equals(
        sorted(["appName", "id", "action", *more])
    )


@requirement("REPL-03", profile="peer", needs=NEEDS, seconds=8)
def test_a_task_tells_status_and_t_of_the_instance(sending: Sending) -> None:
    """A change of status is told with the new status, and with T as it is stored."""
    task = sending.task("client-status")

    expect("status and T of the task", (task.status, task.dirty_ms)).equals(
        ("OUT_OF_SERVICE", DIRTY_MS)
    )


@requirement("REPL-03", profile="peer", needs=NEEDS, seconds=8)
def test_a_renewal_tells_the_override(sending: Sending) -> None:
    """A renewal of an instance under an override carries it."""
    expect("the override of the task", sending.task("client-overridden").overridden).equals(
        "OUT_OF_SERVICE"
    )


@requirement("REPL-03", profile="peer", needs=NEEDS, seconds=8)
def test_a_registration_carries_the_instance(sending: Sending) -> None:
    """The instance is told as it was registered."""
    task = sending.task("client-new")

    told = {name: task.instance.get(name) for name in ("instanceId", "app", "status")}
    expect("the instance in the task", told).equals(
        {"instanceId": "client-new", "app": "SENT", "status": "UP"}
    )
    expect("its metadata", dict(task.metadata)).equals({"k": "v"})
