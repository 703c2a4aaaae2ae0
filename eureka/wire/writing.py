"""
Core values in JSON, written as the reference writes them;
what did not change is not written again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eureka.core.instance import Instance, Key, Record
from eureka.core.status import Status, hash_of
from eureka.wire.reading import AMAZON, EMPTY_MAP, PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eureka.core.instance import DataCenter, Port
    from eureka.core.lease import Lease

_encode = msgspec.json.Encoder().encode
_SLOT = msgspec.Raw(b"@")
_SLOT_MARK = b'"lastRenewalTimestamp":@'  # no text can hold it: a quote inside a text is escaped
_SLOT_NAME = b'"lastRenewalTimestamp":'
_COMPACT_METADATA = ("public-hostname", "instance-id", "local-ipv4", "availability-zone")


class _Fragment(msgspec.Struct, gc=False):
    """An instance as bytes, open where the stamp of its last renewal goes."""

    instance: Instance
    head: bytes
    tail: bytes
    compact: bytes | None = None


class JsonWriter:
    """Writes lists and single instances; keeps the bytes of each instance until it changes."""

    def __init__(self) -> None:
        self._fragments: dict[Key, _Fragment] = {}

    @property
    def kept(self) -> int:
        """How many instances' bytes are kept."""
        return len(self._fragments)

    def forget(self, key: Key) -> None:
        """Drop the bytes of an instance that left."""
        self._fragments.pop(key, None)

    def instance(self, record: Record) -> bytes:
        """Return `{"instance":{…}}`."""
        return b'{"instance":%b}' % self.bare_instance(record.instance, record.renewed_ms)

    def application(self, name: str, leases: Iterable[Lease], *, compact: bool) -> bytes:
        """Return `{"application":{…}}`."""
        return b'{"application":%b}' % self._application(name, leases, compact=compact)

    def applications(
        self,
        leases: Mapping[str, Iterable[Lease]],
        *,
        counts: Mapping[Status, int],
        version: int,
        compact: bool,
    ) -> bytes:
        """Return `{"applications":{…}}` of living instances."""
        written = [
            self._application(name, found, compact=compact) for name, found in leases.items()
        ]
        return _applications(written, counts=counts, version=version, compact=compact)

    def delta(
        self,
        records: Iterable[Record],
        *,
        counts: Mapping[Status, int],
        version: int,
        compact: bool,
    ) -> bytes:
        """
        Return `{"applications":{…}}` of the recent changes;
        the hash is that of the whole registry.
        """
        by_name: dict[str, list[bytes]] = {}
        for record in records:
            written = self._written(record.instance, record.renewed_ms, compact=compact)
            by_name.setdefault(record.instance.key.app, []).append(written)
        applications = [_named(name, instances) for name, instances in by_name.items()]
        return _applications(applications, counts=counts, version=version, compact=compact)

    def bare_instance(self, instance: Instance, renewed_ms: int, *, keep: bool = True) -> bytes:
        """Return `{…}` of one instance; `keep` its bytes if it is the living one."""
        fragment = self._fragment(instance, keep=keep)
        return b"%b%d%b" % (fragment.head, renewed_ms, fragment.tail)

    def _application(self, name: str, leases: Iterable[Lease], *, compact: bool) -> bytes:
        return _named(
            name,
            [self._written(lease.instance, lease.renewed_ms, compact=compact) for lease in leases],
        )

    def _written(self, instance: Instance, renewed_ms: int, *, compact: bool) -> bytes:
        if not compact:
            return self.bare_instance(instance, renewed_ms)
        fragment = self._fragment(instance)
        if fragment.compact is None:
            fragment.compact = _encode(_compact(instance))
        return fragment.compact

    def _fragment(self, instance: Instance, *, keep: bool = True) -> _Fragment:
        fragment = self._fragments.get(instance.key)
        if fragment is not None and fragment.instance is instance:
            return fragment
        head, _, tail = _encode(_full(instance)).partition(_SLOT_MARK)
        fragment = _Fragment(instance, head + _SLOT_NAME, tail)
        if keep and not instance.evicted_ms:  # who left is written once or twice more
            self._fragments[instance.key] = fragment
        return fragment


def _named(name: str, instances: list[bytes]) -> bytes:
    return b'{"name":%b,"instance":[%b]}' % (_encode(name), b",".join(instances))


def _applications(
    applications: list[bytes], *, counts: Mapping[Status, int], version: int, compact: bool
) -> bytes:
    head = b'"versions__delta":"%d","apps__hashcode":"%b"' % (version, hash_of(counts).encode())
    listed = b'"application":[%b]' % b",".join(applications)
    # The compact form has them in the other order, as in the reference. Nobody may depend on it.
    return b'{"applications":{%b,%b}}' % ((listed, head) if compact else (head, listed))


def _full(instance: Instance) -> dict[str, object]:
    fields = {
        "instanceId": instance.key.id if instance.shows_id else None,
        "hostName": instance.host_name,
        "app": instance.key.app,
        "appGroupName": instance.app_group,
        "ipAddr": instance.ip_address,
        "sid": instance.sid,
        "status": instance.status,
        "overriddenStatus": instance.overridden_status,
        "port": _port(instance.port),
        "securePort": _port(instance.secure_port),
        "countryId": instance.country_id,
        "dataCenterInfo": _data_center(instance.data_center),
        "leaseInfo": {
            "renewalIntervalInSecs": instance.renewal_interval,
            "durationInSecs": instance.duration,
            "registrationTimestamp": instance.registered_ms,
            "lastRenewalTimestamp": _SLOT,
            "evictionTimestamp": instance.evicted_ms,
            "serviceUpTimestamp": instance.service_up_ms,
        },
        "metadata": instance.metadata or {"@class": EMPTY_MAP},
        "homePageUrl": instance.home_page_url,
        "statusPageUrl": instance.status_page_url,
        "healthCheckUrl": instance.health_check_url,
        "secureHealthCheckUrl": instance.secure_health_check_url,
        "vipAddress": instance.vip_address,
        "secureVipAddress": instance.secure_vip_address,
        "isCoordinatingDiscoveryServer": "true" if instance.coordinating else "false",
        "lastUpdatedTimestamp": str(instance.updated_ms),
        "lastDirtyTimestamp": str(instance.dirty_ms),
        "actionType": instance.action,
        "asgName": instance.asg_name,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _compact(instance: Instance) -> dict[str, object]:
    fields = {
        "instanceId": instance.key.id if instance.shows_id else None,
        "app": instance.key.app,
        "ipAddr": instance.ip_address,
        "vipAddress": instance.vip_address,
        "secureVipAddress": instance.secure_vip_address,
        "dataCenterInfo": _data_center(instance.data_center, only=_COMPACT_METADATA),
        "hostName": instance.host_name,
        "status": instance.status,
        "lastUpdatedTimestamp": instance.updated_ms,
        "actionType": instance.action,
        "port": _port(instance.port),
        "securePort": _port(instance.secure_port),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _port(port: Port) -> dict[str, object]:
    return {"$": port.number, "@enabled": "true" if port.enabled else "false"}


def _data_center(
    data_center: DataCenter, *, only: tuple[str, ...] | None = None
) -> dict[str, object]:
    metadata = data_center.metadata
    if metadata is None:
        return {"@class": PLAIN, "name": data_center.name}
    if only is not None:
        metadata = {key: metadata[key] for key in only if key in metadata}
    return {"@class": AMAZON, "name": data_center.name, "metadata": metadata}
