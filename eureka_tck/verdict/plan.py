"""
What a gate is going to do, before it does it: tests, profiles, speeds, workers, forecast.

Everything that can be wrong with what was asked for is found out here, before a node starts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypedDict

import msgspec

from eureka_tck.errors import CannotRun
from eureka_tck.profile import load_profile, load_profiles
from eureka_tck.stage import Stage, spec_of
from eureka_tck.suite import expectations_file, requirements_folder, suite_root
from eureka_tck.targets.url import UrlTarget
from eureka_tck.verdict.catalogue import Catalogue, load_catalogue
from eureka_tck.verdict.collection import collect
from eureka_tck.verdict.expectations import load_expectations
from eureka_tck.verdict.forecast import Forecast, forecast
from eureka_tck.verdict.mixture import of_a_mixture
from eureka_tck.verdict.selection import check_words, chosen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from eureka_tck.profile import Profile
    from eureka_tck.report.model import Expectation
    from eureka_tck.targets import Target
    from eureka_tck.verdict.order import Order
    from eureka_tck.verdict.retrial import Retrial
    from eureka_tck.verdict.selection import Claim

SUITE: Final = "conformance"

WORKERS_AT_MOST: Final = {"process": 8, "docker": 4}
"""
Profiles side by side, by backend: they mostly wait, but each costs a Python process and its nodes.
In Docker each is a network, a Toxiproxy and its containers as well, whose starts and ends pass
through one engine: eight at once on two cores made tests late that waited for nothing else.
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """What will run: `claims` are all tests of the suite, `wanted` the chosen ones."""

    order: Order
    catalogue: Catalogue
    expectations: tuple[Expectation, ...]
    targets: tuple[Target, ...]
    claims: tuple[Claim, ...]
    wanted: tuple[Claim, ...]
    profiles: Mapping[str, Profile]
    speeds: Mapping[str, float]
    workers: int
    forecast: Forecast

    def again(self, retrial: Retrial, tests: Sequence[str]) -> Plan:
        """Return the plan of another pass of these tests, with more time and less beside them."""
        order = msgspec.structs.replace(
            self.order, only=tuple(tests), slower=retrial.slower, attempt=retrial.attempt
        )
        wanted = chosen(self.claims, order, self.catalogue)
        workers = min(self.workers, retrial.workers)
        return replace(self, order=order, wanted=wanted, **_means(order, wanted, workers))


def make_plan(order: Order, *, expectations: Path, workers: int | None) -> Plan:
    """
    Plan a gate; CannotRun says what is wrong with the order.

    Args:
        order: what is asked for.
        expectations: the file with the target's known deviations; it need not exist.
        workers: profiles side by side, None for as many as the backend bears.
    """
    targets = Stage(order).targets
    for target in targets:
        if isinstance(target, UrlTarget):
            target.admit(owned=order.owned)
    catalogue = load_catalogue(requirements_folder())
    claims = collect(suite_root() / SUITE)
    known = _known(expectations, catalogue, targets, claims)
    check_words(order.select, claims, catalogue)
    wanted = chosen(claims, order, catalogue)
    if not wanted:
        raise CannotRun(
            "no test of this suite is left by --select, --level and --depth.",
            "`eureka-tck gate --dry-run` lists the tests.",
        )
    at_most = WORKERS_AT_MOST[order.backend]
    means = _means(order, wanted, at_most if workers is None else max(1, workers))
    return Plan(order, catalogue, known, targets, claims, wanted, **means)


def _known(
    file: Path, catalogue: Catalogue, targets: Sequence[Target], claims: Sequence[Claim]
) -> tuple[Expectation, ...]:
    """Return what is known to be broken: by the file, or by the members of a mixed cluster."""
    members = [target.name for target in targets]
    if len(set(members)) == 1 or file.exists():
        return load_expectations(file, catalogue)
    return of_a_mixture(
        members,
        {name: load_expectations(expectations_file(name), catalogue) for name in members},
        claims,
        load_profiles(),
    )


class _Means(TypedDict):
    profiles: dict[str, Profile]
    speeds: dict[str, float]
    workers: int
    forecast: Forecast


def _means(order: Order, wanted: tuple[Claim, ...], workers: int) -> _Means:
    stage = Stage(order)
    names = dict.fromkeys(claim.profile for claim in wanted)
    profiles = {name: load_profile(name) for name in names}
    # The specs raise what is wrong with targets and settings before anything starts.
    speeds = {name: spec_of(stage, name).speed for name in profiles}
    workers = min(workers, len(profiles))
    families = {target.family for target in stage.targets}
    return _Means(
        profiles=profiles,
        speeds=speeds,
        workers=workers,
        forecast=forecast(
            wanted, profiles, speeds, families, workers, quick=order.depth == "quick"
        ),
    )
