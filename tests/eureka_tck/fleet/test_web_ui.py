"""Locust's web UI starts storms, shows what the registry saw, and widens nobody's rights."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
import requests

from eureka_tck.clock import Patience
from tests.eureka_tck.fleet.short_storm import short_storm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.eureka_tck.fleet.conftest import Registry

LOCUSTFILE = Path(__file__).parents[3] / "load" / "locustfile.py"
BUDGET = 90.0
"""Seconds for anything to happen on a machine with other things to do."""


class Interface:
    """A Locust with a web UI on a loopback address of its own, spoken to as a browser does."""

    def __init__(self, folder: Path, *options: str) -> None:
        pid = os.getpid()
        address = f"127.88.{pid // 250 % 250}.{pid % 250 + 1}"
        self.root = f"http://{address}:8089"
        self.log = folder / "locust.log"
        self.tally = folder / "tally.json"
        storm = short_storm(folder, minutes=5, audits=5)
        command = [
            *(sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--storm", str(storm)),
            *("--web-host", address, "--tally", str(self.tally), *options),
        ]
        with self.log.open("wb") as log:
            self.child = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=folder)

    def ask(self, path: str, **fields: str) -> requests.Response:
        """Post the fields, or get without any."""
        url = f"{self.root}{path}"
        if fields:
            return requests.post(url, data=fields, timeout=BUDGET)
        return requests.get(url, timeout=BUDGET)

    def start(self, **fields: str) -> None:
        """Start a storm as the page does, as soon as the one before is over."""
        said = "Shape test starting."
        before = self.log.read_text().count(said)

        def started() -> bool:
            assert self.ask("/swarm", **fields).json()["success"]
            return self.log.read_text().count(said) > before

        self.until(started, "no storm could be started")

    def counts(self) -> dict[str, int]:
        """Return how many requests its page shows by name; it is up to two seconds behind."""
        shown = self.ask("/stats/requests").json()["stats"]
        return {one["name"]: one["num_requests"] for one in shown}

    def until(self, happened: Callable[[], object], what: str) -> None:
        """Wait for something."""
        patience = Patience(BUDGET)
        while not happened():
            assert self.child.poll() is None, self.log.read_text()
            assert patience.pause(0.1), f"{what}\n{self.log.read_text()}"

    def until_said(self, words: str) -> None:
        """Wait for a line of its log."""
        self.until(lambda: words in self.log.read_text(), f"nobody said {words!r}")

    def answers(self) -> bool:
        """Say whether the page is there."""
        try:
            return self.ask("/").ok
        except requests.ConnectionError:
            return False


@pytest.fixture
def interface(tmp_path: Path) -> Iterator[Interface]:
    """Start one, and end it."""
    made = Interface(tmp_path)
    yield made
    for process in psutil.Process(made.child.pid).children(recursive=True):
        process.kill()
    made.child.kill()
    made.child.wait()


@pytest.mark.slow
@pytest.mark.timeout(3 * BUDGET)
def test_the_web_ui_shows_what_the_registry_saw_and_starts_nothing_that_it_must_not(
    interface: Interface, registry: Registry, tmp_path: Path
) -> None:
    """
    A storm is started and stopped by the page's own calls; its counts are the registry's.

    Before it, two that must not be: one that is not there, and one beyond this machine, though
    the call itself claims to own it and names another file for the counts.
    """
    interface.until(interface.answers, "the web UI never answered")
    page = interface.ask("/").text
    elsewhere = tmp_path / "elsewhere.json"
    host, port = registry.address
    here = f"http://{host}:{port}"
    refused = (
        {"host": here, "storm": "stedy", "said": "there is no storm called 'stedy'"},
        {
            "host": "http://8.8.8.8:8761",
            "i_own_this_target": "true",
            "tally": str(elsewhere),
            "said": "beyond this machine",
        },
    )
    good = str(tmp_path / "storm.toml")

    for one in refused:
        said = one.pop("said")
        interface.start(**{"storm": good, **one})
        interface.until_said(said)
    interface.start(storm=good, host=here)
    interface.until(lambda: registry.seen["PUT"] >= 30, "nothing was renewed")
    interface.ask("/stop", now="yes")
    interface.until(
        lambda: interface.counts().get("Aggregated") == registry.seen.total() >= 90,
        "the page never showed what the registry saw",
    )

    counts = interface.counts()
    named = {"POST register": "POST", "PUT renew": "PUT", "DELETE cancel": "DELETE"}
    assert {name: counts[name] for name in named} == {
        name: registry.seen[key] for name, key in named.items()
    }
    assert registry.held == {}
    assert interface.tally.exists()
    assert not elsewhere.exists()
    assert '"storm"' in page
    assert "i_own_this_target" not in page
