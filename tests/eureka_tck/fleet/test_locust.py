"""Locust itself, headless, with its ordinary options: what it reports is what the registry saw."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import psutil
import pytest

from eureka_tck.clock import Patience
from eureka_tck.fleet.generator import _workers_here
from eureka_tck.fleet.tally import Tally
from tests.eureka_tck.fleet.short_storm import short_storm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.eureka_tck.fleet.conftest import Registry

LOCUSTFILE = Path(__file__).parents[3] / "load" / "locustfile.py"
BUDGET = 90.0


class _Entry(msgspec.Struct):
    num_requests: int


@dataclass
class Run:
    """A Locust that runs, its folder, and how it ended."""

    folder: Path
    child: subprocess.Popen[str]

    def tally(self) -> Tally:
        """Return what its fleet has counted so far."""
        file = self.folder / "tally.json"
        return msgspec.json.decode(file.read_bytes(), type=Tally) if file.exists() else Tally()

    def until(self, condition: Callable[[Tally], bool]) -> Tally:
        """Wait for counts that fulfil a condition, and return them."""
        patience = Patience(BUDGET)
        while not condition(tally := self.tally()):
            assert self.child.poll() is None, self.ended()
            assert patience.pause(0.1), tally
        return tally

    def ended(self) -> str:
        """Wait for its end and return what it said."""
        said, _ = self.child.communicate(timeout=BUDGET)
        assert self.child.returncode == 0, said
        return said

    def requests(self) -> int:
        """Return how many requests Locust's statistics say there were."""
        raw = (self.folder / "locust.json").read_bytes()
        return sum(one.num_requests for one in msgspec.json.decode(raw, type=list[_Entry]))


def started(folder: Path, registry: Registry, *options: str) -> Run:
    """Start Locust on the registry."""
    storm = short_storm(folder, minutes=0.2, settle=3)
    host, port = registry.address
    command = [
        *(sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--headless", "--only-summary"),
        *("--host", f"http://{host}:{port}", "--storm", str(storm)),
        *("--json-file", str(folder / "locust"), "--tally", str(folder / "tally.json"), *options),
    ]
    return Run(
        folder,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True),
    )


@pytest.fixture
def runs() -> Iterator[list[Run]]:
    """Keep what a test starts, and end all of it."""
    made: list[Run] = []
    yield made
    for run in made:
        if run.child.poll() is None:  # its workers would hold its output open for a minute
            for process in psutil.Process(run.child.pid).children(recursive=True):
                process.kill()
            run.child.kill()
        run.child.communicate()


@pytest.mark.slow
@pytest.mark.timeout(2 * BUDGET)
def test_locust_reports_each_request_and_survives_a_worker(
    registries: Callable[[], Registry], runs: list[Run], tmp_path: Path
) -> None:
    """
    With events, in bulk, and divided: statistics and tally agree, and nothing is left.

    Of two workers one is killed; the other renews for all, and cancels all.
    One of the storms ends by itself. The others are told to, once what they are for was seen.
    """
    stormed = [registries() for _ in range(4)]
    kinds: dict[str, tuple[str, ...]] = {
        "events": (),
        "bulk": ("--bulk", "--minutes", "60"),
        "workers": (*_workers_here(2), "--minutes", "60"),
        "told": ("--minutes", "60"),
    }
    for registry, (name, options) in zip(stormed, kinds.items(), strict=True):
        (tmp_path / name).mkdir()
        runs.append(started(tmp_path / name, registry, *options))
    single, bulk, workers, told = runs

    told.until(lambda tally: tally.registered == 30)
    told.child.terminate()
    bulk.until(lambda tally: tally.acknowledged >= 60)
    bulk.child.terminate()
    both = workers.until(lambda tally: tally.acknowledged >= 30 and tally.workers == 2)
    victim = psutil.Process(workers.child.pid).children()[0]
    victim.kill()
    one = workers.until(
        lambda tally: tally.divisions > both.divisions and tally.workers == 1 and tally.up == 30
    )
    workers.until(lambda tally: tally.acknowledged >= one.acknowledged + 60)
    workers.child.terminate()
    said = [run.ended() for run in runs]

    for run, text in zip((single, bulk), said, strict=False):
        tally = run.tally()
        assert run.requests() == tally.requests, text
        assert tally.cancelled == 30, text
        assert tally.acknowledged >= 60, text
    tally = workers.tally()
    assert tally.workers == 1, said[2]
    assert tally.up == tally.cancelled == tally.arrived == 30, said[2]
    assert [registry.held for registry in stormed] == [{}] * 4, said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--host", "http://8.8.8.8:8761"), "beyond this machine"),
        ((), "no registry is named; say which with --host"),
    ],
    ids=["somebody's", "nobody's"],
)
def test_locust_storms_nothing_that_was_not_named_or_is_not_ours(
    options: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    """It is refused before anything is sent."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--headless"),
            *(*options, "--storm", "steady"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=BUDGET,
        cwd=tmp_path,
    )

    assert done.returncode != 0
    assert said in done.stderr + done.stdout
