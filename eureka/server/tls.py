"""TLS contexts: what the server shows its callers, and whom it believes when it calls."""

from __future__ import annotations

import functools
import ssl
from typing import TYPE_CHECKING, Final

from eureka.core.errors import ConfigurationError

if TYPE_CHECKING:
    from eureka.server.settings import ClientAuthentication, Security

_VERIFY: Final[dict[ClientAuthentication, ssl.VerifyMode]] = {
    "none": ssl.CERT_NONE,
    "want": ssl.CERT_OPTIONAL,
    "need": ssl.CERT_REQUIRED,
}


def server_context(security: Security) -> ssl.SSLContext | None:
    """Return what the listener speaks TLS with; None where it does not."""
    if not security.serves_tls:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _load_chain(
        context,
        security.certificate,
        security.private_key,
        security.private_key_password,
        "server.ssl.certificate",
    )
    context.verify_mode = _VERIFY[security.client_authentication]
    if security.client_authorities:
        _trust(context, security.client_authorities, "server.ssl.trust-certificate")
    context.set_alpn_protocols(["http/1.1"])
    return context


def context_for(url: str, security: Security) -> ssl.SSLContext | None:
    """Return what the peer at this URL is called with; None where it is called without TLS."""
    return _peer_context(security) if url.startswith("https:") else None


@functools.lru_cache(maxsize=8)  # the authorities of a machine take 20 ms to load
def _peer_context(security: Security) -> ssl.SSLContext:
    """Return the authorities that are believed, and our own certificate if there is one."""
    context = ssl.create_default_context()
    if security.peer_authorities:
        _trust(context, security.peer_authorities, "eureka.client.tls.trust-store")
    if security.peer_certificate:
        _load_chain(
            context,
            security.peer_certificate,
            "",
            security.peer_certificate_password,
            "eureka.client.tls.key-store",
        )
    return context


def region_context(authorities: str) -> ssl.SSLContext:
    """Return what registries of other regions are called with."""
    context = ssl.create_default_context()
    if authorities:
        _trust(context, authorities, "eureka.server.remote-region-trust-store")
    return context


def _load_chain(
    context: ssl.SSLContext, certificate: str, key: str, password: str, name: str
) -> None:
    try:
        # An empty password keeps OpenSSL from asking a terminal for one.
        context.load_cert_chain(certificate, key or None, password)
    except (ssl.SSLError, OSError) as error:
        raise ConfigurationError(
            certificate, name, f"cannot be used as a certificate and its key: {_reason(error)}"
        ) from None


def _trust(context: ssl.SSLContext, authorities: str, name: str) -> None:
    try:
        context.load_verify_locations(authorities)
    except (ssl.SSLError, OSError) as error:
        raise ConfigurationError(
            authorities, name, f"must hold certificates in PEM: {_reason(error)}"
        ) from None


def _reason(error: OSError) -> str:
    reason = getattr(error, "reason", None) or error.strerror or "it cannot be read"
    return str(reason).replace("_", " ").lower()
