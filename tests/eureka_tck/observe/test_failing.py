"""What is told of attempts at a failing peer: repeats, and the busiest second."""

from __future__ import annotations

from eureka_tck.actors.arrival import Arrival, Task
from eureka_tck.observe.failing import Failure


def attempt(at: float, *names: str) -> Arrival:
    """Return a batch with a registration for each name."""
    tasks = tuple(
        Task(at, 1, place, {"appName": "A", "id": name, "action": "Register"})
        for place, name in enumerate(names)
    )
    return Arrival(at, 1, 1, "POST", "/eureka/peerreplication/batch/", (), tasks)


def failure(*attempts: Arrival) -> Failure:
    """Return a failure with these attempts."""
    return Failure(3.0, attempts, delivered=True, fresh=True, opened=1, open=1)


def test_a_batch_that_says_the_same_again_is_a_repeat() -> None:
    """Wherever it comes, also behind others."""
    again = failure(attempt(0.0, "a", "b"), attempt(0.5, "c"), attempt(1.0, "a", "b"))

    assert again.repeats == 1


def test_a_split_batch_is_no_repeat() -> None:
    """Its halves say something else."""
    split = failure(attempt(0.0, "a", "b"), attempt(0.5, "a"), attempt(0.6, "b"))

    assert split.repeats == 0


def test_the_busiest_second_is_counted_from_each_attempt() -> None:
    """No second of the clock: any second."""
    attempts = [attempt(at, "a") for at in (0.0, 0.9, 1.0, 1.5, 1.8, 5.0)]

    assert failure(*attempts).busiest_second == 4
    assert failure().busiest_second == 0
