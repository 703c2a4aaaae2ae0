"""The short route of renewals answers as the ordinary one does, whatever is asked."""

from __future__ import annotations

import asyncio
import io
from base64 import b64encode
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import pytest
import uvicorn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from uvicorn.server import ServerState

from eureka.core.instance import Key
from eureka.core.node import Node
from eureka.core.status import Status
from eureka.server.app import Application
from eureka.server.clock import Clock
from eureka.server.log import Log
from eureka.server.protocol import HEAD_BUDGET, LARGEST_HEAD, RegistryProtocol, protocol_of
from eureka.server.renewals import Renewals
from eureka.server.security import Login, guarded
from eureka.server.service import Service
from eureka.server.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.eureka.conftest import Builder

DATE = [(b"date", b"Mon, 30 Nov 2026 12:00:00 GMT")]
HEADERS = (
    b"Host: registry\r\nAccept: application/json, application/*+json\r\n"
    b"DiscoveryIdentity-Name: DefaultClient\r\nUser-Agent: Apache-HttpClient/5.5\r\n"
)
RENEWAL = (
    b"PUT /eureka/apps/CART/4?status=UP&lastDirtyTimestamp=100 HTTP/1.1\r\n" + HEADERS + b"\r\n"
)
PEER = "http://peer/eureka/"


class Wire:
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        self.written = b""
        self.writes = 0
        self.closed = False

    def write(self, data: bytes) -> None:
        """Keep it."""
        if not self.closed:
            self.written += data
            self.writes += 1

    def is_closing(self) -> bool:
        """Tell whether it was closed."""
        return self.closed

    def close(self) -> None:
        """Close it."""
        self.closed = True

    def get_extra_info(self, _name: str, default: object = None) -> object:
        """Know nothing."""
        return default

    def pause_reading(self) -> None:
        """Go on: the test feeds what it likes."""

    def resume_reading(self) -> None:
        """Go on."""


class Route:
    """One node behind one connection, with the short route open or not."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        build: Builder,
        *,
        short: bool,
        login: Login | None = None,
    ) -> None:
        self.seconds = 1000.0
        chosen = Settings()
        clock = Clock(epoch=0.0, wall=lambda: self.seconds, uptime=lambda: self.seconds)
        self.node = Node(chosen.policy(), chosen.replication())
        self.service = Service(self.node, chosen, clock)
        now = clock.now()
        self.node.peers.set([PEER])
        registry = self.node.registry
        for number, status in enumerate(Status):
            registry.register(build(str(number), status=status), now=now, replicated=False)
        for number in (5, 6):
            registry.register(build(str(number)), now=now, replicated=False)
        registry.set_status(Key("CART", "5"), Status.OUT_OF_SERVICE, now=now)
        registry.store_override(Key("CART", "6"), Status.OUT_OF_SERVICE, now=now)
        self.node.open(0, now=now)
        self.renewals = Renewals(self.service, login, open_=short)
        self.service.instruments.shortcut = self.renewals.counts
        self.told = 0
        self.service.told = self._count
        self.seconds += 10
        self._state = ServerState()
        self._state.default_headers = DATE
        self._loop = loop
        self._config = uvicorn.Config(
            guarded(Application(self.service, _nothing, Log(clock, io.StringIO())), login),
            http=protocol_of(self.renewals),
            lifespan="off",
            log_config=None,
            log_level="critical",
            proxy_headers=False,
            ws="none",
            timeout_keep_alive=75,
        )
        self.wire, self.protocol = self.connect()

    def connect(self) -> tuple[Wire, RegistryProtocol]:
        """Return another connection."""
        wire = Wire()
        make = protocol_of(self.renewals)
        protocol = make(self._config, self._state, {}, self._loop)
        protocol.connection_made(cast("asyncio.Transport", wire))
        return wire, protocol

    def feed(self, *chunks: bytes) -> None:
        """Let bytes arrive, each chunk answered as far as it can be before the next."""
        for chunk in chunks:
            if not self.wire.closed:
                self.protocol.data_received(chunk)
            while self._state.tasks:
                self._loop.run_until_complete(asyncio.sleep(0))

    def state(self) -> dict[str, object]:
        """Return all that a renewal may touch."""
        registry = self.node.registry
        batches = []
        outbox = self.node.peers.outboxes[PEER]
        while (batch := outbox.take(now=self.seconds + 5)) is not None:
            batches.append(batch.tasks)
            outbox.delivered(batch, [], now=self.seconds + 5)
        return {
            "leases": {
                str(lease.instance.key): (lease.renewed_at, lease.renewed_ms, lease.instance)
                for lease in registry.leases
            },
            "renewals": registry.preservation.renewals,
            "told": batches,
            "answers": self.service.instruments.answers(),
            "delta": registry.changes.version,
        }

    def close(self) -> None:
        """End the connection."""
        self.protocol.connection_lost(None)

    def _count(self) -> None:
        self.told += 1


async def _nothing(*_: object) -> None:
    """Answer nothing: no path outside the protocol is asked."""


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Return a loop that runs when told."""
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


