"""
Everything this machine can run, one step after the other: `make test`.

A step whose machine lacks something (Docker, Java, Toxiproxy, …) is named and not run; where
`TCK_REQUIRE` names that capability, its absence is a failure instead.
Steps run one at a time, because most of them judge timing.

What a failed step said of its failure stands again under the table: who reads only the end of a
long log sees what failed, not only where.

A gate, a scenario or a storm that was inconclusive (exit code 2: the machine was too late to judge
by, which says nothing about the registry) runs once more after all others, and the table says so.
Any other exit code but 0 is a failure at once.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from eureka_tck.doctor import available, required_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT: Final = Path(__file__).parent.parent
PYTHON: Final = (sys.executable, "-m")
TCK: Final = (*PYTHON, "eureka_tck.cli")


INCONCLUSIVE: Final = 2
"""Exit code of a gate, a chaos run or a storm that could not judge."""


TELLING: Final = ("FAILED ", "ERROR ", "Exit ")
"""How the lines begin that say why a step failed: pytest's, and the last line of our commands."""

KEPT: Final = 5
"""So many telling lines of a failed step stand under the table."""

AFTER: Final = 5.0
"""Seconds after a command's end within which the rest of what it printed must come."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    How a step ended.

    `seconds` are those of all its runs; `last` are the lines that say why it failed.
    """

    words: str
    seconds: float = 0.0
    code: int | None = None
    last: tuple[str, ...] = ()

    @property
    def is_kept(self) -> bool:
        """Whether it passed, at the first try or at the second."""
        return self.words.endswith("passed")

    @property
    def is_failed(self) -> bool:
        """Whether it makes the whole fail; a step that was not run does not."""
        return not self.is_kept and not self.words.startswith("not run")


@dataclass(frozen=True, slots=True)
class Step:
    """
    One command that must exit 0; `budget` is the seconds after which it is ended.

    `may_repeat` is true where exit code 2 means inconclusive; pytest and make use it otherwise.
    """

    name: str
    command: tuple[str, ...]
    needs: frozenset[str] = frozenset()
    budget: float = 600.0
    may_repeat: bool = False


def gate(target: str, backend: str, depth: str, *needs: str) -> Step:
    """Return the step that judges `target`."""
    return Step(
        f"gate {target}, {backend}, {depth}",
        (*TCK, "gate", "--target", target, "--backend", backend, "--depth", depth, "--strict"),
        frozenset(needs),
        budget=900.0,
        may_repeat=True,
    )


def chaos(scenario: str, target: str, *needs: str) -> Step:
    """
    Return the step that plays one scenario on `target`.

    Its seed is fixed, so that a verdict is the registry's and the machine's, not the draw's.
    """
    return Step(
        f"chaos {scenario}, {target}",
        (*TCK, "chaos", "--scenario", scenario, "--target", target, "--seed", "1"),
        frozenset({"toxiproxy", *needs}),
        may_repeat=True,
    )


def few() -> tuple[str, ...]:
    """Return the scenarios that `make chaos` plays: the Makefile has the one list of them."""
    lines = (ROOT / "Makefile").read_text("utf-8").splitlines()
    (listed,) = (line for line in lines if line.startswith("FEW = "))
    return tuple(listed.removeprefix("FEW = ").split(","))


def load(target: str, *needs: str) -> Step:
    """Return the step that renews 1,000 instances for a minute on `target`."""
    return Step(
        f"load steady, {target}",
        (
            *TCK,
            "load",
            "--target",
            target,
            *("--storm", "steady", "--instances", "1000", "--minutes", "1"),
        ),
        frozenset(needs),
        may_repeat=True,
    )


FEWER: Final = ("partition-one", "one-way-link", "split-writes")
"""
What is played on the Java reference, whose nodes take some ten seconds to start.

Each promise of these has a budget of many seconds: a JVM that is still cold keeps it too.
"""

