"""
`eureka-tck load`: let a storm loose on a registry, and say whether it was still right.

Starts one node, runs Locust against it, judges what was counted, and leaves Locust's own report,
our page and the counts in the run's folder.
Load runs in real time: at speed 1 unless asked otherwise.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.clock import Clock
from eureka_tck.cluster import Cluster, ClusterSpec
from eureka_tck.commands.console import add_common, positive, quoted, say, settings_of
from eureka_tck.fleet.finding import Finding, findings
from eureka_tck.fleet.generator import Generator
from eureka_tck.fleet.storm import checked, load_storm, storm_names
from eureka_tck.report.provenance import this_machine
from eureka_tck.report.run_page import Fact, Link, Row, RunPage, Table, write_simple
from eureka_tck.run import Run
from eureka_tck.suite import suite_root
from eureka_tck.targets import parse_target
from eureka_tck.targets.url import refuse_guests
from eureka_tck.wire.client import WireClient
from eureka_tck.wire.errors import WireError
from eureka_tck.wire.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from eureka_tck.fleet.generator import Percentiles
    from eureka_tck.fleet.storm import Storm
    from eureka_tck.fleet.tally import Tally
    from eureka_tck.report.model import Verdict

EXAMPLES: Final = """\
examples:
  eureka-tck load --storm steady --instances 1000 --minutes 1
  eureka-tck load --target java:5.0.3 --instances 5000 --settings application.yml

exit codes:
  0  every budget was met        2  inconclusive: the generator or the machine was the limit
  1  a budget was broken         3  the storm could not run
