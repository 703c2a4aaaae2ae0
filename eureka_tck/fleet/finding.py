"""
What a storm showed: sentences with a budget and a measured value, from figures alone.

Pure.
A generator that could not keep its own schedule says nothing about the registry: inconclusive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from eureka_tck.fleet.budget import METRICS
from eureka_tck.fleet.histogram import percentile_ms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.fleet.budget import Bounds
    from eureka_tck.fleet.tally import Tally

Outcome = Literal["met", "broken", "inconclusive"]
Measures: TypeAlias = dict[str, float | None]
"""What was measured, by the names of `budget.METRICS`; None where it could not be."""

OWN_LATE_SHARE: Final = 0.01
"""One turn in a hundred noticed over 50 ms late would colour the p99 by the generator's doing."""
SATURATED: Final = 0.8
"""Share of a core above which a process has no head-room left for a burst."""
LOOKED_AT: Final = frozenset({"listing_off", "hash_off", "threshold_off"})
"""What is measured by looking at the registry once nothing happens any more."""
FEWEST: Final = 100
"""Renewals below which no p99 is one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One budget of the storm: what must hold, the bound, what was measured."""

    name: str
    sentence: str
    budget: str
    measured: str
    outcome: Outcome


def measured(tally: Tally) -> Measures:
    """Return what the fleet's own counts say."""
    renewals = tally.intended_us.get("PUT renew", {})
    few = sum(renewals.values()) < FEWEST

    def at(name: str, share: float) -> float | None:
        return percentile_ms(tally.intended_us.get(name, {}), share)

    return {
        "renew_p99_ms": None if few else at("PUT renew", 0.99),
        "renew_p999_ms": None if few else at("PUT renew", 0.999),
        "register_p99_ms": at("POST register", 0.99),
        "delta_p99_ms": at("GET delta", 0.99),
        "full_p99_ms": at("GET apps", 0.99),
        "errors": tally.failures / tally.requests if tally.requests else None,
        "missed": tally.missed if tally.intended else None,
        "late": tally.late / tally.sent if tally.sent else None,
        "unregistered": tally.instances - tally.arrived if tally.instances else None,
        "lost_renewals": tally.lost if tally.audited else None,
        "evicted_live": tally.evicted_live if tally.sent else None,
    }


def limit(tally: Tally) -> str:
    """Say how the generator was the limit itself; nothing where it was not."""
    if tally.crash:
        return f"it broke down: {tally.crash}"
    if not tally.intended:
        return "no renewal came due"
    noticed = max(tally.intended, sum(tally.own_us.values()))
    late = (tally.own_late + tally.orphaned) / noticed
    if late > OWN_LATE_SHARE:
        lost = f", {tally.orphaned:,} of them never: a worker was lost" if tally.orphaned else ""
        return f"it noticed {late:.1%} of its turns over 50 ms late{lost}"
    if tally.cpu > SATURATED:
        return f"a process of it used {tally.cpu:.0%} of a core"
    return ""


def findings(
    tally: Tally,
    measures: Measures,
    bounds: Bounds,
    *,
    slack: float,
    unseen: bool = False,
    slow_node: str = "",
) -> list[Finding]:
    """
    Judge one storm.

    `slack` are the seconds by which a renewal may be late before the registry may rightly have
    forgotten the instance: the lease's duration less the renewal interval.
    `unseen` says that the judge itself came too late to look at the registry, `slow_node` that a
    node was started again too late in the storm for all instances to be heard by it.
    """
    why = limit(tally)
    starved = tally.worst_own_ms > slack * 1000
    found = [
        Finding(
            "generator",
            "The generator keeps its own schedule; else the storm says nothing.",
            f"at most {OWN_LATE_SHARE:.0%} noticed over 50 ms late, {SATURATED:.0%} of a core",
            why
            or f"{tally.own_late} of {tally.intended:,} late, worst {tally.worst_own_ms:.0f} ms, "
            f"{tally.cpu:.0%} of a core",
            "inconclusive" if why else "met",
        )
    ]
    if slow_node:
        found.append(
            Finding(
                "nodes",
                "What the storm restarts is back in time; else nobody can have told it everything.",
                "one renewal interval before the end",
                slow_node,
                "inconclusive",
            )
        )
    crowded = (measures.get("others") or 0.0) > bounds.get("others", 1.0)
    for name, bound in bounds.items():
        metric, value = METRICS[name], measures.get(name)
        outcome: Outcome = "met" if value is not None and value <= bound else "broken"
        excuse = {"pace": _may_be_own(name, bound, tally, value, why), "alive": starved}
        excused = excuse.get(metric.kind, False) or (
            slow_node and (value is None or metric.kind != "right")
        )
        excused = excused or metric.kind == "machine" or (crowded and metric.kind == "pace")
        if metric.kind == "machine" and value is None:
            continue  # nobody sees it where nodes run elsewhere
        if outcome == "broken" and excused:
            outcome = "inconclusive"
        if value is None and unseen and name in LOOKED_AT:
            outcome = "inconclusive"
        unit = f" {metric.unit}" if metric.unit else ""
        seen = "was not measured" if value is None else f"{_figure(value)}{unit}"
        found.append(
            Finding(name, metric.sentence, f"at most {_figure(bound)}{unit}", seen, outcome)
        )
    return found


def _may_be_own(name: str, bound: float, tally: Tally, value: float | None, why: str) -> bool:
    """
    Say whether the generator can have broken a budget of pace by itself.

    One that was on time but for a moment was not the limit, and can yet have made the slowest in a
    thousand: a percentile is excused by the same percentile of its own lateness, and by no more.
    """
    if value is None or tally.cpu > SATURATED or not name.endswith("_ms"):
        return bool(why)
    own = percentile_ms(tally.own_us, 0.999 if "p999" in name else 0.99) or 0.0
    return value - own <= bound


def hidden(tally: Tally) -> list[tuple[str, float, float]]:
    """Return percentiles of renewals: their label, from the intended and from the actual send."""
    intended, reported = _renewals(tally.intended_us), _renewals(tally.reported_us)
    shares = (
        ("p50", 0.5),
        ("p90", 0.9),
        ("p95", 0.95),
        ("p99", 0.99),
        ("p99.9", 0.999),
        ("max", 1),
    )
    return [
        (label, percentile_ms(intended, share) or 0.0, percentile_ms(reported, share) or 0.0)
        for label, share in shares
        if intended
    ]


def _renewals(histograms: Mapping[str, Mapping[int, int]]) -> Mapping[int, int]:
    return histograms.get("PUT renew", {})


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"  # noqa: PLR2004 - digits to show
