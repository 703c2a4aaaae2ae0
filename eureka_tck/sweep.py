"""
The sweep: remove what dead runs left behind, processes, containers, networks and folders.

It runs at the start of every run and as `eureka-tck sweep`.
A run is dead when the process that owns it is; the things of a living run are never touched
unless `everything` is asked for.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import psutil

from eureka_tck.clock import Patience
from eureka_tck.ledger import DOCKER_LABEL, RUN_VARIABLE, Entry, Ledger, is_same_process

__all__ = ["Ledger", "Swept", "remove_run", "sweep"]

GONE_WITHIN = 5.0  # real s for killed processes to end


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep removed."""

    runs: int = 0
    processes: int = 0
    containers: int = 0
    networks: int = 0
    folders: int = 0
    problems: tuple[str, ...] = ()

    def __add__(self, other: Swept) -> Swept:
        return Swept(
            self.runs + other.runs,
            self.processes + other.processes,
            self.containers + other.containers,
            self.networks + other.networks,
            self.folders + other.folders,
            self.problems + other.problems,
        )

    def __str__(self) -> str:
        counts = (
            (self.processes, "process", "processes"),
            (self.containers, "container", "containers"),
            (self.networks, "network", "networks"),
            (self.folders, "temporary folder", "temporary folders"),
        )
        parts = [f"{n} {one if n == 1 else many}" for n, one, many in counts if n]
        what = ", ".join(parts) if parts else "nothing"
        runs = f"{self.runs} dead {'run' if self.runs == 1 else 'runs'}"
        return f"Swept {runs}: removed {what}." if self.runs else "Nothing to sweep."


def sweep(*, everything: bool = False) -> Swept:
    """Remove what dead runs left; with `everything`, also what living ones hold."""
    swept = Swept()
    for ledger in Ledger.all():
        if everything or ledger.is_orphaned():
            swept += remove_run(ledger)
    return swept


def remove_run(ledger: Ledger) -> Swept:
    """Remove all that one run has recorded or labelled, then its ledger."""
    entries = ledger.entries()
    processes = _kill(_processes_of(ledger.run, entries))
    containers, networks = 0, 0
    problems: tuple[str, ...] = ()
    if any(entry.kind == "docker" for entry in entries):
        containers, networks, problems = _remove_docker(ledger.run)
    folders = sum(_remove_folder(Path(e.path)) for e in entries if e.kind == "folder")
    if not problems:
        ledger.forget()
    return Swept(1, processes, containers, networks, folders, problems)


def _processes_of(run: str, entries: list[Entry]) -> list[psutil.Process]:
    """Return the processes a ledger names, and those that carry the run's mark."""
    recorded = {
        entry.pid
        for entry in entries
        if entry.kind == "process" and is_same_process(entry.pid, entry.started)
    }
    ours = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    return [
        process
        for process in psutil.process_iter()
        if process.pid not in ours and (process.pid in recorded or _is_marked(process, run))
    ]


def _is_marked(process: psutil.Process, run: str) -> bool:
    try:
        return process.environ().get(RUN_VARIABLE) == run
    except (psutil.Error, OSError):  # gone, or somebody else's
        return False


def _kill(processes: list[psutil.Process]) -> int:
    killed = []
    for process in processes:
        try:
            process.kill()
        except psutil.Error:
            continue
        killed.append(process)
    patience = Patience(GONE_WITHIN)
    while any(map(_is_there, killed)) and patience.pause():
        pass
    return len(killed)


def _is_there(process: psutil.Process) -> bool:
    """Say whether a process still runs; one that waits for its parent to ask does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _remove_folder(path: Path) -> int:
    if not path.is_dir():
        return 0
    shutil.rmtree(path, ignore_errors=True)
    return 1


def _remove_docker(run: str) -> tuple[int, int, tuple[str, ...]]:
    """Remove the containers and networks with the run's label; say what could not be done."""
    import docker  # noqa: PLC0415 - dear to import, and needed only after a run with containers
    import docker.errors  # noqa: PLC0415

    label: dict[str, str | list[str] | bool] = {"label": f"{DOCKER_LABEL}={run}"}
    containers = networks = 0
    problems: list[str] = []
    try:
        client = docker.from_env(timeout=30)
    except (docker.errors.DockerException, OSError) as error:
        return 0, 0, (f"containers of run {run} may be left: Docker does not answer ({error}).",)
    try:
        for container in client.containers.list(all=True, filters=label, ignore_removed=True):
            try:
                container.remove(force=True, v=True)
                containers += 1
            except docker.errors.NotFound:
                continue
            except docker.errors.APIError as error:
                problems.append(f"container {container.name} is left: {error}.")
        for network in client.networks.list(filters=label):
            try:
                network.remove()
                networks += 1
            except docker.errors.NotFound:
                continue
            except docker.errors.APIError as error:
                problems.append(f"network {network.name} is left: {error}.")
    except (docker.errors.DockerException, OSError) as error:
        problems.append(f"containers of run {run} may be left: {error}.")
    finally:
        client.close()
    return containers, networks, tuple(problems)
