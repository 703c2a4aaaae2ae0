"""Where a report comes from: the machine it was made on, and the versions of all that took part."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from typing import TYPE_CHECKING

import psutil

import eureka_tck
from eureka_tck.report.model import Machine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka_tck.targets import Target


def this_machine() -> Machine:
    """Return what the run is made on; its load is of now."""
    return Machine(
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _cores(),
        memory_bytes=psutil.virtual_memory().total,
        load=psutil.getloadavg()[0],
    )


def _cores() -> int:
    return os.cpu_count() or 1


def versions_of(targets: Iterable[Target]) -> dict[str, str]:
    """Return what judges and what is judged, each with its version."""
    found = {"eureka-tck": eureka_tck.__version__, "Python": platform.python_version()}
    for target in targets:
        if target.family == "java":
            found["spring-cloud-netflix-eureka-server"] = target.name.partition(":")[2]
        elif target.family == "python":
            found["eureka-server"] = _installed("eureka-tck")
    return found


def _installed(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:  # run from a checkout that is not installed
        return eureka_tck.__version__
