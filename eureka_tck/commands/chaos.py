"""
`eureka-tck chaos`: play a scenario of faults on a cluster, then judge what it promises.

Plays first and judges afterwards, from the history alone: `eureka-tck rejudge` does the second
half again.
"""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eureka_tck.commands.console import add_common, natural, quoted, say, settings_of
from eureka_tck.commands.series import (
    explored_code,
    play_all,
    shrink,
    tell_rate,
    tell_scenarios,
    tell_seeds,
    worst_code,
)
from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.schedules.explore import explore
from eureka_tck.schedules.own_settings import on_own_settings
from eureka_tck.schedules.recipe import Recipe, load_recipe
from eureka_tck.schedules.scenario import load_scenario, read_scenario, wrong_workload
from eureka_tck.schedules.schedule import draw

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.schedules.scenario import Scenario

STANDARD: Final = "partition-one"

TRIES: Final = 20
"""Runs that shrinking may take unless told otherwise: five to fifteen minutes."""

LARGEST_SEED: Final = 2**31

SETTLED: Final = frozenset({"--target", "--backend", "--speed", "--settings", "--seed"})
"""What a run that is played once more has settled already."""

EXAMPLES: Final = """\
examples:
  eureka-tck chaos                                    partition-one on the Python registry
  eureka-tck chaos --target java:5.0.3                the same on the Java reference
  eureka-tck chaos --scenario mine.toml --seed 7      a scenario of your own, repeatable
  eureka-tck chaos --scenario slow-peer --repeat 5    how often does it break?
  eureka-tck chaos --explore 100 --seed 1             what the seeds 1 to 100 draw
  eureka-tck chaos --replay reports/latest            the same run once more, drawn or not
  eureka-tck chaos --shrink reports/latest            the least that still breaks it
  eureka-tck rejudge reports/latest                   judge the same history again

exit codes:
  0  every promise is kept, or broken in a way that is known of the target
  1  a promise is broken, or one is kept that was known to be broken
  2  a promise could not be judged: the fault never bit, or the run was broken off
     (with --explore: a run in which no promise could be judged)
  3  the run could not be made
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "chaos",
        help="break a cluster in a planned way and judge what it promises",
        description="Break a cluster in a planned way and judge what it promises.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_common(parser)
    what = parser.add_argument_group("what happens").add_mutually_exclusive_group()
    what.add_argument(
        "--scenario",
        default=STANDARD,
        metavar="NAME|FILE,…",
        help=f"scenarios of the suite or files of yours, one after the other (default: {STANDARD})",
    )
    what.add_argument(
        "--explore",
        type=_count,
        metavar="N",
        help="N scenarios that nobody wrote, drawn from the seed and those after it",
    )
    what.add_argument(
        "--replay",
        type=Path,
        metavar="RUN",
        help="what was played in the folder of a run, on the target it was played on",
    )
    what.add_argument(
        "--shrink",
        type=Path,
        metavar="RUN",
        help="play ever less of a run that broke a promise, as long as it still does",
    )
    often = parser.add_argument_group("how often")
    often.add_argument(
        "--repeat",
        type=_count,
        default=1,
        metavar="K",
        help="play the same K times and say how often it broke (with --shrink: each try)",
    )
    often.add_argument(
        "--tries",
        type=_count,
        default=TRIES,
        metavar="N",
        help=f"how many smaller schedules --shrink plays at most (default: {TRIES})",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    _refuse_idle_options(arguments)
    if arguments.shrink is not None:
        return shrink(arguments.shrink, arguments.out, arguments.tries, arguments.repeat)
    seed = secrets.randbelow(LARGEST_SEED) if arguments.seed is None else arguments.seed
    command = _again(arguments, seed)
    if arguments.explore is not None:
        seeds = range(seed, seed + arguments.explore)
        recipes = [_recipe(arguments, explore(one), one) for one in seeds]
        played = play_all(recipes * arguments.repeat, arguments.out, command)
        tell_seeds(played)
        code = explored_code(played)
    else:
        recipes = (
            [load_recipe(arguments.replay)]
            if arguments.replay is not None
            else [
                _recipe(arguments, _scenario(named), seed)
                for named in arguments.scenario.split(",")
            ]
        )
        played = play_all(recipes * arguments.repeat, arguments.out, command)
        code = worst_code(played)
        if len(recipes) > 1:
            tell_scenarios(played)
        if arguments.repeat > 1:
            tell_rate(played)
    say(f"Run again    {command}")
    say(f"Judge again  {quoted(['rejudge', str(played[-1].folder)])}")
    return code


def _refuse_idle_options(arguments: argparse.Namespace) -> None:
    """Raise CannotRun for an option that would change nothing: whoever gave it thinks it does."""
    given = {word.partition("=")[0] for word in arguments.argv if word.startswith("--")}
    if arguments.shrink is None and "--tries" in given:
        raise CannotRun("--tries says how often --shrink tries, and there is no --shrink.")
    once_more = "--shrink" if arguments.shrink is not None else "--replay"
    if arguments.shrink is None and arguments.replay is None:
        return
    if idle := sorted(given & SETTLED):
        raise CannotRun(
            f"{idle[0]} changes nothing beside {once_more}: the run's own recipe says it.",
            f"To change it, play the scenario again: --scenario NAME {idle[0]} …",
        )


def _recipe(arguments: argparse.Namespace, scenario: Scenario, seed: int) -> Recipe:
    own = settings_of(arguments)
    scenario = _on_own_settings(scenario, own, arguments.settings) if own else scenario
    return Recipe(
        scenario=scenario,
        schedule=draw(scenario, seed),
        target=arguments.target,
        backend=arguments.backend,
        speed=arguments.speed,
        settings=own,
    )


def _on_own_settings(scenario: Scenario, own: Mapping[str, str], file: Path) -> Scenario:
    """Return the scenario as it is played on these settings, and say which do not change it."""
    if scenario.yields:
        scenario = on_own_settings(scenario, own)
        if problem := wrong_workload(scenario):
            raise SettingsError(f"{file}: {scenario.name} cannot be played with it: {problem}")
        return scenario
    given_way = [name for name, text in own.items() if scenario.settings.get(name, text) != text]
    if given_way:
        say(
            f"{scenario.name} has its own {', '.join(given_way)}: {file} does not change that. "
            "With --scenario how-long all settings are yours."
        )
    return scenario


def _scenario(named: str) -> Scenario:
    return read_scenario(Path(named)) if named.endswith(".toml") else load_scenario(named)


def _again(arguments: argparse.Namespace, seed: int) -> str:
    """Return the command line that does the same once more."""
    given = list(arguments.argv)
    drawn = arguments.replay is None and "--seed" not in given
    return quoted([*given, "--seed", str(seed)] if drawn else given)


def _count(text: str) -> int:
    """Read a whole number above 0."""
    if (number := natural(text)) > 0:
        return number
    raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
