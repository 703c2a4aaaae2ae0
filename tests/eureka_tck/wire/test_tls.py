"""The budget holds under TLS too."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from typing import TYPE_CHECKING

import pytest

from eureka_tck.wire.client import ReadBudget, WireClient
from eureka_tck.wire.errors import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from socket import socket
    from threading import Event

    from tests.eureka_tck.wire.conftest import Conversation

    Conversations = Callable[..., Conversation]

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a certificate for 127.0.0.1 that clients of this test trust."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    made = tmp_path / "server.pem"
    command = (
        f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        f"-keyout {made} -out {tmp_path}/cert.pem -subj /CN=registry "
        f"-addext subjectAltName=IP:127.0.0.1 -addext keyUsage=digitalSignature"
    )
    subprocess.run(command.split(), check=True, capture_output=True)
    certificate = (tmp_path / "cert.pem").read_text()
    made.write_text(made.read_text() + certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    return made


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    """Give the server's side of TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def test_an_answer_comes_through_tls(conversation: Conversations, tls: ssl.SSLContext) -> None:
    """A registry behind TLS is asked as any other."""
    talk = conversation(lambda connection, _: connection.sendall(ANSWER + b"ok"), tls)

    answer = talk.client.apps()

    assert answer.body == b"ok"


def test_a_dripping_server_behind_tls_is_given_up(
    conversation: Conversations, tls: ssl.SSLContext
) -> None:
    """A byte now and then does not hold a call beyond its budget under TLS either."""

    def script(connection: socket, over: Event) -> None:
        while not over.wait(0.02):
            connection.sendall(b"H")

    talk = conversation(script, tls, seconds=0.5)

    with pytest.raises(NoAnswer) as caught:
        talk.client.apps()

    assert caught.value.kind == "timed out"


def test_a_handshake_that_hangs_is_given_up(conversation: Conversations) -> None:
    """A server that never answers the handshake costs the budget and no more."""
    server = conversation(lambda _, over: over.wait() and None).server
    client = WireClient(server.root.replace("http", "https"), budget=ReadBudget(seconds=0.3))

    with pytest.raises(NoAnswer) as caught:
        client.apps()
    client.close()

    assert caught.value.kind == "timed out"


def test_a_certificate_nobody_vouches_for_is_refused(
    conversation: Conversations, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the certificate's authority there is no answer, and it says why."""
    monkeypatch.delenv("SSL_CERT_FILE")
    talk = conversation(lambda connection, _: connection.sendall(ANSWER + b"ok"), tls)

    with pytest.raises(NoAnswer, match="CERTIFICATE_VERIFY_FAILED") as caught:
        WireClient(talk.server.root).apps()

    assert caught.value.kind == "unreachable"
