"""Self-preservation in words."""

from __future__ import annotations

import pytest

from eureka.core.instant import Instant
from eureka.core.preservation import Protection, Reason
from eureka.server.explanation import Explanation, duration, explained

NOW = Instant(500.0, 500_000)


def say(
    reason: Reason, *, renewals: int = 0, threshold: int = 3, waited: bool = False
) -> Explanation:
    """Return what is said."""
    enabled = reason in (Reason.ENOUGH_RENEWALS, Reason.SWITCHED_OFF)
    since = Instant(257.0, 257_000)
    protection = Protection(enabled, reason, since, renewals, threshold, 2, 22.7)
    return explained(protection, now=NOW, waited=waited, recount_share=0.85)


def test_it_is_said_why_since_when_and_what_would_end_it() -> None:
    """All that an operator asks when nothing is evicted."""
    said = say(Reason.TOO_FEW_RENEWALS, renewals=1, waited=True)

    assert said.weight == "alarm"
    assert said.headline.startswith("EMERGENCY!")
    assert said.why == (
        "Only 1 renewal came in the last whole minute, and more than 3 are needed: so many missing "
        "at once are more likely a fault of the network than as many dead instances. "
        "Nothing has been evicted for 4 min 3 s."
    )
    assert said.ends == (
        "It ends with the first whole minute of at least 4 renewals. The minute under way has 2 "
        "so far and ends in 22 s. Instances that are cancelled lower the threshold; "
        "so does a recount, if it finds more than 85% of the expected clients."
    )


@pytest.mark.parametrize(
    ("reason", "waited", "weight", "words"),
    [
        (Reason.TOO_FEW_RENEWALS, False, "warning", "Nothing is evicted for now."),
        (Reason.FIRST_MINUTE, False, "warning", "the first one after the start is not over"),
        (Reason.NOBODY_EXPECTED, False, "warning", "The threshold is 0"),
        (Reason.NOT_OPEN, False, "warning", "still starting"),
        (Reason.SWITCHED_OFF, False, "warning", "TURNED OFF"),
        (Reason.SWITCHED_OFF, True, "warning", "RENEWALS ARE LESSER THAN THE THRESHOLD."),
    ],
)
def test_every_reason_has_its_words(
    reason: Reason, weight: str, words: str, *, waited: bool
) -> None:
    """And its weight."""
    said = say(reason, waited=waited)

    assert said.weight == weight
    assert words in f"{said.headline} {said.why}"
    assert "EMERGENCY" not in said.headline


def test_enough_renewals_are_no_reason_to_worry() -> None:
    """They are told with the threshold."""
    said = say(Reason.ENOUGH_RENEWALS, renewals=1200, waited=True)

    assert said == Explanation(
        "calm",
        "Expired leases are evicted.",
        "1,200 renewals came in the last whole minute, above the threshold of 3.",
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3725, "1 h 2 min"),
        (86400, "1 d"),
        (90061, "1 d 1 h"),
        (-3, "0 s"),
    ],
)
def test_durations_have_two_units_at_most(seconds: float, text: str) -> None:
    """The largest that count."""
    assert duration(seconds) == text
