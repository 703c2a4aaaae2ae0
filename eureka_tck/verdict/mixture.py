"""
What a mixed cluster is known to break: what its members are.

A test runs on the first nodes of the list, as many as its profile has. Where these are all of one
target, its entries hold as they stand. Where they differ, a deviation of one may or may not show,
and its wrong answer depends on who stands where: the entry holds sometimes, whatever was seen.
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
            key = (entry.requirement, entry.test)
            if member not in playing or key in entries:
                continue
            alone = set(playing) == {member}
            entries[key] = entry if alone else _now_and_then(entry, member)
    return tuple(entries.values())


def _now_and_then(entry: Expectation, member: str) -> Expectation:
    return msgspec.structs.replace(
        entry, frequency="sometimes", actual="", reason=f"{member}: {entry.reason}"
    )
