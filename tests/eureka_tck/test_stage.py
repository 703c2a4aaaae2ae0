"""The clusters of one pytest process: when they start, end, and are not had at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import pytest

from eureka_tck import stage as stage_module
from eureka_tck.errors import CannotRun
from eureka_tck.profile import Profile
from eureka_tck.stage import Stage
from eureka_tck.verdict import NotApplicable
from eureka_tck.verdict.order import Order

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class FakeCluster:
    """A cluster that starts nothing and remembers what became of it."""

    spec: Any
    run: Any
    closed: bool = False
    dead: bool = False
    nodes: dict[str, Any] = field(default_factory=dict)
    all: ClassVar[list[FakeCluster]] = []

    def __enter__(self) -> Self:
        if self.spec.name == "mesh":
            raise CannotRun("the mesh does not start.")
        self.nodes = {
            "a": SimpleNamespace(
                name="a", has_died=lambda: self.dead, log_tail=lambda lines: f"last {lines}"
            )
        }
        FakeCluster.all.append(self)
        return self

    def close(self) -> None:
        """Remember it."""
        self.closed = True


PLAIN = Profile(name="p", max_speed=20, seconds=1, why="")


def order(**more: Any) -> Order:  # noqa: ANN401 - any field of it
    """Return an order of a pass against the Python registry."""
    return Order(target="python", backend="process", seed=1, **more)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, state: Path) -> Stage:
    """Give a stage whose clusters are fakes."""
    del state
    FakeCluster.all = []
    monkeypatch.setattr(stage_module, "Cluster", FakeCluster)
    return Stage(order(), out=tmp_path)


def test_tests_of_a_profile_share_its_cluster(stage: Stage) -> None:
    """The cluster starts once, and again only after it was closed."""
    first = stage.cluster("open")
    assert stage.cluster("open") is first
    assert stage.running("open") is first

    stage.close("open")

    assert FakeCluster.all[0].closed
    assert stage.running("open") is None
    assert stage.cluster("open") is not first
    stage.close_all()


def test_a_cluster_that_cannot_start_is_tried_once(stage: Stage) -> None:
    """Each further test of the profile gets the same reason at once."""
    with pytest.raises(CannotRun) as first:
        stage.cluster("mesh")
    with pytest.raises(CannotRun) as second:
        stage.cluster("mesh")

    assert first.value is second.value
    stage.close_all()


def test_a_cluster_whose_node_died_is_replaced(stage: Stage) -> None:
    """The next test is not blamed for the last one's crash."""
    stage.cluster("open")
    FakeCluster.all[0].dead = True
    assert stage.deaths("open") == ("a",)

    stage.cluster("open")

    assert FakeCluster.all[0].closed
    assert stage.deaths("open") == ()
    assert stage.logs("open") == {"a": "last 40"}
    stage.close_all()


def test_at_the_end_nothing_is_left(stage: Stage) -> None:
    """All clusters are closed, and the run of our own with them."""
    stage.cluster("open")
    stage.cluster("lease")
    run = stage.run

    stage.close_all()

    assert all(cluster.closed for cluster in FakeCluster.all)
    assert not run.ledger.path.exists()


def test_a_profile_that_has_no_cluster_has_no_dead_nodes(stage: Stage) -> None:
    """A test that never asked for its cluster has neither deaths nor logs."""
    assert (stage.deaths("open"), stage.logs("open")) == ((), {})


def test_a_profiles_own_settings_win_over_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests stand on what their profile sets; all else of the user's file is taken over."""
    monkeypatch.setattr(stage_module, "Cluster", FakeCluster)
    own = {
        "eureka.server.enableSelfPreservation": "false",
        "eureka.server.maxThreadsForPeerReplication": "3",
    }

    spec = stage_module.spec_of(Stage(order(settings=own)), "open")

    assert spec.settings["eureka.server.enableSelfPreservation"] == "true"
    assert spec.settings["eureka.server.maxThreadsForPeerReplication"] == "3"


@pytest.mark.parametrize(
    ("asked", "slower", "speed"), [(None, 1.0, 10.0), (3.0, 1.0, 3.0), (50.0, 2.0, 10.0)]
)
def test_a_profile_is_no_faster_than_it_bears(
    asked: float | None, slower: float, speed: float
) -> None:
    """The target's own speed unless another is asked for, the profile's ceiling, then slower."""
    assert Stage(order(speed=asked, slower=slower)).speed_of(PLAIN) == speed


def test_what_the_target_lacks_is_not_applicable() -> None:
    """The reason names target and capability."""
    reference = Order(target="java:5.0.3", backend="process", seed=1)

    with pytest.raises(NotApplicable) as caught:
        Stage(reference).demand({"settings", "rate-limiter"}, PLAIN)

    assert caught.value.reason == "the target java:5.0.3 lacks rate-limiter, which the test needs."


def test_what_the_machine_lacks_is_not_applicable_unless_it_must_be_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """TCK_REQUIRE turns a missing capability of the machine into a run that cannot be made."""
    bare = SimpleNamespace(capabilities=frozenset({"kill"}))
    monkeypatch.setattr(stage_module, "make_backend", lambda _: bare)

    monkeypatch.setenv("TCK_REQUIRE", "docker")
    with pytest.raises(NotApplicable, match="the backend process lacks links on this machine"):
        Stage(order()).demand({"links", "kill"}, PLAIN)

    monkeypatch.setenv("TCK_REQUIRE", "docker,loopback")
    with pytest.raises(CannotRun, match="this machine has no loopback, and TCK_REQUIRE names it"):
        Stage(order()).demand({"links", "kill"}, PLAIN)


def test_a_profile_demands_what_its_cluster_is_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Peers, links and a wall clock that steps are needed by the profile, whatever a test says."""
    monkeypatch.delenv("TCK_REQUIRE", raising=False)
    bare = SimpleNamespace(capabilities=frozenset({"kill"}))
    monkeypatch.setattr(stage_module, "make_backend", lambda _: bare)
    profile = Profile(name="p", max_speed=20, seconds=1, why="", nodes=3, links=True)

    with pytest.raises(NotApplicable, match="lacks links and peers"):
        Stage(order()).demand(set(), profile)


def test_what_is_there_is_demanded_in_silence() -> None:
    """A test whose needs are met goes on."""
    Stage(order()).demand({"settings", "kill"}, PLAIN)