def test_a_plain_renewal_is_answered_at_once_and_in_one_write(
    loop: asyncio.AbstractEventLoop, build: Builder
) -> None:
    """Without a task, a parser or a second packet."""
    route = Route(loop, build, short=True)
    registered = route.node.registry.leases.held(Key("CART", "4"))
    route.protocol.data_received(RENEWAL)

    assert route.wire.written.startswith(b"HTTP/1.1 200 OK\r\n")
    assert route.wire.writes == 1
    assert route.renewals.counts.renewed == 1
    assert registered.renewed_at == route.service.clock.monotonic() + 90
    assert route.told == 1
    route.close()


def test_pipelined_renewals_are_answered_in_one_write(
    loop: asyncio.AbstractEventLoop, build: Builder
) -> None:
    """Three calls, three answers, in their order."""
    route = Route(loop, build, short=True)
    route.protocol.data_received(RENEWAL * 3)

    assert route.wire.written.count(b"HTTP/1.1 200 OK") == 3
    assert (route.wire.writes, route.renewals.counts.renewed) == (1, 3)
    route.close()


_of = st.sampled_from
PATHS = st.builds(
    b"".join,
    st.tuples(
        _of([b"/eureka/apps/", b"/eureka/v2/apps/", b"/eureka//apps/", b"/Eureka/apps/"]),
        _of([b"CART", b"cart", b"C%41RT", b"NONE", b"", b"."]),
        _of([b"/"]),
        _of(
            [
                b"0",
                b"1",
                b"2",
                b"3",
                b"4",
                b"5",
                b"6",
                b"%34",
                b"none",
                b"4/",
                b"4/status",
                b"4;a=b",
            ]
        ),
        _of(
            [
                b"",
                b"?status=UP&lastDirtyTimestamp=100",
                b"?status=DOWN&lastDirtyTimestamp=100",
                b"?lastDirtyTimestamp=100",
                b"?lastDirtyTimestamp=99",
                b"?lastDirtyTimestamp=0100",
                b"?lastDirtyTimestamp=101&status=UP",
                b"?status=UP&lastDirtyTimestamp=101",
                b"?status=UP&lastDirtyTimestamp=soon",
                b"?status=UP&lastDirtyTimestamp=",
                b"?status=UP",
                b"?status=&lastDirtyTimestamp=100&overriddenstatus=DOWN",
                b"?status=UP&lastDirtyTimestamp=99999999999999999999",
                b"?lastDirtyTimestamp=99&lastDirtyTimestamp=100",
                b"?value=DOWN",
                b"?",
                b"?lastDirtyTimestamp=100#top",
            ]
        ),
    ),
)
USUAL = [
    b"Host: registry",
    b"Accept: application/json",
    b"User-Agent: Go-http-client/1.1",
    b"Accept-Encoding: gzip",
    b"Connection: Keep-Alive",
    b"Content-Length: 0",
    b"DiscoveryIdentity-Name: DefaultClient",
]
HARMLESS = [
    b"Accept: text/html",
    b"Connection: close",
    b"X-Netflix-Discovery-Replication: true",
    b"x-netflix-discovery-replication: false",
    b"X-Tab:\tone\ttwo",
    b"X-Empty:",
    b"Expect: 100-continue",
    b"Authorization: Basic Og==",
    b"X-Eureka-Node-Id: 1",
]
ODD = [
    *HARMLESS,
    b"Accept: ",
    b"Accept: application/xml;q=0",
    b"Connection: close",
    b"Connection: upgrade",
    b"Connection: keep-alive, close",
    b"connection : close",
    b"Content-Length: 00",
    b"Content-Length: +0",
    b"Content-Length: 2",
    b"Transfer-Encoding: chunked",
    b"Expect: 100-continue",
    b"Upgrade: websocket",
    b"X-Netflix-Discovery-Replication: true",
    b"x-netflix-discovery-replication: false",
    b"X-Odd: \xff",
    b"X-Odd: \x01",
    b"X-Tab:\tone\ttwo",
    b" folded",
    b"X Y: z",
    b": nameless",
    b"X-Empty:",
    b"Content-Encoding: gzip",
]


