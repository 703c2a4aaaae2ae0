"""The tests of a pass as they will run: checked against the catalogue, chosen, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.profile import load_profile
from eureka_tck.stage import Stage
from eureka_tck.suite import requirements_folder
from eureka_tck.targets.target import CAPABILITIES
from eureka_tck.verdict.catalogue import Catalogue, load_catalogue
from eureka_tck.verdict.forecast import forecast
from eureka_tck.verdict.selection import Claim, check, chosen, claim_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from eureka_tck.verdict.order import Order

AHEAD: Final = 2
"""A worker is given its next profile while it still has so many tests (xdist's loadscope)."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The chosen tests with what they claim, in the order in which they run."""

    catalogue: Catalogue
    kept: tuple[tuple[pytest.Item, Claim], ...]


def arrange(items: Sequence[pytest.Item], order: Order) -> Arrangement | None:
    """
    Choose and order the tests that judge rows; None where there is no such test.

    Those of one profile stand together and share its cluster; the profile that takes longest
    comes first, or all the others would wait for it at the end. So does one that ends with a long
    wait: the next profile of its worker, given to it before, has to wait as well.
    """
    claimed = [(item, claim) for item in items if (claim := claim_of(item))]
    if not claimed:
        return None
    catalogue = load_catalogue(requirements_folder())
    for _, claim in claimed:
        check(claim, catalogue, CAPABILITIES)
    kept = set(chosen([claim for _, claim in claimed], order, catalogue))
    wanted = [(item, claim) for item, claim in claimed if claim in kept]
    stage = Stage(order)
    names = {claim.profile for _, claim in wanted}
    profiles = {name: load_profile(name) for name in names}
    speeds = {name: stage.speed_of(profile) for name, profile in profiles.items()}
    families = {target.family for target in stage.targets}
    claims = [claim for _, claim in wanted]
    quick = order.depth == "quick"
    seconds = forecast(claims, profiles, speeds, families, 1, quick=quick).profiles
    due = {
        name: seconds[name] + last_wait([c for c in claims if c.profile == name]) / speeds[name]
        for name in names
    }
    return Arrangement(
        catalogue,
        tuple(sorted(wanted, key=lambda pair: (-due[pair[1].profile], pair[1].profile))),
    )


def last_wait(claims: Sequence[Claim]) -> float:
    """
    Return the registry seconds that a profile's last tests wait for longer than any before.

    Without any before there is nothing to be gained: then the next is given away at the beginning.
    """
    before, last = ([c.seconds for c in part] for part in (claims[:-AHEAD], claims[-AHEAD:]))
    return max(0.0, max(last) - max(before)) if before else 0.0
