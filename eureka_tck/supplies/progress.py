"""Lines on standard error that say what is being made and how long it took."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Say that `what` is being made, then the seconds it took, or that it failed after them."""
    tell(f"{what} …")
    began = time.perf_counter()
    try:
        yield
    except BaseException:
        tell(f"{what}: failed after {time.perf_counter() - began:.1f} s")
        raise
    tell(f"{what}: {time.perf_counter() - began:.1f} s")


def tell(line: str) -> None:
    """Write one line for whoever waits; standard output belongs to results."""
    sys.stderr.write(f"eureka-tck: {line}\n")
    sys.stderr.flush()
