"""Python packages for the image of the Python registry: fetched by this machine's own pip."""

from __future__ import annotations

import functools
import platform
import sys
from importlib.metadata import distributions
from typing import TYPE_CHECKING

from eureka_tck.supplies import cache, tool

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = "3.11"  # of Debian 12, which the images stand on
PLATFORMS = ("manylinux_2_28", "manylinux_2_17", "manylinux2014")  # of wheels that run there
PIP_BUDGET = 600.0  # seconds; 11 MB

_OURS = "eureka-tck"


def installed(requirements: Path) -> Path:
    """
    Return a folder with these packages and all they need, for Debian's Python.

    The versions are those of the environment we run in, whatever its own Python is.
    """
    versions = "".join(sorted(f"{line}\n" for line in _versions()))
    return cache.made(
        f"packages/{cache.key(requirements, versions)}-{platform.machine()}",
        functools.partial(_install, requirements, versions),
        what="fetching the packages of the Python registry",
    )


def _versions() -> set[str]:
    names = ((found.metadata["Name"], found.version) for found in distributions())
    return {f"{name}=={version}" for name, version in names if name != _OURS}


def _install(requirements: Path, versions: str, folder: Path) -> None:
    constraints = folder / "constraints.txt"
    constraints.write_text(versions, "utf-8")
    machine = {"arm64": "aarch64"}.get(platform.machine(), platform.machine())  # macOS, Linux
    tool.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--no-compile"),
            *("--only-binary=:all:", "--implementation=cp", f"--python-version={PYTHON}"),
            *(f"--platform={platform}_{machine}" for platform in PLATFORMS),
            *("--constraint", constraints, "--requirement", requirements, "--target", folder),
        ],
        what="fetching the packages of the Python registry",
        budget=PIP_BUDGET,
        way_out="pip must be installed beside eureka-tck and must reach a package index.",
    )
    constraints.unlink()
