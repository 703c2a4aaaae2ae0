"""The node among its peers: the copy at start, one sender a peer, and changes of the peer list."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from eureka.core.copying import Ask, Pause, StartUpCopy
from eureka.core.errors import InvalidRequest
from eureka.core.event import Changed
from eureka.core.outbox import DELIVERED
from eureka.server.beside import beside
from eureka.server.client import BROKEN, TOO_SLOW, RegistryClient, TooLarge
from eureka.server.information import Replica
from eureka.server.peers import PeerSender
from eureka.server.tls import context_for
from eureka.wire.list_reading import read_applications

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from eureka.core.instance import Instance
    from eureka.server.clock import Clock
    from eureka.server.log import Log
    from eureka.server.service import Service

CLOSED: Final = 403
"""What a registry answers to list reads that is starting itself, or has nothing to tell."""

_SLICE: Final = 500  # instances copied before other calls are served


class Cluster:
    """All connections of a node to its peers."""

    def __init__(self, service: Service, clock: Clock, log: Log) -> None:
        name = secrets.token_hex(8)
        self.node_id = f"{name}@{service.settings.own_host}"
        service.node.revisions.node = name
        self._service = service
        self._peers = service.node.peers
        self._clock = clock
        self._log = log
        self.refresh: Callable[[], None] = _nothing  # reads the list of peers again
        self._senders: dict[str, PeerSender] = {}
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def senders(self) -> Iterable[PeerSender]:
        """
        The senders to the peers;
        a URL that turned out to be this node itself has none that counts.
        """
        return [sender for sender in self._senders.values() if not sender.is_self]

    def replicas(self) -> tuple[Replica, ...]:
        """Return the peers, and whether each answered when it was last asked."""
        return tuple(Replica(sender.shown, sender.standing.is_good) for sender in self.senders)

    def set_peers(self, urls: Iterable[str]) -> None:
        """Replicate to these URLs, this node's own left out; none at all changes nothing."""
        others = {url: None for url in urls if not self._is_own(url)}
        if not others and self._senders:
            return
        for url in [url for url in self._senders if url not in others]:
            self._close_later(self._senders.pop(url))
        kept = [url for url in others if url not in self._senders or not self._senders[url].is_self]
        self._peers.set(kept)
        self._peers.known_as = {urlsplit(url).hostname or "": url for url in kept}
        for url in kept:
            if url not in self._senders:
                self._senders[url] = PeerSender(
                    url, self._service, self._clock, self._log, self.node_id
                )

    def nudge(self) -> None:
        """Let the senders look: a client's call may have left tasks."""
        for sender in self._senders.values():
            sender.nudge()

    async def copy(self) -> int:
        """Copy the registry of the first peer that has one; return how many leases that brought."""
        settings = self._service.settings
        steps = StartUpCopy(
            list(self._senders), rounds=settings.copies, pause=settings.sync_retry_wait
        )
        copied = 0
        while True:
            step = steps.next_step()
            if isinstance(step, Ask):
                found = await self._fetch(self._senders[step.url])
                if found is None:
                    steps.silent()
                elif found:
                    copied = await self._take(found)
                    steps.copied()
                else:
                    steps.nothing()
            elif isinstance(step, Pause):
                await asyncio.sleep(self._clock.real(step.seconds))
            else:
                return copied

    async def close(self) -> None:
        """End all senders."""
        await asyncio.gather(*(sender.close() for sender in self._senders.values()))
        await asyncio.gather(*self._closing)

    def _is_own(self, url: str) -> bool:
        settings = self._service.settings
        return url == settings.my_url or urlsplit(url).hostname == settings.own_host.lower()

    def _close_later(self, sender: PeerSender) -> None:
        task = asyncio.create_task(sender.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _take(self, instances: list[Instance]) -> int:
        """
        Take over a peer's instances, serving other calls in between.

        The list is used up: to free all of it in the end would take 50 ms.
        """
        copied = 0
        instances.reverse()
        while instances:
            taken = instances[: -_SLICE - 1 : -1]
            del instances[-_SLICE:]
            events = self._service.node.copy(taken, now=self._clock.now())
            self._service.happened(events)
            copied += sum(isinstance(one, Changed) and one.before is None for one in events)
            await asyncio.sleep(0)
        return copied

    async def _fetch(self, sender: PeerSender) -> list[Instance] | None:
        """
        Return all instances of a peer, none if it has none or is closed;
        None if it does not answer.
        """
        settings = self._service.settings
        client = RegistryClient(sender.url, idle=0, tls=context_for(sender.url, settings.security))
        try:
            reply = await client.fetch(
                "apps/",
                connect=self._clock.real(settings.fetch_connect_timeout),
                read=self._clock.real(settings.fetch_read_timeout),
            )
            if reply.status == CLOSED:
                return []
            if reply.status != DELIVERED:
                self._failed(client, f"HTTP status {reply.status}")
                return None
            now = self._clock.now()
            # Beside the loop: a hundred thousand instances take seconds to read.
            listed = await beside(
                lambda: read_applications(reply.parts, arrived_ms=now.epoch_ms), name="copy"
            )
        except (*TOO_SLOW, *BROKEN) as error:
            self._failed(client, str(error) or type(error).__name__)
            return None
        except (InvalidRequest, TooLarge) as error:
            self._failed(client, f"an answer that cannot be read: {error}")
            return None
        finally:
            await client.close()
        found, unreadable = listed.instances, listed.unreadable
        self._log.info("copying", url=client.shown, instances=len(found), unreadable=unreadable)
        return found

    def _failed(self, client: RegistryClient, error: str) -> None:
        self._log.warning("copy-failed", url=client.shown, error=error)


def _nothing() -> None:
    """Do nothing: no list of peers to be read again."""
