"""Passing a request on to a node, as a proxy under another name does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import requests
import urllib3

from eureka_tck.actors.reaction import Close, Reply

if TYPE_CHECKING:
    from eureka_tck.actors.peer_server import Request

BUDGET: Final = 10.0  # real s for the node's answer
LARGEST: Final = 64 * 1024 * 1024  # bytes of it
PASSED_NOT: Final = {"connection", "content-length", "transfer-encoding", "host", "keep-alive"}


def relay(root: str, request: Request, *, after: float = 0.0) -> Reply | Close:
    """Return the node's answer to a request, to be given `after` registry seconds later."""
    headers = {name: text for name, text in request.headers if name.lower() not in PASSED_NOT}
    with requests.Session() as session:
        session.trust_env = False  # no proxy of the environment
        session.headers.clear()
        try:
            with session.request(
                request.method,
                root + request.path,
                headers=headers,
                data=request.body or None,
                timeout=BUDGET,
                allow_redirects=False,
                stream=True,
            ) as answer:
                body = answer.raw.read(LARGEST, decode_content=False)
                status = answer.status_code
                given = answer.headers.items()
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError):
            return Close()
    kept = tuple((name, text) for name, text in given if name.lower() not in PASSED_NOT)
    kind = next((text for name, text in kept if name.lower() == "content-type"), "")
    kept = tuple((name, text) for name, text in kept if name.lower() != "content-type")
    return Reply(status, body, kind, after=after, headers=kept)
