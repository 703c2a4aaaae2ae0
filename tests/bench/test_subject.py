"""A server under measurement."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from bench.subject import Subject
from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize("measure", [Subject.cpu_seconds, Subject.memory], ids=["cpu", "memory"])
def test_a_server_that_died_is_said_to_have(
    measure: Callable[[Subject], float], tmp_path: Path
) -> None:
    """A row whose server is no more has no figure, and says why."""
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()
    subject = Subject("python", "127.0.0.1", 1, process, tmp_path / "log")

    with pytest.raises(CannotRun, match="python ended while it was measured"):
        measure(subject)
