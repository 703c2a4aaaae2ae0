"""A service in time that passes by hand; a server and its scripted peers over real HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Protocol

import msgspec
import pytest
import uvloop

from eureka.core.node import Node
from eureka.server.clock import Clock
from eureka.server.exchange import Response, read_head
from eureka.server.log import Log
from eureka.server.server import RegistryServer, listen
from eureka.server.service import Service
from eureka.server.settings import Settings
from eureka.wire.paths import find
from eureka.wire.reading import PLAIN

if TYPE_CHECKING:
    from tests.eureka.conftest import HandClock


HOST = "127.0.0.1"


class Caller:
    """Calls a service as HTTP would, without HTTP."""

    def __init__(self, clock: HandClock, settings: Settings, *, opened: bool = True) -> None:
        real = Clock(wall=lambda: clock.now.epoch_ms / 1000, uptime=lambda: clock.seconds)
        self.node = Node(settings.policy(), settings.replication())
        self.service = Service(self.node, settings, real)
        self.clock = real
        if opened:
            self.node.open(0, now=real.now())

    def __call__(self, method: str, path: str, body: bytes = b"", **headers: str) -> Response:
        """Return the response to a call of a path below /eureka; JSON is asked for unless told."""
        raw, _, query = path.partition("?")
        target = find(f"/eureka{raw}")
        assert target is not None
        headers = {"accept": "application/json", **headers}
        lines = [
            (name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()
        ]
        return self.service.answer(read_head(method, target, query.encode(), lines), body)

    def json(self, path: str) -> dict[str, object]:
        """Return the decoded body of a successful read."""
        response = self("GET", path, accept="application/json")
        assert response.status == 200, response
        decoded: dict[str, object] = msgspec.json.decode(response.body)
        return decoded

    def register(self, instance_id: str = "1", app: str = "CART", **changes: object) -> Response:
        """Register an instance."""
        fields = {
            "instanceId": instance_id,
            "hostName": "h",
            "app": app,
            "ipAddr": "10.0.0.1",
            "dataCenterInfo": {"@class": PLAIN, "name": "MyOwn"},
            "vipAddress": app.lower(),
            "lastDirtyTimestamp": 100,
            **changes,
        }
        body = msgspec.json.encode({"instance": fields})
        return self("POST", f"/apps/{app}", body, content_type="application/json")

    def ids(self, path: str) -> list[str]:
        """Return the ids that a list names."""
        lists = self.json(path)
        applications = lists.get("applications", {"application": [lists.get("application")]})
        return msgspec.convert(applications, _Applications).ids()


class _Instance(msgspec.Struct):
    instance_id: str = msgspec.field(name="instanceId")


class _Application(msgspec.Struct):
    instance: list[_Instance]


class _Applications(msgspec.Struct):
    application: list[_Application]

    def ids(self) -> list[str]:
        """Return the ids in all applications."""
        return [one.instance_id for found in self.application for one in found.instance]


class MakeCaller(Protocol):
    """Makes a caller of a service with settings."""

    def __call__(self, *, opened: bool = True, **settings: object) -> Caller:
        """Return the caller."""


@pytest.fixture
def make(clock: HandClock) -> MakeCaller:
    """Return what makes a caller; without the read-only layer unless told."""

    def build(*, opened: bool = True, **settings: object) -> Caller:
        chosen = {"read_only_cache": False, "open_count": 1000, **settings}
        return Caller(clock, msgspec.convert(chosen, Settings), opened=opened)

    return build


@pytest.fixture
def call(make: MakeCaller) -> Caller:
    """Return a caller of a service that protects its leases."""
    return make()


class Reply(msgspec.Struct):
    """An HTTP response as it came over the wire."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> object:
        """Return the decoded body."""
        return msgspec.json.decode(self.body)


class Connection:
    """One connection to a server, spoken byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, raw: bytes) -> None:
        """Send bytes as they are."""
        self._writer.write(raw)
        await self._writer.drain()

    async def receive(self, *, head: bool = False) -> Reply | None:
        """Return the next response, None if the connection is closed; `head`: one without body."""
        try:
            text = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        except (asyncio.IncompleteReadError, ConnectionResetError):
            return None
        status, *lines = text.strip().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        length = 0 if head else int(headers.get("content-length", 0))
        body = await self._reader.readexactly(length)
        if headers.get("transfer-encoding") == "chunked" and not head:
            body = b"".join([chunk async for chunk in self._chunks()])
        return Reply(int(status.split()[1]), headers, body)

    async def _chunks(self) -> AsyncIterator[bytes]:
        size = -1
        while size:
            size = int(await self._reader.readline(), 16)
            yield (await self._reader.readexactly(size + 2))[:-2]

    async def call(self, method: str, path: str, body: bytes = b"", **headers: str) -> Reply:
        """Make one call and return its response; JSON is asked for unless told."""
        headers = {"Accept": "application/json", **headers}
        lines = [f"{method} {path} HTTP/1.1", "Host: registry"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        await self.send("\r\n".join([*lines, "", ""]).encode() + body)
        reply = await self.receive(head=method == "HEAD")
        assert reply is not None, f"no answer to {method} {path}"
        return reply

    async def close(self) -> None:
        """Close it."""
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()


class Running:
    """A server on a free port of this machine, in this process, and what it logged."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.listener = listen(msgspec.structs.replace(settings, host=HOST, port=0))
        self.port: int = self.listener.getsockname()[1]
        self.stream = io.StringIO()
        self.settings = settings
        self.clock = clock
        self.server = RegistryServer(
            settings, clock, self.listener, Log(clock, self.stream), reload=lambda: self.settings
        )
        self._connections: list[Connection] = []

    @property
    def url(self) -> str:
        """The URL a peer knows it by."""
        return f"http://{HOST}:{self.port}/eureka/"

    @property
    def log(self) -> str:
        """What was logged."""
        return self.stream.getvalue()

    async def connect(self) -> Connection:
        """Return a new connection, closed at the end."""
        connection = Connection(*await asyncio.open_connection(HOST, self.port))
        self._connections.append(connection)
        return connection

    async def call(self, method: str, path: str, body: bytes = b"", **headers: str) -> Reply:
        """Make one call on a connection of its own."""
        connection = await self.connect()
        return await connection.call(method, path, body, **headers)

    async def close(self) -> None:
        """Close the connections that were made."""
        for connection in self._connections:
            await connection.close()


