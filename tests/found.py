"""
What the judge found, as tables: made from the expectations of the current reference.

    python tests/found.py      writes README's table of the worst, and reports/found.md with all

A test compares both with the expectations, so that neither can outlive them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eureka_tck.suite import expectations_file, requirements_folder
from eureka_tck.verdict.catalogue import load_catalogue
from eureka_tck.verdict.expectations import load_expectations

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.report.model import Expectation
    from eureka_tck.verdict.catalogue import Catalogue

ROOT: Final = Path(__file__).parent.parent
README: Final = ROOT / "README.md"
ALL: Final = ROOT / "reports" / "found.md"
REFERENCE: Final = "java:5.0.3"
FILE: Final = "java-5.0.3.toml"

WORST: Final = (
    *("HARDEN-10", "HARDEN-04", "HARDEN-08", "HARDEN-09", "WIRE-14"),
    *("CACHE-07", "REPL-14", "REPL-16", "CACHE-11"),
)
"""What takes a registry down, empties its lists or loses changes comes first."""

IN_README: Final = 12
FACTS: Final = 2
"""So many sentences a cell has in the README; the other table has all."""
BEGIN: Final = "<!-- what it found: written by tests/found.py -->\n"
END: Final = "<!-- end of what it found -->\n"
HEAD: Final = ("| row | what it gets wrong | who is hurt |", "|---|---|---|")


def found(facts: int | None = None) -> list[str]:
    """Return the lines of the whole table, worst first, with so many sentences a cell, or all."""
    catalogue = load_catalogue(requirements_folder())
    entries: dict[str, list[Expectation]] = {}
    for entry in load_expectations(expectations_file(REFERENCE), catalogue):
        if entry.kind == "known deviation" and catalogue[entry.requirement].level != "REF":
            entries.setdefault(entry.requirement, []).append(entry)
    return [_line(row, entries[row], facts) for row in sorted(entries, key=_rank(catalogue))]


def readme_block() -> str:
    """Return what stands between the marks of the README."""
    lines = found(FACTS)
    more = len(lines) - IN_README
    rest = f"\n{more} more, and the rest of these, stand in [reports/found.md](reports/found.md).\n"
    return "\n".join([*HEAD, *lines[:IN_README]]) + "\n" + rest


def page(lines: list[str]) -> str:
    """Return the whole of reports/found.md."""
    said = (
        f"# What `{REFERENCE}` gets wrong",
        "",
        f"{len(lines)} requirements, worst first, then by chapter.",
        f"Each is shown by `eureka-tck gate --target {REFERENCE} --select ROW`;",
        "its page has what was sent and seen, and the test must fail in just this way.",
        f"Written by `python tests/found.py` from `fixtures/expectations/{FILE}`.",
        "",
    )
    return "\n".join([*said, *HEAD, *lines]) + "\n"


def _rank(catalogue: Catalogue) -> Callable[[str], tuple[int, int, int]]:
    order = {row.id: at for at, row in enumerate(catalogue)}
    levels = {"MUST": 0, "SHOULD": 1}

    def rank(row: str) -> tuple[int, int, int]:
        worst = WORST.index(row) if row in WORST else len(WORST)
        return worst, levels[catalogue[row].level], order[row]

    return rank


def _line(row: str, entries: list[Expectation], facts: int | None) -> str:
    reasons = dict.fromkeys(_one_line(entry.reason) for entry in entries)
    harms = dict.fromkeys(_one_line(entry.hurts) for entry in entries if entry.hurts)
    wrong, hurts = " ".join([*reasons][:facts]), " ".join([*harms][:facts])
    sometimes = all(entry.frequency == "sometimes" for entry in entries)
    return f"| {row} | {wrong}{' (A race: sometimes.)' if sometimes else ''} | {hurts} |"


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> int:
    """Write both."""
    lines = found()
    text = README.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{BEGIN}{readme_block()}{END}{after}", "utf-8")
    ALL.write_text(page(lines), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
