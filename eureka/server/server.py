"""One server process: a socket, a loop, and the tasks that give the node its time."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
import sys
from math import ceil
from random import Random
from typing import TYPE_CHECKING

import uvicorn
import uvloop

from eureka.core.errors import ConfigurationError
from eureka.core.node import Node
from eureka.server.app import Application
from eureka.server.cluster import Cluster
from eureka.server.cold import cold_application
from eureka.server.draining import drained
from eureka.server.limit import BucketLimiter
from eureka.server.log import Log
from eureka.server.protocol import protocol_of
from eureka.server.regions import Regions
from eureka.server.registration import Registration
from eureka.server.renewals import Renewals
from eureka.server.security import guarded, login_of
from eureka.server.service import Service
from eureka.server.timers import Timers
from eureka.server.tls import server_context
from eureka.server.watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eureka.server.clock import Clock
    from eureka.server.settings import Settings

KEEP_ALIVE = 75  # real s at least: nginx's default, and more than two renewals of 30 s are apart
DRAIN_BUDGET = 1.0  # s for what peers have not been told yet
SHUTDOWN_BUDGET = 1  # s for the answers under way when the server is told to end
BACKLOG = 2048
YIELD_AFTER = 0.001  # s a thread beside the loop keeps the interpreter while the loop wants it
COLLECT_AFTER = (10_000, 20, 20)
"""
Objects, collections of the young and of the middle generation after which the collector looks.
Leases, instances and their bytes are none of its business: only calls under way leave cycles.
"""


class _Uvicorn(uvicorn.Server):
    """
    Uvicorn without its own signal handlers:
    they end the process by the signal, not by its exit code.
    """

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listen(settings: Settings) -> socket.socket:
    """Return the listening socket, or say why there is none."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        problem = f"cannot listen there: {error.strerror or error}"
        raise ConfigurationError(f"{settings.host}:{settings.port}", "", problem) from None
    return listener


def run(
    settings: Settings, clock: Clock, listener: socket.socket, *, reload: Callable[[], Settings]
) -> None:
    """Serve until SIGTERM or SIGINT; SIGHUP has the list of peers read again, by `reload`."""
    log = Log(clock, form=settings.log_format)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_run(RegistryServer(settings, clock, listener, log, reload=reload)))


async def _run(server: RegistryServer) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.stop)
    loop.add_signal_handler(signal.SIGHUP, server.read_peers_again)
    # What was loaded stays: the collector need not look at it again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    sys.setswitchinterval(YIELD_AFTER)
    await server.serve()


def _keep_alive(settings: Settings, clock: Clock) -> int:
    """Return the real seconds an idle connection is kept: longer than two renewals are apart."""
    return max(KEEP_ALIVE, ceil(clock.real(2.5 * settings.expected_renewal_interval)))


class RegistryServer:
    """A node that serves on a socket, and everything that happens by itself meanwhile."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        listener: socket.socket,
        log: Log,
        *,
        reload: Callable[[], Settings],
    ) -> None:
        self.service = Service(Node(settings.policy(), settings.replication()), settings, clock)
        self.cluster = Cluster(self.service, clock, log)
        self.cluster.refresh = self.read_peers_again
        self.service.node_id = self.cluster.node_id
        self.service.told = self.cluster.nudge
        self.service.information.replicas = self.cluster.replicas
        self._settings = settings
        self._clock = clock
        self._listener = listener
        self._log = log
        self._reload = reload
        self._read_again = asyncio.Event()
        login = login_of(settings.security)
        self.renewals = Renewals(self.service, login)
        self._regions = Regions(settings.regions, clock, log, retention=settings.delta_retention)
        self._registration = Registration(self.service, clock, log, port=listener.getsockname()[1])
        self.service.remote = self._regions
        if settings.rate_limited:
            self.service.limiter = BucketLimiter(settings.rate)
        self.watchdog = Watchdog()
        self.service.instruments.watchdog = self.watchdog
        self.service.instruments.shortcut = self.renewals.counts
        cold = cold_application(self.service, self.cluster)
        config = uvicorn.Config(
            guarded(Application(self.service, cold, log), login),
            http=protocol_of(self.renewals),
            ws="none",
            lifespan="off",
            loop="none",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=_keep_alive(settings, clock),
            timeout_graceful_shutdown=SHUTDOWN_BUDGET,
            backlog=BACKLOG,
        )
        config.load()
        config.ssl = server_context(settings.security)
        self._uvicorn = _Uvicorn(config)

    def stop(self) -> None:
        """End: the own lease is cancelled, answers under way are finished, connections closed."""
        if not self._uvicorn.should_exit:
            self._log.info("ending")
            self._registration.end()
            self._uvicorn.should_exit = True

    def read_peers_again(self) -> None:
        """Take up a changed list of peers now."""
        self._read_again.set()

    async def serve(self) -> None:
        """Serve until told to stop."""
        self.watchdog.start(asyncio.get_running_loop())
        host, port = self._listener.getsockname()[:2]
        self._log.info("listening", host=host, port=port, speed=self._clock.speed)
        if self._settings.unused:
            self._log.info("settings-without-effect", names=",".join(self._settings.unused))
        async with (
            self._regions,
            Timers(self.service, self._clock, self._log, Random()) as timers,
        ):
            self.cluster.set_peers(self._settings.peers)
            tasks = (
                asyncio.create_task(self._open(timers), name="opening"),
                asyncio.create_task(self._watch_peers(), name="peer-list"),
            )
            await self._uvicorn.serve(sockets=[self._listener])
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await drained(self.cluster.senders, within=DRAIN_BUDGET)
            await self.cluster.close()
        self.watchdog.stop()
        self._log.info("ended")

    async def _open(self, timers: Timers) -> None:
        """Copy what a peer has, then open; the socket is served meanwhile, lists are refused."""
        try:
            copied = await self.cluster.copy()
        except Exception as error:  # noqa: BLE001 - a registry that cannot copy opens empty
            self._log.failure("copy-failed", error)
            copied = 0
        self.service.node.open(copied, now=self._clock.now())
        timers.opened()
        expected = self.service.node.registry.preservation.clients
        self._log.info("opened", copied=copied, expected=expected)
        if self._settings.register_with_eureka:
            await self._registration.keep()

    async def _watch_peers(self) -> None:
        """Take up a changed list of peers: when told at once, else every now and then."""
        interval = self._clock.real(self._settings.peers_update_interval)
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(interval):
                    await self._read_again.wait()
            self._read_again.clear()
            try:
                self.cluster.set_peers(self._reload().peers)
            except ConfigurationError as error:
                self._log.warning("peer-list-kept", error=str(error))
