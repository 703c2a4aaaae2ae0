"""
The clusters of one pytest process, one a profile.

A profile's cluster starts when the first of its tests asks for it and is closed when the last has
ended: nodes are dear, a JVM takes seconds and 200 MB.
A cluster that could not start is not tried again for each test; one whose node died by itself
is replaced, so that the next test is not blamed for the last one's crash.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from eureka_tck.backends import MACHINE, make_backend
from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.doctor import REQUIRED, required_names
from eureka_tck.errors import CannotRun
from eureka_tck.profile import load_profile
from eureka_tck.run import Run
from eureka_tck.targets import parse_target
from eureka_tck.verdict.outcome import NotApplicable
from eureka_tck.verdict.requirement import DEFAULT_PROFILE
from eureka_tck.visit import prefix_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from eureka_tck.profile import Profile
    from eureka_tck.targets import Target
    from eureka_tck.verdict.order import Order

LOG_TAIL: Final = 40
"""Lines of a node's log that go into a result."""

MACHINE_NEEDS: Final = {"peers": "loopback", "links": "loopback", "step": "cc"}
"""Which thing of the machine a backend's capability stands on, by the names of TCK_REQUIRE."""


@dataclass(slots=True)
class Stage:
    """Where the tests of one process play; `order` says against what."""

    order: Order
    out: Path = Path("reports")
    _run: Run | None = None
    _clusters: dict[str, Cluster] = field(default_factory=dict)
    _failed: dict[str, CannotRun] = field(default_factory=dict)
    _targets: tuple[Target, ...] = ()

    @property
    def targets(self) -> tuple[Target, ...]:
        """What is judged, one target or one a node."""
        if not self._targets:
            self._targets = parse_target(self.order.target, Path(self.order.here))
        return self._targets

    @property
    def run(self) -> Run:
        """The run these tests belong to: their parent's, or one of their own."""
        if self._run is None:
            order = self.order
            self._run = (
                Run.join(order.run_id, Path(order.run_folder), order.seed)
                if order.run_id
                else Run.create("pytest", order.target, self.out, order.seed)
            )
        return self._run

    @property
    def prefix(self) -> str:
        """What all names bear that are registered at somebody's registry; else nothing."""
        visited = any(target.family == "url" for target in self.targets)
        return prefix_of(self.run.id) if visited else ""

    def speed_of(self, profile: Profile) -> float:
        """
        Return the speed of a profile: what was asked for, no more than it bears, slowed down.

        A target whose clock is not ours lives in real time, whatever is asked for.
        """
        if any("clock" not in target.capabilities for target in self.targets):
            return 1.0
        asked = self.order.speed
        if asked is None:
            asked = min(target.default_speed for target in self.targets)
        return min(asked, profile.max_speed) / self.order.slower

    def demand(self, needs: Collection[str], profile: Profile) -> None:
        """Raise NotApplicable where target or backend lack what a test, or its profile, needs."""
        needs = set(needs) | _needs_of(profile)
        for target in self.targets[: profile.nodes]:
            able = target.capabilities | ({"destructive"} if self.order.owned else set())
            if missing := needs - able:
                raise NotApplicable(
                    f"the target {target.name} lacks {_words(missing)}, which the test needs."
                )
        missing = (needs & MACHINE) - make_backend(self.order.backend).capabilities
        if not missing:
            return
        required = required_names()
        for need in sorted(missing):
            if MACHINE_NEEDS.get(need) in required:
                raise CannotRun(
                    f"this machine has no {MACHINE_NEEDS[need]}, and {REQUIRED} names it.",
                    "`eureka-tck doctor` says how to bring it.",
                )
        raise NotApplicable(
            f"the backend {self.order.backend} lacks {_words(missing)} on this machine, "
            "which the test needs; `eureka-tck doctor` says what would bring it."
        )

    def cluster(self, name: str) -> Cluster:
        """Return the running cluster of a profile; CannotRun if it cannot be had."""
        if name in self._failed:
            raise self._failed[name]
        if name in self._clusters and self.deaths(name):
            self.close(name)
        if name not in self._clusters:
            try:
                self._clusters[name] = self._open(name)
            except CannotRun as error:
                self._failed[name] = error
                raise
        return self._clusters[name]

    def running(self, name: str) -> Cluster | None:
        """Return the cluster of a profile if it has been started."""
        return self._clusters.get(name)

    def deaths(self, name: str) -> tuple[str, ...]:
        """Return the nodes of a profile's cluster that ended without being told to."""
        cluster = self._clusters.get(name)
        if cluster is None:
            return ()
        return tuple(node.name for node in cluster.nodes.values() if node.has_died())

    def logs(self, name: str) -> dict[str, str]:
        """Return the end of each node's log."""
        cluster = self._clusters.get(name)
        if cluster is None:
            return {}
        return {node.name: node.log_tail(LOG_TAIL) for node in cluster.nodes.values()}

    def close(self, name: str) -> None:
        """Take a profile's cluster away, if it runs."""
        if cluster := self._clusters.pop(name, None):
            cluster.close()

    def close_all(self) -> None:
        """Take everything away; a run of our own ends here."""
        for name in list(self._clusters):
            self.close(name)
        if self._run is not None and not self.order.run_id:
            self._run.close()
            self._run = None

    def _open(self, name: str) -> Cluster:
        cluster = Cluster(spec_of(self, name), self.run)
        return cluster.__enter__()


