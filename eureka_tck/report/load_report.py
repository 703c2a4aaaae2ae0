"""
`report.json` of a storm: what it was, what was measured, what was judged; written and read again.

A stored report is bad input like any other: whatever is wrong with it ends in a `SettingsError`
that names the file, the field and the way out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.fleet.finding import Finding
from eureka_tck.fleet.sighting import Deed, Delay, Pulse, Sample, Size
from eureka_tck.fleet.storm import Storm
from eureka_tck.fleet.tally import Tally
from eureka_tck.report.model import Machine
from eureka_tck.report.store import bounded_bytes

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "report.json"
SUITE: Final = "load"
SCHEMA: Final = 3


class LoadReport(msgspec.Struct, frozen=True, kw_only=True):
    """
    A storm that is over.

    `started` is UTC in ISO 8601; `empty` has the bytes of memory of each node before the fleet
    came, `sizes` those of single calls on the network, `measures` what the budgets judge.
    `processes` is how many workers the fleet was divided among, `bulk` whether Locust's events
    were left out, `elsewhere` whether the workers ran on other machines.
    """

    schema: int = SCHEMA
    suite: str = SUITE
    target: str
    backend: str
    speed: float
    seed: int
    started: str
    command: str
    machine: Machine
    versions: dict[str, str] = {}
    storm: Storm
    processes: int
    elsewhere: bool
    bulk: bool
    exit_code: int
    sentence: str
    budgets: tuple[Finding, ...]
    measures: dict[str, float | None]
    bounds: dict[str, float]
    fleet: Tally
    samples: tuple[Sample, ...] = ()
    pulses: tuple[Pulse, ...] = ()
    delays: tuple[Delay, ...] = ()
    deeds: tuple[Deed, ...] = ()
    empty: dict[str, int] = {}
    sizes: dict[str, Size] = {}

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes that were sampled, in their order."""
        return tuple(sorted({sample.node for sample in self.samples}))

    def of_node(self, name: str) -> list[Sample]:
        """Return the samples of a node."""
        return [sample for sample in self.samples if sample.node == name]


class _Head(msgspec.Struct):
    """The fields that every report has."""

    schema: int
    suite: str


def is_load(folder: Path) -> bool:
    """Say whether a storm has left its report there; what is unreadable is somebody else's."""
    try:
        return _head(folder).suite == SUITE
    except SettingsError:
        return False


def save(report: LoadReport, folder: Path) -> None:
    """Write the report into the run's folder."""
    file = folder / FILE
    unfinished = file.with_name(f"{FILE}.part")
    try:
        unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
        unfinished.replace(file)
    except OSError as error:
        raise CannotRun(f"{file} cannot be written: {error.strerror}.") from error


def load(path: Path) -> LoadReport:
    """Read the report of a storm; `path` is the folder of its run, or the file itself."""
    file = _file(path)
    head = _head(path)
    if head.suite != SUITE:
        raise SettingsError(
            f"{file}: suite is {head.suite!r}; it must be {SUITE!r}.",
            "Give the folder of a run of `eureka-tck load`, without --capacity.",
        )
    if head.schema != SCHEMA:
        raise SettingsError(
            f"{file}: schema is {head.schema}; this eureka-tck reads {SCHEMA}.",
            "Read it with the eureka-tck that wrote it, or run the storm again.",
        )
    try:
        return msgspec.json.decode(bounded_bytes(file), type=LoadReport)
    except (ValueError, RecursionError) as error:
        raise _unreadable(file, error) from error


def _file(path: Path) -> Path:
    return path / FILE if path.is_dir() else path


def _head(path: Path) -> _Head:
    file = _file(path)
    try:
        return msgspec.json.decode(bounded_bytes(file), type=_Head)
    except (ValueError, RecursionError) as error:
        raise _unreadable(file, error) from error


def _unreadable(file: Path, error: Exception) -> SettingsError:
    return SettingsError(
        f"{file} is not the report of a run: {error}.",
        "It must be as the run wrote it; a run that was cut short leaves none.",
    )
