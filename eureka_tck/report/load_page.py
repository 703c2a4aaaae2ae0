"""The page and `report.json` of a storm, and of a search for the largest fleet."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.commands.console import quoted
from eureka_tck.fleet.finding import hidden
from eureka_tck.fleet.histogram import percentile_ms
from eureka_tck.report.load_chart import Panel, Series, Stretch, over_time, percentiles
from eureka_tck.report.provenance import this_machine
from eureka_tck.report.run_page import Fact, Link, Row, RunPage, Table, write_simple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from eureka_tck.fleet.capacity import Capacity
    from eureka_tck.fleet.course import Course
    from eureka_tck.fleet.finding import Finding
    from eureka_tck.fleet.storm import Storm
    from eureka_tck.report.load_chart import Chart
    from eureka_tck.report.model import Verdict
    from eureka_tck.run import Run

VERDICTS: Final[dict[str, tuple[Verdict, str, int]]] = {
    "broken": ("failed", "Budget broken", 1),
    "inconclusive": ("inconclusive", "Inconclusive", 2),
    "met": ("passed", "Budgets met", 0),
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


def account(course: Course, made: Run, arguments: argparse.Namespace) -> Path:
    """Write the page and the report of a storm, and return where the page is."""
    verdict, word, code = VERDICTS[worst(course.findings)]
    sentence = sentence_of(arguments.target, course)
    page = write_simple(
        made.folder,
        RunPage(
            title=f"Load on {arguments.target}, storm {course.storm.name}",
            verdict=verdict,
            verdict_word=word,
            sentence=sentence,
            lead=course.storm.story,
            facts=_facts(course, arguments, made),
            tables=[
                _budgets(course.findings),
                _hidden(course),
                _latencies(course),
                _nodes(course),
                *([_deeds(course)] if course.deeds else []),
            ],
            charts=_charts(course),
            links=[
                Link("locust.html", "Locust's own report"),
                Link("fleet.json", "What the fleet counted, with its histograms"),
                Link("report.json"),
                Link("locust.log"),
                *(Link(f"node-{name}.log") for name in course.cluster.nodes),
            ],
            command=quoted(arguments.argv),
            exit_code=code,
        ),
    )
    report = {
        "schema": 2,
        "suite": "load",
        "target": arguments.target,
        "backend": arguments.backend,
        "storm": course.storm,
        "seed": made.seed,
        "exit_code": code,
        "sentence": sentence,
        "budgets": course.findings,
        "measures": course.measures,
        "samples": course.samples,
        "deeds": course.deeds,
        "fleet": course.tally,
        "command": quoted(arguments.argv),
    }
    (made.folder / "report.json").write_bytes(msgspec.json.format(msgspec.json.encode(report)))
    return page


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


def _facts(course: Course, arguments: argparse.Namespace, made: Run) -> list[Fact]:
    machine, storm, tally = this_machine(), course.storm, course.tally
    return [
        Fact("Target", arguments.target, f"{storm.nodes} node(s), backend {arguments.backend}"),
        Fact("Storm", storm.name, f"every {storm.renewal_interval:g} s"),
        Fact("Fleet", f"{storm.instances:,} instances", f"{storm.minutes:g} min"),
        Fact("Generator", f"{tally.workers} worker(s)", f"at most {tally.cpu:.0%} of a core"),
        Fact("Speed", f"× {course.cluster.spec.speed:g}", "load runs in real time"),
        Fact("Machine", f"{machine.cores} cores", machine.system),
        Fact("Seed", str(made.seed)),
    ]


def _charts(course: Course) -> list[Chart]:
    tally, bounds = course.tally, course.bounds
    budgets = {
        share: bounds[name]
        for name, share in (("renew_p99_ms", 0.99), ("renew_p999_ms", 0.999))
        if name in bounds
    }
    intended, reported = (
        kinds.get("PUT renew", {}) for kinds in (tally.intended_us, tally.reported_us)
    )
    stretches = [Stretch(deed.begins, deed.ends, deed.said) for deed in course.deeds]
    found = [
        percentiles(intended, reported, budgets),
        over_time(_panels(course), stretches, course.storm.length),
    ]
    return [chart for chart in found if chart is not None]


def _panels(course: Course) -> list[Panel]:
    """Return what was sampled: one line a node, and what the fleet says beside it."""
    nodes = list(course.cluster.nodes)
    own = {name: [one for one in course.samples if one.node == name] for name in nodes}
    first = own[nodes[0]]
    acknowledged = [
        (late.at, (late.acknowledged - early.acknowledged) / (late.at - early.at) * 60)
        for early, late in pairwise(first)
        if late.at > early.at
    ]
    renewals = [
        Series(f"node {name}", [(one.at, one.renewals) for one in seen if one.renewals is not None])
        for name, seen in own.items()
    ]
    threshold = [(one.at, one.threshold) for one in first if one.threshold is not None]
    processor = [
        Series(
            f"node {name}",
            [
                (late.at, 100 * max(0.0, late.cpu - early.cpu) / (late.at - early.at))
                for early, late in pairwise(seen)
                if late.at > early.at
            ],
        )
        for name, seen in own.items()
    ]
    memory = [
        Series(f"node {name}", [(one.at, one.memory / 2**20) for one in seen if one.memory])
        for name, seen in own.items()
    ]
    return [
        Panel("Registered", "", [Series("fleet", [(one.at, one.registered) for one in first])]),
        Panel("Acknowledged", "a minute", [Series("fleet", acknowledged)]),
        Panel(
            "Counted", "a minute", [*renewals, Series("threshold", threshold, is_reference=True)]
        ),
        Panel("Processor", "% of a core", processor),
        Panel("Memory", "MiB", memory),
    ]


def _budgets(found: Sequence[Finding]) -> Table:
    return Table(
        "Budgets",
        ("What must hold", "Budget", "Measured"),
        [
            Row((one.sentence, one.budget, one.measured), VERDICTS[one.outcome][0], one.outcome)
            for one in found
        ],
        lead="A measurement that is absent breaks its budget.",
    )


def _hidden(course: Course) -> Table:
    return Table(
        "Renewals: latency, intended against reported, ms",
        ("Percentile", "From the intended send time", "From the actual send"),
        [Row((label, f"{true:.1f}", f"{told:.1f}")) for label, true, told in hidden(course.tally)],
        lead="The second column is what a client that paces itself would report: "
        "while a registry stands still it sends nothing, and measures nothing slow.",
        numbers={1, 2},
    )


def _latencies(course: Course) -> Table:
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
            for name, counts in sorted(course.tally.intended_us.items())
        ],
        numbers={1, 2, 3, 4},
    )


def _nodes(course: Course) -> Table:
    return Table(
        "Nodes",
        ("Node", "Processor, at most", "Memory, at most", "Renewals a minute", "Threshold"),
        [
            Row((name, f"{cpu:.0%} of a core", f"{memory / 2**20:.0f} MiB", *_last(course, name)))
            for name, (cpu, memory) in course.nodes.items()
        ],
    )


def _last(course: Course, node: str) -> tuple[str, str]:
    """Return the last counters seen of a node."""
    own = [sample for sample in course.samples if sample.node == node]
    if not own or own[-1].renewals is None:
        return "–", "–"
    return f"{own[-1].renewals:,}", f"{own[-1].threshold:,}"


def _deeds(course: Course) -> Table:
    return Table(
        "What was done to nodes",
        ("Deed", "From, s", "To, s"),
        [Row((deed.said, f"{deed.begins:.1f}", f"{deed.ends:.1f}")) for deed in course.deeds],
        numbers={1, 2},
    )
