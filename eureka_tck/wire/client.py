"""
The client through which the suites speak to a registry.

Knows Eureka's paths, not its rules. It follows no redirect, obeys no proxy of the environment,
retries nothing, keeps no cookie, and never waits longer or reads more than its budget.
Every call leaves an exchange in the recorder, those that got no answer too.
"""

from __future__ import annotations

import http.client
import zlib
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

import msgspec
import urllib3

from eureka_tck.wire.answer import Answer
from eureka_tck.wire.deadline import DeadlineAdapter
from eureka_tck.wire.errors import NoAnswer
from eureka_tck.wire.failure import TooLargeError, ending
from eureka_tck.wire.question import Question, prepare
from eureka_tck.wire.recorder import Recorder
from eureka_tck.wire.sample import Json, Sample, registration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

JSON: Final = "application/json"
XML: Final = "application/xml"
REPLICATION_HEADER: Final = "x-netflix-discovery-replication"

IDLE: Final = 0.5
"""Real seconds after which a kept connection is not used again: Tomcat closes after 20 s, which a
registry at speed 20 reaches in one, and a close that crosses a request would look like a defect."""

CHUNK: Final = 65536
"""Bytes read at once."""

_ENDINGS: Final = (
    OSError,  # sockets, and all that `requests` raises
    ValueError,  # what cannot be parsed, and what is too large
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    zlib.error,
)
"""All by which a call may end without an answer; `failure.ending` tells them apart."""


@dataclass(frozen=True, slots=True)
class ReadBudget:
    """What one call may cost: real seconds from connecting to the last byte, bytes of its body."""

    seconds: float = 5.0
    """A registry answers in milliseconds; a cold JVM on busy cores was seen to take 2 s."""
    size: int = 32 * 1024 * 1024
    """Bytes, compressed and decompressed: 20,000 instances are 18 MB of JSON."""


