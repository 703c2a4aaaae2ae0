"""The pauses of the loop."""

from __future__ import annotations

import asyncio

from eureka.server.clock import processor
from eureka.server.watchdog import PERIOD, RECENT, STALL, Watchdog


class Hands:
    """Two clocks in the test's own hands."""

    def __init__(self) -> None:
        self.real = 100.0
        self.used = 5.0


def watched() -> tuple[Hands, Watchdog, asyncio.AbstractEventLoop]:
    """Return a watchdog that has started on a loop that never runs."""
    hands = Hands()
    watchdog = Watchdog(uptime=lambda: hands.real, used=lambda: hands.used)
    loop = asyncio.new_event_loop()
    watchdog.start(loop)
    return hands, watchdog, loop


def test_a_look_in_time_is_no_pause() -> None:
    """Right at its due moment nothing was kept."""
    hands, watchdog, loop = watched()

    hands.real += PERIOD
    hands.used += PERIOD
    watchdog.look()

    assert (watchdog.worst, watchdog.busy, watchdog.stalls) == (0.0, 0.0, 0)
    loop.close()


def test_a_late_look_is_a_pause_and_what_was_used_meanwhile_our_own() -> None:
    """A pause of 300 ms with 100 ms of processor time is busy for 100 ms."""
    hands, watchdog, loop = watched()

    hands.real += PERIOD + 0.3
    hands.used += 0.1
    watchdog.look()

    assert round(watchdog.worst, 9) == 0.3
    assert round(watchdog.busy, 9) == 0.1
    assert watchdog.stalls == 1
    loop.close()


def test_the_recent_forgets_what_is_two_windows_old_and_the_worst_never_does() -> None:
    """A minute later a pause is still shown, two minutes later no more."""
    hands, watchdog, loop = watched()
    hands.real += PERIOD + 1
    watchdog.look()

    shown = []
    for _ in range(3):
        hands.real += RECENT
        watchdog._due = hands.real
        watchdog.look()
        shown.append(round(watchdog.recent, 6))

    assert shown == [1.0, 0.0, 0.0]
    assert round(watchdog.worst, 6) == 1.0
    loop.close()


def test_a_loop_that_is_kept_busy_is_seen() -> None:
    """Twice the stall of pure work, and our own doing is what is told."""

    async def keep_busy() -> Watchdog:
        watchdog = Watchdog()
        watchdog.start(asyncio.get_running_loop())
        await asyncio.sleep(2 * PERIOD)
        end = processor() + 2 * STALL
        while processor() < end:
            pass
        await asyncio.sleep(2 * PERIOD)
        watchdog.stop()
        return watchdog

    watchdog = asyncio.run(keep_busy())

    assert watchdog.busy > STALL
    assert watchdog.worst >= watchdog.busy
    assert watchdog.stalls >= 1
