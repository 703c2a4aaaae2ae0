"""
The server as an instance of itself:
it registers when the registry opens, renews, and cancels when it ends.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import TYPE_CHECKING

from eureka.core.errors import RequestError
from eureka.core.instance import DataCenter, Instance, Key, Port
from eureka.core.status import Status

if TYPE_CHECKING:
    from eureka.core.instant import Instant
    from eureka.core.node import Answer
    from eureka.server.clock import Clock
    from eureka.server.log import Log
    from eureka.server.service import Service
    from eureka.server.settings import Settings

_SOMEWHERE = ("192.0.2.1", 9)  # RFC 5737, for documentation: nothing is sent there
_LOOPBACK = "127.0.0.1"


def own_instance(settings: Settings, port: int, *, now: Instant) -> Instance:
    """Return what a server that listens on this port registers of itself."""
    own, host = settings.own, settings.own_host
    ip_address = own.ip_address or _own_address(settings.host)
    name = ip_address if own.prefer_ip_address else host
    app = (own.app or settings.application).upper()
    tls = settings.security.serves_tls
    plain_port = Port(own.port if own.port is not None else port, own.port_enabled and not tls)
    secure_port = Port(
        own.secure_port if own.secure_port is not None else port if tls else 443,
        enabled=own.secure_port_enabled or tls,
    )
    scheme, shown = ("https", secure_port) if secure_port.enabled else ("http", plain_port)
    root = f"{scheme}://{name}:{shown.number}"
    return Instance(
        key=Key(app, own.instance_id or f"{host}:{app.lower()}:{port}"),
        host_name=name,
        ip_address=ip_address,
        status=Status(own.initial_status),
        port=plain_port,
        secure_port=secure_port,
        data_center=DataCenter("MyOwn"),
        duration=own.duration,
        renewal_interval=own.renewal_interval,
        metadata=own.metadata,
        vip_address=own.vip_address or app.lower(),
        secure_vip_address=own.secure_vip_address or app.lower(),
        app_group=own.app_group or None,
        home_page_url=own.home_page_url or root + own.home_page_path,
        status_page_url=own.status_page_url or root + own.status_page_path,
        health_check_url=own.health_check_url or root + own.health_check_path,
        secure_health_check_url=own.secure_health_check_url or None,
        coordinating=True,
        dirty_ms=now.epoch_ms,
    )


class Registration:
    """The lease that the server holds at itself, and so at its peers."""

    def __init__(self, service: Service, clock: Clock, log: Log, *, port: int) -> None:
        self._service = service
        self._clock = clock
        self._log = log
        self._port = port
        self._key: Key | None = None

    async def keep(self) -> None:
        """Register, and renew for good."""
        self._register()
        while True:
            await asyncio.sleep(self._clock.real(self._service.settings.own.renewal_interval))
            self._renew()

    def end(self) -> None:
        """Cancel, so that nobody waits for the lease to expire."""
        if self._key is None or not self._service.settings.own.cancels:
            return
        key, self._key = self._key, None
        try:
            self._done(self._service.node.cancel(key, now=self._clock.now(), replicated=False))
        except RequestError:
            return  # somebody cancelled it before

    def _register(self) -> None:
        now = self._clock.now()
        instance = own_instance(self._service.settings, self._port, now=now)
        self._key = instance.key
        self._done(self._service.node.register(instance, now=now, replicated=False))
        self._log.info("registered-itself", app=instance.key.app, id=instance.key.id)

    def _renew(self) -> None:
        if self._key is None:
            return
        try:
            now = self._clock.now()
            self._done(self._service.node.renew(self._key, now=now, replicated=False))
        except RequestError:  # cancelled or evicted: a client would register again, and so do we
            self._register()

    def _done(self, answer: Answer) -> None:
        self._service.happened(answer.events)
        self._service.told()


def _own_address(host: str) -> str:
    """Return the address others reach this machine by: the one listened on, if it is one."""
    try:
        listened = ipaddress.ip_address(host)
    except ValueError:
        return _outward()
    return _outward() if listened.is_unspecified else host


def _outward() -> str:
    """Return the address this machine would call others from; nothing is sent for that."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_SOMEWHERE)
        except OSError:  # no route to anywhere
            return _LOOPBACK
        address: str = probe.getsockname()[0]
        return address
