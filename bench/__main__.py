"""The command `python -m bench`; `make bench` runs it."""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import psutil

from bench import table, trial
from bench.rows import ROWS
from bench.workbench import Workbench
from eureka_tck.clock import utc_now
from eureka_tck.commands.console import COULD_NOT_RUN, STOPPED, Parser
from eureka_tck.errors import CannotRun
from eureka_tck.run import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.row import Row

SCHEMA = 1
FILE = "bench.json"
_EPILOG = """\
Each row measures two servers in turn (A B A B …), by the processor seconds of the server,
with the server on one core and the generator on the other.
The ratio is the median of the rounds, the spread the width of their middle half.
A row whose rounds differ by more than 15 % is measured again, up to three times.

exit codes: 0 every row was printed and met its goal   1 a row did not, or was unsteady
            3 it could not be run
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    arguments = _parser().parse_args(argv)
    if arguments.list:
        for row in ROWS:
            _say(f"{row.name:13} {row.what} | {row.against}")
        return 0
    try:
        return _measure(_chosen(arguments.only), arguments.out.resolve(), quick=arguments.quick)
    except CannotRun as error:
        sys.stderr.write(f"bench: {error}\n")
        return COULD_NOT_RUN
    except KeyboardInterrupt:
        return STOPPED


def _measure(rows: Sequence[Row], out: Path, *, quick: bool) -> int:
    run = Run.create("bench", "python", out)
    results: list[trial.Result] = []
    missing: dict[str, str] = {}
    with run.owned(), Workbench(run, quick=quick) as bench:
        for row in rows:
            bench.check(row.tools)
        _say(table.header())
        for row in rows:
            try:
                results.append(trial.measure(row, bench, say=_progress))
            except CannotRun as error:
                missing[row.name] = str(error)
                _say(f"{row.name:13} not measured: {error}")
            else:
                _say(table.line(results[-1]))
    met = not missing and all(result.verdict == "met" for result in results)
    document = table.Document(
        schema=SCHEMA,
        at=utc_now(),
        machine=_machine(),
        quick=quick,
        met=met,
        rows=results,
        not_measured=missing,
    )
    path = run.folder / FILE
    path.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
    (run.folder / "bench.txt").write_text(
        "\n".join([table.header(), *(table.line(result) for result in results), ""]), "utf-8"
    )
    _say(f"\n{path}")
    if quick:
        _say("A quick bench shows that it works; its figures say nothing.")
    return 0 if met else 1


def _chosen(names: Sequence[str]) -> list[Row]:
    known = {row.name: row for row in ROWS}
    for name in names:
        if name not in known:
            raise CannotRun(f"there is no row {name!r}.", f"The rows are {', '.join(known)}.")
    return [row for row in ROWS if not names or row.name in names]


def _machine() -> dict[str, str]:
    return {
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": str(psutil.cpu_count()),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "python": platform.python_version(),
    }


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _progress(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="bench",
        description="Measure what the Python registry costs beside the Java reference and nginx.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="ROW", help="this row; may be repeated"
    )
    parser.add_argument("--list", action="store_true", help="print the rows and end")
    parser.add_argument(
        "--quick", action="store_true", help="two short rounds a row: for trying, not for figures"
    )
    parser.add_argument("--out", type=Path, default=Path("reports"), metavar="DIR")
    return parser


if __name__ == "__main__":
    sys.exit(main())
