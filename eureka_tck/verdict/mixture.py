"""
What a mixed cluster is known to break: what its members are.

A test runs on the first nodes of the list, as many as its profile has. Where these are all of one
target, its entries hold as they stand. Where they differ, a deviation of one may or may not show,
by who stands where: the entry holds sometimes.
The wrong answer must still be one that a member gives by itself; any other is a failure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.profile import Profile
    from eureka_tck.report.model import Expectation
    from eureka_tck.verdict.selection import Claim


def of_a_mixture(
    members: Sequence[str],
    known: Mapping[str, Sequence[Expectation]],
    claims: Sequence[Claim],
    profiles: Mapping[str, Profile],
) -> tuple[Expectation, ...]:
    """
    Return the expectations of a cluster of several targets.

    Args:
        members: the names of its targets, one a node.
        known: what each is known to break by itself.
        claims: all tests of the suite; they tell each entry's profile.
        profiles: the profiles by name.
    """
    nodes = {claim.test: profiles[claim.profile].nodes for claim in claims}
    entries: dict[tuple[str, str], Expectation] = {}
    for member in dict.fromkeys(members):
        for entry in known[member]:
            playing = members[: nodes.get(entry.test, 1)]
            if member not in playing:
                continue
            alone = set(playing) == {member}
            key = (entry.requirement, entry.test)
            found = entry if alone else _now_and_then(entry, member)
            entries[key] = _either(entries[key], found) if key in entries else found
    return tuple(entries.values())


def _now_and_then(entry: Expectation, member: str) -> Expectation:
    return msgspec.structs.replace(entry, frequency="sometimes", reason=f"{member}: {entry.reason}")


def _either(one: Expectation, other: Expectation) -> Expectation:
    """Return the entry that expects the wrong answers of both, for the reasons of both."""
    more = [text for text in other.wrong_answers if text not in one.wrong_answers]
    reason = one.reason if not more else f"{one.reason} {other.reason}"
    return msgspec.structs.replace(one, also=(*one.also, *more), reason=reason)
