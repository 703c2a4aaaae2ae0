"""A Docker engine that is lost in the midst of a run: told, and all removed when it is back."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.errors import CannotRun
from eureka_tck.history import read_history
from eureka_tck.ledger import DOCKER_LABEL
from eureka_tck.promises import peers_converge
from eureka_tck.schedules import draw
from eureka_tck.schedules.runner import play
from eureka_tck.schedules.scenario import Budgets
from eureka_tck.supplies import engine
from eureka_tck.sweep import remove_run
from eureka_tck.targets import parse_target
from tests.eureka_tck.recorded_site import recorded_site
from tests.eureka_tck.schedules.cut import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eureka_tck.run import Run

BUILD = 900  # s: images from nothing, on a busy machine
CHUNK = 65536


class Door:
    """A socket before the engine's own: open it passes everything on, shut it refuses or hangs."""

    def __init__(self, path: Path, real: str) -> None:
        self._real = real
        self._shut: Literal["", "refuses", "hangs"] = ""
        self._open: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def shut(self, how: Literal["refuses", "hangs"]) -> None:
        """Answer nobody from now on, and drop who was being answered."""
        self._shut = how
        for one in self._open:
            with closing(one):
                _hang_up(one)

    def close(self) -> None:
        """End all of it."""
        _hang_up(self._listener)
        self._listener.close()
        self.shut("refuses")
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return
            if self._shut == "refuses":
                caller.close()
                continue
            self._open.append(caller)
            if self._shut == "":
                inner = socket.socket(socket.AF_UNIX)
                inner.connect(self._real)
                self._open.append(inner)
                for source, sink in ((caller, inner), (inner, caller)):
                    thread = threading.Thread(target=_pass_on, args=(source, sink))
                    self._threads.append(thread)
                    thread.start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(CHUNK):
            sink.sendall(data)
    _hang_up(source)
    _hang_up(sink)


def _hang_up(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def real() -> str:
    """Return the engine's own socket."""
    where = os.environ.get("DOCKER_HOST") or engine.DEFAULT
    if not where.startswith("unix://"):
        pytest.skip("the engine has no socket of this machine that a door could stand before")
    return where.removeprefix("unix://")


@pytest.fixture
def door(real: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    """Give a door before the engine, through which all of the run goes."""
    with tempfile.TemporaryDirectory(prefix="door-") as folder:  # a socket's path is short
        path = Path(folder) / "engine"
        door = Door(path, real)
        monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
        yield door
        door.close()


@pytest.mark.docker
@pytest.mark.timeout(BUILD)
def test_engine_that_is_lost_ends_the_run_and_what_is_left_is_swept(
    run: Run, tmp_path: Path, door: Door, real: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run could not go on, its history says why and is no pass; all goes when it is back."""
    spec = ClusterSpec.of("pair", parse_target("python"), nodes=2, backend="docker", links=True)

    with pytest.raises(CannotRun, match="not all of the cluster could be removed: Docker does not"):
        play_until_lost(spec, run, tmp_path, door)

    judgement = peers_converge(read_history(tmp_path))
    assert judgement.finding == "inconclusive"
    assert "The run was broken off: asking for the state of node a: Docker does not" in (
        judgement.said
    )
    monkeypatch.setenv("DOCKER_HOST", f"unix://{real}")
    swept = remove_run(run.ledger)
    assert (swept.containers, swept.networks, swept.problems) == (3, 1, ())
    with closing(engine.client()) as client:
        mine = f"{DOCKER_LABEL}={run.id}"
        assert client.containers.list(all=True, filters={"label": mine}) == []


@pytest.mark.docker
def test_engine_that_hangs_is_asked_once_when_all_is_to_be_removed(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for each container of an engine that does not answer a ping."""
    monkeypatch.setattr(engine, "PING_BUDGET", 1)
    with closing(engine.client()) as client:
        before = engine.silence(client)
        door.shut("hangs")

        assert before == ""
        assert "Docker does not answer: " in engine.silence(client)
        assert client.api.timeout == engine.ANSWER_BUDGET


def play_until_lost(spec: ClusterSpec, run: Run, folder: Path, door: Door) -> None:
    """Play the scenario, and lose the engine when the cut is on."""
    with recorded_site(spec, run, folder) as site:

        def lose(phase: str, _: str) -> None:
            if phase == "breaking" and site.cluster.links.is_cut("a>b"):
                door.shut("refuses")

        play(draw(cut(lasts=60.0), 1), site, Budgets(settling=60.0), sample_every=1.0, told=lose)
