"""
The teller of a pytest process: what begins and what is found, a JSON line each, for the gate.

`execution` reads the lines at the other end. Results travel to the teller in the reports of the
tests, as user properties, for a test may have run in a worker of xdist.
"""

from __future__ import annotations

import contextlib
import os
from typing import Final

import msgspec
import pytest

RESULT: Final = "eureka-tck result"
CANNOT_RUN: Final = "eureka-tck cannot run"
"""Names of the user properties a report carries."""


class Teller:
    """Writes one JSON line for each test that begins and for each that has ended."""

    def __init__(self, descriptor: int) -> None:
        self._out = os.fdopen(descriptor, "w", encoding="utf-8", buffering=1)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Tell that a test begins."""
        self._tell(begin=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell what a test found, once it is over."""
        if report.when != "teardown":
            return
        told = dict(report.user_properties)
        if RESULT in told:
            self._tell(result=str(told[RESULT]))
        if CANNOT_RUN in told:
            self._tell(cannot_run=str(told[CANNOT_RUN]))

    def pytest_sessionfinish(self) -> None:
        """End the report."""
        with contextlib.suppress(OSError):
            self._out.close()

    def _tell(self, **event: str) -> None:
        try:
            self._out.write(msgspec.json.encode(event).decode() + "\n")
        except OSError:
            pytest.exit("nobody listens any more: the gate is gone", returncode=3)
