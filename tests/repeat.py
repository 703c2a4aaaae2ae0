"""
Gates many times in a row, and what they said each time: `python tests/repeat.py`.

The whole series is SERIES, idle first; `--part "java busy"` runs the parts whose name holds all
of these words. What was run stands in `reports/stability.jsonl`, one line a gate, so that a series
that was stopped goes on where it was; `--fresh` forgets the chosen parts first. After each gate
`reports/stability.md` is written anew.
In a busy part every core has a process beside it that only burns, as on a shared runner.
A judge that changes its mind is no judge.
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

import msgspec

from eureka_tck.report.store import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eureka_tck.report.model import RowVerdict

ROOT: Final = Path(__file__).parent.parent
STATE: Final = ROOT / "reports" / "stability.jsonl"
PAGE: Final = ROOT / "reports" / "stability.md"

# A gate that is not done by then hangs: the longest, on busy cores, was seen to need ten minutes.
GATE_BUDGET: Final = 1800.0
BURN: Final = (sys.executable, "-c", "while True: pass")
WORST: Final = ("failed", "unexpected pass")
INCONCLUSIVE_AT_MOST: Final = 0.02
"""Of the judged rows of a gate on busy cores; on an idle machine none may be."""


def is_wrong(row: RowVerdict) -> bool:
    """Say whether a row is not as it should be; REF rows are only observed, but must be judged."""
    return row.verdict == "inconclusive" or (row.level != "REF" and row.verdict in WORST)


class Part(msgspec.Struct, frozen=True):
    """So many gates of one target in a row."""

    target: str
    times: int
    busy: bool = False

    @property
    def name(self) -> str:
        """What `--part` chooses by."""
        return f"{self.target} {'busy' if self.busy else 'idle'}"


class Gate(msgspec.Struct, frozen=True):
    """What one gate said; `wrong` names rows that are not as they should be, and their verdicts."""

    part: str
    code: int
    seconds: float
    judged: int
    latest: float
    again: int
    wrong: tuple[str, ...]
    commit: str

    def is_kept(self, *, busy: bool) -> bool:
        """Whether it is what the part demands."""
        if not busy:
            return self.code == 0
        silent = sum(row.endswith("inconclusive") for row in self.wrong)
        loud = len(self.wrong) - silent
        return self.code in {0, 2} and not loud and silent <= INCONCLUSIVE_AT_MOST * self.judged


SERIES: Final = (
    Part("python", 20),
    Part("java:5.0.3", 5),
    Part("java:4.3.0", 3),
    Part("python", 10, busy=True),
    Part("java:5.0.3", 3, busy=True),
    Part("java:4.3.0", 2, busy=True),
)
"""Idle ones first; half as many again with every core busy."""


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


def gate(part: Part, out: Path, commit: str) -> Gate:
    """Run one gate."""
    started = time.monotonic()
    try:
        code = subprocess.run(
            [
                *(sys.executable, "-m", "eureka_tck.cli", "gate"),
                *("--target", part.target, "--out", str(out)),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            cwd=ROOT,
            timeout=GATE_BUDGET,
        ).returncode
    except subprocess.TimeoutExpired:
        code = -1
    took = time.monotonic() - started
    path = out / "latest" / "report.json"
    if not path.is_file():
        return Gate(part.name, code, took, 0, 0.0, 0, ("no report",), commit)
    judged = [row for row in load(path).rows if row.verdict is not None]
    tests = [test.result for row in judged for test in row.tests]
    return Gate(
        part.name,
        code,
        took,
        len(judged),
        max((test.lateness or 0.0 for test in tests), default=0.0),
        len({test.id for test in tests if test.attempt > 1}),
        tuple(f"{row.id} {row.verdict}" for row in judged if is_wrong(row)),
        commit,
    )


def read(state: Path) -> list[Gate]:
    """Return what has been run so far."""
    if not state.is_file():
        return []
    return [msgspec.json.decode(line, type=Gate) for line in state.read_bytes().splitlines()]


def page(gates: Sequence[Gate]) -> str:
    """Return the whole page: a table of the parts, then each part gate by gate."""
    cores, python = os.cpu_count() or 1, f"Python {platform.python_version()}"
    lines = [
        "# Does the judge change its mind?",
        "",
        f"Full gates in a row, {cores} cores, {platform.system()}, {python};",
        f"busy: {cores} processes burn beside them.",
        "Idle, each must exit 0 with no row inconclusive;",
        f"busy, no row may fail and at most {INCONCLUSIVE_AT_MOST:.0%} may be inconclusive.",
        "Written by `make stability`.",
        "",
        "| part | gates | as demanded | seconds | rows judged | rows inconclusive |",
        "|---|---|---|---|---|---|",
    ]
    for part in SERIES:
        own = [one for one in gates if one.part == part.name]
        if not own:
            lines.append(f"| {part.name} | 0 of {part.times} | – | – | – | – |")
            continue
        kept = sum(one.is_kept(busy=part.busy) for one in own)
        silent = sum(row.endswith("inconclusive") for one in own for row in one.wrong)
        seconds = f"{min(o.seconds for o in own):.0f} to {max(o.seconds for o in own):.0f}"
        lines.append(
            f"| {part.name} | {len(own)} of {part.times} | {kept} | {seconds} | "
            f"{max(one.judged for one in own)} | {silent} |"
        )
    for part in SERIES:
        own = [one for one in gates if one.part == part.name]
        if own:
            lines += ["", f"## {part.name}", "", *_table(own)]
    return "\n".join(lines) + "\n"


def _table(gates: Sequence[Gate]) -> Iterator[str]:
    yield "Latest: the worst lateness of the harness, in registry seconds."
    yield ""
    head = ("gate", "exit", "seconds", "rows judged", "latest", "judged again", "wrong", "commit")
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for number, one in enumerate(gates, 1):
        yield (
            f"| {number} | {one.code} | {one.seconds:.0f} | {one.judged} | {one.latest:.2f} | "
            f"{one.again} | {', '.join(one.wrong) or 'none'} | {one.commit} |"
        )


def commit_of(folder: Path) -> str:
    """Return the commit that is judged, or nothing outside of a checkout."""
    said = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607 - of PATH, as everywhere
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return said.stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing of the chosen parts; return 1 where a gate was not as demanded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="", help="words that a part's name must hold")
    parser.add_argument("--fresh", action="store_true", help="forget the chosen parts first")
    parser.add_argument("--list", action="store_true", help="print the parts and stop")
    options = parser.parse_args(arguments)
    parts = [part for part in SERIES if all(word in part.name for word in options.part.split())]
    if options.list or not parts:
        sys.stdout.writelines(f"{part.name}: {part.times} gates\n" for part in SERIES)
        return 0 if parts else 3
    gates = read(STATE)
    if options.fresh:
        gates = [one for one in gates if one.part not in {part.name for part in parts}]
        STATE.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in gates))
    commit = commit_of(ROOT)
    for part in parts:
        done = sum(one.part == part.name for one in gates)
        with burning((os.cpu_count() or 1) if part.busy and done < part.times else 0):
            for number in range(done + 1, part.times + 1):
                with tempfile.TemporaryDirectory() as folder:
                    gates.append(one := gate(part, Path(folder), commit))
                with STATE.open("ab") as file:
                    file.write(msgspec.json.encode(one) + b"\n")
                PAGE.write_text(page(gates), "utf-8")
                wrong = ", ".join(one.wrong) or "all as it should be"
                sys.stdout.write(
                    f"{part.name} {number}/{part.times}: exit {one.code}, {one.seconds:.0f} s, "
                    f"{one.judged} rows, {wrong}\n"
                )
                sys.stdout.flush()
    busy = {part.name: part.busy for part in parts}
    kept = all(one.is_kept(busy=busy[one.part]) for one in gates if one.part in busy)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
