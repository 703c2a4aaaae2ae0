"""
The turnstile of this machine: at most so many nodes start at a time, whoever starts them.

Starts are what costs (a JVM needs 3 CPU seconds): many at once only make all of them late,
and with them the timing of the clusters that already run.
The kernel gives a place back when its holder dies.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eureka_tck.clock import Patience
from eureka_tck.errors import CannotRun
from eureka_tck.ledger import state_folder

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

STARTS_AT_ONCE = max(2, os.cpu_count() or 1)  # 2 on 2 cores: more do not end sooner
QUEUE_BUDGET = 900.0  # real s: a dozen clusters of JVMs ahead of us


@contextmanager
def turn(what: str, closing: threading.Event) -> Iterator[None]:
    """Hold one of the machine's places; CannotRun if none came free, or if we are closing."""
    folder = state_folder() / "starts"
    folder.mkdir(parents=True, exist_ok=True)
    patience = Patience(QUEUE_BUDGET)
    while (place := _take(folder)) is None:
        if closing.is_set():
            raise CannotRun(f"{what} was not started: the cluster is closing.")
        if not patience.pause():
            raise CannotRun(f"{what} waited {QUEUE_BUDGET:g} s for other nodes to start.")
    try:
        yield
    finally:
        os.close(place)


def _take(folder: os.PathLike[str]) -> int | None:
    for number in range(STARTS_AT_ONCE):
        place = os.open(os.path.join(folder, f"{number}.lock"), os.O_RDWR | os.O_CREAT)  # noqa: PTH118 - a number of file descriptors
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(place)
            continue
        return place
    return None
