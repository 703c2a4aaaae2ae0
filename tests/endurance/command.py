"""What the commands of endurance share: how clients behave, arguments, a run, and its verdict."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from eureka_tck.errors import CannotRun
from eureka_tck.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.node import Node

INTERVAL: Final = 30.0  # registry s between two renewals of an instance: eureka-client's default
DURATION: Final = 90.0  # registry s of a lease: what the samples register


class Figures(Protocol):
    """What a command found."""

    def summary(self) -> str:
        """Return the figures in one line."""

    def faults(self) -> list[str]:
        """Return what was not as it must be, as sentences."""


def command(
    name: str,
    description: str,
    play: Callable[[Run, argparse.Namespace, Callable[[str], None]], Figures],
    options: Callable[[argparse.ArgumentParser], None],
    *,
    speed: float,
) -> int:
    """Run a command and print what it found; return its exit code: 1 if there are faults."""
    parser = argparse.ArgumentParser(description=description.strip().partition("\n\n")[0])
    options(parser)
    parser.add_argument(
        "--speed", type=float, default=speed, help=f"registry s in a real one ({speed:g})"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("reports"))
    given = parser.parse_args()
    with Run.create(name, "python", given.out, given.seed).owned() as run:
        figures = play(run, given, _say)
    _say(f"At speed {given.speed:g}, {figures.summary()}")
    faults = figures.faults()
    for fault in faults[:20]:
        _say(f"WRONG: {fault}")
    return 1 if faults else 0


def metric(node: Node, name: str) -> float:
    """Return a figure that a node tells of itself."""
    found = re.search(rf"^{re.escape(name)} ([0-9.e+-]+)$", node.fetch("/metrics"), re.MULTILINE)
    if found is None:
        raise CannotRun(f"/metrics does not tell {name}.")
    return float(found[1])


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a command's progress and figures
