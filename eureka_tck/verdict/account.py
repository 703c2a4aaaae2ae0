"""
The report of a gate from its parts: verdicts, settings, versions, machine, time.

It gathers facts; what they mean was decided by `judgement`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.report.model import ProfileFacts, Report, Setting, tally
from eureka_tck.report.provenance import versions_of
from eureka_tck.verdict.judgement import exit_code

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.profile import Profile
    from eureka_tck.report.model import Machine, Span, TestResult
    from eureka_tck.targets import Target
    from eureka_tck.verdict.catalogue import Catalogue
    from eureka_tck.verdict.judgement import Judgement
    from eureka_tck.verdict.order import Order


@dataclass(frozen=True, slots=True)
class Facts:
    """What a report says beside its verdicts; `seconds` are real ones, `started` is ISO 8601."""

    suite: str
    order: Order
    command: str
    started: str
    seconds: float
    strict: bool
    targets: Sequence[Target]
    profiles: Mapping[str, Profile]
    speeds: Mapping[str, float]
    machine: Machine
    spans: tuple[Span, ...] = ()


def report_of(
    judgement: Judgement,
    catalogue: Catalogue,
    results: Sequence[TestResult],
    facts: Facts,
    *,
    could_not_run: str = "",
) -> Report:
    """Return the whole report; `could_not_run` is a sentence that makes its exit code 3."""
    order = facts.order
    code = 3 if could_not_run else exit_code(judgement, strict=facts.strict)
    return Report(
        suite=facts.suite,
        target=order.target,
        backend=order.backend,
        speed=max(facts.speeds.values(), default=1.0),
        seed=order.seed,
        depth=order.depth,
        command=facts.command,
        started=facts.started,
        seconds=facts.seconds,
        registry_seconds=sum(result.seconds * result.speed for result in results),
        exit_code=code,
        strict=facts.strict,
        totals=tally(judgement.rows),
        chapters=catalogue.chapters,
        rows=judgement.rows,
        settings=tuple(
            _profile_facts(profile, facts.speeds[name], order.settings)
            for name, profile in facts.profiles.items()
        ),
        versions=versions_of(facts.targets),
        machine=facts.machine,
        problems=(
            *([could_not_run] if could_not_run else []),
            *judgement.problems,
            *judgement.doubts,
        ),
        spans=facts.spans,
        lateness=max((result.lateness for result in results if result.lateness), default=None),
    )


def _profile_facts(profile: Profile, speed: float, own: Mapping[str, str]) -> ProfileFacts:
    common = {**{key: (value, "--settings") for key, value in own.items()}}
    common |= {key: (str(value), "profile") for key, value in profile.settings.items()}
    settings = [
        Setting(name=name, value=value, origin=origin)
        for name, (value, origin) in sorted(common.items())
    ]
    settings += [
        Setting(name=name, value=str(value), origin=f"profile, node {node} only")
        for node, own_settings in sorted(profile.settings_for.items())
        for name, value in sorted(own_settings.items())
    ]
    return ProfileFacts(
        name=profile.name,
        why=" ".join(profile.why.split()),
        nodes=profile.nodes,
        speed=speed,
        settings=tuple(settings),
    )
