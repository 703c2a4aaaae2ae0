"""
The ledger of a run: what it has started and made, so that it can be taken away by somebody else.

One file of JSON lines a run, in the user's state folder, written by the run and all its workers.
A line is written before or right after its thing exists; a thing that died meanwhile is no harm.
It knows nothing of how things are removed (`sweep.py`).
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

import msgspec
import platformdirs
import psutil

from eureka_tck.errors import CannotRun

RUN_VARIABLE = "EUREKA_TCK_RUN"  # in the environment of every process a run starts
DOCKER_LABEL = "eureka-tck.run"  # on every container and network a run makes
SAME_START = 1.0  # s: the kernel counts in 1/100 s, psutil adds a boot time that may be adjusted


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: an owner, a process, a folder, or the fact that the Docker engine was used."""

    kind: str
    pid: int = 0
    started: float = 0.0
    host: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The list of one run, by its id."""

    run: str

    @classmethod
    def create(cls, run: str) -> Ledger:
        """Open the list of a run that this process owns."""
        ledger = cls(run)
        pid = os.getpid()
        owner = Entry("owner", pid=pid, started=start_of(pid) or 0.0, host=platform.node())
        try:
            ledger.path.parent.mkdir(parents=True, exist_ok=True)
            ledger._write(owner)
        except OSError as error:
            raise CannotRun(
                f"what a run starts cannot be recorded in {folder()}: {error.strerror or error}.",
                "Set XDG_STATE_HOME to a folder that can be written to.",
            ) from error
        return ledger

    @classmethod
    def all(cls) -> list[Ledger]:
        """Return the lists of all runs that have not been closed, oldest first."""
        return [cls(path.stem) for path in sorted(folder().glob("*.jsonl"))]

    @property
    def path(self) -> Path:
        """The file that holds the list."""
        return folder() / f"{self.run}.jsonl"

    def process(self, pid: int) -> None:
        """Record a process of this machine."""
        started = start_of(pid)
        if started is not None:
            self._write(Entry("process", pid=pid, started=started))

    def folder(self, path: Path) -> None:
        """Record a temporary folder; the run's own folder of evidence is not one."""
        self._write(Entry("folder", path=str(path)))

    def docker(self) -> None:
        """Record that containers or networks with this run's label may exist."""
        self._write(Entry("docker"))

    def entries(self) -> list[Entry]:
        """Return all lines; one cut short by a kill is left out."""
        try:
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        return [entry for line in lines if (entry := _read(line)) is not None]

    def is_orphaned(self) -> bool:
        """Say whether the process that owns the run is gone (of this machine: never of another)."""
        owners = [entry for entry in self.entries() if entry.kind == "owner"]
        if any(owner.host != platform.node() for owner in owners):
            return False
        return not any(is_same_process(owner.pid, owner.started) for owner in owners)

    def forget(self) -> None:
        """Remove the list itself, when all that it names is gone."""
        self.path.unlink(missing_ok=True)

    def _write(self, entry: Entry) -> None:
        # One write of a line to a file opened for appending: workers' lines do not mix.
        with self.path.open("ab", buffering=0) as file:
            file.write(msgspec.json.encode(entry) + b"\n")


def folder() -> Path:
    """Return the folder of all ledgers of this user."""
    return state_folder() / "runs"


def state_folder() -> Path:
    """Return the folder of what runs of this user must know of each other."""
    return Path(platformdirs.user_state_dir("eureka-tck"))


def start_of(pid: int) -> float | None:
    """Return when the process was started (unix s), None if there is none."""
    try:
        return psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        return None


def is_same_process(pid: int, started: float) -> bool:
    """Say whether this process still runs: the same pid may belong to another by now."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return abs(process.create_time() - started) < SAME_START
    except psutil.NoSuchProcess:
        return False


def _read(line: bytes) -> Entry | None:
    try:
        return msgspec.json.decode(line, type=Entry)
    except msgspec.DecodeError:
        return None
