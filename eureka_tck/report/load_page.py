"""The page and `report.json` of a storm, and of a search for the largest fleet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.commands.console import quoted
from eureka_tck.fleet.budget import METRICS
from eureka_tck.fleet.finding import hidden
from eureka_tck.fleet.histogram import percentile_ms
from eureka_tck.report import load_comparison, load_cost
from eureka_tck.report.load_difference import difference
from eureka_tck.report.load_panels import charts_of, shares
from eureka_tck.report.load_report import LoadReport, save
from eureka_tck.report.provenance import this_machine, versions_of
from eureka_tck.report.run_page import Cell, Fact, Link, Row, RunPage, Table, write_simple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from eureka_tck.fleet.capacity import Capacity
    from eureka_tck.fleet.course import Course
    from eureka_tck.fleet.finding import Finding
    from eureka_tck.fleet.storm import Storm
    from eureka_tck.report.model import Machine, Verdict
    from eureka_tck.run import Run

VERDICTS: Final[dict[str, tuple[Verdict, str, int]]] = {
    "broken": ("failed", "Budget broken", 1),
    "inconclusive": ("inconclusive", "Inconclusive", 2),
    "met": ("passed", "Budgets met", 0),
}
KINDS: Final = {
    "generator": "Pacing",
    "pace": "Latency and pace",
    "answers": "Answers",
    "right": "Still right",
    "alive": "Still right",
    "cost": "Cost",
}


def worst(found: Sequence[Finding]) -> str:
    """Return the worst outcome."""
    outcomes = {finding.outcome for finding in found}
    return next(name for name in VERDICTS if name in outcomes)


def sentence_of(target: str, course: Course) -> str:
    """Say in a sentence what the storm showed."""
    tally, storm, outcome = course.tally, course.storm, worst(course.findings)
    did = (
        f"{storm.instances:,} instances renewed {tally.acknowledged:,} times "
        f"in {storm.minutes:g} min on {target}"
    )
    wrong = [finding for finding in course.findings if finding.outcome == outcome]
    if outcome == "met":
        return f"{did}; all {len(course.findings)} budgets were met."
    names = "; ".join(
        f"{'the generator' if one.name == 'generator' else one.sentence}: {one.measured}"
        for one in wrong
    )
    verb = "broken" if outcome == "broken" else "not judged"
    return f"{did}; {len(wrong)} of {len(course.findings)} budgets {verb}: {names}."


def account(
    course: Course, made: Run, arguments: argparse.Namespace, earlier: LoadReport | None = None
) -> tuple[Path, LoadReport]:
    """Write page and report of a storm, beside an earlier one; return the page's place and both."""
    report = report_of(course, made, arguments)
    save(report, made.folder)
    return write_simple(made.folder, page_of(report, earlier)), report


def report_of(course: Course, made: Run, arguments: argparse.Namespace) -> LoadReport:
    """Return all that a storm has shown."""
    return LoadReport(
        target=arguments.target,
        backend=arguments.backend,
        speed=course.cluster.spec.speed,
        seed=made.seed,
        started=made.folder.name.partition("-")[0],
        command=quoted(arguments.argv),
        machine=this_machine(),
        versions=versions_of(dict.fromkeys(course.cluster.spec.targets)),
        storm=course.storm,
        processes=arguments.processes or arguments.master or 1,
        elsewhere=bool(arguments.master),
        bulk=arguments.bulk,
        exit_code=VERDICTS[worst(course.findings)][2],
        sentence=sentence_of(arguments.target, course),
        budgets=tuple(course.findings),
        measures=course.measures,
        bounds=course.bounds,
        fleet=course.tally,
        samples=tuple(course.samples),
        pulses=tuple(course.pulses),
        delays=tuple(course.delays),
        deeds=tuple(course.deeds),
        empty=course.empty,
        sizes=course.sizes,
    )


def page_of(report: LoadReport, earlier: LoadReport | None = None) -> RunPage:
    """Return the page of a storm, beside an earlier one where there is one."""
    verdict, word, code = VERDICTS[worst(report.budgets)]
    held = [] if earlier is None else _beside(earlier, report)
    both = None if earlier is None else load_comparison.chart(earlier, report)
    return RunPage(
        title=f"Load on {report.target}, storm {report.storm.name}",
        verdict=verdict,
        verdict_word=word,
        sentence=report.sentence,
        lead=report.storm.story,
        facts=_facts(report),
        tables=[
            _budgets(report.budgets),
            _hidden(report),
            _latencies(report),
            _nodes(report),
            *([_deeds(report)] if report.deeds else []),
            *held,
        ],
        charts=[*charts_of(report), *([both] if both is not None else [])],
        links=[
            Link("locust.html", "Locust's own report"),
            Link("fleet.json", "What the fleet counted, with its histograms"),
            Link("report.json"),
            Link("locust.log"),
            *(Link(f"node-{name}.log") for name in report.nodes),
        ],
        command=report.command,
        exit_code=code,
    )


def _beside(earlier: LoadReport, report: LoadReport) -> list[Table]:
    """Return the tables that hold a storm against an earlier one."""
    found = difference(earlier, report)
    first, *rest = load_comparison.tables(found)
    told = f"A: {earlier.started}, B: this run. {load_comparison.sentence(found)}"
    return [replace(first, lead=told), *rest]


