"""The page of a chaos run: its account, put into the tables of `eureka_tck.report.run_page`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.promises.expectation import notes_on
from eureka_tck.promises.fates import SAID
from eureka_tck.promises.howlong import measured_of, worst_of
from eureka_tck.report.run_page import Cell, Fact, Link, Row, RunPage, Table, Wait

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.promises.account import ChaosReport
    from eureka_tck.promises.expectation import Judged, Verdict
    from eureka_tck.promises.howlong import HowLong
    from eureka_tck.report import model
    from eureka_tck.report.timeline import Timeline

SHAPES: Final[dict[Verdict, model.Verdict]] = {
    "broken": "failed",
    "unexpected pass": "unexpected pass",
    "inconclusive": "inconclusive",
    "known deviation": "known deviation",
    "kept": "passed",
}
"""Which shape and colour of the report's verdicts a promise's has."""

WORDS: Final[dict[Verdict, str]] = {
    "broken": "Not conformant",
    "unexpected pass": "Not as expected",
    "inconclusive": "Inconclusive",
    "known deviation": "As expected",
    "kept": "Conformant",
}

VIOLATIONS_SHOWN: Final = 50


def page_of(
    report: ChaosReport, links: Sequence[Link], timeline: Timeline | None = None
) -> RunPage:
    """Return the page; `links` are the files beside it, `timeline` the picture of the run."""
    return RunPage(
        title=f"Chaos on {report.target}, scenario {report.scenario}",
        verdict=SHAPES[report.verdict],
        verdict_word=WORDS[report.verdict],
        sentence=report.verdict_sentence,
        lead=report.lead,
        facts=_facts(report),
        tables=[
            _promises(report),
            *_fates(report),
            *_violations(report),
            _faults(report),
            _story(report),
            _calls(report),
            *_why(report),
            *_settings(report),
        ],
        links=links,
        command=report.command,
        exit_code=report.exit_code,
        timeline=timeline,
        waits=waits_of(report.how_long),
    )


def waits_of(rows: Sequence[HowLong]) -> list[Wait]:
    """Return the table "how long until …" as the page has it."""
    whole = worst_of(rows)
    return [
        Wait(
            until=row.until,
            computed="no bound" if row.computed is None else f"{row.computed:.1f} s",
            formula=row.formula,
            measured=measured_of(row),
            computed_share=None if row.computed is None else row.computed / whole,
            measured_share=None if row.measured is None else row.measured / whole,
            is_over=row.is_over,
            setting=row.setting,
            note=row.note,
        )
        for row in rows
    ]


def _facts(report: ChaosReport) -> list[Fact]:
    took = [] if report.seconds is None else [Fact("Took", f"{report.seconds:.0f} s of real time")]
    return [
        Fact("Scenario", report.scenario, report.title),
        Fact("Target", report.target, ", ".join(f"{k} {v}" for k, v in report.versions.items())),
        Fact("Backend", report.backend, f"{len(report.settings)} nodes"),
        Fact("Speed", f"× {report.speed:g}", f"{report.registry_seconds:.0f} registry s"),
        Fact("Seed", str(report.seed)),
        Fact("Machine", report.machine, f"latest harness tick {report.lateness:.2f} registry s"),
        *took,
        Fact("Began", report.started),
    ]


def _promises(report: ChaosReport) -> Table:
    return Table(
        "Promises",
        ("Promise", "What was found", "Budget", "Measured"),
        [_promise(judged) for judged in report.promises],
        lead="Budgets are computed from the effective settings; all times are registry seconds.",
        numbers={3},
    )


def _promise(judged: Judged) -> Row:
    one = judged.judgement
    measured = "never" if one.measured is None else f"{one.measured:.1f} {one.unit}"
    return Row(
        (
            Cell(one.statement, f"{one.promise}: {', '.join(one.rows)}"),
            Cell(
                " ".join((one.said, *notes_on(judged))).strip(),
                "; ".join((one.judged, *one.notes)),
            ),
            Cell(f"{one.budget.seconds:g} {one.unit}", one.budget.formula) if one.budget else "—",
            "nothing to judge" if one.finding == "inconclusive" else measured,
        ),
        verdict=SHAPES[judged.verdict],
        word=judged.verdict.capitalize(),
    )


def _fates(report: ChaosReport) -> list[Table]:
    """Return what became of the instances, and how long it took to see and to lose them."""
    if report.fates is None:
        return []
    found = report.fates
    rows = [
        Row((fate, f"{found.counts.get(fate, 0):,}", SAID[fate], found.examples.get(fate, "")))
        for fate in SAID
    ]
    times = [
        Row(
            (
                one.what.removeprefix("for "),
                f"{one.cases:,}",
                *(f"{seconds:.1f}" for seconds in (one.p50, one.p90, one.p99, one.worst)),
                f"{one.never:,}",
            )
        )
        for one in found.times
    ]
    head = ("Time for …", "Cases", "Median, s", "90 %, s", "99 %, s", "Worst, s", "Never seen")
    stale = f"The longest that data were stale: {found.stale_for:.1f} s." if found.stale_for else ""
    return [
        Table(
            "What became of the instances",
            ("Fate", "Instances", "Its worst node", "For example"),
            rows,
            lead=f"Faults included; this is no verdict. {stale}".strip(),
            numbers={1},
        ),
        Table(
            "Time to be visible and to be gone",
            head,
            times,
            lead="At each node but the one that was told, to the time between two reads.",
            numbers={1, 2, 3, 4, 5, 6},
        ),
    ]


def _violations(report: ChaosReport) -> list[Table]:
    found = [(j.judgement.promise, v) for j in report.promises for v in j.judgement.violations]
    if not found:
        return []
    left = len(found) - VIOLATIONS_SHOWN
    more = f"The first {VIOLATIONS_SHOWN}; {left} more are in report.json." if left > 0 else ""
    rows = [
        Row(
            (
                f"{one.at:.1f}",
                "never" if one.until is None else f"{one.until:.1f}",
                one.node,
                one.instance,
                Cell(one.said, promise),
            )
        )
        for promise, one in found[:VIOLATIONS_SHOWN]
    ]
    head = ("From, s", "Until, s", "Node", "Instance", "What was seen")
    return [Table("Violations", head, rows, lead=more, numbers={0, 1})]


def _faults(report: ChaosReport) -> Table:
    rows = [
        Row(
            (
                Cell(fault.said, ", ".join(fault.links)),
                f"{fault.began:.1f}",
                "never" if fault.ended is None else f"{fault.ended:.1f}",
                Cell(
                    "It bit." if fault.proof else "It was never seen to bite.",
                    "; ".join(fault.proof),
                ),
            )
        )
        for fault in report.faults
    ]
    return Table("Faults", ("Fault", "From, s", "To, s", "Proof"), rows, numbers={1, 2})


def _story(report: ChaosReport) -> Table:
    rows = [Row((f"{told.at:.1f}", told.where, told.what)) for told in report.story]
    return Table("What happened", ("At, s", "Where", "What"), rows, numbers={0})


def _calls(report: ChaosReport) -> Table:
    outcomes = ("ok", "refused", "unknown")
    rows = [
        Row((calls.verb, *(f"{calls.outcomes.get(outcome, 0):,}" for outcome in outcomes)))
        for calls in report.calls
    ]
    return Table("Client calls", ("Call", *outcomes), rows, numbers={1, 2, 3})


def _why(report: ChaosReport) -> list[Table]:
    """Return the scenario's own words, a row a paragraph or a point."""
    if not report.why:
        return []
    points = report.why.replace("\n- ", "\n\n- ").split("\n\n")
    rows = [Row((" ".join(point.removeprefix("- ").split()),)) for point in points if point.strip()]
    return [Table("What the scenario is for", (report.title,), rows)]


def _settings(report: ChaosReport) -> list[Table]:
    names = sorted({name for settings in report.settings.values() for name in settings})
    rows = []
    for name in names:
        values = {node: settings.get(name, "—") for node, settings in report.settings.items()}
        same = len(set(values.values())) == 1
        value = (
            next(iter(values.values()))
            if same
            else ", ".join(f"{node}: {value}" for node, value in values.items())
        )
        rows.append(Row((name, value)))
    return [Table("Effective settings", ("Setting", "Value"), rows)] if rows else []
