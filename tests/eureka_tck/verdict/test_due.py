"""Waiting for what a row demands."""

from __future__ import annotations

import pytest

from eureka_tck.clock import WaitedInVain
from eureka_tck.verdict import Case, Inconclusive, RequirementFailed, due


class LateClock:
    """A clock of a harness that was 3 registry s late."""

    def now(self) -> float:
        """Return an instant."""
        return 1.0

    def lateness(self, since: float) -> float:
        """Return the same lateness always."""
        del since
        return 3.0


def test_waiting_in_vain_for_what_is_due_is_a_failure() -> None:
    """The failure says what had to happen, how long it was awaited, and what was seen last."""
    with pytest.raises(RequirementFailed) as caught, due("the lease is evicted"):
        raise WaitedInVain("the renewal to be answered 404", 12.0, 200)

    failure = caught.value
    assert failure.sentence == (
        "it must be that the lease is evicted; "
        "12 s of waiting for the renewal to be answered 404 were in vain."
    )
    assert failure.expected == "the lease is evicted"
    assert failure.actual == "last seen after 12 s: 200"


def test_a_late_harness_that_waited_in_vain_has_learned_nothing() -> None:
    """Beyond the margin the wait may have been too short: inconclusive, and late."""
    case = Case("test_x.py::test_y")
    case.keep_time_by(LateClock())

    with (
        case.running(),
        pytest.raises(Inconclusive) as caught,
        due("the lease is evicted", margin=2.0),
    ):
        raise WaitedInVain("the eviction", 12.0, last=None)

    assert caught.value.late
    assert caught.value.sentence == (
        "the harness was 3 s late, 2 s is the margin; it waited 12 s in vain for the eviction."
    )


def test_other_errors_pass_through() -> None:
    """Only a wait in vain is turned into a verdict."""
    with pytest.raises(KeyError), due("the lease is evicted"):
        raise KeyError
