"""Several chaos runs for one answer: how often it breaks, for which seeds, and what suffices."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from eureka_tck.commands.console import quoted, say
from eureka_tck.commands.performance import perform
from eureka_tck.errors import CannotRun
from eureka_tck.promises.account import FILE, ChaosReport
from eureka_tck.report.figures import counted
from eureka_tck.schedules.recipe import load_recipe
from eureka_tck.schedules.shrink import smaller

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from eureka_tck.commands.performance import Played
    from eureka_tck.schedules.recipe import Recipe

BROKEN: Final = 1
UNSAID: Final = 2


def broken_promises(report: ChaosReport) -> frozenset[str]:
    """Return the promises that a run broke, but for those known of its target."""
    return frozenset(one.judgement.promise for one in report.promises if one.verdict == "broken")


def play_all(recipes: Iterable[Recipe], out: Path, command: str) -> tuple[Played, ...]:
    """
    Play each; `command` is what plays all of them again.

    What stops one of them, Ctrl-C too, stops all, and what the others found is told before.
    """
    played: list[Played] = []
    try:
        for recipe in recipes:
            played.append(perform(recipe, out, command))  # noqa: PERF401 - they outlive an error
    except BaseException:
        if len(played) > 1 or any(one.report.exit_code == BROKEN for one in played):
            tell_scenarios(played)
        raise
    return tuple(played)


def tell_rate(played: Sequence[Played]) -> None:
    """Print how often each promise broke in so many runs of one thing."""
    broken = Counter(name for one in played for name in broken_promises(one.report))
    say("")
    if not broken:
        say(f"Nothing broke in {counted(len(played), 'run')}.")
    for name, times in broken.most_common():
        say(f"{name} broke in {times} of {counted(len(played), 'run')}.")


def tell_scenarios(played: Sequence[Played]) -> None:
    """Print one line a scenario: what became of it, and where its page lies."""
    say("")
    for run in played:
        say(f"{run.report.verdict.upper():<16} {run.report.scenario:<20} {run.folder}")


def tell_seeds(played: Sequence[Played]) -> None:
    """Print what became of each drawn scenario, and which seeds broke something."""
    verdicts = Counter(one.verdict for run in played for one in run.report.promises)
    found = [run for run in played if run.report.exit_code == BROKEN]
    said = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common())
    say("")
    say(f"{counted(len(played), 'drawn scenario')}; promises: {said}.")
    for run in found:
        names = ", ".join(sorted(broken_promises(run.report))) or "an expectation"
        say(f"Seed {run.report.seed} broke {names}: {run.folder}")
        say(f"  smaller: {quoted(['chaos', '--shrink', str(run.folder)])}")


def worst_code(played: Sequence[Played]) -> int:
    """Return 1 if anything broke, else 2 if a run could not be judged, else 0."""
    codes = {one.report.exit_code for one in played}
    return next((code for code in (BROKEN, UNSAID) if code in codes), 0)


def explored_code(played: Sequence[Played]) -> int:
    """
    Return the exit code of drawn scenarios: 1 if anything broke, 2 if a run showed nothing, else 0.

    A drawn run puts some promises to the test, and never all.
    """
    if any(one.report.exit_code == BROKEN for one in played):
        return BROKEN
    empty = [
        run for run in played if all(one.verdict == "inconclusive" for one in run.report.promises)
    ]
    return UNSAID if empty else 0


def shrink(folder: Path, out: Path, tries: int, repeat: int) -> int:
    """
    Play ever smaller schedules of a run that broke something, and keep the least that still does.

    A candidate breaks if one of so many repetitions breaks one of the promises that the run broke.
    """
    recipe, wanted = load_recipe(folder), _broken_in(folder)
    best, where = recipe, folder
    tried: set[bytes] = set()
    try:
        while (step := _next(best, tried)) is not None and tries > 0:
            said, candidate = step
            tries -= 1
            say(f"\nTrying it {said}; {counted(tries, 'try', 'tries')} left.")
            broke = _breaks(candidate, out, wanted, repeat)
            if broke is not None:
                best, where = candidate, broke
                say(f"It still breaks {said}.")
    finally:  # what stops it, Ctrl-C too, takes nothing away of what was found
        _tell_least(recipe, best, where, wanted)
    return BROKEN


def _tell_least(recipe: Recipe, best: Recipe, where: Path, wanted: frozenset[str]) -> None:
    say("")
    say(
        f"The least that broke {', '.join(sorted(wanted))}: "
        f"{counted(len(best.schedule.strikes), 'fault')} and "
        f"{counted(sum(len(cast.members) for cast in best.schedule.casts), 'instance')} of "
        f"{counted(len(best.schedule.casts), 'workload')}, of "
        f"{counted(len(recipe.schedule.strikes), 'fault')} and "
        f"{sum(len(cast.members) for cast in recipe.schedule.casts)}."
    )
    say(f"Run again    {quoted(['chaos', '--replay', str(where)])}")


def _next(best: Recipe, tried: set[bytes]) -> tuple[str, Recipe] | None:
    """Return the first candidate that was not tried yet, and remember it."""
    for said, schedule in smaller(best.schedule):
        key = msgspec.json.encode(schedule)
        if key not in tried:
            tried.add(key)
            return said, replace(best, schedule=schedule)
    return None


def _breaks(recipe: Recipe, out: Path, wanted: frozenset[str], repeat: int) -> Path | None:
    """Return the folder of the first run of it that breaks a promise, None if none does."""
    for _ in range(repeat):
        played = perform(recipe, out, quoted(["chaos", "--replay", str(out / "latest")]))
        if broken_promises(played.report) & wanted:
            return played.folder
    return None


def _broken_in(folder: Path) -> frozenset[str]:
    path = folder / FILE
    try:
        report = msgspec.json.decode(path.read_bytes(), type=ChaosReport)
    except OSError as error:
        raise CannotRun(
            f"{path} cannot be read: {error.strerror or error}.",
            "`eureka-tck rejudge` says what can be judged of a run that left no report.",
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CannotRun(f"{path} is no report of a chaos run: {error}.") from error
    if wanted := broken_promises(report):
        return wanted
    raise CannotRun(
        f"the run in {folder} broke no promise, so there is nothing to shrink.",
        "Give the folder of a run that ended with exit code 1.",
    )
