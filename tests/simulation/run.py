"""Runs seeds: draws, plays, judges, and says what it did."""

from __future__ import annotations

from msgspec import Struct

from tests.simulation.judgement import broken_promises, budget
from tests.simulation.record import Event
from tests.simulation.schedule import Schedule, draw
from tests.simulation.world import World


class Outcome(Struct, frozen=True):
    """A schedule that was played: what it broke, and how much it was."""

    schedule: Schedule
    broken: list[str]
    record: list[Event]
    seconds: float


def play(schedule: Schedule) -> Outcome:
    """Play a schedule to its end, and judge it."""
    record: list[Event] = []
    world = World(schedule, record)
    until = schedule.healed + budget(schedule)
    world.run(until)
    world.sample()
    return Outcome(schedule, broken_promises(schedule, record), record, until)


def play_seed(seed: int) -> Outcome:
    """Play the schedule of a seed."""
    return play(draw(seed))
