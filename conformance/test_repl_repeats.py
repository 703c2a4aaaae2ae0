"""
Chapter 13, replication: a delivery may be repeated, since no answer is not "not arrived".

The batches are ours; what each task does the first time is judged in `test_peer.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.sample import DIRTY_MS, sample
from eureka_tck.wire.task import (
    cancel_task,
    heartbeat_task,
    register_task,
    removal_task,
    status_task,
)

if TYPE_CHECKING:
    from eureka_tck.actors.instance import Instance
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case
    from eureka_tck.wire.answer import Answer

NEWER = DIRTY_MS + 1000


def codes(answer: Answer) -> list[int]:
    """Return what a batch was answered, task by task."""
    return [one.status for one in answer.batch()]


@requirement("REPL-17")
@pytest.mark.parametrize("kind", ["Register", "Heartbeat", "StatusUpdate", "DeleteStatusOverride"])
def test_a_task_delivered_twice_does_what_it_does_once(
    registry: Registry, cart: Instance, case: Case, kind: str
) -> None:
    """Of two instances alike, one gets the task once, the other three times: both end alike."""
    ends = []
    for name, deliveries in ((cart.id, 1), (case.id("again"), 3)):
        registry.register(sample(cart.app, name))
        registry.set_status(cart.app, name, "OUT_OF_SERVICE")
        told = {
            "Register": register_task(
                sample(cart.app, name, lastDirtyTimestamp=str(NEWER), metadata={"k": "v"})
            ),
            "Heartbeat": heartbeat_task(cart.app, name),
            "StatusUpdate": status_task(cart.app, name, "DOWN"),
            "DeleteStatusOverride": removal_task(cart.app, name),
        }[kind]
        for _ in range(deliveries):
            answer = registry.batch([told])
            expect(f"the code of each delivery of {kind}", codes(answer)).equals([200])
        record = registry.instance(cart.app, name).record()
        ends.append(
            (record.status, record.overridden_status, record.dirty_ms, record.user_metadata)
        )

    expect("the end after three deliveries", ends[1]).equals(ends[0], because="one ends so")


@requirement("REPL-17")
def test_a_cancellation_delivered_twice_cancels_once(registry: Registry, cart: Instance) -> None:
    """The second delivery finds nothing, and says so."""
    cart.register()

    statuses = [codes(registry.batch([cancel_task(cart.app, cart.id)])) for _ in range(2)]

    expect("the codes of the deliveries", statuses).equals([[200], [404]])
    expect("the instance", cart.read()).is_absent()


@requirement("REPL-17")
def test_a_late_repetition_does_not_undo_newer_data(registry: Registry, cart: Instance) -> None:
    """A registration that comes again after a newer one leaves the newer one's data."""
    old = register_task(sample(cart.app, cart.id, metadata={"colour": "blue"}))
    new = register_task(
        sample(cart.app, cart.id, lastDirtyTimestamp=str(NEWER), metadata={"colour": "red"})
    )

    for told in (old, new, old):
        registry.batch([told])

    record = cart.record()
    expect("T and metadata", (record.dirty_ms, record.user_metadata)).equals(
        (NEWER, {"colour": "red"})
    )