def capacity_page(found: Capacity, storm: Storm, made: Run, arguments: argparse.Namespace) -> Path:
    """Write the page and the report of a search, and return where the page is."""
    name = {0: "met", 1: "broken", 2: "inconclusive"}[found.exit_code]
    verdict, _, code = VERDICTS[name]
    machine = this_machine()
    page = write_simple(
        made.folder,
        RunPage(
            title=f"Capacity of {arguments.target}, storm {storm.name}",
            verdict=verdict,
            verdict_word="Capacity" if code == 0 else VERDICTS[name][1],
            sentence=found.sentence,
            lead=storm.story,
            facts=[
                Fact("Target", arguments.target, f"{storm.nodes} node(s), {arguments.backend}"),
                Fact("Storm", storm.name, f"every {storm.renewal_interval:g} s"),
                Fact("Length", f"{storm.minutes:g} min", "each trial, on fresh nodes"),
                Fact("Machine", f"{machine.cores} cores", machine.system),
            ],
            tables=[
                Table(
                    "Trials",
                    (
                        "Fleet",
                        "Step",
                        "Renewals/s",
                        "p99, ms",
                        "Busiest node",
                        "Memory",
                        "Generator",
                        "Budgets",
                        "Ran out first",
                    ),
                    [
                        Row(
                            (
                                f"{trial.instances:,}",
                                trial.step,
                                f"{trial.renewals:,.0f}",
                                "–" if trial.p99_ms is None else f"{trial.p99_ms:.0f}",
                                f"{trial.busiest:.0%} of a core",
                                f"{trial.memory / 2**20:.0f} MiB",
                                f"{trial.generator:.0%}",
                                trial.outcome,
                                trial.ran_out,
                            ),
                            VERDICTS[trial.outcome][0],
                            trial.outcome,
                        )
                        for trial in found.trials
                    ],
                    numbers={0, 2, 3},
                )
            ],
            links=[Link("report.json")],
            command=quoted(arguments.argv),
            exit_code=code,
        ),
    )
    report = {
        "schema": 2,
        "suite": "capacity",
        "target": arguments.target,
        "storm": storm,
        "sentence": found.sentence,
        "largest": found.largest,
        "trials": found.trials,
        "machine": machine,
        "command": quoted(arguments.argv),
    }
    (made.folder / "report.json").write_bytes(msgspec.json.format(msgspec.json.encode(report)))
    return page


def _facts(report: LoadReport) -> list[Fact]:
    storm, machine = report.storm, report.machine
    spent = load_cost.generator(report)
    pace = "" if spent is None else f"{1 / spent:,.0f} renewals a core second, with all else it did"
    return [
        Fact("Target", report.target, f"{storm.nodes} node(s), backend {report.backend}"),
        Fact("Storm", storm.name, f"every {storm.renewal_interval:g} s"),
        Fact("Fleet", f"{storm.instances:,} instances", f"{storm.minutes:g} min"),
        Fact(
            "Generator",
            f"{report.fleet.workers} worker(s), at most {report.fleet.cpu:.0%} of a core",
            pace,
        ),
        Fact("Speed", f"× {report.speed:g}", "load runs in real time"),
        Fact("Machine", f"{machine.cores} cores", _system(machine)),
        Fact("Seed", str(report.seed)),
        Fact("Started", report.started),
    ]


def _system(machine: Machine) -> str:
    load = "" if machine.load is None else f"; load {machine.load:.1f}"
    return f"{machine.system}{load}"


def _budgets(found: Sequence[Finding]) -> Table:
    return Table(
        "Budgets",
        ("What must hold", "Budget", "Measured"),
        [
            Row(
                (Cell(one.sentence, KINDS.get(_kind(one), "")), one.budget, one.measured),
                VERDICTS[one.outcome][0],
                one.outcome.capitalize(),
            )
            for one in found
        ],
        lead="A measurement that is absent breaks its budget.",
    )


def _kind(one: Finding) -> str:
    return METRICS[one.name].kind if one.name in METRICS else one.name


def _hidden(report: LoadReport) -> Table:
    return Table(
        "Renewals: latency, intended against reported, ms",
        ("Percentile", "From the intended send time", "From the actual send"),
        [Row((label, f"{true:.1f}", f"{told:.1f}")) for label, true, told in hidden(report.fleet)],
        lead="The second column is what a client that paces itself would report: "
        "while a registry stands still it sends nothing, and measures nothing slow.",
        numbers={1, 2},
    )


def _latencies(report: LoadReport) -> Table:
    return Table(
        "Latency by request, from the intended send time, ms",
        ("Request", "Count", "Median", "p99", "Worst"),
        [
            Row(
                (
                    name,
                    f"{sum(counts.values()):,}",
                    *(f"{percentile_ms(counts, share) or 0:.1f}" for share in (0.5, 0.99, 1)),
                )
            )
            for name, counts in sorted(report.fleet.intended_us.items())
        ],
        numbers={1, 2, 3, 4},
    )


def _nodes(report: LoadReport) -> Table:
    return Table(
        "Nodes",
        ("Node", "Processor, at most", "Memory, at most", "Renewals a minute", "Threshold"),
        [Row(_node(report, name)) for name in report.nodes],
    )


def _node(report: LoadReport, name: str) -> tuple[str, ...]:
    """Return what a node used at most, and the last counters seen of it."""
    own = report.of_node(name)
    last = own[-1]
    counters = (
        ("–", "–") if last.renewals is None else (f"{last.renewals:,}", f"{last.threshold:,}")
    )
    used = max((share for _, share in shares(own)), default=0.0)
    memory = max(sample.memory for sample in own)
    return name, f"{used:.0f} % of a core", f"{memory / 2**20:.0f} MiB", *counters


def _deeds(report: LoadReport) -> Table:
    return Table(
        "What was done",
        ("Deed", "From, s", "To, s"),
        [Row((deed.said, f"{deed.begins:.1f}", f"{deed.ends:.1f}")) for deed in report.deeds],
        numbers={1, 2},
    )
