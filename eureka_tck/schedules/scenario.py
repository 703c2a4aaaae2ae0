"""
A scenario: a story of faults and workloads, `chaos/scenarios/<name>.toml`.

    name = "partition-one"
    title = "…"                       # one line for lists and pages
    why = "…"                         # what is broken, and why the figures are as they are
    nodes = 3
    max_speed = 10                    # the highest speed that keeps the tolerances
    promises = ["peers_converge"]     # what is judged at the end
    sample_every = 2                  # registry s between two samples of a node
    yields = false                    # whether settings that the user gives win over the file's
    [settings]                        # of every node, Spring's names
    [budgets]                         # registry s that the phases may take at most
    settling = 240
    recovering = 240
    [lasts]                           # registry s that they take at least; 0 unless told otherwise
    breaking = 60
    recovering = 30
    [[workload]]                      # the kinds are in `workload`
    [[fault]]                         # the kinds are in `fault`

A run has three phases. *Settling* ends when every workload of it has reached what it is there for,
*breaking* when the last fault is healed, *recovering* when every workload has reached it again.
To widen it: a new kind is a struct here, and what plays it in `workloads` or `faults`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct

from eureka_tck.complaint import read_toml
from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.promises import PROMISES
from eureka_tck.schedules.fault import (
    ClockShift,
    Death,
    Fault,
    Flapping,
    Name,
    Partition,
    Pause,
    Poison,
    Positive,
    RollingRestart,
    Seconds,
    Starvation,
    WrongAnswers,
    WrongPeers,
    wrong_toxic,
)
from eureka_tck.schedules.workload import Phase, Renewing, SteadyRenewals, Workload
from eureka_tck.settings import normalise
from eureka_tck.suite import suite_root

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "Budgets",
    "ClockShift",
    "Death",
    "Fault",
    "Flapping",
    "Partition",
    "Pause",
    "Phase",
    "Poison",
    "RollingRestart",
    "Scenario",
    "Starvation",
    "SteadyRenewals",
    "Workload",
    "WrongAnswers",
    "WrongPeers",
    "load_scenario",
    "read_scenario",
]

Value: TypeAlias = str | int | float | bool

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"

CLOCKS: Final = (ClockShift,)
"""Faults for which a cluster needs clocks that can be stepped."""


class Budgets(Struct, frozen=True, forbid_unknown_fields=True):
    """
    Registry seconds that a phase may take at most before the run goes on without it.

    Protection can take two windows of a minute to end, and what died goes after that.
    """

    settling: Positive = 240.0
    recovering: Positive = 240.0


class Lasts(Struct, frozen=True, forbid_unknown_fields=True):
    """
    Registry seconds that the phases last at least.

    Breaking needs them where nothing is broken, recovering where a promise is judged some time
    after the heal, although all looks well before.
    """

    breaking: Seconds = 0.0
    recovering: Seconds = 0.0


class Scenario(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A scenario as it was written; its settings are brought to one spelling."""

    name: Name
    title: str
    why: str
    nodes: Annotated[int, Meta(ge=1, le=len(LETTERS))]
    max_speed: Positive
    promises: Annotated[tuple[str, ...], Meta(min_length=1)]
    workload: Annotated[tuple[Workload, ...], Meta(min_length=1)]
    fault: tuple[Fault | RollingRestart, ...] = ()
    sample_every: Positive = 2.0
    yields: bool = False
    budgets: Budgets = Budgets()
    lasts: Lasts = Lasts()
    settings: dict[str, Value] = {}

    @property
    def letters(self) -> tuple[str, ...]:
        """The names of its nodes."""
        return tuple(LETTERS[: self.nodes])

    @property
    def steps_clocks(self) -> bool:
        """Whether the wall clock of a running node has to be stepped."""
        return any(isinstance(fault, CLOCKS) for fault in self.fault)


def load_scenario(name: str, folder: Path | None = None) -> Scenario:
    """Return a scenario by its name; CannotRun names those there are."""
    folder = folder if folder is not None else suite_root() / "chaos" / "scenarios"
    path = folder / f"{name}.toml"
    if path.is_file():
        return read_scenario(path)
    known = ", ".join(sorted(file.stem for file in folder.glob("*.toml"))) or "none"
    raise CannotRun(f"there is no scenario {name!r}.", f"The scenarios are: {known}.")


def read_scenario(path: Path) -> Scenario:
    """Read one file; SettingsError names file, key, value and what it must be."""
    scenario = read_toml(path, Scenario)
    if problem := _contradiction(scenario, path.stem):
        raise SettingsError(f"{path}: {problem}")
    settings = normalise(scenario.settings, f"{path}, [settings]")
    return msgspec.structs.replace(scenario, settings=dict(settings))


def _contradiction(scenario: Scenario, stem: str) -> str:
    """Return what is wrong with the whole where each part is right, if anything."""
    if scenario.name != stem:
        return f"name is {scenario.name!r}, but it must be {stem!r}, as the file is called."
    unknown = [name for name in scenario.promises if name not in PROMISES]
    if unknown:
        return f"promises names {unknown[0]!r}; the promises are: {', '.join(PROMISES)}."
    names = [part.name for part in (*scenario.workload, *scenario.fault)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        return f"the name {twice[0]!r} is given twice; workloads and faults have their own."
    return wrong_workload(scenario) or _wrong_fault(scenario)


def wrong_workload(scenario: Scenario) -> str:
    """Return which instances could not live, as a sentence; empty where all can."""
    for number, workload in enumerate(scenario.workload):
        if isinstance(workload, Renewing) and workload.lease <= workload.interval:
            return (
                f"workload[{number}].lease is {workload.lease:g}, but it must be longer than the "
                f"interval of {workload.interval:g} s, or its instances die between two renewals."
            )
    return ""


def _wrong_fault(scenario: Scenario) -> str:
    for number, fault in enumerate(scenario.fault):
        if isinstance(fault, RollingRestart):
            continue
        if scenario.nodes == 1 and isinstance(fault, Partition) and fault.shape != "clients":
            return f"fault[{number}] cuts a node off from its peers, and nodes is 1: it has none."
        if fault.node not in ("any", *scenario.letters):
            return (
                f"fault[{number}].node is {fault.node!r}, but it must be 'any' or one of "
                f"{', '.join(scenario.letters)}."
            )
        if isinstance(fault, Poison) and (lacks := wrong_toxic(fault)):
            return f"fault[{number}].{lacks}."
        if isinstance(fault, ClockShift) and not fault.jump and fault.rate == 1:
            return f"fault[{number}] shifts no clock: jump is 0 and rate is 1."
    return ""
