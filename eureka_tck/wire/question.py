"""
A request as it goes out, and as it is recorded: to the letter what the caller said.

`requests` and urllib3 tidy URLs up and add headers by themselves; a suite that asks odd questions
has to prevent that. What is kept of a question and its answer is bounded and redacted here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import requests
from urllib3.util import SKIP_HEADER

import eureka_tck
from eureka_tck.wire.curl import curl_line
from eureka_tck.wire.exchange import Exchange
from eureka_tck.wire.redaction import kept_body, redacted, redacted_headers

if TYPE_CHECKING:
    from collections.abc import Mapping


def prepare(
    method: str, url: str, headers: Mapping[str, str | None], body: bytes
) -> requests.PreparedRequest:
    """Return the request with its URL exactly as given; a header that is None is not sent."""
    given: dict[str, str | None] = {
        "User-Agent": f"eureka-tck/{eureka_tck.__version__}",
        **headers,
    }
    left_out = [name for name, value in given.items() if value is None]
    sent = {name: value for name, value in given.items() if value is not None}
    prepared = requests.Request(method, url, headers=sent, data=body or None).prepare()
    parts = urlsplit(url)
    # `requests` tidies a URL up; a test of odd ones needs the odd ones. Credentials are a header.
    prepared.url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    for name in left_out:
        # urllib3 adds these two by itself unless told not to
        if name.lower() in ("accept-encoding", "user-agent"):
            prepared.headers[name] = SKIP_HEADER
        else:
            prepared.headers.pop(name, None)
    return prepared


@dataclass(frozen=True, slots=True)
class Question:
    """A request about to be sent; it becomes an exchange with what came of it."""

    prepared: requests.PreparedRequest
    body: bytes
    started_at: float | None

    def answered(self, came: requests.Response, body: bytes, seconds: float) -> Exchange:
        """Return the exchange with its answer, `body` decompressed."""
        headers = redacted_headers(came.raw.headers.items())
        return self._exchange(
            seconds,
            status=came.status_code,
            response_headers=headers,
            response_body=kept_body(body),
        )

    def unanswered(self, detail: str, seconds: float) -> Exchange:
        """Return the exchange that got no answer, and why."""
        return self._exchange(seconds, error=redacted(detail))

    def _exchange(
        self,
        seconds: float,
        *,
        status: int | None = None,
        response_headers: tuple[tuple[str, str], ...] = (),
        response_body: str = "",
        error: str | None = None,
    ) -> Exchange:
        method, url = str(self.prepared.method), str(self.prepared.url)
        headers = tuple(
            (name, str(value))
            for name, value in self.prepared.headers.items()
            if value is not SKIP_HEADER
        )
        return Exchange(
            method=method,
            url=redacted(url),
            request_headers=redacted_headers(headers),
            request_body=kept_body(self.body),
            status=status,
            response_headers=response_headers,
            response_body=response_body,
            started_at=self.started_at,
            seconds=seconds,
            error=error,
            curl=curl_line(method, url, headers, self.body),
        )
