"""What others used of the machine, from what it spent and what the storm's own processes did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.fleet import machine as module
from eureka_tck.fleet.machine import Machine, busy_seconds

if TYPE_CHECKING:
    import pytest


def seen(monkeypatch: pytest.MonkeyPatch, *looks: tuple[float, float, dict[str, float]]) -> Machine:
    """Return a machine of two processors after looks: an instant, its busy seconds, our own."""
    monkeypatch.setattr("psutil.cpu_count", lambda: 2)
    made = Machine()
    for at, busy, own in looks:
        monkeypatch.setattr(module, "busy_seconds", lambda busy=busy: busy)
        made.look(at, own)
    return made


def test_what_is_not_ours_is_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of twenty seconds of two processors five were ours and ten were theirs."""
    made = seen(monkeypatch, (0, 100, {"a": 7, "locust": 1}), (10, 115, {"a": 11, "locust": 2}))

    assert made.others == 0.5


def test_a_node_that_was_started_again_counts_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its processor seconds begin anew."""
    made = seen(monkeypatch, (0, 0, {"a": 50}), (5, 4, {"a": 54}), (10, 6, {"a": 2}))

    assert made.others == 0.0


def test_one_look_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A share is of a time."""
    assert seen(monkeypatch, (0, 1, {})).others is None
    assert Machine().others is None


def test_this_machine_has_been_busy() -> None:
    """It runs this test."""
    assert busy_seconds() > 0
