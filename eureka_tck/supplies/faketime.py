"""libfaketime: the preload library that makes a Java registry live faster, unmodified."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

from eureka_tck.errors import CannotRun

NAME = "libfaketimeMT.so.1"  # the variant for programs with threads


def library() -> Path:
    """
    Return the library to preload.

    A preload path that does not exist is silently ignored by the loader, so whoever preloads it
    proves by the node's own clock that it works.
    """
    for folder in _folders():
        path = folder / NAME
        if path.is_file():
            return path
    raise CannotRun(
        f"A Java registry at another speed than 1 needs libfaketime, and there is no {NAME} in "
        f"{', '.join(map(str, _folders()))}.",
        "Install it (Debian: apt-get install libfaketime), or judge with --speed 1.",
    )


def _folders() -> tuple[Path, ...]:
    """Return where distributions put it, and where `make install` of its source does."""
    triple = sysconfig.get_config_var("MULTIARCH") or f"{os.uname().machine}-linux-gnu"
    return tuple(
        Path(folder)
        for folder in (
            f"/usr/lib/{triple}/faketime",
            "/usr/lib/faketime",
            "/usr/lib64/faketime",
            "/usr/local/lib/faketime",
        )
    )
