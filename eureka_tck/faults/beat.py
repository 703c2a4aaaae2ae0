"""A thread that does something again and again while a fault is on, and ends with it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.clock import Clock

JOIN_BUDGET: Final = 15.0
"""Real seconds in which it has to end: a step is one call of Toxiproxy or of the engine."""


class Beat:
    """
    Calls `step` until it is stopped; a step returns how many registry seconds to wait after it.

    An error ends the thread and is raised by `stop`.
    """

    def __init__(self, name: str, clock: Clock, step: Callable[[], float]) -> None:
        self._clock = clock
        self._step = step
        self._stopping = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name=f"fault-{name}", daemon=True)

    def start(self) -> None:
        """Begin with the first step."""
        self._thread.start()

    def stop(self) -> None:
        """Return when no step is under way any more; raise the error of one that failed."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(JOIN_BUDGET)
        if self._thread.is_alive():
            raise CannotRun(f"the thread {self._thread.name} did not end in {JOIN_BUDGET:g} s")
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._stopping.wait(self._clock.real(self._step()))
        except Exception as error:  # noqa: BLE001 - raised again in `stop`, in the runner's thread
            self._error = error
