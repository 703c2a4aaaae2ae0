"""The signals that tell a process to end, as an exception: what runs is left as by Ctrl-C."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)
"""Of the system, and of a terminal that is closed."""


class ToldToEnd(SystemExit):
    """A signal told this process to end; the code is what a shell says of such a process."""

    code: int


@contextmanager
def heeded() -> Iterator[None]:
    """Raise ToldToEnd in the block when a signal of `ENDINGS` comes; only the main thread can."""
    in_main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, _leave) for number in ENDINGS} if in_main else {}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, _frame: FrameType | None) -> None:
    raise ToldToEnd(128 + number)
