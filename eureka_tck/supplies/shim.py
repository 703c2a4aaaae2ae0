"""
The wall-clock shim: a preload library that steps the wall clock of a running node.

It adds an offset from a mapped file to CLOCK_REALTIME and leaves monotonic clocks alone. It stands
*before* libfaketime in the preload order and adds to that one's clock; libfaketime's own means for
steps make a Java virtual machine spin and never start.
"""

from __future__ import annotations

import functools
import os
import platform
import shutil
import struct
from typing import TYPE_CHECKING

from eureka_tck.errors import CannotRun
from eureka_tck.suite import suite_root
from eureka_tck.supplies import cache, tool

if TYPE_CHECKING:
    from pathlib import Path

VARIABLE = "WALL_FILE"  # names the mapped file to the shim
OFFSET = struct.Struct("=q")  # nanoseconds, in the machine's byte order
COMPILE_BUDGET = 60.0  # seconds
FLAGS = ("-O2", "-fPIC", "-shared", "-Wall", "-Wextra")
NAME = "wall_clock.so"


def library() -> Path:
    """Return the library to preload, compiled if need be."""
    compiler = _compiler()
    entry = cache.made(
        f"shim/{cache.key(source(), *FLAGS)}-{platform.machine()}",
        functools.partial(_compile, compiler),
        what="compiling the wall-clock shim",
    )
    return entry / NAME


def source() -> Path:
    """Return the shim's one source file."""
    return suite_root() / "fixtures" / "images" / "shim" / "wall_clock.c"


def set_offset(wall_file: Path, seconds: float) -> None:
    """
    Step the wall clock of whoever maps this file to `seconds` from the true one.

    The file is made if need be; it must exist before the node starts.
    """
    descriptor = os.open(wall_file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        # in place and never truncated: a mapped page beyond the end of its file is a SIGBUS
        os.pwrite(descriptor, OFFSET.pack(round(seconds * 1e9)), 0)
    finally:
        os.close(descriptor)


def preload(*libraries: Path | str) -> str:
    """Return LD_PRELOAD for these libraries in this order, the shim before libfaketime."""
    return " ".join(map(str, libraries))


def _compiler() -> str:
    for name in ("cc", "gcc", "clang"):
        found = shutil.which(name)
        if found is not None:
            return found
    raise CannotRun(
        "Stepping the wall clock of a running node needs a C compiler, and there is no cc on PATH.",
        "Install one (Debian: apt-get install gcc libc6-dev), or leave the rows that need `step`.",
    )


def _compile(compiler: str, folder: Path) -> None:
    tool.run(
        [compiler, *FLAGS, "-o", folder / NAME, source(), "-ldl"],
        what="compiling the wall-clock shim",
        budget=COMPILE_BUDGET,
    )
