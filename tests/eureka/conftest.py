"""A clock in the test's own hand, and instances as a sensible client registers them."""

from __future__ import annotations

from typing import Protocol

import pytest

from eureka.core.instance import DataCenter, Instance, Key
from eureka.core.instant import Instant
from eureka.core.status import Status

EPOCH_MS = 1_796_040_000_000  # what the wall clock said when the hand clock was 0


class HandClock:
    """Time that passes when the test says so."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    @property
    def now(self) -> Instant:
        """The present moment."""
        return Instant(self.seconds, EPOCH_MS + round(self.seconds * 1000))

    def passes(self, seconds: float) -> Instant:
        """Let time pass; return the moment reached."""
        self.seconds += seconds
        return self.now


class Builder(Protocol):
    """Makes an instance of an application."""

    def __call__(  # noqa: PLR0913 - each is a field some test is about
        self,
        instance_id: str = "1",
        app: str = "CART",
        *,
        dirty_ms: int = 100,
        duration: int = 90,
        status: Status = Status.UP,
        overridden_status: Status = Status.UNKNOWN,
        vip_address: str | None = "cart",
        secure_vip_address: str | None = None,
        metadata: dict[str, str] | None = None,
        renewal_interval: int = 30,
        sent_lease_info: bool = True,
    ) -> Instance:
        """Return the instance."""


@pytest.fixture
def clock() -> HandClock:
    """Return a clock that stands at second 1000."""
    return HandClock()


@pytest.fixture(scope="session")
def build() -> Builder:
    """Return the builder of instances."""

    def make(  # noqa: PLR0913 - each is a field some test is about
        instance_id: str = "1",
        app: str = "CART",
        *,
        dirty_ms: int = 100,
        duration: int = 90,
        status: Status = Status.UP,
        overridden_status: Status = Status.UNKNOWN,
        vip_address: str | None = "cart",
        secure_vip_address: str | None = None,
        metadata: dict[str, str] | None = None,
        renewal_interval: int = 30,
        sent_lease_info: bool = True,
    ) -> Instance:
        return Instance(
            key=Key(app, instance_id),
            host_name=f"host-{instance_id}",
            ip_address="10.0.0.1",
            data_center=DataCenter("MyOwn"),
            dirty_ms=dirty_ms,
            duration=duration,
            status=status,
            overridden_status=overridden_status,
            vip_address=vip_address,
            secure_vip_address=secure_vip_address,
            metadata=metadata or {},
            renewal_interval=renewal_interval,
            sent_lease_info=sent_lease_info,
        )

    return make
