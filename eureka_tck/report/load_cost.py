"""
What a renewal cost, by the report of a storm: processor seconds of generator and nodes. Pure.

Counted between the arrival of the fleet and the end of its minutes, in which nothing but the storm
goes on. All else that was sent meanwhile, reads and audits, is in it: a renewal with its share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from eureka_tck.report.load_report import LoadReport

FEWEST: Final = 100
"""Renewals below which a cost of one is chance."""


def generator(report: LoadReport) -> float | None:
    """Return the processor seconds of the generator a renewal; None where it was not seen."""
    pulses = [one for one in report.pulses if is_steady(report, one.began, one.at)]
    used = [one.generator_cpu for one in pulses]
    if len(pulses) < 2 or not all(used):  # noqa: PLR2004 - a difference is between two
        return None
    # The first pulse's own renewals came before its reading of the processor.
    done = sum(one.acknowledged for one in pulses[1:])
    return (used[-1] - used[0]) / done if done >= FEWEST and used[-1] > used[0] else None


def nodes(report: LoadReport) -> float | None:
    """Return the processor seconds of all nodes together a renewal; None where not seen."""
    used = 0.0
    done = 0
    for name in report.nodes:
        own = [one for one in report.of_node(name) if is_steady(report, one.at, one.at)]
        if len(own) < 2 or own[-1].cpu <= own[0].cpu:  # noqa: PLR2004 - the same
            return None
        used += own[-1].cpu - own[0].cpu
        done = max(done, own[-1].acknowledged - own[0].acknowledged)
    return used / done if done >= FEWEST else None


def is_steady(report: LoadReport, begins: float, ends: float) -> bool:
    """Say whether a stretch lies where the fleet has arrived and the storm goes on."""
    storm = report.storm
    return storm.arrive_over + 1 <= begins and ends <= storm.length - storm.settle
