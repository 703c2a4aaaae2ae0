"""The registry of this distribution, started as a process of its own; nothing of it is imported."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import ClassVar

from eureka_tck.bytecode import kept_bytecode
from eureka_tck.targets.faketime import preload
from eureka_tck.targets.state import STATE_PATH, read_counters, read_state
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

CONFIG = "application.yml"


@dataclass(frozen=True, slots=True)
class PythonTarget:
    """`eureka.server` under this interpreter; its clock is scaled by itself."""

    name: ClassVar[str] = "python"
    family: ClassVar[str] = "python"
    default_speed: ClassVar[float] = 10.0
    ready_path: ClassVar[str] = "/eureka/apps/TCK-IS-IT-READY"
    ready_line: ClassVar[str | None] = None
    scales_steps: ClassVar[bool] = True
    ready_budget: ClassVar[float] = 60.0  # real s; 0.8 s alone, over 15 s beside 25 others
    reload_path: ClassVar[str | None] = None  # it reads the list again at its interval
    capabilities: ClassVar[frozenset[str]] = CAPABILITIES

    def prepare(self, backend: str) -> None:
        """Nothing is built for a process; an image is built by the supplies."""
        if backend == "docker":
            from eureka_tck.supplies import images  # noqa: PLC0415 - dear to import

            images.python_image()

    def launch(self, plan: NodePlan) -> Launch:
        """Return the server with its settings in a file of the node's folder."""
        config = plan.folder / CONFIG
        return Launch(
            argv=(
                sys.executable,
                "-m",
                "eureka.server",
                "--config",
                str(config),
                "--speed",
                f"{plan.speed:g}",
                "--epoch",
                f"{plan.epoch:.6f}",
            ),
            env={**preload(plan, faked=False), **_locale(plan), **kept_bytecode()},
            files={config: as_yaml(plan.settings)},
        )

    def image(self, plan: NodePlan) -> ImageLaunch:
        """Return the container of the server, with its settings in a file."""
        from eureka_tck.supplies import images  # noqa: PLC0415 - the same

        config = f"/tmp/{CONFIG}"  # noqa: S108 - of a container that is nobody else's
        script = (
            'export LD_PRELOAD="$WALL_CLOCK" && '  # the shim, where the backend has put one
            f"exec python3 -m eureka.server --config {config}"
            f" --speed {plan.speed:g} --epoch {plan.epoch:.6f}"
        )
        return ImageLaunch(
            image=images.python_image(),
            command=("/bin/sh", "-c", script),
            env=_locale(plan),
            files={config: as_yaml(plan.settings)},
        )

    def counters(self, fetch: Fetch) -> Counters:
        """Read the node's state page."""
        return read_counters(fetch(STATE_PATH))

    def clock_stamp(self, fetch: Fetch, date: str | None) -> ClockStamp | None:  # noqa: ARG002 - its Date header is real time
        """Return the instant at which it says it opened."""
        opened = read_state(fetch(STATE_PATH)).opened_at_ms
        return ClockStamp(opened, 0.001, "since its start") if opened else None


def _locale(plan: NodePlan) -> dict[str, str]:
    """Return what sets a process's locale from outside, nothing where none was asked for."""
    return {"LC_ALL": f"{plan.locale}.UTF-8"} if plan.locale else {}
