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
    from collections.abc import Sequence

    from eureka.server.app import Asgi, Receive, Scope, Send
    from eureka.server.settings import Security

_CHALLENGE: Final = (
    (b"www-authenticate", b'Basic realm="eureka", charset="UTF-8"'),
    (b"content-length", b"0"),
)
_OPEN: Final = frozenset(path.encode("ascii") for path in PATHS)
"""Load balancers and Kubernetes ask for health without a login; it tells nothing else."""


class Login:
    """The one login that is known, said by HTTP's basic authentication."""

    def __init__(self, user: str, password: str) -> None:
        self._expected = _digest(f"{user}:{password}".encode())

    def is_said(self, authorizations: Sequence[bytes]) -> bool:
        """Tell whether these values of the header, one in fact, say it."""
        if len(authorizations) != 1:
            return False
        scheme, _, code = authorizations[0].partition(b" ")
        if scheme.lower() != b"basic":
            return False
        try:
            login = base64.b64decode(code.strip(), validate=True)
        except (binascii.Error, ValueError):
            return False
        return hmac.compare_digest(_digest(login), self._expected)


def login_of(security: Security) -> Login | None:
    """Return the login that callers have to say, if any."""
    return Login(security.user, security.password) if security.login_required else None


def guarded(app: Asgi, login: Login | None) -> Asgi:
    """Return an application that asks for the login first, if one is required."""
    return app if login is None else Guard(app, login)


class Guard:
    """Answers 401 to whoever does not say who they are."""

    def __init__(self, app: Asgi, login: Login) -> None:
        self._app = app
        self._login = login

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        said = [value for name, value in scope["headers"] if name == b"authorization"]
        if scope["raw_path"] in _OPEN or self._login.is_said(said):
            await self._app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 401, "headers": list(_CHALLENGE)})
        await send({"type": "http.response.body", "body": b""})


def _digest(login: bytes) -> bytes:
    """Return what is compared: of one length, however long the login is."""
    return sha256(login).digest()
