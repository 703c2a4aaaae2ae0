"""What a request costs: rest is told from work that a busy machine lets nobody do."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from eureka_tck.observe.spin import QUIET, Cost, Spin, cost_of
from eureka_tck.observe.tape import Tape
from eureka_tck.verdict.outcome import Inconclusive

WITHIN = 0.6
"""Real seconds: one window, and the beginning of another."""


@dataclass(slots=True)
class Node:
    """A node that uses so much of a processor from look to look, by threads of these ids."""

    step: float = 0.0
    threads: list[frozenset[int]] = field(default_factory=lambda: [frozenset()])
    _used: float = 0.0
    _looks: int = 0

    def cpu_seconds(self) -> float:
        """Return ever more."""
        self._used += self.step
        return self._used

    def runnable(self) -> frozenset[int]:
        """Return the next of its threads."""
        self._looks += 1
        return self.threads[self._looks % len(self.threads)]


def spin(cost: Cost) -> Spin:
    """Return what came of a request that cost so much."""
    return Spin(Tape("", 0.0, (), ()), "200", 0.1, cost)


def test_a_node_that_sleeps_is_at_rest() -> None:
    """The first window ends the look."""
    assert cost_of(Node(), within=WITHIN) == Cost(rested=True, most=0.0)


def test_threads_that_take_turns_are_at_rest() -> None:
    """Each wakes, works for a moment and sleeps: none wants a processor at every look."""
    node = Node(threads=[frozenset({1}), frozenset({2})])

    assert cost_of(node, within=WITHIN).rested


def test_a_node_that_uses_a_processor_is_not_at_rest() -> None:
    """It is told by its processor time alone, where threads are not seen."""
    cost = cost_of(Node(step=60.0), within=WITHIN, windows=1)

    assert not cost.rested
    assert cost.most > QUIET
    assert not spin(cost).calm


def test_a_thread_that_always_waits_for_a_processor_is_no_rest() -> None:
    """A machine too busy to let it run says nothing about the registry."""
    cost = cost_of(Node(threads=[frozenset({7})]), within=WITHIN, windows=1)

    assert not cost.rested
    with pytest.raises(Inconclusive, match="too busy to tell work from rest") as raised:
        assert spin(cost).calm
    assert raised.value.late
