"""A visit at a registry that is somebody's: names with a prefix, nothing harmful, nothing left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck import cli
from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.errors import CannotRun
from eureka_tck.report.store import load
from eureka_tck.targets import parse_target
from eureka_tck.targets.url import UrlTarget, running
from eureka_tck.verdict.outcome import NotApplicable
from eureka_tck.visit import Visit, prefix_of
from eureka_tck.wire.client import WireClient
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eureka_tck.run import Run

HERS = sample("CART", "hers")


@pytest.fixture
def root(run: Run) -> Iterator[str]:
    """Give the root of a registry that runs and has an instance of somebody's."""
    spec = ClusterSpec.of("theirs", parse_target("python"), speed=1)
    with Cluster(spec, run) as cluster:
        client = WireClient(cluster["a"].root)
        client.register(HERS)
        client.close()
        yield cluster["a"].root


def names(root: str) -> set[str]:
    """Return the applications of the registry."""
    client = WireClient(root)
    try:
        return {record.app for record in client.apps().applications()}
    finally:
        client.close()


def test_a_gate_as_a_guest_judges_and_leaves_nothing(
    root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain rows are judged; what needs settings is not applicable; all of ours is cancelled."""
    monkeypatch.chdir(tmp_path)

    code = cli.main(
        ["gate", "--target", f"url:{root}/eureka", "--select", "REG-01,RENEW-01,EVICT-01"]
    )

    rows = {row.id: row for row in load(tmp_path / "reports" / "latest").rows}
    assert code == 0
    assert rows["REG-01"].verdict == "passed"
    assert rows["EVICT-01"].verdict == "not applicable"
    assert "lacks settings" in rows["EVICT-01"].reason
    assert names(root) == {"CART"}


def test_what_is_left_by_a_test_is_cancelled_and_proven_gone(root: str) -> None:
    """Also what only the list shows; what is somebody else's stays."""
    visit = Visit(root, "TCK1-")
    visit.arrive()
    client = WireClient(root)
    client.register(sample("TCK1-CART", "tck1-left"))

    visit.leave()

    assert client.instance("TCK1-CART", "tck1-left").status == 404
    client.close()
    assert names(root) == {"CART"}


def test_lists_that_lag_are_not_judged() -> None:
    """Their cache may be half a minute old; single reads never are."""
    visit = Visit("http://127.0.0.1:1", "TCK1-", lists_at_once=False)

    for path in ("/apps", "/apps/", "/apps/delta", "/apps/TCK1-A", "/vips/tck1-a", "/svips/x"):
        with pytest.raises(NotApplicable, match="show a change only later"):
            visit.check("GET", path, b"")
    visit.check("GET", "/apps/TCK1-A/tck1-a", b"")
    visit.check("GET", "/instances/tck1-a", b"")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/apps/CART"),
        ("DELETE", "/apps/CART/hers"),
        ("PUT", "/apps/CART/hers/status?value=DOWN"),
        ("POST", "/peerreplication/batch/"),
    ],
)
def test_nothing_of_anybody_else_is_touched(method: str, path: str) -> None:
    """A name without our prefix is not written to, and we speak as no peer."""
    with pytest.raises(NotApplicable):
        Visit("http://127.0.0.1:1", "TCK1-").check(method, path, b"")


def test_a_run_has_a_prefix_of_its_own() -> None:
    """Two runs at one registry do not see each other's names."""
    assert prefix_of("one") != prefix_of("two")
    assert prefix_of("one").startswith("TCK")


@pytest.mark.parametrize("text", ["https://x:1", "x:1", "http://", "http://x:no", "http://x/v2"])
def test_a_url_that_is_none_is_refused(text: str) -> None:
    """The error shows how it is written."""
    with pytest.raises(CannotRun, match=r"is no address of a registry\.(.|\n)*http://host:port"):
        running(text)


def test_a_registry_beyond_private_networks_must_be_owned() -> None:
    """Nothing is sent: the address alone decides."""
    target = UrlTarget("http://192.88.99.1:8761")

    with pytest.raises(CannotRun, match="beyond this machine and its private networks"):
        target.admit(owned=False)
    target.admit(owned=True)
    UrlTarget("http://127.0.0.1:8761").admit(owned=False)
    UrlTarget("http://10.1.2.3:8761").admit(owned=False)


def test_a_gate_where_nothing_listens_does_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names the address and what to do; no run is made."""
    monkeypatch.chdir(tmp_path)

    assert cli.main(["gate", "--target", "url:http://127.0.0.1:1"]) == 3

    assert "url:http://127.0.0.1:1: nothing listens there" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [("load",), ("chaos", "--scenario", "partition-one")])
def test_a_running_registry_is_neither_stormed_nor_broken(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """It is somebody's."""
    assert cli.main([*words, "--target", "url:http://127.0.0.1:1"]) == 3

    assert "would harm whoever uses it" in capsys.readouterr().err


def test_a_running_registry_is_no_node_of_a_cluster(run: Run) -> None:
    """It cannot be told of peers."""
    spec = ClusterSpec.of("x", parse_target("url:http://127.0.0.1:1"), nodes=2)

    with pytest.raises(CannotRun, match="cannot be part of a cluster of ours"):
        Cluster(spec, run)
