"""What a storm does to nodes: each thing at its instant, with how long it lasted."""

from __future__ import annotations

from contextlib import ExitStack
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from eureka_tck.fleet.agenda import Agenda
from eureka_tck.fleet.storm import Moment, Storm

if TYPE_CHECKING:
    from collections.abc import Iterator


class Cluster(dict[str, Any]):
    """Nodes and links that remember what is done to them."""

    def __init__(self) -> None:
        self.done: list[str] = []
        for name in "ab":
            self[name] = SimpleNamespace(
                kill=lambda n=name: self.done.append(f"kill {n}"),
                start=lambda n=name: self.done.append(f"start {n}"),
                restart=lambda n=name: self.done.append(f"restart {n}"),
            )
        self.links = SimpleNamespace(toxic=self._toxic)

    @property
    def nodes(self) -> dict[str, Any]:
        """All of them."""
        return self

    def _toxic(self, link: str, kind: str, values: dict[str, int]) -> SimpleNamespace:
        self.done.append(f"{kind} {values['latency']} on {link}")
        return SimpleNamespace(remove=lambda: self.done.append(f"healed {link}"))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Give what mends at the end."""
    with ExitStack() as made:
        yield made


def agenda(cluster: Cluster, stack: ExitStack, *moments: Moment) -> Agenda:
    """Return the agenda of a storm of a minute with these moments; it ends at second 70."""
    storm = Storm(
        name="x", story="", instances=10, minutes=1, arrive_over=5, settle=5, moments=moments
    )
    return Agenda(cluster, storm, stack)  # type: ignore[arg-type] # as much of one as it asks


def told(made: Agenda) -> list[tuple[float, float, str]]:
    """Return its deeds as plain values."""
    return [(one.begins, one.ends, one.said) for one in made.deeds]


def test_nothing_is_done_before_its_instant(stack: ExitStack) -> None:
    """Half of the minute after the arrival is second 35."""
    cluster = Cluster()
    made = agenda(cluster, stack, Moment(does="restart-node", at=0.5, node="b"))

    made.keep(lambda: 34.9)
    assert cluster.done == []

    made.keep(lambda: 35.1)
    assert cluster.done == ["restart b"]
    assert told(made) == [(35.1, 35.1, "node b restarted")]


def test_a_node_that_stays_dead_is_dead_to_the_end(stack: ExitStack) -> None:
    """Its band ends with the storm."""
    made = agenda(Cluster(), stack, Moment(does="kill-node", at=0.5, node="a"))

    made.keep(lambda: 35.0)

    assert told(made) == [(35.0, 70.0, "node a killed")]


def test_a_node_that_comes_back_ends_its_band(stack: ExitStack) -> None:
    """From the kill to the start."""
    cluster = Cluster()
    made = agenda(cluster, stack, Moment(does="kill-node", at=0.5, node="a", away=10))

    made.keep(lambda: 35.0)
    made.keep(lambda: 45.5)

    assert cluster.done == ["kill a", "start a"]
    assert told(made) == [(35.0, 45.5, "node a killed")]


def test_a_slow_link_heals_at_its_time_and_at_the_latest_at_the_end() -> None:
    """Whatever happens in between."""
    cluster = Cluster()
    with ExitStack() as stack:
        made = agenda(cluster, stack, Moment(does="slow-links", at=0.0, delay_ms=200, away=10))
        made.keep(lambda: 5.0)
        made.keep(lambda: 15.0)
        assert cluster.done == ["latency 200 on client>a", "healed client>a"]

    assert cluster.done[2:] == ["healed client>a"]
    assert told(made) == [(5.0, 15.0, "client>a slowed by 200 ms")]


def test_what_the_fleet_does_is_not_on_the_agenda(stack: ExitStack) -> None:
    """It needs nobody's help."""
    made = agenda(Cluster(), stack, Moment(does="die", at=0.0))

    made.keep(lambda: 60.0)

    assert made.deeds == []
