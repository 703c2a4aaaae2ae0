"""`eureka-tck catalogue`: the requirements as text."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from eureka_tck.commands.common import say, words
from eureka_tck.errors import CannotRun
from eureka_tck.report.figures import counted
from eureka_tck.report.model import LEVELS
from eureka_tck.suite import requirements_folder
from eureka_tck.verdict.catalogue import Catalogue, Requirement, load_catalogue

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

WIDTH: Final = 100
INDENT: Final = " " * 21

NOTES: Final = {
    "why": "Why",
    "deviation": "Java reference deviates",
    "spring": "Spring",
    "reference": "Java reference",
    "notes": "Note",
    "source": "Source",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "catalogue",
        help="print the requirements",
        description="Print the requirements: what a registry, or a client, must do.",
    )
    parser.add_argument(
        "rows",
        nargs="*",
        metavar="ROW|CHAPTER",
        help="EVICT-03 or EVICT; a row that is named is printed with all that is known of it",
    )
    parser.add_argument(
        "--level", type=words, default=(), metavar="LEVELS", help="MUST, SHOULD, REF, by commas"
    )
    parser.add_argument("--long", action="store_true", help="why it matters, how Spring reads it")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the rows and return 0."""
    catalogue = load_catalogue(requirements_folder())
    levels = {level.upper() for level in arguments.level}
    if unknown := levels - set(LEVELS):
        raise CannotRun(f"--level {min(unknown)}: levels are {', '.join(LEVELS)}.")
    wanted = {word.upper() for word in arguments.rows}
    _check(wanted, catalogue)
    rows = [
        row
        for row in catalogue
        if (not wanted or {row.id, row.chapter} & wanted) and (not levels or row.level in levels)
    ]
    for line in _lines(rows, catalogue, wanted, long=arguments.long):
        say(line)
    return 0


def _check(wanted: set[str], catalogue: Catalogue) -> None:
    known = {file.prefix for file in catalogue.files}
    for word in sorted(wanted):
        if word not in catalogue and word not in known:
            raise CannotRun(
                f"{word} is no row and no chapter.", f"Chapters are {', '.join(sorted(known))}."
            )


def _lines(
    rows: list[Requirement], catalogue: Catalogue, named: set[str], *, long: bool
) -> Iterator[str]:
    for file in catalogue.files:
        chapter = [row for row in rows if row.chapter == file.prefix]
        if not chapter:
            continue
        yield f"{file.title} ({file.prefix})"
        if file.legend:
            yield from textwrap.wrap(file.legend, WIDTH)
        yield ""
        for row in chapter:
            yield from _row_lines(row, whole=long or row.id in named)
        yield ""
    yield counted(len(rows), "row") + ", ".join(
        ["", *(f"{sum(row.level == level for row in rows)} {level}" for level in LEVELS)]
    )


def _row_lines(row: Requirement, *, whole: bool) -> Iterator[str]:
    yield from textwrap.wrap(
        row.text,
        WIDTH,
        initial_indent=f"{row.id:<12} {row.level:<6}  ",
        subsequent_indent=INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
    if whole:
        for key, label in NOTES.items():
            if text := getattr(row, key):
                yield from textwrap.wrap(
                    f"{label}: {text}",
                    WIDTH,
                    initial_indent=INDENT,
                    subsequent_indent=INDENT + "  ",
                    break_long_words=False,
                    break_on_hyphens=False,
                )
