"""Clusters of stand-ins: addresses, settings, starts that fail, restarts, and nothing left."""

from __future__ import annotations

import socket
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.errors import CannotRun, NodeFailed
from eureka_tck.profile import Profile
from eureka_tck.targets.command import load_adapter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import psutil

    from eureka_tck.run import Run
    from eureka_tck.targets.command import CommandTarget


def test_a_cluster_of_three_serves_and_leaves_nothing(
    stub: Callable[..., CommandTarget], run: Run, left: Callable[[], list[psutil.Process]]
) -> None:
    """Each node is reachable at an address of its own; after the block no process is left."""
    with Cluster(ClusterSpec.of("three", [stub()], nodes=3), run) as cluster:
        hosts = {node.plan.host for node in cluster}
        shown = [node.counters().threshold for node in cluster]

    assert (len(hosts), shown, left()) == (3, [3, 3, 3], [])


def test_a_run_whose_folder_is_relative_starts_its_nodes(
    stub: Callable[..., CommandTarget],
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A node works in its own folder, and must find the settings in it all the same."""
    monkeypatch.chdir(tmp_path)
    relative = replace(run, folder=run.folder.relative_to(tmp_path))

    with Cluster(ClusterSpec.of("one", [stub()]), relative) as cluster:
        assert cluster["a"].plan.folder.is_absolute()
        assert cluster["a"].counters().threshold == 3


def test_two_clusters_never_share_an_address(stub: Callable[..., CommandTarget], run: Run) -> None:
    """Clusters that live at the same time get blocks of their own."""
    spec = ClusterSpec.of("one", [stub()])
    with Cluster(spec, run) as first, Cluster(spec, run) as second:
        assert first["a"].plan.host != second["a"].plan.host


def test_each_node_is_told_of_all_its_peers(stub: Callable[..., CommandTarget], run: Run) -> None:
    """A node's peers are the other nodes; alone it is told its own address."""
    with Cluster(ClusterSpec.of("pair", [stub()], nodes=2), run) as cluster:
        assert cluster["a"].plan.peers == (f"{cluster['b'].url}/",)
    with Cluster(ClusterSpec.of("single", [stub()]), run) as cluster:
        assert cluster["a"].plan.peers == (f"{cluster['a'].url}/",)


def test_a_nodes_own_settings_win_over_the_clusters(
    stub: Callable[..., CommandTarget], run: Run
) -> None:
    """Ours are overridden by the profile's, those by the node's, by whichever spelling."""
    spec = ClusterSpec.of(
        "own",
        [stub()],
        nodes=2,
        settings={"eureka.server.registry-sync-retries": 5},
        settings_for={"b": {"eureka.server.registrySyncRetries": 1}},
    )
    with Cluster(spec, run) as cluster:
        retries = [
            cluster.settings[name]["eureka.server.registrySyncRetries"] for name in ("a", "b")
        ]

    assert retries == ["5", "1"]


def test_no_setting_moves_a_node_from_its_address(
    stub: Callable[..., CommandTarget], run: Run
) -> None:
    """A user's own file may name a port: the cluster's addresses stay."""
    spec = ClusterSpec.of("moved", [stub()], settings={"server.port": 9999})
    with Cluster(spec, run) as cluster:
        assert cluster["a"].plan.settings["server.port"] == str(cluster["a"].plan.port) != "9999"


def test_a_restarted_node_keeps_its_identity(stub: Callable[..., CommandTarget], run: Run) -> None:
    """After kill -9 and a start the node has the same address, settings and log."""
    with Cluster(ClusterSpec.of("again", [stub()]), run) as cluster:
        node = cluster["a"]
        plan, root = node.plan, node.root
        node.kill()
        was_alive = node.is_alive()
        node.start()

        assert (was_alive, node.plan, node.root) == (False, plan, root)
        assert node.log().count("stub: open") == 2
        assert node.log(since_start=True).count("stub: open") == 1


def test_a_node_that_dies_by_itself_has_died(
    stub: Callable[..., CommandTarget], run: Run, left: Callable[[], list[psutil.Process]]
) -> None:
    """A node that was killed by us has not died; one that ended without being told to has."""
    with Cluster(ClusterSpec.of("deaths", [stub()], nodes=2), run) as cluster:
        cluster["a"].kill()
        for process in left():
            process.kill()
        cluster.clock.wait_until(cluster["b"].has_died, within=50, what="the death of b")

        assert not cluster["a"].has_died()


def test_a_frozen_node_answers_when_it_goes_on(
    stub: Callable[..., CommandTarget], run: Run
) -> None:
    """A paused node is alive and silent, a resumed one serves."""
    with Cluster(ClusterSpec.of("frozen", [stub()]), run) as cluster:
        node = cluster["a"]
        node.pause()
        with socket.create_connection((node.plan.host, node.plan.port), timeout=5) as caller:
            caller.settimeout(0.2)
            caller.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            with pytest.raises(TimeoutError):
                caller.recv(1)
        alive = node.is_alive()
        node.resume()

        assert alive
        assert node.counters().threshold == 3


def test_a_stop_ends_a_frozen_node(stub: Callable[..., CommandTarget], run: Run) -> None:
    """A paused node is stopped within its grace, as it would be if it ran."""
    with Cluster(ClusterSpec.of("stopped", [stub()]), run) as cluster:
        cluster["a"].pause()
        cluster["a"].stop(grace=5)

        assert not cluster["a"].is_alive()


def test_a_node_that_will_not_stop_is_killed(stub: Callable[..., CommandTarget], run: Run) -> None:
    """When the grace is over the node is ended."""
    with Cluster(ClusterSpec.of("stubborn", [stub("--stubborn")]), run) as cluster:
        cluster["a"].stop(grace=0.1)

        assert not cluster["a"].is_alive()


def test_a_node_that_dies_at_start_shows_its_last_words(
    stub: Callable[..., CommandTarget], run: Run, left: Callable[[], list[psutil.Process]]
) -> None:
    """The error names the node, its exit code and the end of its log; nothing is left."""
    with pytest.raises(NodeFailed) as failed, Cluster(ClusterSpec.of("x", [stub("--die")]), run):
        pass

    assert str(failed.value) == (
        "node a (command:stub) of x died at start, with exit code 7.\n"
        "  The end of its log:\n"
        "    | stub: cannot open the treasury"
    )
    assert left() == []


def test_one_dead_node_of_three_ends_the_others(
    stub: Callable[..., CommandTarget], run: Run, left: Callable[[], list[psutil.Process]]
) -> None:
    """When a node of several fails, the others are taken away and the error is that node's."""
    spec = ClusterSpec.of("x", [stub(), stub("--die"), stub()])
    with pytest.raises(NodeFailed, match=r"^node b"), Cluster(spec, run):
        pass

    assert left() == []


@pytest.mark.parametrize(
    ("word", "seen"), [("--deaf", "connection refused"), ("--sick", "status 500")]
)
def test_a_node_that_never_becomes_ready_says_what_was_seen(
    stub: Callable[..., CommandTarget],
    run: Run,
    word: str,
    seen: str,
    left: Callable[[], list[psutil.Process]],
) -> None:
    """The error names the budget and the last answer; nothing is left."""
    spec = ClusterSpec.of("x", [stub(word, ready_within=0.5)])
    with (
        pytest.raises(NodeFailed, match=rf"was not ready within 0\.5 s .*last seen: {seen}"),
        Cluster(spec, run),
    ):
        pass

    assert left() == []


def test_a_wrong_clock_cannot_run(
    stub: Callable[..., CommandTarget], run: Run, left: Callable[[], list[psutil.Process]]
) -> None:
    """A node whose wall clock is not the cluster's is named, with what it says; nothing is left."""
    spec = ClusterSpec.of("x", [stub("--wrong-clock")])
    with pytest.raises(CannotRun, match=r"the clock of node a .* is wrong"), Cluster(spec, run):
        pass

    assert left() == []


def test_a_program_that_is_not_there_cannot_run(
    run: Run,
) -> None:
    """A command that does not exist is named."""
    path = run.folder / "gone.toml"
    path.write_text('command = ["/no/such/registry"]\n')

    with (
        pytest.raises(CannotRun, match=r"/no/such/registry cannot be started: No such file"),
        Cluster(ClusterSpec.of("x", [load_adapter(path)]), run),
    ):
        pass


def test_an_error_in_the_block_leaves_nothing(
    stub: Callable[..., CommandTarget], run: Run, left: Callable[[], list[psutil.Process]]
) -> None:
    """A failing test takes its cluster away, threads too."""
    threads = threading.active_count()
    with pytest.raises(ZeroDivisionError), Cluster(ClusterSpec.of("x", [stub()]), run):
        _ = 1 / 0

    assert (left(), threading.active_count()) == ([], threads)


def test_links_between_nodes_need_a_spec_with_links(
    stub: Callable[..., CommandTarget], run: Run
) -> None:
    """Without Toxiproxy a cut is refused with the way out."""
    with Cluster(ClusterSpec.of("bare", [stub()], nodes=2), run) as cluster:
        with pytest.raises(CannotRun, match="made without links"):
            cluster.links.cut("a>b")

        assert cluster.links.names() == ()


def test_fewer_targets_than_nodes_cannot_run(stub: Callable[..., CommandTarget]) -> None:
    """A mixed cluster names one target a node."""
    with pytest.raises(CannotRun, match="2 targets are named for a cluster of 3 nodes"):
        ClusterSpec.of("x", [stub(), stub()], nodes=3)


def test_a_profiles_ceiling_of_speed_wins(stub: Callable[..., CommandTarget]) -> None:
    """A profile that bears less than was asked for gets what it bears."""
    profile = Profile(name="slow", max_speed=2, seconds=1, why="milliseconds count")

    assert ClusterSpec.from_profile(profile, [stub()], speed=10).speed == 2