"""
TELL_EVERY: Final = 5.0
"""Real seconds between two lines of progress."""
LOOK_BEFORE_END: Final = 3.0
"""Real seconds before the storm's end, when the fleet cancels, at which the list is read."""
VERDICTS: Final[dict[str, tuple[Verdict, str, int]]] = {
    "broken": ("failed", "Budget broken", 1),
    "inconclusive": ("inconclusive", "Inconclusive", 2),
    "met": ("passed", "Budgets met", 0),
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "load",
        help="let a storm of instances loose on a registry",
        description="Let a storm of instances loose on a registry: is it still right then?",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_common(parser)
    group = parser.add_argument_group("the storm")
    group.add_argument(
        "--storm",
        default="steady",
        metavar="NAME",
        help=f"one of: {', '.join(storm_names(_storms()))} (default: steady)",
    )
    group.add_argument("--instances", type=int, metavar="N", help="size of the fleet")
    group.add_argument("--minutes", type=positive, metavar="M", help="how long it lasts")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    storm = _ordered(load_storm(_storms(), arguments.storm), arguments)
    target = parse_target(arguments.target)
    refuse_guests(target, "a storm")
    with Run.create("load", arguments.target, arguments.out, arguments.seed).owned() as made:
        spec = ClusterSpec.of(
            "load",
            target,
            nodes=1,
            backend=arguments.backend,
            settings=settings_of(arguments),
            speed=arguments.speed or 1.0,
        )
        say(
            f"storm {storm.name}: {storm.instances:,} instances on {arguments.target} "
            f"for {storm.minutes:g} min; starting the node"
        )
        with Cluster(spec, made) as cluster:
            course = _Course(cluster, storm, made)
            course.take()
            log = cluster["a"].log()
        (made.folder / "node-a.log").write_text(log, encoding="utf-8")
        return _account(course, made, arguments)


class _Course:
    """One storm from its first registration to its last cancellation."""

    def __init__(self, cluster: Cluster, storm: Storm, made: Run) -> None:
        self.cluster = cluster
        self.storm = storm
        root = cluster["a"].root
        self._client = WireClient(root, recorder=Recorder())
        self._locustfile = suite_root() / "load" / "locustfile.py"
        self.generator = Generator(
            made, self._locustfile, root, storm.name, storm.instances, storm.minutes
        )
        self.clock = Clock()
        self.tally: Tally
        self.findings: Sequence[Finding] = ()
        self.memory = 0
        self.cpu = 0.0
        self._listed: frozenset[str] | None = None
        self._told = 0.0

    def take(self) -> None:
        """Run the storm, look at the registry before its end and after it, and judge."""
        self.tally = self.generator.storm_on(self._watch, self.clock.now)
        node = self.cluster["a"]
        self.memory, self.cpu = node.memory(), node.cpu_seconds()
        self.findings = findings(
            self.tally,
            self._listed,
            self._ids(),
            slack=self.storm.duration - self.storm.renewal_interval,
        )

    def _watch(self, passed: float, tally: Tally) -> None:
        left, whole = self.storm.minutes * 60 - passed, tally.registered == self.storm.instances
        # Neither while the fleet still registers, nor when it may be leaving already: a look that
        # comes too early or too late would blame the registry.
        if whole and 0 < left <= LOOK_BEFORE_END and self._listed is None:
            self._listed = self._ids()
        if passed - self._told >= TELL_EVERY:
            self._told = passed
            failed = tally.refused + tally.unanswered
            say(
                f"  {_clock(passed)} of {_clock(self.storm.minutes * 60)}: "
                f"{tally.registered:,} registered, {tally.acknowledged:,} renewals acknowledged, "
                f"{failed} failed, {tally.missed} missed"
            )

    def _ids(self) -> frozenset[str] | None:
        """Return the ids of the fleet that the registry lists; None where they are unreadable."""
        try:
            listed = self._client.apps().applications()
        except WireError:
            return None
        return frozenset(record.id for record in listed if record.app.startswith("FLEET-"))


def _account(course: _Course, made: Run, arguments: argparse.Namespace) -> int:
    """Write the page and the counts, print the verdict, return the exit code."""
    outcome = _worst(course.findings)
    verdict, word, code = VERDICTS[outcome]
    latency = course.generator.percentiles()
    sentence = _sentence(arguments.target, course, outcome)
    page = write_simple(
        made.folder,
        RunPage(
            title=f"Load on {arguments.target}, storm {course.storm.name}",
            verdict=verdict,
            verdict_word=word,
            sentence=sentence,
            lead=course.storm.story,
            facts=_facts(course, arguments, made),
            tables=[_budgets(course.findings), _latencies(latency)],
            links=[
                Link("locust.html", "Locust's own report"),
                Link("fleet.json", "What the fleet counted"),
                Link("report.json"),
                Link("locust.log"),
                Link("node-a.log"),
            ],
            command=quoted(arguments.argv),
            exit_code=code,
        ),
    )
    (made.folder / "report.json").write_bytes(
        msgspec.json.format(
            msgspec.json.encode(
                {
                    "schema": 1,
                    "suite": "load",
                    "target": arguments.target,
                    "backend": arguments.backend,
                    "storm": course.storm,
                    "seed": made.seed,
                    "exit_code": code,
                    "sentence": sentence,
                    "budgets": course.findings,
                    "latency_ms": latency,
                    "fleet": course.tally,
                    "command": quoted(arguments.argv),
                }
            )
        )
    )
    say(f"\n{word}: {sentence}")
    for finding in course.findings:
        say(
            f"  {finding.outcome:<12} {finding.name}: {finding.measured} (budget: {finding.budget})"
        )
    for problem in course.tally.problems[:5]:
        say(f"  seen         {problem}")
    say(f"\nreport  {page}\nagain   {quoted(arguments.argv)}")
    return code


def _sentence(target: str, course: _Course, outcome: str) -> str:
    tally, storm = course.tally, course.storm
    did = (
        f"{storm.instances:,} instances renewed {tally.acknowledged:,} times "
        f"in {storm.minutes:g} min on {target}"
    )
    wrong = [finding for finding in course.findings if finding.outcome == outcome]
    if outcome == "met":
        return f"{did}; all {len(course.findings)} budgets were met."
    names = "; ".join(f"{finding.name}: {finding.measured}" for finding in wrong)
    verb = "broken" if outcome == "broken" else "not judged"
    return f"{did}; {len(wrong)} of {len(course.findings)} budgets {verb}: {names}."


def _facts(course: _Course, arguments: argparse.Namespace, made: Run) -> list[Fact]:
    machine = this_machine()
    return [
        Fact("Target", arguments.target, f"one node, backend {arguments.backend}"),
        Fact("Storm", course.storm.name, f"every {course.storm.renewal_interval:g} s"),
        Fact("Fleet", f"{course.storm.instances:,} instances", f"{course.storm.minutes:g} min"),
        Fact("Speed", f"× {course.cluster.spec.speed:g}", "load runs in real time"),
        Fact("Node", f"{course.cpu:.1f} CPU s", f"{course.memory / 2**20:.0f} MiB resident"),
        Fact("Machine", f"{machine.cores} cores", machine.system),
        Fact("Seed", str(made.seed)),
    ]


def _budgets(found: Sequence[Finding]) -> Table:
    return Table(
        "Budgets",
        ("What must hold", "Budget", "Measured"),
        [
            Row((one.sentence, one.budget, one.measured), VERDICTS[one.outcome][0], one.outcome)
            for one in found
        ],
    )


def _latencies(latency: dict[str, Percentiles]) -> Table:
    return Table(
        "Latency from the intended send time, ms",
        ("Request", "Count", "Median", "p99", "Worst"),
        [
            Row((name, f"{at.requests:,}", f"{at.median:g}", f"{at.p99:g}", f"{at.worst:.0f}"))
            for name, at in latency.items()
        ],
        lead="Facts, not budgets: absolute times mean little on a shared machine.",
        numbers={1, 2, 3, 4},
    )


def _worst(found: Sequence[Finding]) -> str:
    outcomes = {finding.outcome for finding in found}
    return next(name for name in VERDICTS if name in outcomes)


def _ordered(storm: Storm, arguments: argparse.Namespace) -> Storm:
    """Return the storm with the size and length that the command line asks for."""
    if arguments.instances is not None:
        few = min(storm.applications, max(arguments.instances, 1))
        storm = msgspec.structs.replace(storm, instances=arguments.instances, applications=few)
    if arguments.minutes is not None:
        storm = msgspec.structs.replace(storm, minutes=arguments.minutes)
    return checked(storm, "the command line")


def _storms() -> Path:
    return suite_root() / "load" / "storms"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
