"""
An instance: what it registered, and the stamps the registry put on it.
Values, never changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from eureka.core.status import Action, Status

DEFAULT_DURATION = 90  # s; eureka-client LeaseInfo.DEFAULT_LEASE_DURATION
DEFAULT_RENEWAL_INTERVAL = 30  # s; eureka-client LeaseInfo.DEFAULT_LEASE_RENEWAL_INTERVAL


class Key(msgspec.Struct, frozen=True, gc=False, order=True):
    """What a lease is found by: the same id in two applications is two instances."""

    app: str
    id: str

    def __str__(self) -> str:
        return f"{self.app}/{self.id}"


class Port(msgspec.Struct, frozen=True, gc=False):
    """A port number and whether it is open for use."""

    number: int
    enabled: bool


class DataCenter(msgspec.Struct, frozen=True, gc=False):
    """Where an instance runs; only Amazon's kind carries metadata."""

    name: str
    metadata: Mapping[str, str] | None = None


class Instance(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """
    One instance of an application.

    `status` is the effective one: overrides are already applied.
    `overridden_status` is UNKNOWN while nobody overrides it.
    `dirty_ms` is the client's own number and decides which of two records is newer.
    """

    key: Key
    shows_id: bool = True  # False: it registered without an instanceId, and reads back without one
    host_name: str
    ip_address: str
    status: Status = Status.UP
    overridden_status: Status = Status.UNKNOWN
    port: Port = Port(7001, enabled=True)  # eureka-client InstanceInfo.DEFAULT_PORT
    secure_port: Port = Port(7002, enabled=False)  # eureka-client InstanceInfo.DEFAULT_SECURE_PORT
    country_id: int = 1  # eureka-client InstanceInfo.DEFAULT_COUNTRY_ID
    data_center: DataCenter
    duration: int = DEFAULT_DURATION  # s
    renewal_interval: int = DEFAULT_RENEWAL_INTERVAL  # s
    sent_lease_info: bool = True
    metadata: Mapping[str, str]
    vip_address: str | None = None
    secure_vip_address: str | None = None
    app_group: str | None = None
    asg_name: str | None = None
    sid: str | None = None
    home_page_url: str | None = None
    status_page_url: str | None = None
    health_check_url: str | None = None
    secure_health_check_url: str | None = None
    coordinating: bool = False
    dirty_ms: int
    # what the registry adds
    registered_ms: int = 0
    service_up_ms: int = 0
    evicted_ms: int = 0
    updated_ms: int = 0
    action: Action = Action.ADDED

    @property
    def true_for(self) -> float:
        """
        Return how long a registration or a renewal stays true (s): until the next one is due.

        Who sent no lease info is given the default duration, as in the reference.
        """
        return float(self.renewal_interval if self.sent_lease_info else DEFAULT_DURATION)

    @property
    def vips(self) -> tuple[str, ...]:
        """Return the VIP addresses it lists; blanks count, as in the reference."""
        return tuple(self.vip_address.split(",")) if self.vip_address else ()

    @property
    def secure_vips(self) -> tuple[str, ...]:
        """Return the secure VIP addresses it lists."""
        return tuple(self.secure_vip_address.split(",")) if self.secure_vip_address else ()


class Record(msgspec.Struct, frozen=True, gc=False):
    """An instance as it reads at one moment: with the stamp of its last renewal."""

    instance: Instance
    renewed_ms: int
