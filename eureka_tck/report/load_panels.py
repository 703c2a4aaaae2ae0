"""What a storm's report shows over time, and by percentile: the panels of its page. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from eureka_tck.fleet.sighting import RENEW
from eureka_tck.report.drawing import ms
from eureka_tck.report.load_chart import Bar, Dot, Panel, Reach, Series, Stretch, over_time
from eureka_tck.report.percentile_plot import percentiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.fleet.sighting import Pulse, Sample
    from eureka_tck.report.drawing import Chart
    from eureka_tck.report.load_report import LoadReport

PERCENTILES = {"renew_p99_ms": 0.99, "renew_p999_ms": 0.999}
"""Which budget stands at which percentile of the renewals."""


def charts_of(report: LoadReport) -> list[Chart]:
    """Return the charts of a storm's page; what was not measured has none."""
    tally = report.fleet
    stretches = [Stretch(deed.begins, deed.ends, deed.said) for deed in report.deeds]
    found = [
        percentiles(
            tally.intended_us.get(RENEW, {}), tally.reported_us.get(RENEW, {}), budgets_of(report)
        ),
        over_time(_panels(report), stretches, report.storm.length),
    ]
    return [chart for chart in found if chart is not None]


def budgets_of(report: LoadReport) -> dict[float, float]:
    """Return the budgets of renewals, in ms, by their percentile."""
    bounds = report.bounds
    return {share: bounds[name] for name, share in PERCENTILES.items() if name in bounds}


def shares(samples: Sequence[Sample]) -> list[tuple[float, float]]:
    """Return how much of a core, in percent, a node used until each of its samples."""
    return [
        (late.at, 100 * max(0.0, late.cpu - early.cpu) / (late.at - early.at))
        for early, late in pairwise(samples)
        if late.at > early.at
    ]


def _panels(report: LoadReport) -> list[Panel]:
    own = {f"node {name}": report.of_node(name) for name in report.nodes}
    first = next(iter(own.values()), [])
    fleet = [
        Panel(
            "Renewals sent",
            "by the time they left",
            bars=[_sent(one) for one in report.pulses if one.sent + one.missed],
        ),
        Panel(
            "Latency",
            "log scale, from when due",
            reaches=[
                reach for one in report.pulses if one.sent and (reach := _reach(one)) is not None
            ],
            budget=report.bounds.get("renew_p99_ms"),
        ),
        Panel("Registered", "", [Series("fleet", [(one.at, one.registered) for one in first])]),
    ]
    counted = [
        Series(name, [(one.at, one.renewals) for one in seen if one.renewals is not None])
        for name, seen in own.items()
    ]
    threshold = [(one.at, one.threshold) for one in first if one.threshold is not None]
    nodes = [
        Panel(
            "Renewals counted",
            "last full minute",
            [*counted, Series("threshold", threshold, is_reference=True)],
        ),
        Panel(
            "Delay to a peer",
            "log scale, a to b",
            dots=[Dot(one.at, one.ms, not one.arrived) for one in report.delays],
            budget=report.bounds.get("replication_p99_ms"),
        ),
        Panel(
            "Processor", "% of a core", [Series(name, shares(seen)) for name, seen in own.items()]
        ),
        Panel(
            "Memory",
            "MiB",
            [
                Series(name, [(one.at, one.memory / 2**20) for one in seen if one.memory])
                for name, seen in own.items()
            ],
        ),
    ]
    return [*fleet, *nodes]


def _sent(one: Pulse) -> Bar:
    timely = max(0, one.sent - one.late)
    said = (
        f"{one.began:.0f} to {one.at:.0f} s: {timely:,} on time, {one.late:,} late, "
        f"{one.missed:,} missed"
    )
    return Bar(one.began, one.at, ((timely, "f-a"), (one.late, "late"), (one.missed, "warn")), said)


def _reach(one: Pulse) -> Reach | None:
    if one.median_ms is None or one.p99_ms is None or one.worst_ms is None:
        return None
    said = (
        f"{one.began:.0f} to {one.at:.0f} s: median {ms(one.median_ms)}, p99 {ms(one.p99_ms)}, "
        f"slowest {ms(one.worst_ms)}"
    )
    return Reach(one.began, one.at, one.median_ms, one.p99_ms, one.worst_ms, said)
