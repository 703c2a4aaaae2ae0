"""
Any local program as a target: an adapter, a small TOML file, says how it is started.

    name = "mine"                             # optional; else the file's name
    command = ["{python}", "{here}/server.py", "--config", "{config}"]
    settings = "yaml"                         # yaml, properties, environment, arguments
    ready = "/eureka/apps/NOT-THERE"          # an answer of 200, 403 or 404 means: ready
    ready_within = 30                         # real seconds
    ready_line = "open for traffic"           # optional: its log must say this too
    capabilities = ["settings", "stamps"]
    clock = "own"                             # it takes {speed} and {epoch}; or faketime, none
    speed = 10                                # default speed
    [counters]
    kind = "state"                            # our state page's JSON; or spring: Spring's page
    path = "/registry/state"
    [environment]
    LANG = "C.UTF-8"

Placeholders in command and environment: {python} {here} {config} {host} {port} {speed} {epoch}
{folder}.
"""

from __future__ import annotations

import difflib
import math
import string
import sys
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec

from eureka_tck.complaint import complaint
from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.properties import as_properties
from eureka_tck.settings import as_arguments, as_environment
from eureka_tck.targets.faketime import preload
from eureka_tck.targets.java import date_stamp
from eureka_tck.targets.state import read_counters, read_spring_page, read_state
from eureka_tck.targets.target import (
    CAPABILITIES,
    ClockStamp,
    Counters,
    Fetch,
    ImageLaunch,
    Launch,
    NodePlan,
)
from eureka_tck.yaml_documents import as_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PLACEHOLDERS = ("python", "here", "config", "host", "port", "speed", "epoch", "folder")
CONFIGS = {"yaml": "application.yml", "properties": "application.properties"}
COUNTER_KINDS = {"state": "/registry/state", "spring": "/"}
OWN_CLOCK_SPEED = 10.0  # default speed of a program that scales its own clock


class CounterPage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page an adapter's counters are read from."""

    kind: Literal["state", "spring"]
    path: str = ""


class Adapter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An adapter file as it is written."""

    command: list[str]
    name: str = ""
    settings: Literal["yaml", "properties", "environment", "arguments"] = "yaml"
    ready: str = "/eureka/apps/TCK-IS-IT-READY"
    ready_within: float = 30.0
    ready_line: str | None = None
    capabilities: list[str] = msgspec.field(default_factory=lambda: ["settings", "kill", "pause"])
    clock: Literal["own", "faketime", "none"] | None = None
    speed: float | None = None
    counters: CounterPage | None = None
    environment: dict[str, str] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)  # an adapter is itself only: it holds lists
class CommandTarget:
    """A local program, as its adapter describes it."""

    path: Path
    adapter: Adapter
    clock: Literal["own", "faketime", "none"]
    family: ClassVar[str] = "command"
    capabilities: frozenset[str] = field(default_factory=frozenset)

    @property
    def name(self) -> str:
        """Return the name on the command line: it selects the expectations too."""
        return f"command:{self.adapter.name or self.path.stem}"

    @property
    def default_speed(self) -> float:
        """Return the adapter's speed; 1 where its clock cannot be sped up."""
        if self.adapter.speed is not None:
            return self.adapter.speed
        return 1.0 if self.clock == "none" else OWN_CLOCK_SPEED

    @property
    def ready_path(self) -> str:
        """Return the adapter's path of readiness."""
        return self.adapter.ready

    @property
    def ready_line(self) -> str | None:
        """Return the line of its log that says it is open."""
        return self.adapter.ready_line

    @property
    def reload_path(self) -> str | None:
        """Return None: a program that is capable of it reads its settings again by itself."""
        return None

    @property
    def scales_steps(self) -> bool:
        """A clock of its own multiplies the real one."""
        return self.clock == "own"

    @property
    def ready_budget(self) -> float:
        """Return the real seconds it may take."""
        return self.adapter.ready_within

    def prepare(self, backend: str) -> None:
        """Refuse what a local program cannot do; nothing is built."""
        if backend == "docker":
            raise CannotRun(
                f"{self.name} is a local program and has no container image.",
                "Judge it with --backend process.",
            )

    def launch(self, plan: NodePlan) -> Launch:
        """Return the program with the placeholders filled in."""
        config = plan.folder / CONFIGS.get(self.adapter.settings, "application.yml")
        words = {
            "python": sys.executable,
            "here": str(self.path.parent),
            "config": str(config),
            "host": plan.host,
            "port": str(plan.port),
            "speed": f"{plan.speed:g}",
            "epoch": f"{plan.epoch:.6f}",
            "folder": str(plan.folder),
        }
        argv = [word.format_map(words) for word in self.adapter.command]
        env = {key: value.format_map(words) for key, value in self.adapter.environment.items()}
        files: dict[Path, str] = {}
        match self.adapter.settings:
            case "yaml":
                files[config] = as_yaml(plan.settings)
            case "properties":
                files[config] = as_properties(plan.settings)
            case "environment":
                env = {**as_environment(plan.settings), **env}
            case "arguments":
                argv += as_arguments(plan.settings)
        env = {**env, **preload(plan, faked=self.clock == "faketime")}
        return Launch(tuple(argv), env, files)

    def image(self, plan: NodePlan) -> ImageLaunch:  # noqa: ARG002 - there is none
        """Refuse: a local program has no image."""
        self.prepare("docker")
        raise AssertionError  # prepare has refused

    def counters(self, fetch: Fetch) -> Counters:
        """Read the page the adapter names."""
        page = self.adapter.counters
        if page is None:
            raise CannotRun(f"{self.path}: names no counters page, so {self.name} shows none.")
        text = fetch(page.path or COUNTER_KINDS[page.kind])
        return read_counters(text) if page.kind == "state" else read_spring_page(text)

    def clock_stamp(self, fetch: Fetch, date: str | None) -> ClockStamp | None:
        """Return a stamp where one is to be had: the state page, or the Date under libfaketime."""
        page = self.adapter.counters
        if self.clock == "faketime":
            return date_stamp(date)
        if self.clock == "own" and page is not None and page.kind == "state":
            opened = read_state(fetch(page.path or COUNTER_KINDS["state"])).opened_at_ms
            return ClockStamp(opened, 0.001, "since its start") if opened else None
        return None


