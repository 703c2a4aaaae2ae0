"""Runs of the judge on wrong registries, all at the same time, and what each left."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import pytest


@dataclass(frozen=True, slots=True)
class Trial:
    """A run that is over: its exit code, what it said, and the folder its runs went to."""

    code: int
    said: str
    out: Path

    def report(self) -> bytes:
        """Return the report of its only run."""
        (folder,) = (self.out / "runs").iterdir()
        return (folder / "report.json").read_bytes()


def try_all(
    saboteurs: Iterable[str],
    words: Callable[[str], Sequence[str]],
    budget: float,
    folders: pytest.TempPathFactory,
) -> dict[str, Trial]:
    """
    Run `eureka-tck` on every saboteur, with the words that belong to it.

    All go on side by side: each needs few processor seconds and waits for most of its own.
    `budget` are the real seconds that one of them may take.
    """
    children: dict[str, tuple[Path, subprocess.Popen[str]]] = {}
    found: dict[str, Trial] = {}
    try:
        for name in saboteurs:
            out = folders.mktemp(name)
            command = [sys.executable, "-m", "eureka_tck.cli", *words(name), "--out", str(out)]
            child = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            children[name] = out, child
        for name, (out, child) in children.items():
            said, _ = child.communicate(timeout=budget)
            found[name] = Trial(child.returncode, said, out)
    finally:
        for _, child in children.values():
            child.kill()
    return found


def programs(folder: Path) -> set[str]:
    """Return the names of the wrong registries in a folder: all its programs but tests."""
    return {path.stem for path in folder.glob("*.py") if not path.stem.startswith("test_")}