def _needs_of(profile: Profile) -> set[str]:
    """
    Return what a profile's cluster needs, whatever its tests say.

    The settings of the profile that most tests share only keep them apart; all others decide.
    """
    return {
        need
        for need, is_needed in (
            ("settings", profile.name != DEFAULT_PROFILE),
            ("peers", profile.nodes > 1 or bool(profile.scripted)),
            ("links", profile.links),
            ("step", profile.wall_steps),
            ("locale", bool(profile.locale)),
        )
        if is_needed
    }


def spec_of(stage: Stage, name: str) -> ClusterSpec:
    """Return the cluster of a profile as this stage asks for it."""
    profile, order = load_profile(name), stage.order
    # A profile's own settings win: its tests stand on them.
    others = {key: text for key, text in order.settings.items() if key not in profile.settings}
    return ClusterSpec.from_profile(
        profile,
        stage.targets,
        backend=order.backend,
        speed=stage.speed_of(profile),
        settings=others,
    )


class StartCluster(Protocol):
    """How the fixture `eureka_cluster` is called."""

    def __call__(
        self,
        *,
        nodes: int = 1,
        links: bool = False,
        settings: Mapping[str, object] | None = None,
        target: str | None = None,
        backend: str | None = None,
        speed: float | None = None,
    ) -> Cluster:
        """
        Start a cluster and return it once its nodes serve.

        Args:
            nodes: how many registries, each the peer of all others: "a", "b", …
            links: let Toxiproxy carry their traffic, so that `cluster.links` can cut and delay it.
            settings: by Spring's names, as `{"eureka.server.enableSelfPreservation": False}`.
            target: "python", "java:5.0.3", …, or a comma list; default `--eureka-target`.
            backend: "process" or "docker"; default `--eureka-backend`.
            speed: how much faster the registries' time passes; default `--eureka-speed`, else 1,
                since the program under test lives in real time.
        """
        ...


class ClustersOfATest:
    """The clusters that one test has asked for; all end with it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._open = ExitStack()

    def __enter__(self) -> StartCluster:
        return self._start

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _start(
        self,
        *,
        nodes: int = 1,
        links: bool = False,
        settings: Mapping[str, object] | None = None,
        target: str | None = None,
        backend: str | None = None,
        speed: float | None = None,
    ) -> Cluster:
        order = self._stage.order
        spec = ClusterSpec.of(
            "cluster",
            self._stage.targets if target is None else parse_target(target),
            nodes=nodes,
            backend=order.backend if backend is None else backend,
            settings=settings or {},
            speed=speed or order.speed or 1.0,
            links=links,
        )
        return self._open.enter_context(Cluster(spec, self._stage.run))


def _words(names: Collection[str]) -> str:
    return " and ".join(sorted(names))