JAVA: Final = ("java", "faketime")
STEPS: Final = (
    Step("lint", ("make", "--no-print-directory", "lint")),
    Step("own tests", (*PYTHON, "pytest", "-q"), budget=1800.0),
    gate("python", "process", "full"),
    gate("java:5.0.3", "process", "full", *JAVA),
    gate("java:4.3.0", "process", "quick", *JAVA),
    gate("java:3.1", "process", "quick", *JAVA),
    gate("python", "docker", "quick", "docker"),
    gate("java:5.0.3", "docker", "quick", "docker", "java"),
    gate("java:4.3.0", "docker", "quick", "docker", "java"),
    *(chaos(scenario, "python") for scenario in few()),
    *(chaos(scenario, "java:5.0.3", *JAVA) for scenario in FEWER),
    load("python"),
    load("java:5.0.3", *JAVA),
)


def run(step: Step) -> Outcome:
    """Run one step; its outcome is a word or a sentence."""
    missing = sorted(need for need in step.needs if not available(need))
    if missing:
        verb = "failed" if required_names().intersection(missing) else "not run"
        return Outcome(f"{verb}: this machine has no {', no '.join(missing)} (eureka-tck doctor)")
    started = time.monotonic()
    code, last = follow(step.command, step.budget)
    seconds = time.monotonic() - started
    if code is None:
        return Outcome(f"failed: not done within {step.budget:g} s", seconds, None, last)
    words = {0: "passed", INCONCLUSIVE: "inconclusive"}.get(code, f"failed: exit code {code}")
    return Outcome(words, seconds, code, last)


def follow(command: Sequence[str], budget: float) -> tuple[int | None, tuple[str, ...]]:
    """
    Run a command within `budget` seconds, passing on what it prints, line by line.

    Returns its exit code, or None where it had to be ended, and the last telling lines.
    """
    last: deque[str] = deque(maxlen=KEPT)
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        reader = threading.Thread(target=_pass_on, args=(process.stdout, last), daemon=True)
        reader.start()
        try:
            code: int | None = process.wait(budget)
        except subprocess.TimeoutExpired:
            process.kill()
            code = None
        reader.join(AFTER)  # a grandchild that lives on may hold the pipe
    return code, tuple(last)


def _pass_on(stream: IO[str], last: deque[str]) -> None:
    for line in stream:
        say(line.rstrip())
        if line.startswith(TELLING):
            last.append(line.rstrip())


def run_all(steps: Sequence[Step], perform: Callable[[Step], Outcome] = run) -> list[Outcome]:
    """Run the steps in order, then those once more that were inconclusive."""
    outcomes = []
    for number, step in enumerate(steps, 1):
        say(f"\n[{number}/{len(steps)}] {step.name}")
        outcomes.append(outcome := perform(step))
        say(f"[{number}/{len(steps)}] {step.name}: {outcome.words} ({outcome.seconds:.0f} s)")
    for at, step in enumerate(steps):
        if step.may_repeat and outcomes[at].code == INCONCLUSIVE:
            say(f"\n[once more] {step.name}: it was inconclusive")
            again, before = perform(step), outcomes[at]
            outcomes[at] = Outcome(
                f"inconclusive, then {again.words}",
                before.seconds + again.seconds,
                again.code,
                again.last,
            )
            say(f"[once more] {step.name}: {again.words} ({again.seconds:.0f} s)")
    return outcomes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the steps whose name contains every given word, print the table, return the exit code."""
    parser = argparse.ArgumentParser(description="Run everything this machine can run.")
    parser.add_argument("--only", default="", help="words that the step's name must contain")
    parser.add_argument("--list", action="store_true", help="print the steps and stop")
    options = parser.parse_args(arguments)
    steps = [step for step in STEPS if all(word in step.name for word in options.only.split())]
    if options.list:
        sys.stdout.writelines(f"{step.name}\n" for step in steps)
        return 0
    if not steps:
        sys.stderr.write(f"no step's name contains {options.only!r}; see --list\n")
        return 3
    outcomes = run_all(steps)
    say("\nWhat ran, and how long it took:")
    for step, outcome in zip(steps, outcomes, strict=True):
        say(f"  {step.name:<40} {outcome.seconds:6.0f} s  {outcome.words}")
    for step, outcome in zip(steps, outcomes, strict=True):
        for line in outcome.last if outcome.is_failed else ():
            say(f"  {step.name}: {line}")
    passed = sum(outcome.is_kept for outcome in outcomes)
    failed = sum(outcome.is_failed for outcome in outcomes)
    skipped = len(outcomes) - passed - failed
    say(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


def say(line: str) -> None:
    """Print one line at once, so that it stands before what the step prints."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
