"""The runner on real registries: what stops it half-way leaves nothing broken and is told."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from eureka_tck.clock import Patience
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.history import read_history
from eureka_tck.history.event import Marked
from eureka_tck.history.spans import fault_spans
from eureka_tck.promises import peers_converge
from eureka_tck.schedules import draw
from eureka_tck.schedules.runner import play
from eureka_tck.schedules.scenario import Budgets
from eureka_tck.targets import parse_target
from eureka_tck.workloads.crew import JOIN_BUDGET
from tests.eureka_tck.recorded_site import recorded_site
from tests.eureka_tck.schedules.cut import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from eureka_tck.run import Run
    from eureka_tck.workloads.site import Site

pytestmark = pytest.mark.toxiproxy


@pytest.fixture
def site(run: Run, tmp_path: Path) -> Iterator[Site]:
    """Give two Python registries with links."""
    spec = ClusterSpec.of("pair", parse_target("python"), nodes=2, links=True, speed=10)
    with recorded_site(spec, run, tmp_path) as site:
        yield site


def play_on(site: Site, told: Callable[[str, str], None], settling: float = 30.0) -> None:
    """Play the scenario."""
    budgets = Budgets(settling=settling, recovering=30.0)
    play(draw(cut(lasts=10.0), 1), site, budgets, sample_every=1.0, told=told)


def threads() -> list[str]:
    """Return the threads of a run that are still there once each had time to end."""
    ours = [one for one in threading.enumerate() if one.name.startswith(OURS)]
    patience = Patience(JOIN_BUDGET)
    for one in ours:
        one.join(patience.left())
    return [one.name for one in ours if one.is_alive()]


OURS = ("caller-", "sampler-", "gauges")


def test_run_that_is_stopped_after_its_faults_decides_nothing(site: Site, tmp_path: Path) -> None:
    """Ctrl-C while the cluster recovers ends the threads too, and nothing is judged of it."""

    def stop(phase: str, seen: str) -> None:
        if phase == "recovering":
            raise KeyboardInterrupt(seen)

    with pytest.raises(KeyboardInterrupt):
        play_on(site, stop)

    site.clock.wait_until(lambda: not threads(), 100.0, "the threads to end")
    judgement = peers_converge(read_history(tmp_path))
    assert (judgement.finding, judgement.said) == (
        "inconclusive",
        "The run was broken off: it was stopped.",
    )


def test_run_that_is_stopped_during_a_fault_is_healed_and_told(site: Site, tmp_path: Path) -> None:
    """Ctrl-C heals the fault, ends the threads, and closes the history, in that order."""

    def stop(phase: str, seen: str) -> None:
        if phase == "breaking" and site.cluster.links.is_cut("a>b"):
            raise KeyboardInterrupt(seen)

    with pytest.raises(KeyboardInterrupt):
        play_on(site, stop)

    history = read_history(tmp_path)
    assert not site.cluster.links.is_cut("a>b")
    assert fault_spans(history)[0].ended < float("inf")
    assert history.why_broken_off == "it was stopped"
    # nobody waits for a call that is under way when all has to end
    site.clock.wait_until(lambda: not threads(), 100.0, "the threads to end")


def test_node_that_dies_by_itself_ends_the_run_and_decides_nothing(
    site: Site, tmp_path: Path
) -> None:
    """A dead registry is told in the history, and every promise becomes inconclusive."""

    def kill(phase: str, seen: str) -> None:
        running = site.cluster._backend._running["b"].process  # type: ignore[attr-defined] # no verb lets a node die unmeant
        if phase == "breaking" and "to go" in seen:
            running.kill()

    play_on(site, kill)

    judgement = peers_converge(read_history(tmp_path))
    assert (judgement.finding, judgement.said) == (
        "inconclusive",
        "The run was broken off: node b died by itself.",
    )
    assert threads() == []


def test_phase_that_takes_too_long_is_told_and_left(site: Site, tmp_path: Path) -> None:
    """A cluster that never settles does not hold up the run for ever."""
    play_on(site, lambda _phase, _seen: None, settling=0.01)

    marks = [event for event in read_history(tmp_path).events if isinstance(event, Marked)]
    late = next(mark for mark in marks if mark.name == "settling took too long")
    assert late.said.startswith("fleet: ")
