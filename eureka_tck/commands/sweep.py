"""`eureka-tck sweep`: remove what dead runs left behind."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from eureka_tck.commands.console import COULD_NOT_RUN, say
from eureka_tck.sweep import sweep

if TYPE_CHECKING:
    import argparse


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "sweep",
        help="remove processes, containers, networks and folders that dead runs left",
        description=(
            "Remove what runs left behind whose process is gone. "
            "Every run does this when it starts; reports are never touched."
        ),
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="also what living runs of this user hold: they will fail",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Sweep and say what was removed."""
    swept = sweep(everything=args.all)
    say(str(swept))
    for problem in swept.problems:
        sys.stderr.write(f"{problem}\n")
    return COULD_NOT_RUN if swept.problems else 0
