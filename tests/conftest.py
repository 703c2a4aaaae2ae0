"""
A test that needs something of the machine says so by a marker, and is skipped where it is absent.

Where the environment variable TCK_REQUIRE names the thing ("docker,java"), its absence is a failure
instead: what runs on a machine that should have all of them cannot pass by skipping.

No property fails for the time an example takes: other work on the machine is no fault.
"""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, settings

from eureka_tck.doctor import available, required_names

settings.register_profile(
    "unhurried", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")

MACHINE = {
    "docker": "needs a running Docker engine",
    "java": "needs a JDK and Maven",
    "toxiproxy": "needs the Toxiproxy server, or Go to build it",
    "faketime": "needs libfaketime",
    "chromium": "needs Chromium",
    "clients": "needs npm or Maven to fetch clients",
}


def pytest_configure(config: pytest.Config) -> None:
    """Make a marker of each thing a machine can have; let Ctrl-C reach what tests start."""
    # A shell starts its background jobs with SIGINT ignored, and children inherit that:
    # the tests that interrupt a command would wait for ever. What we handle, they get by default.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name, why in MACHINE.items():
        config.addinivalue_line("markers", f"{name}: {why}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip or fail a test whose machine lacks what the test is marked with."""
    required = required_names()
    for name, why in MACHINE.items():
        if item.get_closest_marker(name) is None or available(name):
            continue
        if name in required:
            pytest.fail(
                f"{why}, and TCK_REQUIRE names {name} (see eureka-tck doctor)", pytrace=False
            )
        pytest.skip(f"{why} (see eureka-tck doctor)")
