"""Instances and lists in JSON, with names, order and types as the reference writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eureka.core.status import hash_of
from eureka.wire.form import COMPACT_METADATA
from eureka.wire.reading import AMAZON, EMPTY_MAP, PLAIN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka.core.instance import DataCenter, Instance, Port
    from eureka.core.status import Status

_encode = msgspec.json.Encoder().encode
_SLOT = msgspec.Raw(b"@")
_SLOT_MARK = b'"lastRenewalTimestamp":@'  # no text can hold it: a quote inside a text is escaped
_SLOT_NAME = b'"lastRenewalTimestamp":'


class JsonForm:
    """The form most clients read."""

    separator = b","

    def element(self, instance: Instance) -> tuple[bytes, bytes]:
        """Return the full form of an instance, open where the stamp of its last renewal goes."""
        head, _, tail = _encode(_full(instance)).partition(_SLOT_MARK)
        return head + _SLOT_NAME, tail

    def compact_element(self, instance: Instance) -> bytes:
        """Return the compact form of an instance."""
        return _encode(_compact(instance))

    def alone(self) -> tuple[bytes, bytes]:
        """Return what makes `{"instance":{…}}`."""
        return b'{"instance":', b"}"

    def application(self, name: str) -> tuple[bytes, bytes]:
        """Return what makes `{"name":…,"instance":[…]}`."""
        return b'{"name":%b,"instance":[' % _encode(name), b"]}"

    def application_alone(self) -> tuple[bytes, bytes]:
        """Return what makes `{"application":{…}}`."""
        return b'{"application":', b"}"

    def applications(
        self, counts: Mapping[Status, int], *, version: int, compact: bool
    ) -> tuple[bytes, bytes]:
        """Return what makes `{"applications":{…}}`."""
        facts = b'"versions__delta":"%d","apps__hashcode":"%b"' % (
            version,
            hash_of(counts).encode(),
        )
        # The compact form has them behind the list, as in the reference. Nobody may depend on it.
        if compact:
            return b'{"applications":{"application":[', b"],%b}}" % facts
        return b'{"applications":{%b,"application":[' % facts, b"]}}"


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
        "dataCenterInfo": _data_center(instance.data_center, only=COMPACT_METADATA),
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
