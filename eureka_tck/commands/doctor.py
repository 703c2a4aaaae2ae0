"""`eureka-tck doctor`: what this machine has, what each thing is needed for, how to bring it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from eureka_tck.commands.console import COULD_NOT_RUN
from eureka_tck.doctor import REQUIRED, examine

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from eureka_tck.doctor import Finding


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "doctor",
        help="say what this machine has, and how to bring what it lacks",
        description=(
            "Say what of this machine the suites can use, what each thing is needed for, "
            f"and the command that brings it. Exit code 3 if {REQUIRED} names an absent thing."
        ),
    )
    parser.set_defaults(run=run)


def run(_args: argparse.Namespace) -> int:
    """Print the findings."""
    findings = examine()
    sys.stdout.write(as_text(findings))
    return COULD_NOT_RUN if any(f.required and f.found is None for f in findings) else 0


def as_text(findings: Sequence[Finding]) -> str:
    """Return the findings as lines: what is here first, then what is missing."""
    width = max(len(finding.name) for finding in findings)
    lines: list[str] = []
    for finding in sorted(findings, key=lambda one: one.found is None):
        mark = "ok" if finding.found is not None else "--"
        lines.append(f"{mark} {finding.name:{width}}  {finding.found or finding.problem}")
        if finding.found is None:
            needed = f"needed for {finding.needed_for}"
            if finding.required:
                needed += f"; {REQUIRED} names it"
            lines += [f"   {'':{width}}  {needed}", f"   {'':{width}}  $ {finding.way_out}"]
    absent = sum(finding.found is None for finding in findings)
    lines += ["", "Everything is here." if not absent else f"{absent} of {len(findings)} missing."]
    lines.append("The Python registry on the process backend needs none of them.")
    return "\n".join(lines) + "\n"
