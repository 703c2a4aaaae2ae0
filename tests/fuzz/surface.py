"""
What is fuzzed: everything of the Python registry that reads what strangers send.

Each function takes one input, any bytes, and raises an AssertionError, or whatever the registry
raised, if a promise is broken: an input is refused or understood, never anything else;
what is understood is written in both formats, both can be read, and both say the same.
"""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import msgspec
from defusedxml.ElementTree import fromstring
from msgspec.structs import replace

from eureka.core.errors import InvalidRequest
from eureka.core.instance import Instance, Record
from eureka.core.node import Node
from eureka.core.status import Action
from eureka.core.task import Task
from eureka.server.app import Application
from eureka.server.clock import Clock
from eureka.server.log import Log
from eureka.server.service import Service
from eureka.server.settings import Settings
from eureka.wire.batch import read_answers, read_batch
from eureka.wire.list_reading import read_applications
from eureka.wire.reading import read_registration
from eureka.wire.writing import JsonWriter, XmlWriter
from eureka.wire.xml_reading import read_xml_registration

if TYPE_CHECKING:
    from collections.abc import MutableMapping

ARRIVED_MS: Final = 1_796_040_000_000
MOST_HELD: Final = 200  # instances of the registry behind HTTP, before it starts anew
CHECKED_EVERY: Final = 50  # requests between two reads of all lists; they cost much more

_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

Surface = Callable[[bytes], None]


def json_registration(data: bytes) -> None:
    """Fuzz a registration in JSON."""
    _registration(data, read_registration)


def xml_registration(data: bytes) -> None:
    """Fuzz a registration in XML."""
    _registration(data, read_xml_registration)


def batch(data: bytes) -> None:
    """Fuzz a batch of a peer."""
    try:
        tasks = read_batch(data, arrived_ms=ARRIVED_MS)
    except InvalidRequest:
        return
    for task in tasks:
        if isinstance(task, Task) and task.record is not None:
            _check_writable(task.record.instance)


def answers(data: bytes) -> None:
    """Fuzz what a peer answers to a batch."""
    try:
        found = read_answers(data, arrived_ms=ARRIVED_MS)
    except InvalidRequest:
        return
    for answer in found:
        if answer.instance is not None:
            _check_writable(answer.instance)


def listed(data: bytes) -> None:
    """Fuzz a full list of a peer or of another region."""
    try:
        found = read_applications([data], arrived_ms=ARRIVED_MS)
    except InvalidRequest:
        return
    assert read_applications([data], arrived_ms=ARRIVED_MS, piece=1) == found
    for instance in found.instances:
        _check_writable(instance)


