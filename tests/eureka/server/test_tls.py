"""TLS: the listener, its clients' certificates, peers over https."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import ssl
import subprocess
from typing import TYPE_CHECKING

import pytest

from eureka.core.errors import ConfigurationError
from eureka.server.settings import Security
from eureka.server.tls import context_for, region_context, server_context

if TYPE_CHECKING:
    from pathlib import Path

    from tests.eureka.server.conftest import Running, Stage

HOST = "127.0.0.1"
JSON = "application/json"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a certificate and its key for 127.0.0.1; it is its own authority."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    command = (
        f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 2 "
        f"-keyout {folder}/key.pem -passout pass:geheim -out {folder}/cert.pem -subj /CN=registry "
        f"-addext subjectAltName=IP:{HOST}"
    )
    subprocess.run(command.split(), check=True, capture_output=True)
    both = (folder / "cert.pem").read_text() + (folder / "key.pem").read_text()
    (folder / "both.pem").write_text(both)
    return folder


def secured(files: Path, **more: str) -> Security:
    """Return the settings of a server with that certificate."""
    fields = {
        "certificate": str(files / "cert.pem"),
        "private_key": str(files / "key.pem"),
        "private_key_password": "geheim",
        "peer_authorities": str(files / "cert.pem"),
        **more,
    }
    return Security(**fields)  # type: ignore[arg-type] # texts all of them, some of few words


async def answer(server: Running, context: ssl.SSLContext, path: str = "/health/live") -> bytes:
    """Return what a call over TLS brings."""
    reader, writer = await asyncio.open_connection(HOST, server.port, ssl=context)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        return await asyncio.wait_for(reader.read(), 10)
    finally:
        writer.close()


def trusting(files: Path) -> ssl.SSLContext:
    """Return a client that believes the server."""
    return ssl.create_default_context(cafile=str(files / "cert.pem"))


def test_the_listener_speaks_tls_and_nothing_else(stage: Stage, files: Path) -> None:
    """A call in plain HTTP gets no answer of the registry."""

    async def story() -> None:
        async with stage.running(security=secured(files)) as server:
            assert b"200 OK" in await answer(server, trusting(files))
            reader, writer = await asyncio.open_connection(HOST, server.port)
            writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"HTTP" not in await asyncio.wait_for(reader.read(), 10)
            writer.close()

    stage.play(story())


def test_clients_can_be_asked_for_their_certificates(stage: Stage, files: Path) -> None:
    """Who has none is not served where one is needed."""

    async def story() -> None:
        security = secured(
            files, client_authentication="need", client_authorities=str(files / "cert.pem")
        )
        async with stage.running(security=security) as server:
            # With TLS 1.3 a client learns of the refusal when it reads.
            with contextlib.suppress(ssl.SSLError, ConnectionError):
                assert await answer(server, trusting(files)) == b""
            known = trusting(files)
            known.load_cert_chain(files / "both.pem", password="geheim")  # noqa: S106 - of a test
            assert b"200 OK" in await answer(server, known)

    stage.play(story())


def test_peers_are_called_over_tls(stage: Stage, files: Path) -> None:
    """One that cannot be believed gets nothing, and that is said in plain words."""

    async def story() -> None:
        security = secured(files)
        timeouts = {"peer_connect_timeout": 30.0, "peer_read_timeout": 30.0}
        async with stage.running(
            speed=10, host_name="registry-b", security=security, sync_retries=0
        ) as b:
            url = b.url.replace("http:", "https:")
            async with stage.running(
                speed=10, peers=(url,), sync_retries=0, security=security, **timeouts
            ) as a:
                await register(a, trusting(files), stage.registration())
                leases = b.server.service.node.registry.leases
                await stage.until(lambda: len(leases), "the instance at the peer")
                assert next(iter(a.server.cluster.senders)).standing.last_error == ""
            async with stage.running(
                speed=10, peers=(url,), sync_retries=0, **timeouts
            ) as stranger:
                await stranger.call(
                    "POST", "/eureka/apps/CART", stage.registration("2"), Content_Type=JSON
                )
                sender = next(iter(stranger.server.cluster.senders))
                await stage.until(lambda: sender.standing.last_error, "the failure")
                assert "certificate verify failed" in sender.standing.last_error.lower()
                assert len(leases) == 1

    stage.play(story())


async def register(server: Running, context: ssl.SSLContext, body: bytes) -> None:
    """Register an instance over TLS."""
    reader, writer = await asyncio.open_connection(HOST, server.port, ssl=context)
    head = (
        "POST /eureka/apps/CART HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        f"Content-Type: {JSON}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    assert b" 204 " in await asyncio.wait_for(reader.read(), 10)
    writer.close()


def test_without_a_certificate_there_is_no_tls(files: Path) -> None:
    """Nor where it is switched off; a peer in plain HTTP is called so."""
    off = secured(files, tls="")

    assert server_context(Security()) is None
    assert server_context(off) is None
    assert context_for("http://b:8761/eureka/", Security()) is None


def test_files_that_are_no_certificates_are_told(files: Path) -> None:
    """By the setting that names them."""
    odd = files / "odd.pem"
    odd.write_text("odd")
    key = str(files / "key.pem")

    for broken, name in (
        ({"certificate": str(odd)}, "server.ssl.certificate"),
        ({"private_key_password": "wrong"}, "server.ssl.certificate"),
        (
            {"client_authentication": "need", "client_authorities": key},
            "server.ssl.trust-certificate",
        ),
    ):
        with pytest.raises(ConfigurationError) as error:
            server_context(secured(files, **broken))
        assert name in str(error.value)
    with pytest.raises(ConfigurationError, match="trust-store"):
        context_for("https://b/eureka/", Security(peer_authorities=str(odd)))
    with pytest.raises(ConfigurationError, match="key-store"):
        context_for("https://b/eureka/", Security(peer_certificate=str(odd)))
    with pytest.raises(ConfigurationError, match="remote-region-trust-store"):
        region_context(str(odd))
    assert region_context(str(files / "cert.pem")).verify_mode is ssl.CERT_REQUIRED


def test_our_own_certificate_is_shown_to_peers(files: Path) -> None:
    """Certificate and key in one file."""
    both = str(files / "both.pem")
    security = Security(peer_certificate=both, peer_certificate_password="geheim")  # noqa: S106 - of a test

    assert context_for("https://b/eureka/", security) is not None
