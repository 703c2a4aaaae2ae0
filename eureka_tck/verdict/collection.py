"""
Which tests a suite has: pytest's own collection, in this process, without running anything.

Plugins of the surroundings stay out (`AUTOLOAD_OFF`): a suite must run the same way everywhere.
"""

from __future__ import annotations

import contextlib
import io
import os
from typing import TYPE_CHECKING, Final

import pytest

from eureka_tck import plugin
from eureka_tck.errors import CannotRun
from eureka_tck.verdict.selection import Claim, claim_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AUTOLOAD_OFF: Final = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
INI: Final = "pytest.ini"

SHOWN: Final = 40
"""Lines of pytest's complaint that an error shows."""


class _Collector:
    """Keeps what the collected tests claim."""

    def __init__(self) -> None:
        self.claims: tuple[Claim, ...] = ()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.claims = tuple(claim for item in session.items if (claim := claim_of(item)))


def collect(suite: Path) -> tuple[Claim, ...]:
    """Return the claims of all tests of a suite's folder, in the order in which they would run."""
    collector, said = _Collector(), io.StringIO()
    with (
        _autoload_off(),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
    ):
        code = pytest.main(
            ["--collect-only", "-q", "--color=no", "-c", str(suite / INI), str(suite)],
            plugins=[plugin, collector],
        )
    if code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        raise CannotRun(f"the tests in {suite} cannot be collected:\n{_fault(said.getvalue())}")
    return collector.claims


def _fault(said: str) -> str:
    """Return what pytest said is wrong, without the list of what it found."""
    lines = said.rstrip().splitlines()
    first = next((at for at, line in enumerate(lines) if line.startswith(("=", "ERROR"))), 0)
    return "\n".join(lines[max(first, len(lines) - SHOWN) :])


@contextlib.contextmanager
def _autoload_off() -> Iterator[None]:
    before = os.environ.get(AUTOLOAD_OFF)
    os.environ[AUTOLOAD_OFF] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[AUTOLOAD_OFF]
        else:
            os.environ[AUTOLOAD_OFF] = before
