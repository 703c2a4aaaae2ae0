"""A service on one node, in time that passes by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec
import pytest

from eureka.core.node import Node
from eureka.server.clock import Clock
from eureka.server.exchange import Response, read_head
from eureka.server.service import Service
from eureka.server.settings import Settings
from eureka.wire.paths import find
from eureka.wire.reading import PLAIN

if TYPE_CHECKING:
    from tests.eureka.conftest import HandClock


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
        """Return the response to a call of a path below /eureka."""
        raw, _, query = path.partition("?")
        target = find(f"/eureka{raw}")
        assert target is not None
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
