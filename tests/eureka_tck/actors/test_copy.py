"""A client's copy: what deltas do to it, and its hash."""

from __future__ import annotations

from eureka_tck.actors.copy import Copy, hash_of
from eureka_tck.wire.record import Action, Record, Status


def record(instance_id: str, status: Status = "UP", action: Action | None = None) -> Record:
    """Return an instance as a list tells it."""
    return Record(app="CART", status=status, instance_id=instance_id, action=action)


def test_the_hash_counts_each_status_in_alphabetical_order() -> None:
    """No status, no entry; nothing, no hash."""
    found = hash_of([record("a"), record("b", "DOWN"), record("c")])

    assert found == "DOWN_1_UP_2_"
    assert hash_of([]) == ""


def test_a_delta_adds_changes_and_removes() -> None:
    """ADDED and MODIFIED are taken as they are, DELETED takes away."""
    copy = Copy([record("a"), record("b")])

    copy.apply(
        [record("a", "DOWN", "MODIFIED"), record("b", "UP", "DELETED"), record("c", "UP", "ADDED")]
    )

    assert copy.ids("CART") == {"a", "c"}
    assert copy.hash == "DOWN_1_UP_1_"
    assert copy.status("CART", "a") == "DOWN"
    assert copy.status("CART", "b") is None