def requests(
    odd: list[bytes], methods: list[bytes], versions: list[bytes]
) -> st.SearchStrategy[bytes]:
    """Return heads of requests, many of them plain renewals."""
    return st.one_of(
        st.just(RENEWAL),
        st.builds(
            lambda method, path, version, usual, odd: (
                b" ".join((method, path, version))
                + b"\r\n"
                + b"".join(line + b"\r\n" for line in (*usual, *odd))
                + b"\r\n"
            ),
            _of([b"PUT"] * 6 + methods),
            PATHS,
            _of([b"HTTP/1.1"] * 8 + versions),
            st.lists(_of(USUAL), max_size=4, unique=True),
            st.one_of(st.just([]), st.lists(_of(odd), max_size=2)),
        ),
    )


@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    found=st.lists(
        st.one_of(
            requests(ODD, [b"put", b"GET", b"HEAD"], [b"HTTP/1.0", b"http/1.1", b"HTTP/1.2", b""]),
            _of([b"{}", b"\r\n", b"0\r\n\r\n", b"PUT /eureka/apps/CART/4"]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_both_routes_answer_alike(found: list[bytes], build: Builder) -> None:
    """The same bytes back, the same leases, counts and tasks for the peers."""
    compare(found, build)


@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    found=st.lists(
        requests(HARMLESS, [b"GET", b"DELETE", b"HEAD", b"OPTIONS"], []), min_size=1, max_size=8
    ),
    cuts=st.lists(st.integers(0, 2000), max_size=3),
)
def test_both_routes_answer_alike_what_comes_in_one_go_or_in_pieces(
    found: list[bytes], cuts: list[int], build: Builder
) -> None:
    """
    Wherever the stream is cut.

    What is no HTTP is left out: after it the ordinary route forgets what came before it in one
    packet, and the short one has answered that already.
    """
    stream = b"".join(found)
    edges = sorted({0, len(stream), *(cut % len(stream) for cut in cuts)})
    compare([stream[start:end] for start, end in pairwise(edges)], build)


RIGHT = b"Authorization: Basic " + b64encode(b"node:secret")
LOGINS = [
    RIGHT,
    RIGHT.replace(b"Basic", b"bAsIc"),
    RIGHT.replace(b"Basic ", b"Basic   ") + b" \t",
    RIGHT.replace(b"Authorization", b"AUTHORIZATION"),
    RIGHT.replace(b"Basic", b"Bearer"),
    RIGHT[:-4],
    RIGHT.replace(b"Basic ", b"Basic"),
    b"Authorization: Basic " + b64encode(b"node:wrong"),
    b"Authorization: Basic ?",
    b"Authorization:",
    b"Proxy-" + RIGHT,
]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    found=st.lists(requests([*LOGINS, RIGHT, RIGHT], [b"GET"], []), min_size=1, max_size=8),
    logins=st.lists(_of([RIGHT, RIGHT, *LOGINS]), min_size=8, max_size=8),
)
def test_both_routes_ask_for_the_login_alike(
    found: list[bytes], logins: list[bytes], build: Builder
) -> None:
    """The same 401 for each that does not say it once, and says it right."""
    chunks = [
        one.replace(b"\r\n", b"\r\n" + login + b"\r\n", 1)
        for one, login in zip(found, logins, strict=False)
    ]
    said = RENEWAL.replace(b"\r\n", b"\r\n" + RIGHT + b"\r\n", 1)
    compare([said, *chunks], build, Login("node", "secret"))


def test_only_who_says_the_login_is_answered_at_once(
    loop: asyncio.AbstractEventLoop, build: Builder
) -> None:
    """Others are left to the ordinary route, each time."""
    route = Route(loop, build, short=True, login=Login("node", "secret"))
    said = RENEWAL.replace(b"\r\n", b"\r\n" + RIGHT + b"\r\n", 1)
    route.feed(said, RENEWAL, said, RENEWAL, said)

    assert route.wire.written.count(b"HTTP/1.1 200 OK") == 3
    assert route.wire.written.count(b"HTTP/1.1 401 Unauthorized") == 2
    assert route.renewals.counts.renewed == 3
    route.close()


def compare(chunks: list[bytes], build: Builder, login: Login | None = None) -> None:
    """Feed both routes and compare all they did."""
    loop = asyncio.new_event_loop()
    try:
        short, ordinary = (Route(loop, build, short=one, login=login) for one in (True, False))
        for route in (short, ordinary):
            route.feed(*chunks)

        assert short.wire.written == ordinary.wire.written
        assert short.wire.closed == ordinary.wire.closed
        assert short.state() == ordinary.state()
        assert ordinary.renewals.counts.renewed == 0
        plain = login is not None or chunks[0].startswith(RENEWAL)
        assert short.renewals.counts.renewed or not plain
        for route in (short, ordinary):
            route.close()
    finally:
        loop.close()


def test_an_idle_connection_ends_only_after_the_whole_time_without_a_renewal(
    loop: asyncio.AbstractEventLoop, build: Builder
) -> None:
    """The timer that finds a renewal since it was set begins anew; the next one closes."""
    route = Route(loop, build, short=True)
    route.protocol.data_received(RENEWAL)
    first = route.protocol.timeout_keep_alive_task
    assert first is not None
    route.protocol.data_received(RENEWAL)

    closed = []
    for _ in range(2):
        route.protocol.timeout_keep_alive_handler()
        closed.append(route.wire.closed)

    assert closed == [False, True]
    assert route.protocol.timeout_keep_alive_task is not first
    route.close()


def test_a_renewal_ends_the_time_for_the_first_head(
    loop: asyncio.AbstractEventLoop, build: Builder
) -> None:
    """What connects and renews is no connection that says nothing."""
    route = Route(loop, build, short=True)
    timer = route.protocol._head_timer
    assert timer is not None
    assert timer.when() - loop.time() <= HEAD_BUDGET

    route.protocol.data_received(RENEWAL)

    assert timer.cancelled()
    route.close()


def test_the_date_of_an_answer_is_that_of_all_others(
    loop: asyncio.AbstractEventLoop, build: Builder
) -> None:
    """New default headers are taken up with the next renewal."""
    route = Route(loop, build, short=True)
    route.protocol.data_received(RENEWAL)
    route._state.default_headers = [(b"date", b"later")]
    route.protocol.data_received(RENEWAL)

    assert route.wire.written.count(DATE[0][1]) == 1
    assert route.wire.written.count(b"date: later") == 1
    route.close()


def test_calls_that_arrive_together_are_no_large_head(
    loop: asyncio.AbstractEventLoop, build: Builder
) -> None:
    """More than 64 KiB of calls, the last of them cut off in its head, are answered one by one."""
    route = Route(loop, build, short=False)
    calls = RENEWAL * 1500
    route.feed(calls + RENEWAL[:20], RENEWAL[20:])

    assert len(calls) > LARGEST_HEAD
    assert b"431" not in route.wire.written
    assert not route.wire.closed
    assert route.wire.written.count(b"HTTP/1.1 200 OK") == 1501
    route.close()
