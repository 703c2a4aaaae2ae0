"""
Speed changes no verdict: one gate at each of several speeds, compared test by test.

    python tests/speeds.py                         the Python registry at 1, 10 and its default
    python tests/speeds.py --target java:5.0.3

At speed 1 a registry's minute takes a minute: this is for the night. Exit code 1 where a test's
verdict differs, 2 where nothing differs but something was inconclusive, 3 where a gate broke off.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eureka_tck.report.store import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT: Final = Path(__file__).parent.parent
SPEEDS: Final = ("1", "10", "")
"""Real time, ten times as fast, and what the target does by itself."""

GATE_BUDGET: Final = 7200.0
JUDGED: Final = {0, 1, 2}
"""Exit codes of a gate that ran to its end."""

SILENT: Final = {"inconclusive", "not applicable"}
"""Verdicts that say nothing: a profile's own speed limit may decide whether a row can be shown."""

Verdicts = dict[tuple[str, str], str]


def verdicts(target: str, speed: str, words: Sequence[str]) -> Verdicts:
    """Run a gate and return what each test said of each row."""
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(
            [
                *(sys.executable, "-m", "eureka_tck.cli", "gate", "--target", target),
                *("--out", folder, "--seed", "1"),
                *(["--speed", speed] if speed else []),
                *words,
            ],
            cwd=ROOT,
            check=False,
            timeout=GATE_BUDGET,
        )
        if ended.returncode not in JUDGED:
            sys.stderr.write(f"the gate of {target} at speed {speed or 'by default'} broke off\n")
            sys.exit(3)
        report = load(Path(folder) / "latest")
    return {(row.id, test.result.id): test.verdict for row in report.rows for test in row.tests}


def differences(found: Mapping[str, Verdicts]) -> list[str]:
    """Return a line for each test that has several verdicts which say something."""
    lines = []
    for key in sorted({key for one in found.values() for key in one}):
        said = {speed: one.get(key, "not run") for speed, one in found.items()}
        if len({verdict for verdict in said.values() if verdict not in SILENT}) > 1:
            told = ", ".join(f"{verdict} at {speed}" for speed, verdict in said.items())
            lines.append(f"{key[0]} {key[1]}: {told}")
    return lines


def silences(found: Mapping[str, Verdicts]) -> list[str]:
    """Return a line for each inconclusive test."""
    return [
        f"{row} {test}: inconclusive at {speed}"
        for speed, one in found.items()
        for (row, test), verdict in sorted(one.items())
        if verdict == "inconclusive"
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the gates, print what differs, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="python")
    options, words = parser.parse_known_args(arguments)
    found = {
        f"speed {speed}" if speed else "the default": verdicts(options.target, speed, words)
        for speed in SPEEDS
    }
    different, silent = differences(found), silences(found)
    sys.stdout.writelines(f"{line}\n" for line in [*different, *silent])
    tests = len({key for one in found.values() for key in one})
    sys.stdout.write(
        f"{options.target}: {tests} verdicts at {len(found)} speeds, {len(different)} differ, "
        f"{len(silent)} inconclusive\n"
    )
    if different:
        return 1
    return 2 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