def load_adapter(path: Path) -> CommandTarget:
    """Read an adapter; SettingsError names file, key, value and what it must be."""
    adapter = _read(path)
    if not adapter.command:
        raise SettingsError(f"{path}: command is [], but it must name a program and its arguments.")
    used: set[str] = set()
    for index, word in enumerate(adapter.command):
        used |= placeholders(path, f"command[{index}]", word, PLACEHOLDERS)
    for key, word in adapter.environment.items():
        used |= placeholders(path, f"environment.{key}", word, PLACEHOLDERS)
    check_capabilities(path, adapter.capabilities)
    check_numbers(path, adapter.speed, adapter.ready_within)
    clock = adapter.clock or ("own" if "speed" in used else "none")
    if clock == "own" and "speed" not in used:
        raise SettingsError(
            f"{path}: clock is 'own', but no word of command or environment holds {{speed}}."
        )
    derived = {"clock"} if clock != "none" else set()
    if adapter.counters is not None:
        derived.add("counters")
    return CommandTarget(
        path.resolve(), adapter, clock, frozenset(adapter.capabilities) | frozenset(derived)
    )


def _read(path: Path) -> Adapter:
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(
            f"the adapter {path} cannot be read: {error.strerror or error}.",
            "A target of the kind command: names a TOML file that says how a program is started.",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: is not TOML: {error}.") from error
    try:
        return msgspec.convert(raw, Adapter)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {complaint(error, raw, Adapter)}") from error


def check_capabilities(path: Path, named: Sequence[str]) -> None:
    """Refuse a capability that there is not."""
    if unknown := sorted(set(named) - CAPABILITIES):
        nearest = difflib.get_close_matches(unknown[0], CAPABILITIES, n=1)
        hint = f" Did you mean {nearest[0]}?" if nearest else ""
        raise SettingsError(
            f"{path}: capabilities names {unknown[0]!r}, but it must be of "
            f"{', '.join(sorted(CAPABILITIES))}.{hint}",
        )


def placeholders(path: Path, key: str, word: str, known: Sequence[str]) -> set[str]:
    """Return the placeholders of a word; SettingsError where one is not known."""
    try:
        names = {name for _, name, _, _ in string.Formatter().parse(word) if name is not None}
    except ValueError as error:
        raise SettingsError(f"{path}: {key} is {word!r}, which is no pattern: {error}.") from error
    unknown = sorted(names - set(known))
    if unknown:
        raise SettingsError(
            f"{path}: {key} is {word!r}, but a placeholder must be of "
            f"{', '.join('{' + name + '}' for name in known)}.",
            "A brace that is meant is doubled.",
        )
    return names


def check_numbers(path: Path, speed: float | None, ready_within: float) -> None:
    """Refuse numbers without sense."""
    for key, value in (("speed", speed), ("ready_within", ready_within)):
        if value is None:
            continue
        if not math.isfinite(value):
            raise SettingsError(f"{path}: {key} is {value:g}, but it must be a finite number.")
        if value <= 0:
            raise SettingsError(f"{path}: {key} is {value:g}, but it must be above 0.")
