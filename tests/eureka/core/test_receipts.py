"""Batches that were carried out already."""

from __future__ import annotations

from eureka.core.receipts import LARGEST, REMEMBERED, Receipts
from eureka.core.task import TaskAnswer

ANSWERS = (TaskAnswer(200),)


def test_a_repeated_batch_is_recognised() -> None:
    """The same number of the same sender brings back the answers."""
    receipts = Receipts()
    receipts.keep("a", "1", ANSWERS)

    assert receipts.find("a", "1") == ANSWERS
    assert receipts.find("b", "1") is None
    assert receipts.find("a", "2") is None


def test_a_batch_without_sender_or_number_is_not_remembered() -> None:
    """Senders of other kinds number nothing: two of their batches are two batches."""
    receipts = Receipts()
    receipts.keep("", "1", ANSWERS)
    receipts.keep("a", "", ANSWERS)

    assert receipts.find("", "1") is None
    assert receipts.find("a", "") is None


def test_a_batch_larger_than_any_of_ours_is_not_remembered() -> None:
    """Memory is bounded by what our own kind sends."""
    receipts = Receipts()
    receipts.keep("a", "1", ANSWERS * (LARGEST + 1))

    assert receipts.find("a", "1") is None


def test_the_oldest_are_forgotten() -> None:
    """Memory is bounded."""
    receipts = Receipts()
    for number in range(REMEMBERED + 1):
        receipts.keep("a", str(number), ANSWERS)

    assert receipts.find("a", "0") is None
    assert receipts.find("a", "1") == ANSWERS
