"""
Everything this machine can run, one step after the other: `make test`.

A step whose machine lacks something (Docker, Java, Toxiproxy, …) is named and not run; where
`TCK_REQUIRE` names that capability, its absence is a failure instead.
Steps run one at a time, because most of them judge timing.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eureka_tck.doctor import available, required_names

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(__file__).parent.parent
PYTHON: Final = (sys.executable, "-m")
TCK: Final = (*PYTHON, "eureka_tck.cli")


@dataclass(frozen=True, slots=True)
class Step:
    """One command that must exit 0; `budget` is the seconds after which it is ended."""

    name: str
    command: tuple[str, ...]
    needs: frozenset[str] = frozenset()
    budget: float = 600.0


def gate(target: str, backend: str, depth: str, *needs: str) -> Step:
    """Return the step that judges `target`."""
    return Step(
        f"gate {target}, {backend}, {depth}",
        (*TCK, "gate", "--target", target, "--backend", backend, "--depth", depth, "--strict"),
        frozenset(needs),
        budget=900.0,
    )


def chaos(target: str, *needs: str) -> Step:
    """Return the step that cuts one node of three off on `target`."""
    return Step(
        f"chaos partition-one, {target}",
        (*TCK, "chaos", "--scenario", "partition-one", "--target", target),
        frozenset({"toxiproxy", *needs}),
    )


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
    )


JAVA: Final = ("java", "faketime")
STEPS: Final = (
    Step("lint", ("make", "--no-print-directory", "lint")),
    Step("own tests", (*PYTHON, "pytest", "-q"), budget=1200.0),
    gate("python", "process", "full"),
    gate("java:5.0.3", "process", "full", *JAVA),
    gate("java:4.3.0", "process", "quick", *JAVA),
    gate("python", "docker", "quick", "docker"),
    gate("java:5.0.3", "docker", "quick", "docker", "java"),
    gate("java:4.3.0", "docker", "quick", "docker", "java"),
    chaos("python"),
    chaos("java:5.0.3", *JAVA),
    load("python"),
    load("java:5.0.3", *JAVA),
)


def run(step: Step) -> tuple[str, float]:
    """Run one step; return its outcome as a word or a sentence, and the seconds it took."""
    missing = sorted(need for need in step.needs if not available(need))
    if missing:
        verb = "failed" if required_names().intersection(missing) else "not run"
        return f"{verb}: this machine has no {', no '.join(missing)} (see eureka-tck doctor)", 0.0
    started = time.monotonic()
    try:
        code = subprocess.run(step.command, cwd=ROOT, check=False, timeout=step.budget).returncode
    except subprocess.TimeoutExpired:
        return f"failed: not done within {step.budget:g} s", time.monotonic() - started
    took = time.monotonic() - started
    return ("passed" if code == 0 else f"failed: exit code {code}"), took


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
    table: list[tuple[Step, str, float]] = []
    for number, step in enumerate(steps, 1):
        say(f"\n[{number}/{len(steps)}] {step.name}")
        outcome, took = run(step)
        table.append((step, outcome, took))
        say(f"[{number}/{len(steps)}] {step.name}: {outcome} ({took:.0f} s)")
    say("\nWhat ran, and how long it took:")
    for step, outcome, took in table:
        say(f"  {step.name:<40} {took:6.0f} s  {outcome}")
    passed = sum(outcome == "passed" for _, outcome, _ in table)
    failed = sum(outcome.startswith("failed") for _, outcome, _ in table)
    skipped = len(table) - passed - failed
    say(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


def say(line: str) -> None:
    """Print one line at once, so that it stands before what the step prints."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
