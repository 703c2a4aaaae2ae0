"""
A gate many times in a row, and what it said each time: `python tests/repeat.py --times 20`.

With `--busy` every core has a process beside it that only burns, as on a shared runner.
The counts go into `reports/`; a judge that changes its mind is no judge.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eureka_tck.report.store import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eureka_tck.report.model import Report

# A gate that is not done by then hangs; a busy machine was seen to need three minutes.
GATE_BUDGET: Final = 900.0
BURN: Final = (sys.executable, "-c", "while True: pass")
TITLE: Final = "# Does the judge change its mind?"
WORST: Final = ("failed", "unexpected pass", "inconclusive")


@contextmanager
def burning(processes: int) -> Iterator[None]:
    """Keep so many cores busy, and end the burners by their pids."""
    burners = [subprocess.Popen(BURN) for _ in range(processes)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def gate(target: str, out: Path) -> tuple[int, float, Report | None]:
    """Run one gate; return exit code, real seconds and the report, None if there is none."""
    started = time.monotonic()
    code = subprocess.run(
        [
            *(sys.executable, "-m", "eureka_tck.cli", "gate"),
            *("--target", target, "--out", str(out)),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=GATE_BUDGET,
    ).returncode
    took = time.monotonic() - started
    path = out / "latest" / "report.json"
    return code, took, load(path) if path.is_file() else None


def line(number: int, code: int, took: float, report: Report | None) -> str:
    """Return one line of the table."""
    if report is None:
        return f"| {number} | {code} | {took:.0f} | no report | | |"
    judged = [row for row in report.rows if row.verdict is not None]
    wrong = [f"{row.id} {row.verdict}" for row in judged if row.verdict in WORST]
    late = max((test.result.lateness or 0.0 for row in judged for test in row.tests), default=0.0)
    again = sum(test.result.attempt > 1 for row in judged for test in row.tests)
    return (
        f"| {number} | {code} | {took:.0f} | {len(judged)} | {late:.2f} | {again} | "
        f"{', '.join(wrong) or 'none'} |"
    )


def tell(lines: Sequence[str], to: Path | None) -> None:
    """Print lines at once, and append them to the file, so that nothing is lost when stopped."""
    text = "\n".join(lines) + "\n"
    sys.stdout.write(text)
    sys.stdout.flush()
    if to is not None:
        with to.open("a", encoding="utf-8") as file:
            file.write(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the gates, print the table as it grows, and write it to the given file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="python")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--busy", action="store_true", help="with every core kept busy")
    parser.add_argument("--to", type=Path, help="append the table to this file")
    options = parser.parse_args(arguments)
    cores = os.cpu_count() or 1
    lines = [
        "",
        f"## {options.times} gates in a row on {options.target}, "
        + (f"{cores} processes burning beside them" if options.busy else "idle machine"),
        f"{cores} cores, {platform.system()}, Python {platform.python_version()}.",
        "Latest: the worst lateness of the harness, in registry seconds.",
        "",
        "| gate | exit | seconds | rows judged | latest | judged twice | not as it should be |",
        "|---|---|---|---|---|---|---|",
    ]
    if options.to is not None and not options.to.exists():
        lines.insert(0, TITLE)
    codes = []
    with tempfile.TemporaryDirectory() as folder, burning(cores if options.busy else 0):
        tell(lines, options.to)
        for number in range(1, options.times + 1):
            code, took, report = gate(options.target, Path(folder) / str(number))
            codes.append(code)
            tell([line(number, code, took, report)], options.to)
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
