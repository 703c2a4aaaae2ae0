"""
Self-preservation in words: why nothing is evicted, since when, and what would end it.

Operators know the capital words from other registries, and some watch for them; they stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from eureka.core.preservation import WINDOW, Reason

if TYPE_CHECKING:
    from eureka.core.instant import Instant
    from eureka.core.preservation import Protection

Weight = Literal["alarm", "warning", "calm"]

EMERGENCY: Final = (
    "EMERGENCY! EUREKA MAY BE INCORRECTLY CLAIMING INSTANCES ARE UP WHEN THEY'RE NOT."
)
TURNED_OFF: Final = "THE SELF PRESERVATION MODE IS TURNED OFF."
FEW: Final = "RENEWALS ARE LESSER THAN THE THRESHOLD."
_MINUTE: Final = 60
_HOUR: Final = 3600
_DAY: Final = 86400


class Explanation(msgspec.Struct, frozen=True, rename="camel"):
    """
    What an operator should know about eviction: how much it matters, in a headline,
    why it is so, and what would end it, if it has an end.
    """

    weight: Weight
    headline: str
    why: str
    ends: str = ""


def explained(
    protection: Protection, *, now: Instant, waited: bool, recount_share: float
) -> Explanation:
    """
    Return the state of self-preservation in words.

    `waited`: the time after the start is over, in which few renewals are no wonder.
    """
    few = protection.renewals <= protection.threshold
    reason = protection.reason
    last = f"{_counted(protection.renewals, 'renewal')} came in the last whole minute"
    sentence = last[0].upper() + last[1:]
    if reason is Reason.SWITCHED_OFF:
        return Explanation(
            "warning",
            f"{FEW} {TURNED_OFF}" if waited and few else TURNED_OFF,
            "Expired leases are evicted however few renewals arrive, so a fault of the network "
            f"can empty the registry. {sentence}; "
            f"the threshold is {protection.threshold}.",
        )
    if reason is Reason.NOT_OPEN:
        return Explanation(
            "warning", "Nothing is evicted for now.", _why(protection, last), _ends(protection, 0)
        )
    if reason is Reason.ENOUGH_RENEWALS:
        return Explanation(
            "calm",
            "Expired leases are evicted.",
            f"{sentence}, above the threshold of {protection.threshold}.",
        )
    return Explanation(
        "alarm" if waited and few else "warning",
        EMERGENCY if waited and few else "Nothing is evicted for now.",
        f"{_why(protection, last)} Nothing has been evicted for "
        f"{duration((now.epoch_ms - protection.since.epoch_ms) / 1000)}.",
        _ends(protection, recount_share),
    )


def duration(seconds: float) -> str:
    """
    Return a duration in its two largest units.

    >>> duration(3725)
    '1 h 2 min'
    """
    whole = max(int(seconds), 0)
    units = (
        ("d", whole // _DAY),
        ("h", whole % _DAY // _HOUR),
        ("min", whole % _HOUR // _MINUTE),
        ("s", whole % _MINUTE),
    )
    first = next((place for place, (_, count) in enumerate(units) if count), len(units) - 1)
    return " ".join(f"{count} {unit}" for unit, count in units[first : first + 2] if count) or "0 s"


def _why(protection: Protection, last: str) -> str:
    if protection.reason is Reason.NOT_OPEN:
        return "The registry is still starting: it copies what a peer knows and counts nothing yet."
    if protection.reason is Reason.FIRST_MINUTE:
        return (
            "Renewals are counted by whole minutes, and the first one after the start is not over."
        )
    if protection.reason is Reason.NOBODY_EXPECTED:
        return "The threshold is 0, since no client is expected; nothing can rise above it."
    return (
        f"{_few(last)}, and more than {protection.threshold} are needed: so many missing at once "
        "are more likely a fault of the network than as many dead instances."
    )


def _ends(protection: Protection, recount_share: float) -> str:
    if protection.reason is Reason.NOT_OPEN:
        return "It ends a minute after the registry opened, if enough renewals arrive."
    if protection.reason is Reason.NOBODY_EXPECTED:
        return "It ends when instances register and renew: each raises the threshold."
    needed = protection.threshold + 1
    return (
        f"It ends with the first whole minute of at least {_counted(needed, 'renewal')}. "
        f"The minute under way has {protection.counting} so far "
        f"and ends in {duration(min(protection.minute_ends_in, WINDOW))}. "
        "Instances that are cancelled lower the threshold; "
        f"so does a recount, if it finds more than {recount_share:.0%} of the expected clients."
    )


def _few(last: str) -> str:
    return last.replace("no", "No", 1) if last.startswith("no ") else f"Only {last}"


def _counted(count: int, noun: str) -> str:
    if not count:
        return f"no {noun}"
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
