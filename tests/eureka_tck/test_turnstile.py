"""The turnstile: so many starts at a time on this machine, and a place that comes back."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import pytest

from eureka_tck import turnstile
from eureka_tck.errors import CannotRun
from eureka_tck.turnstile import STARTS_AT_ONCE, turn

pytestmark = pytest.mark.usefixtures("state")


def test_no_more_than_its_places_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more has to wait, and gives up when its budget is over."""
    monkeypatch.setattr(turnstile, "QUEUE_BUDGET", 0.1)
    open_ = threading.Event()
    with ExitStack() as held:
        for number in range(STARTS_AT_ONCE):
            held.enter_context(turn(f"node {number}", open_))
        with pytest.raises(CannotRun, match=r"node x waited 0\.1 s"), turn("node x", open_):
            pass
    with turn("node x", open_):
        pass


def test_a_closing_cluster_does_not_wait() -> None:
    """When the cluster is given up, so is the queue."""
    closing = threading.Event()
    with ExitStack() as held:
        for number in range(STARTS_AT_ONCE):
            held.enter_context(turn(f"node {number}", closing))
        closing.set()
        with pytest.raises(CannotRun, match="was not started: the cluster is closing"):
            held.enter_context(turn("node x", closing))
