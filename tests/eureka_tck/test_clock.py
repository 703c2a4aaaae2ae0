"""Registry time: its pace, its waits, and the watchdog of our own lateness."""

from __future__ import annotations

import threading

import pytest

from eureka_tck.clock import Clock, Patience, WaitedInVain, Watchdog, unix_now


def test_a_clock_passes_at_its_speed() -> None:
    """At speed 1000 a registry second takes a real millisecond."""
    clock = Clock(1000)
    clock.reach(50)

    assert 50 <= clock.now() < 1000
    assert clock.real(50) == 0.05


def test_a_stamp_of_now_is_now() -> None:
    """What a node's wall clock says and `now` are one axis."""
    clock = Clock(100)
    clock.reach(20)
    before = clock.now()
    stamp = clock.at_epoch_ms(clock.epoch_ms())

    assert before - 0.01 <= stamp <= clock.now() + 0.01


def test_a_wall_clock_begins_at_real_time() -> None:
    """At the cluster's birth a node shows the real time; later it is ahead of it."""
    assert Clock(10).epoch_ms() / 1000 == pytest.approx(unix_now(), abs=1)


def test_a_condition_that_comes_true_ends_the_wait_with_its_value() -> None:
    """The first truthy value is returned."""
    values = iter([0, "", "seen"])

    assert Clock(1000).wait_until(lambda: next(values), 1000, "a word") == "seen"


def test_a_vain_wait_says_what_for_and_what_was_last_seen() -> None:
    """The sentence holds the budget, the thing and the last value."""
    clock = Clock(1000)

    with pytest.raises(WaitedInVain) as vain:
        clock.wait_until(list, within=5, what="an eviction")

    assert str(vain.value) == "waited 5 registry s in vain for an eviction; last seen: []"
    assert clock.now() >= 5


def test_a_wait_asks_once_more_when_its_budget_is_over() -> None:
    """However coarse the pace, the last look is at the end."""
    clock = Clock(1000)
    asked: list[float] = []

    with pytest.raises(WaitedInVain):
        clock.wait_until(lambda: asked.append(clock.now()), within=60, what="x", pace=40)

    assert asked[-1] >= 60


def test_a_wait_asks_at_most_fifty_times_a_second() -> None:
    """A fine pace at a high speed does not storm the node."""
    asked: list[None] = []

    with pytest.raises(WaitedInVain):
        Clock(1000).wait_until(lambda: asked.append(None), within=200, what="x", pace=0.1)

    assert 2 <= len(asked) <= 11


def test_nothing_is_asked_before_its_time() -> None:
    """With `not_before` the first look is at that instant, and the budget runs from it."""
    clock = Clock(1000)

    first = clock.wait_until(clock.now, within=1, what="x", not_before=100)

    assert first >= 100


def test_a_stall_is_remembered_from_its_instant_on() -> None:
    """The worst lateness since an instant counts what came after it, and only that."""
    watchdog = Watchdog()
    for at, late in ((1.0, 0.5), (2.0, 0.1), (3.0, 0.3), (4.0, 0.2)):
        watchdog.note(at, late)

    assert [watchdog.worst(since) for since in (0.5, 1.5, 3.5, 4.5)] == [0.5, 0.3, 0.2, 0.0]


def test_a_watchdog_keeps_few_samples() -> None:
    """A long run does not fill the memory."""
    watchdog = Watchdog()
    for second in range(100_000):
        watchdog.note(second, 1 / (second + 1))

    assert len(watchdog._samples) <= 4096


def test_a_running_watchdog_is_hardly_late_and_leaves_no_thread() -> None:
    """Sampling is a thread that ends with the clock; its figures stay."""
    threads = threading.active_count()
    clock = Clock(10)
    clock.start()
    clock.reach(1)
    late = clock.lateness(0)
    clock.close()

    assert 0 <= late < 10
    assert threading.active_count() == threads
    assert clock.lateness(0) >= 0


def test_patience_runs_out() -> None:
    """A budget of real seconds says whether there is still something left."""
    patience = Patience(0.03)
    paused = 0
    while patience.pause(0.01):
        paused += 1

    assert 1 <= paused <= 3
    assert patience.left() == 0
