"""A wait that may be moved forward."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from eureka.server.alarm import Alarm
from eureka.server.clock import Clock

if TYPE_CHECKING:
    from tests.eureka.server.conftest import Stage

HOUR = 3600.0  # s; longer than any test


class Sleeper:
    """A task that waits on an alarm."""

    def __init__(self, due: float | None) -> None:
        self.alarm = Alarm(Clock())
        self._task = asyncio.create_task(self.alarm.wait(due))

    async def is_awake(self) -> bool:
        """Tell whether the wait is over, after all that was to happen at once did."""
        for _ in range(5):
            await asyncio.sleep(0)
        return self._task.done()

    async def end(self) -> None:
        """End the wait."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


@pytest.mark.parametrize(
    ("due", "moment", "wakes"),
    [
        (HOUR, HOUR / 2, True),
        (HOUR, HOUR * 2, False),
        (HOUR, None, False),
        (None, HOUR, True),
        (None, None, False),
    ],
)
def test_only_an_earlier_moment_ends_a_wait(
    stage: Stage, due: float | None, moment: float | None, *, wakes: bool
) -> None:
    """Who waits for nothing in particular waits for later than any moment."""

    async def story() -> None:
        sleeper = Sleeper(due)
        assert not await sleeper.is_awake()
        sleeper.alarm.set(moment)
        assert await sleeper.is_awake() is wakes
        await sleeper.end()

    stage.play(story())


def test_what_rang_before_a_wait_does_not_end_it(stage: Stage) -> None:
    """Who is about to wait has just looked."""

    async def story() -> None:
        sleeper = Sleeper(None)
        sleeper.alarm.ring()
        assert not await sleeper.is_awake()
        sleeper.alarm.ring()
        assert await sleeper.is_awake()

    stage.play(story())


def test_a_wait_ends_at_its_moment(stage: Stage) -> None:
    """One that has passed is no reason to wait for ever."""

    async def story() -> None:
        await Alarm(Clock()).wait(-1.0)

    stage.play(story())
