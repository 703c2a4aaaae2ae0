"""
One storm: whether it may be, the nodes it is let loose on, and what is told while it lasts.

`load` judges what comes of it, or lets many loose in search of the largest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.commands.console import say, settings_of
from eureka_tck.errors import CannotRun
from eureka_tck.fleet.course import Course
from eureka_tck.fleet.finding import FEWEST
from eureka_tck.fleet.generator import Generator
from eureka_tck.fleet.staleness import staleness
from eureka_tck.suite import suite_root
from eureka_tck.targets.url import OWNER, UrlTarget

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from eureka_tck.fleet.budget import Bounds
    from eureka_tck.fleet.storm import Storm
    from eureka_tck.fleet.tally import Tally
    from eureka_tck.run import Run
    from eureka_tck.targets import Target

TELL_EVERY: Final = 5.0
"""Real seconds between two lines of progress."""
MOST_WORKERS: Final = 64
MOST_PORTS: Final = 65_535
DAY_MS: Final = 86_400_000
SETTINGS: Final = {
    # No recount: the threshold is then what the leases make it.
    "eureka.server.renewalThresholdUpdateIntervalMs": DAY_MS,
}


def admit(targets: Sequence[Target], storm: Storm, arguments: argparse.Namespace) -> None:
    """Refuse what is not ours to storm, and what this storm cannot do there."""
    owned = arguments.i_own_this_target
    for target in targets:
        if isinstance(target, UrlTarget):
            if not owned:
                raise CannotRun(
                    f"{target.name} runs already, and a storm would harm whoever uses it.",
                    f"Storm it only if it is yours, with {OWNER}.",
                )
            if storm.nodes > 1 or storm.forgets or storm.needs_links:
                raise CannotRun(
                    f"{target.name} runs already: the storm {storm.name} starts and breaks nodes."
                )
    if arguments.web > MOST_PORTS:
        raise CannotRun(f"--web is {arguments.web}; a port is at most {MOST_PORTS}.")
    if arguments.speed not in (None, 1.0):
        raise CannotRun(
            f"--speed is {arguments.speed:g}; load runs in real time, or leases would end before "
            "they are renewed."
        )
    if arguments.processes and arguments.master:
        raise CannotRun("--processes are workers of this machine, --master waits for others'.")
    for name in ("processes", "master"):
        if getattr(arguments, name) > MOST_WORKERS:
            raise CannotRun(f"--{name} is {getattr(arguments, name)}; {MOST_WORKERS} is the most.")


def refuse_too_little(storm: Storm, bounds: Bounds) -> None:
    """Refuse a storm of which no percentile could be told, rather than blame the registry."""
    if storm.renewals < FEWEST and any(name.startswith("renew_p") for name in bounds):
        raise CannotRun(
            f"{storm.instances} instances for {storm.minutes:g} min renew about "
            f"{storm.renewals} times, and a p99 is told from {FEWEST} on.",
            "Give it more --instances or --minutes.",
        )


def let_loose(
    targets: Sequence[Target],
    storm: Storm,
    bounds: Bounds,
    made: Run,
    arguments: argparse.Namespace,
    folder: Path,
) -> Course:
    """Start the nodes, let the storm loose, end them."""
    expected = {"eureka.server.expectedClientRenewalIntervalSeconds": round(storm.renewal_interval)}
    spec = ClusterSpec.of(
        "load",
        targets,
        nodes=storm.nodes,
        backend=arguments.backend,
        settings={**SETTINGS, **expected, **settings_of(arguments)},
        speed=1.0,
        links=storm.needs_links,
    )
    say(
        f"storm {storm.name}: {storm.instances:,} instances on {arguments.target} "
        f"for {storm.minutes:g} min; starting {storm.nodes} node(s)"
    )
    with Cluster(spec, made) as cluster:
        generator = Generator(
            made,
            suite_root() / "load" / "locustfile.py",
            tuple(node.root for node in cluster),
            arguments.storm,
            storm.instances,
            storm.minutes,
            storm.settle,
            storm.length,
            processes=arguments.processes,
            workers=arguments.master,
            bulk=arguments.bulk,
            web=arguments.web,
            owned=arguments.i_own_this_target,
            folder=folder,
        )
        stale = staleness(targets, settings_of(arguments))
        course = Course(cluster, storm, bounds, generator, _Teller(storm), stale)
        course.take()
        for node in cluster:
            (folder / f"node-{node.name}.log").write_text(node.log(), encoding="utf-8")
    return course


class _Teller:
    """Prints a line of progress now and then."""

    def __init__(self, storm: Storm) -> None:
        self._storm = storm
        self._told = 0.0

    def __call__(self, passed: float, tally: Tally) -> None:
        """Say how far it is."""
        if passed - self._told < TELL_EVERY:
            return
        self._told = passed
        say(
            f"  {_clock(passed)} of {_clock(self._storm.length)}: "
            f"{tally.registered:,} registered, {tally.acknowledged:,} renewals acknowledged, "
            f"{tally.failures} failed, {tally.missed} missed"
        )


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
