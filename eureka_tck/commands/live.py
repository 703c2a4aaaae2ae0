"""What `eureka-tck compare --live` does: one node of each target, the same calls to both."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.commands.console import quoted, say
from eureka_tck.model.live import compare_live
from eureka_tck.profile import load_profile
from eureka_tck.report.compare import ComparisonPage, Entry, Part, ShownSide
from eureka_tck.report.figures import counted
from eureka_tck.report.run_page import FILE, Fact
from eureka_tck.run import Run
from eureka_tck.suite import expectations_file, requirements_folder
from eureka_tck.targets import parse_target
from eureka_tck.targets.url import refuse_guests
from eureka_tck.verdict.catalogue import load_catalogue
from eureka_tck.verdict.expectations import load_expectations
from eureka_tck.verdict.wording import show
from eureka_tck.wire.client import WireClient

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from eureka_tck.model.live import LiveComparison, Reply, Seen
    from eureka_tck.report.model import Verdict

PROFILE: Final = "model"


def compared(arguments: argparse.Namespace, seed: int) -> tuple[ComparisonPage, Path]:
    """Start both targets, ask them the same, and return the page and where it goes."""
    names = (arguments.first, arguments.second)
    targets = [parse_target(name) for name in names]
    for judged in targets:
        refuse_guests(judged, "hundreds of odd calls")
    catalogue = load_catalogue(requirements_folder())
    known = tuple(
        frozenset(
            entry.requirement for entry in load_expectations(expectations_file(name), catalogue)
        )
        for name in names
    )
    profile = load_profile(PROFILE)
    with (
        Run.create("compare", "-".join(names), arguments.out, seed).owned() as run,
        ExitStack() as open_,
    ):
        wires = []
        for target in targets:
            spec = ClusterSpec.from_profile(profile, target, backend=arguments.backend)
            cluster = open_.enter_context(Cluster(spec, run))
            wire = WireClient(cluster["a"].root)
            open_.callback(wire.close)
            wires.append(wire)
        say(
            f"Asking {names[0]} and {names[1]} the same: "
            f"{counted(arguments.examples, 'drawn sequence')}, seed {seed}."
        )
        found = compare_live((wires[0], wires[1]), seed_=seed, examples=arguments.examples)
    return _page(found, names, (known[0], known[1]), arguments, seed), run.folder / FILE


def _page(
    found: LiveComparison,
    names: tuple[str, str],
    known: tuple[frozenset[str], frozenset[str]],
    arguments: argparse.Namespace,
    seed: int,
) -> ComparisonPage:
    entries = [_entry(seen, names, known) for seen in found.seen]
    unknown = sum(entry.word == "Unexplained" for entry in entries)
    verdict: Verdict = "failed" if unknown else "known deviation" if entries else "passed"
    ways = counted(len(entries), "way")
    sentence = (
        f"{names[0]} and {names[1]} answer alike."
        if not entries
        else f"{names[0]} and {names[1]} answer differently in {ways}; "
        + (f"{unknown} not explained by a known deviation." if unknown else "none unexplained.")
    )
    return ComparisonPage(
        title=f"{names[0]} beside {names[1]}, live",
        verdict=verdict,
        word="Different" if unknown else "Explained" if entries else "The same",
        sentence=sentence,
        entries=sorted(entries, key=lambda entry: entry.word != "Unexplained"),
        rest=f"{found.programs} sequences, {found.calls} calls to each.",
        facts=[
            Fact("A", names[0]),
            Fact("B", names[1]),
            Fact("Seed", str(seed)),
            Fact("Sequences", str(found.programs), f"{found.calls} calls to each"),
        ],
        command=f"{quoted(arguments.argv)}"
        + ("" if arguments.seed is not None else f" --seed {seed}"),
        exit_code=1 if unknown else 0,
    )


def _entry(
    seen: Seen, names: tuple[str, str], known: tuple[frozenset[str], frozenset[str]]
) -> Entry:
    example = seen.example
    explained: list[str] = []
    unexplained: list[str] = []
    for who, rows, its_own in zip(names, example.rows, known, strict=True):
        if rows:
            why = ", ".join(sorted(rows & its_own)) or ", ".join(sorted(rows))
            (explained if rows & its_own else unexplained).append(f"{who} deviates by {why}")
    if unexplained:
        word, verdict, note = "Unexplained", "failed", "; ".join([*unexplained, *explained])
    elif explained:
        word, verdict, note = "Known", "known deviation", f"{'; '.join(explained)}, as is known"
    else:
        word, verdict, note = "Left open", "passed", "both are right: the catalogue leaves it open"
    one, other = (
        _side(who, reply, script)
        for who, reply, script in zip(names, example.replies, example.scripts, strict=True)
    )
    before, asked = len(example.program) - 1, example.replies[0].exchange
    root = "/".join(asked.url.split("/")[:3])
    return Entry(
        title=type(example.call).__name__,
        text=f"`{asked.method} {asked.url.removeprefix(root)}`, after {counted(before, 'call')}; "
        f"seen {counted(seen.times, 'time')}",
        word=word,
        verdict=verdict,  # type: ignore[arg-type]  # one of three literals above
        note=note,
        parts=(Part((one, other)),),
    )


def _side(who: str, reply: Reply, script: str) -> ShownSide:
    told = [f"{name} is {show(value)}" for name, value in reply.said.items()]
    broken = [f"{one.what} must be {show(one.due)} ({', '.join(one.rows)})" for one in reply.broken]
    return ShownSide(
        who=who,
        word=str(reply.status),
        verdict="failed" if reply.broken else "passed",
        sentence="; ".join(broken or told),
        exchange=reply.exchange,
        script=script,
    )
