"""
The login: who may call.

The comparison takes as long for a wrong name or password as for the right ones.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from eureka.server.health import PATHS

if TYPE_CHECKING:
    from eureka.server.app import Asgi, Receive, Scope, Send
    from eureka.server.settings import Security

_CHALLENGE: Final = (
    (b"www-authenticate", b'Basic realm="eureka", charset="UTF-8"'),
    (b"content-length", b"0"),
)
_OPEN: Final = frozenset(path.encode("ascii") for path in PATHS)
"""Load balancers and Kubernetes ask for health without a login; it tells nothing else."""


def guarded(app: Asgi, security: Security) -> Asgi:
    """Return an application that asks for the login first, if one is required."""
    return Guard(app, security) if security.login_required else app


class Guard:
    """Answers 401 to whoever does not say who they are, with HTTP's basic authentication."""

    def __init__(self, app: Asgi, security: Security) -> None:
        self._app = app
        self._expected = _digest(f"{security.user}:{security.password}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        if scope["raw_path"] in _OPEN or self._knows(scope["headers"]):
            await self._app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 401, "headers": list(_CHALLENGE)})
        await send({"type": "http.response.body", "body": b""})

    def _knows(self, headers: list[tuple[bytes, bytes]]) -> bool:
        logins = [value for name, value in headers if name == b"authorization"]
        if len(logins) != 1:
            return False
        scheme, _, code = logins[0].partition(b" ")
        if scheme.lower() != b"basic":
            return False
        try:
            login = base64.b64decode(code.strip(), validate=True)
        except (binascii.Error, ValueError):
            return False
        return hmac.compare_digest(_digest(login), self._expected)


def _digest(login: bytes) -> bytes:
    """Return what is compared: of one length, however long the login is."""
    return sha256(login).digest()
