"""
What a registry says about its instances, as frozen values.

The field names are Eureka's; durations are seconds, stamps epoch milliseconds.
A value is None where the answer left the field out (compact answers leave out many).
This file owns the shapes; `reading.py` makes them from bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterator

Status: TypeAlias = Literal["UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
Action: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED"]

MARKER: Final = "@class"
"""A key of `metadata` that is the reference's type marker and not a user's."""

STAMPED: Final = ("action", "lease", "updated_ms")
"""Fields of a record that a registry sets anew with every change."""


class LeftOut(LookupError):  # noqa: N818 - it is an observation, not a fault of the harness
    """An answer leaves out what every full answer carries; the text says what."""


class Port(Struct, frozen=True, kw_only=True):
    """A port and whether it is used."""

    number: int = field(name="$")
    enabled: bool = field(name="@enabled")


class DataCenter(Struct, frozen=True, kw_only=True):
    """Where an instance runs; `kind` is the Java class that the answer names."""

    name: str
    kind: str | None = field(name="@class", default=None)
    metadata: dict[str, str] = {}


class Lease(Struct, frozen=True, kw_only=True):
    """`renewal_interval` and `duration` are seconds, the four stamps epoch ms, 0 where left out."""

    renewal_interval: int = field(name="renewalIntervalInSecs")
    duration: int = field(name="durationInSecs")
    registered_ms: int = field(name="registrationTimestamp", default=0)
    renewed_ms: int = field(name="lastRenewalTimestamp", default=0)
    evicted_ms: int = field(name="evictionTimestamp", default=0)
    service_up_ms: int = field(name="serviceUpTimestamp", default=0)


class Record(Struct, frozen=True, kw_only=True):
    """One instance as a registry tells it."""

    app: str
    status: Status
    instance_id: str | None = field(name="instanceId", default=None)
    host_name: str | None = field(name="hostName", default=None)
    ip: str | None = field(name="ipAddr", default=None)
    overridden_status: Status | None = field(name="overriddenStatus", default=None)
    action: Action | None = field(name="actionType", default=None)
    port: Port | None = None
    secure_port: Port | None = field(name="securePort", default=None)
    vip: str | None = field(name="vipAddress", default=None)
    secure_vip: str | None = field(name="secureVipAddress", default=None)
    country: int | None = field(name="countryId", default=None)
    data_center: DataCenter | None = field(name="dataCenterInfo", default=None)
    lease: Lease | None = field(name="leaseInfo", default=None)
    metadata: dict[str, str] | None = None
    home_page: str | None = field(name="homePageUrl", default=None)
    status_page: str | None = field(name="statusPageUrl", default=None)
    health_check: str | None = field(name="healthCheckUrl", default=None)
    secure_health_check: str | None = field(name="secureHealthCheckUrl", default=None)
    app_group: str | None = field(name="appGroupName", default=None)
    asg: str | None = field(name="asgName", default=None)
    is_coordinating: bool | None = field(name="isCoordinatingDiscoveryServer", default=None)
    updated_ms: int | None = field(name="lastUpdatedTimestamp", default=None)
    dirty_ms: int | None = field(name="lastDirtyTimestamp", default=None)

    @property
    def id(self) -> str:
        """The key it is called by: its instance id, else its data centre's, else its host name."""
        amazon = self.data_center.metadata.get("instance-id") if self.data_center else None
        return self.instance_id or amazon or self.host_name or ""

    @property
    def user_metadata(self) -> dict[str, str]:
        """The metadata without the reference's type marker."""
        return {key: value for key, value in (self.metadata or {}).items() if key != MARKER}

    @property
    def leased(self) -> Lease:
        """The lease of an answer that has to carry one (every full answer)."""
        if self.lease is None:
            raise LeftOut(f"the answer says nothing about the lease of {self.app}/{self.id}")
        return self.lease

    def differences(self, other: Record | None) -> str:
        """
        Return in words how another record of the same instance differs, "nothing" if it does not.

        What a registry stamps with every change is left out: action, lease, lastUpdatedTimestamp.
        """
        if other is None:
            return "the instance is not there"
        told = [
            f"{name} {ours} became {theirs}"
            for name in self.__struct_fields__
            if name not in STAMPED
            and (ours := getattr(self, name)) != (theirs := getattr(other, name))
        ]
        return "; ".join(told) or "nothing"

    @property
    def located(self) -> DataCenter:
        """The data centre of an answer that has to carry one (every answer)."""
        if self.data_center is None:
            raise LeftOut(f"the answer does not say where {self.app}/{self.id} runs")
        return self.data_center


class Application(Struct, frozen=True, kw_only=True):
    """All instances of one application."""

    name: str
    instance: tuple[Record, ...]

    def find(self, instance_id: str) -> Record | None:
        """Return the instance of that id, or None if it is not listed."""
        return next((record for record in self.instance if record.id == instance_id), None)


class Applications(Struct, frozen=True, kw_only=True):
    """A list read: what is registered, or what has changed."""

    application: tuple[Application, ...]
    version: int | None = field(name="versions__delta", default=None)
    hash: str | None = field(name="apps__hashcode", default=None)

    def __iter__(self) -> Iterator[Record]:
        """Every instance, application by application."""
        return (record for app in self.application for record in app.instance)

    def app(self, name: str) -> Application | None:
        """Return the application of that name, or None if it is not listed."""
        return next((app for app in self.application if app.name == name), None)

    def find(self, app: str, instance_id: str) -> Record | None:
        """Return the instance, or None if it is not listed."""
        listed = self.app(app)
        return None if listed is None else listed.find(instance_id)

    def ids(self, app: str) -> frozenset[str]:
        """Return the ids listed for that application, none if it is not listed."""
        listed = self.app(app)
        return frozenset(record.id for record in listed.instance) if listed else frozenset()


class TaskAnswer(Struct, frozen=True, kw_only=True):
    """What a registry answers to one task of a replication batch."""

    status: int = field(name="statusCode")
    entity: Record | None = field(name="responseEntity", default=None)
