"""The command line beside an exchange asks the same question again."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from eureka_tck.wire.curl import BODY_ON_THE_LINE, curl_line
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.wire.client import WireClient
    from tests.eureka_tck.wire.conftest import Conversation

    Answering = Callable[..., Conversation]

MANNERS = ("user-agent", "connection")
"""Headers that say nothing about the question."""


def test_a_curl_line_reads_as_the_request() -> None:
    """Method, headers and quoted URL stand in the line; headers curl would add are taken away."""
    line = curl_line("PUT", "http://h/a?x=1&y='", [("Accept", "application/json")], b"")

    assert line == (
        "curl -sS -i --globoff --path-as-is -X PUT -H 'Accept: application/json' "
        "-H Content-Type: 'http://h/a?x=1&y='\"'\"''"
    )


def test_a_curl_line_masks_credentials() -> None:
    """The header of a password is there, its value is not."""
    line = curl_line("GET", "http://ann:s3cret@h/", [("Authorization", "Basic YW5u")], b"")

    assert ("-H 'Authorization: ***'" in line, "http://***@h/" in line) == (True, True)


def test_a_body_that_is_no_text_is_piped() -> None:
    """Bytes that a shell cannot quote come in base64 through a pipe."""
    line = curl_line("POST", "http://h/", [], b"\xff\x00")

    assert line.startswith("printf %s /wA= | base64 -d | curl ")


def test_a_body_too_long_for_a_line_is_named() -> None:
    """A body of more than 8 KB is a file the reader has to make; the line says how large."""
    line = curl_line("POST", "http://h/", [], b"x" * (BODY_ON_THE_LINE + 1))

    assert line.endswith("  # BODY: a file with the 8,193 bytes of the request's body")


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda c: c.register(sample("CART", "it's $1 `x`")), id="register"),
        pytest.param(lambda c: c.renew("CART", "a:1", dirty=5, replication=True), id="renew"),
        pytest.param(lambda c: c.cancel("CART", "x [1] {2} #?&;é"), id="cancel"),
        pytest.param(lambda c: c.post("CART", b"\xff\x00\xfe"), id="bytes"),
        pytest.param(lambda c: c.post("CART", b"null", content_type=None), id="no-content-type"),
        pytest.param(lambda c: c.post("CART", b"@file"), id="at-sign"),
        pytest.param(lambda c: c.call("GET", "/a/../b//c/"), id="dots"),
        pytest.param(lambda c: c.call("HEAD", "/apps"), id="head"),
        pytest.param(
            lambda c: c.call("GET", "/apps", headers={"Accept": None, "X-Empty": ""}),
            id="no-accept",
        ),
    ],
)
def test_the_line_sends_the_same_bytes(
    answering: Answering, call: Callable[[WireClient], object]
) -> None:
    """Request line, body and headers that curl sends are those of the recorded call."""
    talk = answering()
    call(talk.client)
    line = talk.client.recorder.exchanges[0].curl

    subprocess.run(["sh", "-c", line], check=True, capture_output=True)  # noqa: S607 - that is what is tested

    ours, theirs = (_without_manners(request) for request in talk.server.requests)
    assert theirs == ours


def test_every_line_is_one_command() -> None:
    """A shell reads the line as one command, whatever the body holds."""
    line = curl_line("POST", "http://h/", [], b"a'b\"c\n; rm -rf x")

    assert shlex.split(line)[-2:] == ["a'b\"c\n; rm -rf x", "http://h/"]


def _without_manners(request: bytes) -> tuple[str, frozenset[tuple[str, str]], bytes]:
    """Return request line, the headers that say something about the question, and the body."""
    head, _, body = request.partition(b"\r\n\r\n")
    line, *headers = head.decode().split("\r\n")
    named = frozenset((name.lower(), value.strip()) for name, _, value in map(_split, headers))
    return line, frozenset(header for header in named if header[0] not in MANNERS), body


def _split(header: str) -> tuple[str, str, str]:
    return header.partition(":")
