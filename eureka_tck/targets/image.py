"""
Any container image as a target: `image:REF`, or `image:my.toml` where it takes settings otherwise.

    image = "example/registry:1.2"
    name = "mine"                             # optional; else the file's name
    settings = "json"                         # json (SPRING_APPLICATION_JSON), environment,
                                              # arguments, yaml, properties
    file = "/config/application.yml"          # yaml, properties: where in the container it is put
    command = ["--quiet"]                     # optional; else the image's own
    ready = "/eureka/apps/NOT-THERE"          # an answer of 200, 403 or 404 means: ready
    ready_within = 60                         # real seconds
    ready_line = "open for traffic"           # optional: its log must say this too
    capabilities = ["settings", "stamps", "kill", "pause", "peers", "links"]
    clock = "own"                             # it takes {speed} and {epoch}; or none
    speed = 10                                # default speed of such a clock
    [counters]
    kind = "spring"                           # Spring's status page; or state: ours
    [environment]
    JAVA_OPTS = "-Xmx256m"

The registry must listen at the port that `server.port` says, 8761.
Placeholders in command and environment: {host} {port} {speed} {epoch}.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from eureka_tck.complaint import read_toml
from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.properties import as_properties
from eureka_tck.settings import as_arguments, as_environment
from eureka_tck.targets.command import (
    COUNTER_KINDS,
    OWN_CLOCK_SPEED,
    CounterPage,
    check_capabilities,
    check_numbers,
    placeholders,
)
from eureka_tck.targets.state import read_counters, read_spring_page, read_state
from eureka_tck.targets.target import ClockStamp, Counters, Fetch, ImageLaunch, Launch, NodePlan
from eureka_tck.yaml_documents import as_yaml

PLACEHOLDERS = ("host", "port", "speed", "epoch")
ABLE = ("settings", "stamps", "kill", "pause", "peers", "links", "memory")


class ImageAdapter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An adapter file as it is written."""

    image: str
    name: str = ""
    settings: Literal["json", "environment", "arguments", "yaml", "properties"] = "json"
    file: str = ""
    command: list[str] | None = None
    ready: str = "/eureka/apps/TCK-IS-IT-READY"
    ready_within: float = 60.0
    ready_line: str | None = None
    capabilities: list[str] = msgspec.field(default_factory=lambda: list(ABLE))
    clock: Literal["own", "none"] = "none"
    speed: float | None = None
    counters: CounterPage | None = None
    environment: dict[str, str] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)  # an adapter is itself only: it holds lists
class ImageTarget:
    """A container image, as its adapter describes it."""

    word: str
    adapter: ImageAdapter
    capabilities: frozenset[str] = field(default_factory=frozenset)
    family: ClassVar[str] = "image"
    scales_steps: ClassVar[bool] = False
    reload_path: ClassVar[str | None] = None

    @property
    def name(self) -> str:
        """Return the name on the command line: it selects the expectations too."""
        return f"image:{self.adapter.name or self.word}"

    @property
    def default_speed(self) -> float:
        """Return 1 where its clock cannot be sped up."""
        return 1.0 if self.adapter.clock == "none" else self.adapter.speed or OWN_CLOCK_SPEED

    @property
    def ready_path(self) -> str:
        """Return the adapter's path of readiness."""
        return self.adapter.ready

    @property
    def ready_line(self) -> str | None:
        """Return the line of its log that says it is open."""
        return self.adapter.ready_line

    @property
    def ready_budget(self) -> float:
        """Return the real seconds it may take."""
        return self.adapter.ready_within

    def prepare(self, backend: str) -> None:
        """Refuse the backend without containers; the image is pulled when it is first started."""
        if backend != "docker":
            raise CannotRun(f"{self.name} is a container image.", "Judge it with --backend docker.")
        from eureka_tck.supplies import images  # noqa: PLC0415 - dear to import

        images.foreign(self.adapter.image)

    def launch(self, plan: NodePlan) -> Launch:  # noqa: ARG002 - there is none
        """Refuse: it has no local program."""
        raise CannotRun(f"{self.name} is a container image.", "Judge it with --backend docker.")

    def image(self, plan: NodePlan) -> ImageLaunch:
        """Return the container, with the settings handed over as the adapter says."""
        adapter = self.adapter
        words = {
            "host": plan.host,
            "port": str(plan.port),
            "speed": f"{plan.speed:g}",
            "epoch": f"{plan.epoch:.6f}",
        }
        env = {key: value.format_map(words) for key, value in adapter.environment.items()}
        command = None
        if adapter.command is not None:
            command = tuple(word.format_map(words) for word in adapter.command)
        files: dict[str, str] = {}
        match adapter.settings:
            case "json":
                settings = json.dumps(dict(plan.settings), sort_keys=True)
                env = {"SPRING_APPLICATION_JSON": settings, **env}
            case "environment":
                env = {**as_environment(plan.settings), **env}
            case "arguments":
                command = (*(command or ()), *as_arguments(plan.settings))
            case "yaml":
                files[adapter.file] = as_yaml(plan.settings)
            case "properties":
                files[adapter.file] = as_properties(plan.settings)
        return ImageLaunch(adapter.image, command, env, files)

    def counters(self, fetch: Fetch) -> Counters:
        """Read the page the adapter names."""
        page = self.adapter.counters
        if page is None:
            raise CannotRun(f"{self.name} names no counters page, so it shows none.")
        text = fetch(page.path or COUNTER_KINDS[page.kind])
        return read_counters(text) if page.kind == "state" else read_spring_page(text)

    def clock_stamp(self, fetch: Fetch, date: str | None) -> ClockStamp | None:  # noqa: ARG002 - real
        """Return the state page's stamp where its clock is its own; else its time is real."""
        page = self.adapter.counters
        if self.adapter.clock == "own" and page is not None and page.kind == "state":
            opened = read_state(fetch(page.path or COUNTER_KINDS["state"])).opened_at_ms
            return ClockStamp(opened, 0.001, "since its start") if opened else None
        return None


def load_image(word: str, here: Path = Path()) -> ImageTarget:
    """Return the target of a reference or an adapter; SettingsError names file, key and value."""
    if not word.endswith(".toml"):
        return ImageTarget(word, ImageAdapter(image=word), frozenset(ABLE))
    path = here / word
    adapter = read_toml(path, ImageAdapter)
    if not adapter.image.strip():
        raise SettingsError(f"{path}: image is empty, but it must name a container image.")
    if adapter.settings in {"yaml", "properties"} and not adapter.file.startswith("/"):
        raise SettingsError(
            f"{path}: file is {adapter.file!r}, but it must be the absolute path in the container "
            f"at which it reads its {adapter.settings} settings."
        )
    used: set[str] = set()
    for index, one in enumerate(adapter.command or []):
        used |= placeholders(path, f"command[{index}]", one, PLACEHOLDERS)
    for key, one in adapter.environment.items():
        used |= placeholders(path, f"environment.{key}", one, PLACEHOLDERS)
    if adapter.clock == "own" and "speed" not in used:
        raise SettingsError(
            f"{path}: clock is 'own', but no word of command or environment holds {{speed}}."
        )
    check_capabilities(path, adapter.capabilities)
    check_numbers(path, adapter.speed, adapter.ready_within)
    able = {*adapter.capabilities, *(["clock"] if adapter.clock == "own" else [])}
    if adapter.counters is not None:
        able.add("counters")
    return ImageTarget(path.stem, adapter, frozenset(able))
