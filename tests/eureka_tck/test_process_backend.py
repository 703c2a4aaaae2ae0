"""Addresses of the process backend: blocks taken, ports in use, systems with one address."""

from __future__ import annotations

import socket
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import pytest

from eureka_tck.backends import loopback, make_backend
from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.errors import CannotRun, NodeFailed
from eureka_tck.supplies import toxiproxy as supply

if TYPE_CHECKING:
    from collections.abc import Callable

    import psutil

    from eureka_tck.run import Run
    from eureka_tck.targets.command import CommandTarget


def listener(host: str, port: int) -> socket.socket:
    """Listen there."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((host, port))
    server.listen()
    return server


@pytest.fixture
def two_blocks(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Let there be two blocks only, which no other cluster of this machine uses."""
    monkeypatch.setattr(loopback, "BLOCKS", (102, 103))
    return "127.0.102", "127.0.103"


def test_a_block_with_a_port_in_use_is_passed_over(
    two_blocks: tuple[str, str], stub: Callable[..., CommandTarget], run: Run
) -> None:
    """What listens on the first block's address sends the cluster to the second."""
    first, second = two_blocks
    with (
        closing(listener(f"{first}.11", 8761)),
        Cluster(ClusterSpec.of("x", [stub()]), run) as cluster,
    ):
        assert cluster["a"].plan.host == f"{second}.11"


def test_without_a_free_block_the_port_in_use_is_named(
    two_blocks: tuple[str, str],
    stub: Callable[..., CommandTarget],
    run: Run,
    left: Callable[[], list[psutil.Process]],
) -> None:
    """The error says which address and port, and what to do; nothing is left."""
    with ExitStack() as taken:
        for block in two_blocks:
            for port in (8761, 18761, 28761):
                taken.enter_context(closing(listener(f"{block}.11", port)))
        with (
            pytest.raises(CannotRun, match=r"127\.0\.103\.11:28761 is in use(.|\n)*sweep"),
            Cluster(ClusterSpec.of("x", [stub()]), run),
        ):
            pass

    assert left() == []


def test_a_server_on_all_addresses_moves_the_cluster_to_other_ports(
    two_blocks: tuple[str, str],
    stub: Callable[..., CommandTarget],
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A developer's own registry on port 8761 is left in peace."""
    first, second = two_blocks
    monkeypatch.setattr(loopback, "NOBODY", f"{second}.11")
    with (
        closing(listener(f"{first}.11", 8761)),
        closing(listener(f"{second}.11", 8761)),
        Cluster(ClusterSpec.of("x", [stub()]), run) as cluster,
    ):
        assert (cluster["a"].plan.host, cluster["a"].plan.port) == (f"{first}.11", 18761)


def test_a_system_with_one_address_runs_one_node(
    stub: Callable[..., CommandTarget], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without loopback aliases a single node lives on 127.0.0.1, and peers are lacking."""
    monkeypatch.setattr(loopback, "has_blocks", lambda: False)
    with Cluster(ClusterSpec.of("x", [stub()]), run) as cluster:
        assert cluster["a"].plan.host == "127.0.0.1"
        assert {"peers", "links"}.isdisjoint(cluster.capabilities)


def test_a_system_with_one_address_refuses_several(
    stub: Callable[..., CommandTarget], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error points at the doctor, who knows the command."""
    monkeypatch.setattr(loopback, "has_blocks", lambda: False)
    with (
        pytest.raises(CannotRun, match=r"needs more loopback addresses(.|\n)*eureka-tck doctor"),
        Cluster(ClusterSpec.of("x", [stub()], nodes=2), run),
    ):
        pass


def test_a_missing_toxiproxy_leaves_nothing(
    stub: Callable[..., CommandTarget],
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    left: Callable[[], list[psutil.Process]],
) -> None:
    """Its error is the supply's own, with the way out."""

    def missing() -> None:
        raise CannotRun("there is no Toxiproxy.", "Install it.")

    monkeypatch.setattr(supply, "server", missing)
    with (
        pytest.raises(CannotRun, match="there is no Toxiproxy"),
        Cluster(ClusterSpec.of("x", [stub()], nodes=2, links=True), run),
    ):
        pass

    assert left() == []


def test_a_toxiproxy_that_dies_shows_its_last_words(
    stub: Callable[..., CommandTarget],
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    left: Callable[[], list[psutil.Process]],
) -> None:
    """A server that ends at its start is named with its log; nothing is left."""
    broken = run.folder / "toxiproxy-server"
    broken.write_text("#!/bin/sh\necho no such flag\nexit 2\n")
    broken.chmod(0o755)
    monkeypatch.setattr(supply, "server", lambda: broken)
    with (
        pytest.raises(NodeFailed, match=r"Toxiproxy died(.|\n)*no such flag"),
        Cluster(ClusterSpec.of("x", [stub()], nodes=2, links=True), run),
    ):
        pass

    assert left() == []


def test_the_environment_sets_nothing_on_a_node(
    stub: Callable[..., CommandTarget],
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    left: Callable[[], list[psutil.Process]],
) -> None:
    """Settings of the caller's environment would go before the profile's: they stay outside."""
    monkeypatch.setenv("EUREKA_SERVER_ENABLESELFPRESERVATION", "false")
    monkeypatch.setenv("SPRING_PROFILES_ACTIVE", "mine")
    with Cluster(ClusterSpec.of("x", [stub()]), run) as cluster:
        (node,) = left()
        names = {name for name in node.environ() if name.startswith(("EUREKA", "SPRING"))}

        assert cluster["a"].is_alive()
    assert names == {"EUREKA_TCK_RUN"}


def test_an_unknown_backend_lists_those_there_are() -> None:
    """A slip in a backend's name shows the right ones."""
    with pytest.raises(CannotRun, match=r"there is no backend 'dokcer'\.\n.*process, docker"):
        make_backend("dokcer")
