"""
A run: one command of the judge, with its label, its folder and its seed.

All that a run starts or makes is written into its ledger (`ledger.py`) under its id,
and every child process carries the id in its environment,
so that nothing is left behind even if the run itself is killed.
"""

from __future__ import annotations

import re
import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.clock import utc_stamp
from eureka_tck.errors import CannotRun
from eureka_tck.ledger import Ledger
from eureka_tck.signals import heeded
from eureka_tck.sweep import remove_run, sweep

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Run:
    """One command of the judge: `id` labels all that it makes, `folder` keeps its evidence."""

    id: str
    folder: Path
    seed: int

    @classmethod
    def create(cls, suite: str, target: str, out: Path, seed: int | None = None) -> Run:
        """
        Sweep what dead runs left, make the run's folder below `out`, point `latest` at it.

        The calling process owns the run: when it is dead, the run is dead.
        """
        sweep()
        identity = secrets.token_hex(4)
        folder = _make_folder(out, f"{utc_stamp()}-{suite}-{_as_file_name(target)}", identity)
        Ledger.create(identity)
        return cls(identity, folder, secrets.randbelow(2**31) if seed is None else seed)

    @classmethod
    def join(cls, identity: str, folder: Path, seed: int) -> Run:
        """Return the run of a parent process, for a worker of it."""
        return cls(identity, folder, seed)

    @property
    def ledger(self) -> Ledger:
        """The list of all that this run has made and must take away."""
        return Ledger(self.id)

    def close(self) -> None:
        """Remove all that is left of this run but its folder; only its owner may call this."""
        remove_run(self.ledger)

    @contextmanager
    def owned(self) -> Iterator[Run]:
        """Close the run on leaving, also when this process is told to end."""
        with heeded():
            try:
                yield self
            finally:
                self.close()


def _make_folder(out: Path, name: str, identity: str) -> Path:
    runs = out / "runs"
    try:
        runs.mkdir(parents=True, exist_ok=True)
        folder = runs / name
        try:
            folder.mkdir()
        except FileExistsError:  # two runs of one second
            folder = runs / f"{name}-{identity}"
            folder.mkdir()
        _point(out / "latest", folder, identity)
    except OSError as error:
        raise CannotRun(
            f"the folder of the run cannot be made below {out}: {error.strerror or error}.",
            "Name a folder that can be written to: --out DIR.",
        ) from error
    return folder


def _point(link: Path, folder: Path, identity: str) -> None:
    """Point the link at the folder in one step, so that no reader finds it missing."""
    fresh = link.with_name(f".latest-{identity}")
    fresh.symlink_to(folder.relative_to(link.parent), target_is_directory=True)
    fresh.replace(link)


def _as_file_name(target: str) -> str:
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", target).strip("-.")[:80]
