"""
Work in a thread beside the loop that nobody waits for when the server ends.

A thread of a pool would be: to read or write the list of a large registry takes seconds,
and a server that is told to end has three of them.
"""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


async def beside(work: Callable[[], Result], *, name: str) -> Result:
    """Return what the work returns, or raise what it raises; meanwhile others are served."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()
    Thread(target=_work, args=(work, loop, done), name=name, daemon=True).start()
    return await done


def _work(
    work: Callable[[], Result], loop: asyncio.AbstractEventLoop, done: asyncio.Future[Result]
) -> None:
    try:
        result = work()
    except Exception as error:  # noqa: BLE001 - who waits for it is told
        tell = partial(_raise, done, error)
    else:
        tell = partial(_return, done, result)
    with contextlib.suppress(RuntimeError):  # the loop ended, and nobody waits any more
        loop.call_soon_threadsafe(tell)


def _return(done: asyncio.Future[Result], result: Result) -> None:
    if not done.done():
        done.set_result(result)


def _raise(done: asyncio.Future[Result], error: Exception) -> None:
    if not done.done():
        done.set_exception(error)