async def until(condition: Callable[[], object], what: str) -> None:
    """Wait for a condition; after ten real seconds say what was awaited in vain."""
    end = asyncio.get_running_loop().time() + 10
    while not condition():
        assert asyncio.get_running_loop().time() < end, f"waited 10 s in vain for {what}"
        await asyncio.sleep(0.005)


@contextlib.asynccontextmanager
async def running(*, speed: float = 1.0, **settings: object) -> AsyncIterator[Running]:
    """Run a server for a while."""
    # It is no instance of itself unless that is what the story is about.
    chosen = {
        "read_only_cache": False,
        "host_name": "registry-a",
        "register_with_eureka": False,
        "sync_retries": 5,
        **settings,
    }
    found = Running(msgspec.convert(chosen, Settings), Clock(speed=speed))
    task = asyncio.create_task(found.server.serve())
    try:
        yield found
    finally:
        found.server.stop()
        await found.close()
        await task


Script = Callable[[str, str, bytes], "Awaitable[tuple[int, bytes] | None]"]


class ScriptedPeer:
    """A peer that records what it is sent and answers as told; None closes the connection."""

    def __init__(self, script: Script, *, announcing: str = "") -> None:
        self.script = script
        self.announcing = announcing  # the dialect in which it says that it compares
        self.calls: list[tuple[str, str, dict[str, str], bytes]] = []
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.port = 0

    @property
    def url(self) -> str:
        """The URL it is known by."""
        return f"http://{HOST}:{self.port}/eureka/"

    @property
    def tasks(self) -> list[dict[str, object]]:
        """All tasks of all batches so far."""
        return [
            task
            for method, _, _, body in self.calls
            if method == "POST"
            for task in msgspec.json.decode(body)["replicationList"]
        ]

    async def start(self, port: int = 0) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._serve, HOST, port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close everything."""
        if self._server is not None:
            self._server.close()
        for writer in list(self._writers):
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while True:
                text = (await reader.readuntil(b"\r\n\r\n")).decode()
                request, *lines = text.strip().split("\r\n")
                headers = {
                    name.lower(): value for name, value in (line.split(": ", 1) for line in lines)
                }
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                method, path, _ = request.split()
                self.calls.append((method, path, headers, body))
                answer = await self.script(method, path, body)
                if answer is None:
                    return
                status, content = answer
                head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(content)}\r\n"
                if self.announcing:
                    head += f"X-Eureka-Healing: {self.announcing}\r\n"
                writer.write(f"{head}\r\n".encode() + content)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()


@contextlib.asynccontextmanager
async def scripted(script: Script, *, announcing: str = "") -> AsyncIterator[ScriptedPeer]:
    """Run a scripted peer for a while."""
    peer = ScriptedPeer(script, announcing=announcing)
    await peer.start()
    try:
        yield peer
    finally:
        await peer.stop()


class Stage:
    """What a story over HTTP is told with."""

    running = staticmethod(running)
    scripted = staticmethod(scripted)
    until = staticmethod(until)

    @staticmethod
    def play(story: Coroutine[object, object, None]) -> None:
        """Play a story to its end, within 30 real seconds."""

        async def bounded() -> None:
            async with asyncio.timeout(30):
                await story

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(bounded())

    @staticmethod
    def registration(instance_id: str = "1", app: str = "CART", **changes: object) -> bytes:
        """Return the body of a registration."""
        fields = {
            "instanceId": instance_id,
            "hostName": "h",
            "app": app,
            "ipAddr": "10.0.0.1",
            "dataCenterInfo": {"@class": PLAIN, "name": "MyOwn"},
            "lastDirtyTimestamp": 100,
            **changes,
        }
        return msgspec.json.encode({"instance": fields})


@pytest.fixture
def stage() -> Stage:
    """Return what a story over HTTP is told with."""
    return Stage()
