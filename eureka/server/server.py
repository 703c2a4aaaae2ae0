"""One server process: a socket, a loop, and the tasks that give the node its time."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
from random import Random
from typing import TYPE_CHECKING

import uvicorn
import uvloop

from eureka.core.errors import ConfigurationError
from eureka.core.node import Node
from eureka.server.app import Application
from eureka.server.cluster import Cluster
from eureka.server.cold import cold_application
from eureka.server.log import Log
from eureka.server.protocol import BoundedProtocol
from eureka.server.service import Service
from eureka.server.timers import Timers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eureka.server.clock import Clock
    from eureka.server.settings import Settings

KEEP_ALIVE = 75  # s; above the interval of a renewal, so that clients keep their connection
SHUTDOWN_BUDGET = 1  # s for the answers under way when the server is told to end
BACKLOG = 2048


class _Server(uvicorn.Server):
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
    """Serve until SIGTERM or SIGINT; `reload` reads the settings again, for the list of peers."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, clock, listener, reload))


async def _serve(
    settings: Settings, clock: Clock, listener: socket.socket, reload: Callable[[], Settings]
) -> None:
    log = Log(clock)
    node = Node(settings.policy(), settings.replication())
    service = Service(node, settings, clock)
    cluster = Cluster(service, clock, log)
    service.node_id = cluster.node_id
    service.told = cluster.nudge
    application = Application(service, cold_application(service, cluster), log)
    config = uvicorn.Config(
        application,
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        loop="none",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=SHUTDOWN_BUDGET,
        backlog=BACKLOG,
    )
    server = _Server(config)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _end, server)
    host, port = listener.getsockname()[:2]
    log.info("listening", host=host, port=port, speed=clock.speed)
    if settings.unused:
        log.info("settings-without-effect", names=",".join(settings.unused))
    # What was loaded stays: the collector need not look at it again.
    gc.collect()
    gc.freeze()
    async with Timers(service, clock, log, Random()) as timers:
        cluster.set_peers(settings.peers)
        opening = asyncio.create_task(_open(service, cluster, timers, log), name="opening")
        watching = asyncio.create_task(_watch_peers(cluster, clock, log, reload), name="peer-list")
        await server.serve(sockets=[listener])
        for task in (opening, watching):
            task.cancel()
        await asyncio.gather(opening, watching, return_exceptions=True)
        await cluster.close()
    log.info("ended")


async def _open(service: Service, cluster: Cluster, timers: Timers, log: Log) -> None:
    """Copy what a peer has, then open; the socket is served meanwhile, list reads are refused."""
    try:
        copied = await cluster.copy()
    except Exception as error:  # noqa: BLE001 - a registry that cannot copy opens empty
        log.failure("copy-failed", error)
        copied = 0
    service.node.open(copied, now=service.clock.now())
    timers.opened()
    log.info("opened", copied=copied, expected=service.node.registry.preservation.clients)


async def _watch_peers(
    cluster: Cluster, clock: Clock, log: Log, reload: Callable[[], Settings]
) -> None:
    """Take up a changed list of peers: on SIGHUP at once, else every now and then."""
    hung_up = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, hung_up.set)
    interval = clock.real(cluster.update_interval)
    while True:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(interval):
                await hung_up.wait()
        hung_up.clear()
        try:
            cluster.set_peers(reload().peers)
        except ConfigurationError as error:
            log.warning("peer-list-kept", error=str(error))


def _end(server: uvicorn.Server) -> None:
    server.should_exit = True
