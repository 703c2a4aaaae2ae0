"""`eureka-tck catalogue`: the requirements as text, or as one page with the tests of each."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eureka_tck.commands.console import say, words
from eureka_tck.errors import CannotRun
from eureka_tck.report.catalogue_page import notes_of, write_catalogue
from eureka_tck.report.figures import counted
from eureka_tck.report.model import LEVELS
from eureka_tck.suite import expectations_file, requirements_folder, suite_root
from eureka_tck.targets import JAVA_TARGETS
from eureka_tck.verdict.catalogue import Catalogue, Requirement, load_catalogue
from eureka_tck.verdict.collection import collect
from eureka_tck.verdict.expectations import load_expectations
from eureka_tck.verdict.plan import SUITE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from eureka_tck.verdict.selection import Claim

WIDTH: Final = 100
INDENT: Final = " " * 21

PAGE: Final = Path("reports") / "catalogue.html"


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
    parser.add_argument(
        "--html",
        nargs="?",
        type=Path,
        const=PAGE,
        metavar="FILE",
        help=f"write all of it as one page, with the tests of each row (default: {PAGE})",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the rows and return 0."""
    catalogue = load_catalogue(requirements_folder())
    levels = {level.upper() for level in arguments.level}
    if unknown := levels - set(LEVELS):
        raise CannotRun(f"--level {min(unknown)}: levels are {', '.join(LEVELS)}.")
    if arguments.html is not None:
        return _write(arguments.html, catalogue)
    wanted = {word.upper() for word in arguments.rows}
    _check(wanted, catalogue)
    rows = [
        row
        for row in catalogue
        if (not wanted or {row.id, row.chapter} & wanted) and (not levels or row.level in levels)
    ]
    claims = collect(suite_root() / SUITE) if wanted or arguments.long else ()
    for line in _lines(rows, catalogue, wanted, claims, long=arguments.long):
        say(line)
    return 0


def _write(file: Path, catalogue: Catalogue) -> int:
    suite = suite_root() / SUITE
    deviations = {
        target: load_expectations(expectations_file(target), catalogue) for target in JAVA_TARGETS
    }
    write_catalogue(file, catalogue, collect(suite), suite, deviations)
    say(f"Catalogue  {file}")
    return 0


def _check(wanted: set[str], catalogue: Catalogue) -> None:
    known = {file.prefix for file in catalogue.files}
    for word in sorted(wanted):
        if word not in catalogue and word not in known:
            raise CannotRun(
                f"{word} is no row and no chapter.", f"Chapters are {', '.join(sorted(known))}."
            )


def _lines(
    rows: list[Requirement],
    catalogue: Catalogue,
    named: set[str],
    claims: Sequence[Claim],
    *,
    long: bool,
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
            yield from _wrapped(row.text, f"{row.id:<12} {row.level:<6}  ", INDENT)
            if long or row.id in named:
                own = [claim for claim in claims if row.id in claim.requirements]
                for note in notes_of(row, catalogue, own, {}):
                    yield from _wrapped(f"{note.name}: {note.text}", INDENT, INDENT + "  ")
                said = {claim.test.split("[")[0]: claim.docstring for claim in own}
                for test, docstring in said.items():
                    yield from _wrapped(f"Test: {docstring} ({test})", INDENT, INDENT + "  ")
        yield ""
    yield counted(len(rows), "row") + ", ".join(
        ["", *(f"{sum(row.level == level for row in rows)} {level}" for level in LEVELS)]
    )


def _wrapped(text: str, first: str, others: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
