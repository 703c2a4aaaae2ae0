"""The arithmetic of self-preservation: clients, threshold, windows."""

from __future__ import annotations

import pytest

from eureka.core.instant import Instant
from eureka.core.policy import Policy
from eureka.core.preservation import Preservation, Reason


def at(seconds: float) -> Instant:
    """Return that moment, at which the wall clock shows as many seconds."""
    return Instant(seconds, round(seconds * 1000))


def opened(clients: int, **choices: float) -> Preservation:
    """Return a preservation that opened at second 0."""
    policy = Policy(
        renewal_percent_threshold=choices.get("percent", 0.85),
        expected_renewal_interval=int(choices.get("interval", 30)),
        self_preservation=bool(choices.get("on", True)),
    )
    preservation = Preservation(policy)
    preservation.open(clients, now=at(0.0))
    return preservation


@pytest.mark.parametrize(
    ("interval", "thresholds"),
    [
        (30, [0, 1, 3, 5, 6, 8, 10, 11, 13, 15, 17, 18]),
        (10, [0, 5, 10, 15, 20, 25, 30]),
        (7, [0, 7, 14, 21, 29, 36, 43]),
        (60, [0, 0, 1, 2, 3, 4, 5]),
        (90, [0, 0, 1, 1, 2, 2, 3]),
    ],
)
def test_threshold_is_rounded_down(interval: int, thresholds: list[int]) -> None:
    """The threshold is int(clients * 60 / interval * 0.85), as seen on the reference."""
    found = [opened(n, interval=interval).threshold for n in range(len(thresholds))]

    assert found == thresholds


def test_clients_come_and_go_but_never_below_zero() -> None:
    """Each new lease adds one, each one that leaves takes one, down to none."""
    preservation = opened(1)

    preservation.client_came()
    assert preservation.clients == 2

    for _ in range(3):
        preservation.client_went()
    assert (preservation.clients, preservation.threshold) == (0, 0)


def test_the_first_window_reads_zero() -> None:
    """Renewals count for the window after the one they come in."""
    preservation = opened(1)

    preservation.renewed(now=59.9)

    assert preservation.renewals_last_minute(now=59.99) == 0
    assert preservation.renewals_last_minute(now=60.0) == 1
    assert preservation.renewals_last_minute(now=119.9) == 1
    assert preservation.renewals_last_minute(now=120.0) == 0


def test_windows_nobody_asked_about_were_empty() -> None:
    """After a pause of more than a window the last complete one holds nothing."""
    preservation = opened(1)

    preservation.renewed(now=30.0)

    assert preservation.renewals_last_minute(now=200.0) == 0


def test_renewals_before_opening_are_not_counted() -> None:
    """The first window starts when the registry opens, empty."""
    preservation = Preservation(Policy())

    preservation.renewed(now=5.0)
    assert preservation.renewals_last_minute(now=90.0) == 0

    preservation.open(1, now=at(100.0))
    assert preservation.renewals_last_minute(now=160.0) == 0


def test_equality_protects_and_one_more_does_not() -> None:
    """Expiry needs strictly more renewals than the threshold."""
    preservation = opened(4, percent=0.5)
    assert preservation.threshold == 4

    for _ in range(4):
        preservation.renewed(now=10.0)
    assert not preservation.expiry_enabled(now=60.0)

    for _ in range(5):
        preservation.renewed(now=70.0)
    assert preservation.expiry_enabled(now=120.0)


def test_a_threshold_of_zero_protects() -> None:
    """Where nobody is expected, however many renew, nothing expires."""
    preservation = opened(0)

    preservation.renewed(now=1.0)

    assert not preservation.expiry_enabled(now=60.0)


def test_switched_off_it_never_protects() -> None:
    """Without self-preservation expiry is always enabled."""
    assert opened(100, on=False).expiry_enabled(now=0.0)


@pytest.mark.parametrize(("counted", "adopted"), [(9, True), (8, False), (0, False), (20, True)])
def test_a_recount_is_adopted_only_above_the_share(counted: int, adopted: bool) -> None:
    """With 10 clients a count of 8 looks like the fault itself, 9 is more than 85 %."""
    preservation = opened(10)

    assert preservation.recount(counted) is adopted
    assert preservation.clients == (counted if adopted else 10)


def test_a_recount_is_always_adopted_without_self_preservation() -> None:
    """Switched off, the count is simply taken."""
    preservation = opened(10, on=False)

    assert preservation.recount(1)
    assert preservation.clients == 1


@pytest.mark.parametrize(
    ("clients", "choices", "seconds", "reason"),
    [
        (1, {}, 59.0, Reason.FIRST_MINUTE),
        (1, {}, 60.0, Reason.TOO_FEW_RENEWALS),
        (0, {}, 60.0, Reason.NOBODY_EXPECTED),
        (1, {"on": 0}, 1.0, Reason.SWITCHED_OFF),
    ],
)
def test_it_says_why(
    clients: int, choices: dict[str, float], seconds: float, reason: Reason
) -> None:
    """Whether leases may expire has one reason at a time."""
    assert opened(clients, **choices).explain(now=at(seconds)).reason is reason


def test_before_opening_it_is_not_open() -> None:
    """Nothing is counted yet."""
    why = Preservation(Policy()).explain(now=at(5.0))

    assert (why.reason, why.expiry_enabled, why.minute_ends_in) == (Reason.NOT_OPEN, False, 0.0)


def test_it_says_since_when_and_what_is_still_missing() -> None:
    """Protection that began at the end of a minute, and the renewals of the one under way."""
    preservation = opened(2)
    for _ in range(4):
        preservation.renewed(now=10.0)
    assert preservation.watch(now=at(60.0))
    assert not preservation.watch(now=at(61.0))
    preservation.renewed(now=61.0)
    assert preservation.watch(now=at(120.0))
    for _ in range(3):
        preservation.renewed(now=121.0)

    why = preservation.explain(now=at(130.0))

    assert (why.reason, why.since) == (Reason.TOO_FEW_RENEWALS, at(120.0))
    assert (why.renewals, why.threshold, why.counting, why.minute_ends_in) == (1, 3, 3, 50.0)


def test_a_change_nobody_looked_for_yet_is_as_new_as_the_question() -> None:
    """Between two looks, since is the moment of asking."""
    preservation = opened(1)
    for _ in range(4):
        preservation.renewed(now=10.0)

    why = preservation.explain(now=at(70.0))

    assert (why.reason, why.since) == (Reason.ENOUGH_RENEWALS, at(70.0))


def test_all_renewals_are_counted_for_good() -> None:
    """Over the turn of minutes, and before opening."""
    preservation = Preservation(Policy())
    preservation.renewed(now=0.0)
    preservation.open(1, now=at(1.0))
    for moment in (2.0, 70.0, 300.0):
        preservation.renewed(now=moment)

    assert preservation.renewals == 4
