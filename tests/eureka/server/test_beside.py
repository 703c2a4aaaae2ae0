"""Work beside the loop: what it returns and raises, and that its end is waited for by nobody."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from eureka.server.beside import beside

if TYPE_CHECKING:
    from collections.abc import Callable


def test_what_the_work_returns_is_returned() -> None:
    """It runs in another thread, under the name it was given."""

    async def story() -> str:
        return await beside(lambda: threading.current_thread().name, name="list")

    assert asyncio.run(story()) == "list"


def test_what_the_work_raises_is_raised() -> None:
    """Who waits for it hears of it."""

    async def story() -> None:
        await beside(lambda: int("x"), name="list")

    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(story())


def test_the_end_waits_for_no_work() -> None:
    """A loop ends while the work goes on; its result goes nowhere."""
    end = threading.Event()
    threads: list[threading.Thread] = []

    def work(begin: Callable[[], object]) -> None:
        threads.append(threading.current_thread())
        begin()
        end.wait(10)

    async def story() -> None:
        loop = asyncio.get_running_loop()
        begun = asyncio.Event()
        task = asyncio.create_task(
            beside(lambda: work(lambda: loop.call_soon_threadsafe(begun.set)), name="list")
        )
        await begun.wait()
        task.cancel()

    asyncio.run(story())
    (thread,) = threads

    assert thread.is_alive()
    assert thread.daemon
    end.set()
    thread.join(10)
    assert not thread.is_alive()
