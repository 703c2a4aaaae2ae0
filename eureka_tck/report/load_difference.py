"""
Two storms beside each other: what was run otherwise, what was measured, what was judged. Pure.

No figure is called better or worse: how much two runs of the same differ by chance is not known
from two runs. Budgets decide, and the ratio stands beside both figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.fleet.histogram import percentile_ms
from eureka_tck.fleet.sighting import RENEW
from eureka_tck.report import load_cost

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.report.load_report import LoadReport

ABSENT: Final = "–"
MIB: Final = 2**20


@dataclass(frozen=True, slots=True)
class Change:
    """Something that was run otherwise: its name, and both values."""

    name: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A measurement of both runs, None where one has none."""

    name: str
    first: float | None
    second: float | None

    @property
    def ratio(self) -> str:
        """Say how the second compares with the first: "× 1.25", "same", "+ 3"."""
        if self.first is None or self.second is None:
            return ABSENT
        if self.first == self.second:
            return "same"
        if self.first > 0 and self.second > 0:
            return f"× {self.second / self.first:.3g}"
        more = self.second - self.first
        return f"{'+' if more > 0 else '−'} {shown(abs(more))}"


@dataclass(frozen=True, slots=True)
class Judged:
    """A budget of either run: its sentence, and the outcome in both, empty where it had none."""

    sentence: str
    first: str
    second: str
    first_measured: str
    second_measured: str

    @property
    def differs(self) -> bool:
        """Whether both judged it, and otherwise."""
        return bool(self.first and self.second) and self.first != self.second


@dataclass(frozen=True, slots=True)
class LoadDifference:
    """All that lies between two storms."""

    changes: tuple[Change, ...]
    figures: tuple[Figure, ...]
    judged: tuple[Judged, ...]

    @property
    def turned(self) -> tuple[Judged, ...]:
        """The budgets that both had, and that were judged otherwise."""
        return tuple(one for one in self.judged if one.differs)


def shown(value: float | None) -> str:
    """Say a figure with the digits that a reader needs."""
    if value is None:
        return ABSENT
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"  # noqa: PLR2004 - digits to show


def difference(first: LoadReport, second: LoadReport) -> LoadDifference:
    """Return what lies between two storms."""
    return LoadDifference(
        changes=tuple(_changes(first, second)),
        figures=tuple(
            figure
            for name, read in FIGURES.items()
            if (figure := Figure(name, read(first), read(second))).first is not None
            or figure.second is not None
        ),
        judged=tuple(_judged(first, second)),
    )


def _changes(first: LoadReport, second: LoadReport) -> list[Change]:
    one, other = _told(first), _told(second)
    names = [*one, *(name for name in other if name not in one)]
    return [
        Change(name, one.get(name, ABSENT), other.get(name, ABSENT))
        for name in names
        if one.get(name) != other.get(name)
    ]


def _told(report: LoadReport) -> dict[str, str]:
    """Return all that says how a storm was run, by name."""
    storm = msgspec.to_builtins(report.storm)
    moments = storm.pop("moments")
    machine = report.machine
    return {
        "target": report.target,
        "backend": report.backend,
        "speed": f"{report.speed:g}",
        **{f"storm: {key}": str(value) for key, value in storm.items() if key != "story"},
        "storm: moments": ", ".join(f"{one['does']} at {one['at']:g}" for one in moments) or "none",
        "workers": str(report.processes),
        "statistics": "in bulk" if report.bulk else "by events",
        "seed": str(report.seed),
        "machine": f"{machine.cores} cores, {machine.system}",
        "load of the machine": ABSENT if machine.load is None else f"{machine.load:.1f}",
        **{f"version of {name}": value for name, value in report.versions.items()},
        **{f"budget: {name}": f"{value:g}" for name, value in report.bounds.items()},
    }


def _judged(first: LoadReport, second: LoadReport) -> list[Judged]:
    one, other = ({budget.name: budget for budget in run.budgets} for run in (first, second))
    found = []
    for name in [*one, *(name for name in other if name not in one)]:
        ours, theirs = one.get(name), other.get(name)
        either = ours or theirs
        assert either is not None  # noqa: S101 - the name is one of theirs
        found.append(
            Judged(
                either.sentence,
                ours.outcome if ours else "",
                theirs.outcome if theirs else "",
                ours.measured if ours else ABSENT,
                theirs.measured if theirs else ABSENT,
            )
        )
    return found


def _intended(share: float) -> Callable[[LoadReport], float | None]:
    return lambda run: percentile_ms(run.fleet.intended_us.get(RENEW, {}), share)


def _reported(share: float) -> Callable[[LoadReport], float | None]:
    return lambda run: percentile_ms(run.fleet.reported_us.get(RENEW, {}), share)


def _measure(name: str) -> Callable[[LoadReport], float | None]:
    return lambda run: run.measures.get(name)


def _pace(run: LoadReport) -> float | None:
    seconds = run.storm.minutes * 60 + run.storm.settle
    return run.fleet.acknowledged / seconds if run.fleet.acknowledged else None


def _micro(read: Callable[[LoadReport], float | None]) -> Callable[[LoadReport], float | None]:
    """Return the reading in microseconds."""

    def micro(run: LoadReport) -> float | None:
        value = read(run)
        return None if value is None else value * 1e6

    return micro


def _memory(run: LoadReport) -> float | None:
    most = max((one.memory for one in run.samples), default=0)
    return most / MIB if most else None


FIGURES: Final[dict[str, Callable[[LoadReport], float | None]]] = {
    "renewals acknowledged a second": _pace,
    "median of renewals, intended, ms": _intended(0.5),
    "p90 of renewals, intended, ms": _intended(0.9),
    "p99 of renewals, intended, ms": _intended(0.99),
    "p99.9 of renewals, intended, ms": _intended(0.999),
    "slowest renewal, intended, ms": _intended(1),
    "p99 of renewals, as reported, ms": _reported(0.99),
    "p99 of registrations, ms": _measure("register_p99_ms"),
    "p99 of GET /apps/delta, ms": _measure("delta_p99_ms"),
    "p99 of GET /apps, ms": _measure("full_p99_ms"),
    "p99 of the delay to a peer, ms": _measure("replication_p99_ms"),
    "share of requests that failed": _measure("errors"),
    "share of renewals sent late": _measure("late"),
    "renewals never sent": _measure("missed"),
    "acknowledged renewals that were lost": _measure("lost_renewals"),
    "processor of all nodes a renewal, µs": _micro(load_cost.nodes),
    "processor of the generator a renewal, µs": _micro(load_cost.generator),
    "largest memory of a node, MiB": _memory,
    "growth of a node's memory, MiB": _measure("memory_growth_mib"),
}
