"""
`eureka-tck rejudge`: judge the stored history of a chaos run by today's promises.

The run's own report stays as it was; the new one lies in its folder `rejudged`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import msgspec

from eureka_tck.commands.console import say
from eureka_tck.commands.court import judge_run, tell
from eureka_tck.errors import CannotRun
from eureka_tck.promises.account import FILE, ChaosReport

FOLDER: Final = "rejudged"

EXAMPLES: Final = """\
examples:
  eureka-tck rejudge reports/latest                   the last chaos run

exit codes: as those of `eureka-tck chaos`
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "rejudge",
        help="judge the history of a chaos run again, by today's promises",
        description="Judge the history of a chaos run again, by today's promises.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, metavar="RUN", help="the folder of a chaos run")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    folder: Path = arguments.folder
    if not folder.is_dir():
        raise CannotRun(f"{folder} is not the folder of a run.", "Give one such as reports/latest.")
    before = _verdicts(folder / FILE)
    into = folder / FOLDER
    try:
        into.mkdir(exist_ok=True)
    except OSError as error:
        raise CannotRun(
            f"{into} cannot be made: {error.strerror or error}.",
            "The report of the new judgement goes there; copy the run to where it can be written.",
        ) from error
    report = judge_run(folder, into=into)
    tell(report, into / "index.html")
    for one in report.promises:
        name = one.judgement.promise
        if name in before and before[name] != one.verdict:
            say(f"{name} was {before[name]} when the run was made, and is {one.verdict} now.")
    return report.exit_code


def _verdicts(file: Path) -> dict[str, str]:
    """Return what the run itself said of each promise; nothing where it left no report."""
    try:
        report = msgspec.json.decode(file.read_bytes(), type=ChaosReport)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return {one.judgement.promise: one.verdict for one in report.promises}