class Http:
    """
    Fuzz the surface that HTTP has, in this process, without sockets.

    An input is a request as on the wire, more or less: a line with method and path,
    lines with headers, an empty line, a body. What has no line end is a body.
    """

    def __init__(self) -> None:
        self._requests = 0
        self._runner = asyncio.Runner()
        self._start()

    def close(self) -> None:
        """Close the event loop."""
        self._runner.close()

    def __call__(self, data: bytes) -> None:
        """Send one request."""
        self._requests += 1
        if len(self._node.registry.leases) > MOST_HELD:
            self._start()
        status, _ = self.send(*taken_apart(data))
        log = self._log.getvalue()
        assert status < 500, (status, log)
        assert not log, log
        if self._requests % CHECKED_EVERY == 0:
            self.check_lists()

    def check_lists(self) -> None:
        """Read all lists in all representations: they agree and can be read."""
        held = len(self._node.registry.leases)
        for path in ("/eureka/apps", "/eureka/v2/apps/delta"):
            for form in (b"full", b"compact"):
                accept = [(b"x-eureka-accept", form), (b"accept", b"application/json")]
                status, body = self.send("GET", path, b"", accept, b"")
                assert status == 200, (path, status)
                lists = msgspec.json.decode(body)["applications"]
                named = [one for app in lists["application"] for one in app["instance"]]
                status, body = self.send("GET", path, b"", accept[:1], b"")
                assert status == 200, (path, status)
                found = fromstring(body)
                assert len(found.findall("application/instance")) == len(named), path
                assert found.findtext("apps__hashcode") == lists["apps__hashcode"], path
                if path.endswith("/apps"):
                    assert len(named) == held, (len(named), held)

    def send(
        self, method: str, path: str, query: bytes, headers: list[tuple[bytes, bytes]], body: bytes
    ) -> tuple[int, bytes]:
        """Make one call of the application; return status and body."""
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        scope: MutableMapping[str, Any] = {
            "type": "http",
            "method": method,
            "raw_path": path.encode("latin-1"),
            "path": path,
            "query_string": query,
            "headers": headers,
        }
        self._runner.run(self._app(scope, receive, send))
        return sent[0]["status"], sent[-1]["body"]

    def _start(self) -> None:
        settings = Settings(read_only_cache=False)
        clock = Clock()
        self._node = Node(settings.policy(), settings.replication())
        self._node.open(0, now=clock.now())
        self._log = io.StringIO()
        service = Service(self._node, settings, clock)
        self._app = Application(service, _nowhere, Log(clock, self._log))


def taken_apart(data: bytes) -> tuple[str, str, bytes, list[tuple[bytes, bytes]], bytes]:
    """Return method, path, query, headers and body of an input."""
    head, found, body = data.partition(b"\n\n")
    if not found:
        head, body = b"", data
    line, *lines = head.split(b"\n")
    method, _, target = line.decode("latin-1").partition(" ")
    path, _, query = target.partition("?")
    headers = [
        (name.strip().lower(), value.strip())
        for name, colon, value in (one.partition(b":") for one in lines)
        # Numbers are the parser's affair, long before the application is called.
        if colon and name.strip().lower() != b"content-length"
    ]
    path = path or "/apps/CART"
    prefix = "" if path.startswith("/eureka") else "/eureka"
    return method or "POST", prefix + path, query.encode("latin-1"), headers, body


def surfaces_of_bodies() -> dict[str, Surface]:
    """Return the surfaces that need no registry, by name."""
    return {
        "json": json_registration,
        "xml": xml_registration,
        "batch": batch,
        "answers": answers,
        "list": listed,
    }


def surfaces() -> dict[str, Surface]:
    """Return all surfaces by name; that of HTTP has a registry of its own."""
    return {**surfaces_of_bodies(), "http": Http()}


def _registration(data: bytes, read: Callable[..., Instance]) -> None:
    try:
        instance = read(data, arrived_ms=ARRIVED_MS)
    except InvalidRequest:
        return
    _check_writable(instance)


def _check_writable(instance: Instance) -> None:
    record = Record(instance, ARRIVED_MS)
    by_json = read_registration(JsonWriter().instance(record), arrived_ms=ARRIVED_MS)
    by_xml = read_xml_registration(XmlWriter().instance(record), arrived_ms=ARRIVED_MS)
    held = _comparable(instance)
    assert _comparable(by_json) == held
    if _is_for_xml(instance):
        assert _comparable(by_xml) == held


def _comparable(instance: Instance) -> Instance:
    """Return what a registration carries of an instance, without what the registry adds."""
    return replace(
        instance,
        sent_lease_info=True,
        **dict.fromkeys(("registered_ms", "service_up_ms", "evicted_ms", "updated_ms"), 0),
        action=Action.ADDED,
    )


def _is_for_xml(instance: Instance) -> bool:
    """Tell whether XML can hold all its texts; else some characters are replaced there."""
    return not any(_UNWRITABLE.search(text) for text in _texts(msgspec.to_builtins(instance)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)


async def _nowhere(*_: object) -> None:
    """Answer nothing: no input leads there."""
    raise AssertionError