class WireClient:
    """
    One registry's HTTP interface.

    Args:
        root: `http://host:port`, with `user:password@` for basic authentication.
        recorder: Keeps the exchanges; one of its own if none is given.
        budget: The limits of every call.
        base: The path below which the registry serves: `/eureka`, also `/eureka/v2`.

    """

    def __init__(
        self,
        root: str,
        *,
        recorder: Recorder | None = None,
        budget: ReadBudget | None = None,
        base: str = "/eureka",
    ) -> None:
        self.root = root.rstrip("/")
        self.base = base
        self.recorder = Recorder() if recorder is None else recorder
        self.budget = ReadBudget() if budget is None else budget
        self._adapter = DeadlineAdapter()
        self._last_used = monotonic()

    def register(self, instance: Sample, *, replication: bool = False) -> Answer:
        """Register an instance by JSON, below the path of its own `app`."""
        return self.post(str(instance["app"]), registration(instance), replication=replication)

    def post(
        self,
        app: str,
        body: bytes,
        *,
        content_type: str | None = JSON,
        replication: bool = False,
    ) -> Answer:
        """Send any body as a registration of that application; None sends no Content-Type."""
        headers = {"Content-Type": content_type, **_replica(replication)}
        return self.call("POST", f"/apps/{_segment(app)}", headers=headers, body=body)

    def renew(
        self,
        app: str,
        instance_id: str,
        *,
        dirty: int | str | None = None,
        status: str | None = None,
        overridden: str | None = None,
        replication: bool = False,
    ) -> Answer:
        """Renew a lease; without `dirty` and `status` there is no query at all."""
        params = {"status": status, "lastDirtyTimestamp": dirty, "overriddenstatus": overridden}
        path = _instance_path(app, instance_id)
        return self.call("PUT", path, params=params, headers=_replica(replication))

    def cancel(self, app: str, instance_id: str, *, replication: bool = False) -> Answer:
        """Cancel a registration."""
        path = _instance_path(app, instance_id)
        return self.call("DELETE", path, headers=_replica(replication))

    def set_status(
        self,
        app: str,
        instance_id: str,
        value: str | None,
        *,
        dirty: int | str | None = None,
        replication: bool = False,
    ) -> Answer:
        """Override the status; `value` None sends no value."""
        path = f"{_instance_path(app, instance_id)}/status"
        params = {"value": value, "lastDirtyTimestamp": dirty}
        return self.call("PUT", path, params=params, headers=_replica(replication))

    def remove_status(
        self,
        app: str,
        instance_id: str,
        value: str | None = None,
        *,
        dirty: int | str | None = None,
        replication: bool = False,
    ) -> Answer:
        """Remove the override; `value` is the status to go on with."""
        path = f"{_instance_path(app, instance_id)}/status"
        params = {"value": value, "lastDirtyTimestamp": dirty}
        return self.call("DELETE", path, params=params, headers=_replica(replication))

    def set_metadata(self, app: str, instance_id: str, entries: Mapping[str, str]) -> Answer:
        """Add or replace keys of the metadata."""
        return self.call("PUT", f"{_instance_path(app, instance_id)}/metadata", params=entries)

    def instance(self, app: str, instance_id: str) -> Answer:
        """Read one instance (never cached)."""
        return self.call("GET", _instance_path(app, instance_id))

    def instance_by_id(self, instance_id: str) -> Answer:
        """Read one instance by its id alone (never cached)."""
        return self.call("GET", f"/instances/{_segment(instance_id)}")

    def apps(self) -> Answer:
        """Read the whole list."""
        return self.call("GET", "/apps")

    def app(self, name: str) -> Answer:
        """Read one application's list."""
        return self.call("GET", f"/apps/{_segment(name)}")

    def delta(self) -> Answer:
        """Read the recent changes."""
        return self.call("GET", "/apps/delta")

    def vips(self, address: str) -> Answer:
        """Read what is registered under a virtual address."""
        return self.call("GET", f"/vips/{_segment(address)}")

    def svips(self, address: str) -> Answer:
        """Read what is registered under a secure virtual address."""
        return self.call("GET", f"/svips/{_segment(address)}")

    def batch(self, tasks: Sequence[Mapping[str, Json]]) -> Answer:
        """Send replication tasks as a peer does."""
        body: Sample = {"replicationList": [dict(task) for task in tasks]}
        headers = {"Content-Type": JSON}
        return self.call("POST", "/peerreplication/batch/", headers=headers, body=_encoded(body))

    def page(self, path: str, *, headers: Mapping[str, str | None] | None = None) -> Answer:
        """Read a page of the host itself: the path stands below its root, not below the base."""
        return self._exchange("GET", self.root + path, headers or {}, b"")

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int | None] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: bytes = b"",
    ) -> Answer:
        """
        Send any request below the base and return its answer; `NoAnswer` if none is complete.

        Args:
            method: The verb.
            path: Below the base, encoded as it shall be sent.
            params: The query; names with None are left out.
            headers: Added to `Accept: application/json`; None leaves a header out.
            body: The bytes to send; without any, `Content-Length: 0` where the verb may have one.

        """
        given = {name: value for name, value in (params or {}).items() if value is not None}
        query = f"?{urlencode(given)}" if given else ""
        return self._exchange(method, f"{self.root}{self.base}{path}{query}", headers or {}, body)

    def close(self) -> None:
        """Close the kept connections."""
        self._adapter.close()

    def _exchange(
        self, method: str, url: str, headers: Mapping[str, str | None], body: bytes
    ) -> Answer:
        said = {"Accept": JSON, "Accept-Encoding": "identity", **headers}
        prepared = prepare(method, url, said, body)
        if monotonic() - self._last_used > IDLE:
            self._adapter.forget_connections()
        started_at, began = self.recorder.now(), monotonic()
        asked = Question(prepared, body, started_at)
        try:
            came = self._adapter.send_within(prepared, self.budget.seconds)
            with came:
                encoded = _bounded_body(came.raw, self.budget.size)
                plain = _decompressed(encoded, came.headers, self.budget.size)
        except _ENDINGS as why:
            self._adapter.forget_connections()
            kind, detail = ending(why, self.budget.seconds)
            exchange = asked.unanswered(detail, monotonic() - began)
            self.recorder.record(exchange)
            raise NoAnswer(kind, detail, exchange) from why
        finally:
            self._last_used = monotonic()
        seconds = monotonic() - began
        exchange = asked.answered(came, plain, seconds)
        self.recorder.record(exchange)
        return Answer(came.status_code, came.headers, plain, encoded, exchange, seconds)


def _bounded_body(raw: urllib3.BaseHTTPResponse, limit: int) -> bytes:
    """Return the body as it came, at most `limit` bytes of it."""
    read = bytearray()
    for piece in raw.stream(CHUNK, decode_content=False):
        read += piece
        if len(read) > limit:
            raise TooLargeError(limit)
    return bytes(read)


def _decompressed(encoded: bytes, headers: Mapping[str, str], limit: int) -> bytes:
    """Return the body without its gzip, at most `limit` bytes of it; a bomb is not unpacked."""
    if headers.get("Content-Encoding", "").strip().lower() != "gzip" or not encoded:
        return encoded
    unpacker = zlib.decompressobj(wbits=31)
    plain = unpacker.decompress(encoded, limit + 1)
    if len(plain) > limit:
        raise TooLargeError(limit)
    if not unpacker.eof:
        raise zlib.error("the gzip stream has no end")
    return plain


def _instance_path(app: str, instance_id: str) -> str:
    return f"/apps/{_segment(app)}/{_segment(instance_id)}"


def _segment(text: str) -> str:
    """Return the text as one segment of a path; a colon stays, as most clients send it."""
    return quote(text, safe=":")


def _replica(replication: bool) -> dict[str, str | None]:
    return {REPLICATION_HEADER: "true"} if replication else {}


def _encoded(document: Json) -> bytes:
    return msgspec.json.encode(document)
