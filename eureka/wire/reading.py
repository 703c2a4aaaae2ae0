"""
Registrations in JSON, read into core values:
lenient about forms, strict about what is needed.

Where we differ from what Spring's server happens to do, on purpose:
an id comes from `instanceId`, Amazon's `instance-id` or the host name, never from
`metadata.instanceId`, since the same instance registered in XML has another key there.
`@class` and `name` of a data centre that disagree make Amazon's, so no reader stumbles over it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from eureka.core.errors import InvalidRequest
from eureka.core.instance import (
    DEFAULT_DURATION,
    DEFAULT_RENEWAL_INTERVAL,
    DataCenter,
    Instance,
    Key,
    Port,
)
from eureka.core.status import Status
from eureka.wire.fields import (
    flag,
    integer,
    known_status,
    lease_seconds,
    reported_status,
    text,
    timestamp,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

EMPTY_MAP = "java.util.Collections$EmptyMap"
AMAZON = "com.netflix.appinfo.AmazonInfo"
PLAIN = "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo"
_CLASSES = (AMAZON, PLAIN, "com.netflix.appinfo.MyDataCenterInfo")
_MOST_TEXTS = 50_000  # of one map: as many elements as a body in XML may have
_MARK = b"\xef\xbb\xbf"  # of UTF-8, which some programs put before all they write
_DATA_CENTERS = ("Netflix", "Amazon", "MyOwn")  # eureka-client DataCenterInfo.Name


class InstanceBody(msgspec.Struct, rename="camel", gc=False):
    """
    The fields of `instance` that mean something here;
    each may hold anything. Others are skipped.
    """

    instance_id: object = None
    host_name: object = None
    app: object = None
    ip_addr: object = None
    sid: object = None
    status: object = None
    overridden_status: object = None
    old_overridden_status: object = msgspec.field(default=None, name="overriddenstatus")
    port: object = None
    secure_port: object = None
    country_id: object = None
    data_center_info: object = None
    lease_info: object = None
    metadata: object = None
    home_page_url: object = None
    status_page_url: object = None
    health_check_url: object = None
    secure_health_check_url: object = None
    vip_address: object = None
    secure_vip_address: object = None
    is_coordinating_discovery_server: object = None
    last_dirty_timestamp: object = None
    app_group_name: object = None
    asg_name: object = None
    # what a registry adds; means something in lists only
    last_updated_timestamp: object = None
    action_type: object = None


class _Registration(msgspec.Struct, gc=False):
    instance: InstanceBody


_Decoded = TypeVar("_Decoded")

_registration = msgspec.json.Decoder(_Registration)
LARGE = 512 * 1024
"""Bytes; to read such a body takes 15 ms or more."""
MOST_VALUES = 200_000
"""Commas, lists and objects of a large body; they are decoded in one go, in some 40 ms."""

BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_registration(body: bytes, *, arrived_ms: int) -> Instance:
    """Return the instance that a registration's body describes."""
    check_crowd(body)
    return read_instance(decoded(_registration, body).instance, arrived_ms=arrived_ms)


def read_instance(body: InstanceBody, *, arrived_ms: int) -> Instance:
    """Return the instance, or say in one sentence what is missing or cannot be meant."""
    instance_id = text(body.instance_id, "instanceId")
    host_name = text(body.host_name, "hostName")
    ip_address = text(body.ip_addr, "ipAddr")
    app = text(body.app, "app")
    data_center = _data_center(body.data_center_info)
    own_id = _needed(instance_id or _amazon_id(data_center) or host_name, "instanceId")
    host_name = _needed(host_name, "hostname")
    ip_address = _needed(ip_address, "ip address")
    app = _needed(app, "appName")
    if data_center is None:
        raise InvalidRequest("Missing dataCenterInfo")
    _needed(data_center.name, "dataCenterInfo Name")
    lease_info = mapping(body.lease_info, "leaseInfo")
    overridden = known_status(body.overridden_status)
    if overridden is Status.UNKNOWN:
        overridden = known_status(body.old_overridden_status)
    dirty_ms = timestamp(body.last_dirty_timestamp, "lastDirtyTimestamp")
    return Instance(
        key=Key(app.upper(), own_id),
        shows_id=bool(instance_id),
        host_name=host_name,
        ip_address=ip_address,
        status=reported_status(body.status),
        overridden_status=overridden,
        port=_port(body.port, "port", Port(7001, enabled=True)),
        secure_port=_port(body.secure_port, "securePort", Port(7002, enabled=False)),
        country_id=_or(integer(body.country_id, "countryId"), 1),
        data_center=_with_amazon_id(data_center, own_id),
        duration=lease_seconds(lease_info.get("durationInSecs"), DEFAULT_DURATION),
        renewal_interval=lease_seconds(
            lease_info.get("renewalIntervalInSecs"), DEFAULT_RENEWAL_INTERVAL
        ),
        sent_lease_info=body.lease_info is not None,
        metadata=_texts(body.metadata, "metadata"),
        vip_address=text(body.vip_address, "vipAddress"),
        secure_vip_address=text(body.secure_vip_address, "secureVipAddress"),
        app_group=text(body.app_group_name, "appGroupName"),
        asg_name=text(body.asg_name, "asgName"),
        sid=text(body.sid, "sid"),
        home_page_url=text(body.home_page_url, "homePageUrl"),
        status_page_url=text(body.status_page_url, "statusPageUrl"),
        health_check_url=text(body.health_check_url, "healthCheckUrl"),
        secure_health_check_url=text(body.secure_health_check_url, "secureHealthCheckUrl"),
        coordinating=flag(body.is_coordinating_discovery_server),
        dirty_ms=_or(dirty_ms, arrived_ms),
    )


def check_crowd(body: bytes) -> None:
    """
    Refuse a large body of very many values.

    A thread that decodes two million of them keeps the interpreter from the loop for a second.
    """
    if len(body) >= LARGE and sum(map(body.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise InvalidRequest(f"A body of {LARGE} bytes or more may have {MOST_VALUES} values.")


def decoded(decoder: msgspec.json.Decoder[_Decoded], body: bytes | msgspec.Raw) -> _Decoded:
    """Return what a body says, or what is wrong with it."""
    try:
        return decoder.decode(body.removeprefix(_MARK) if isinstance(body, bytes) else body)
    except BROKEN as error:
        raise InvalidRequest(f"cannot parse the request body: {error}") from error


def _needed(value: str | None, name: str) -> str:
    if not value:
        raise InvalidRequest(f"Missing {name}")
    return value


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def mapping(value: object, field: str) -> Mapping[str, object]:
    """Return an object of a body; null is as if empty."""
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    raise InvalidRequest(f"{field} must be an object")


def _texts(value: object, field: str) -> Mapping[str, str]:
    """Return a map of texts, without the class name that Java servers put into empty ones."""
    texts = mapping(value, field)
    if len(texts) > _MOST_TEXTS:
        raise InvalidRequest(f"{field} has more than {_MOST_TEXTS} entries")
    return {
        key: "null" if one is None else str(text(one, f"{field}.{key}"))
        for key, one in texts.items()
        if key != "@class"
    }


def _port(value: object, field: str, default: Port) -> Port:
    if value is None:
        return default
    if not isinstance(value, dict):
        number = integer(value, field)
        return Port(_or(number, default.number), enabled=True)
    number = integer(value.get("$"), field)
    enabled = value.get("@enabled")
    return Port(_or(number, default.number), enabled=enabled is None or flag(enabled))


def _data_center(value: object) -> DataCenter | None:
    if value is None:
        return None
    fields = mapping(value, "dataCenterInfo")
    kind = text(fields.get("@class"), "dataCenterInfo.@class")
    name = text(fields.get("name"), "dataCenterInfo.name") or ""
    if kind not in _CLASSES:
        raise InvalidRequest("dataCenterInfo.@class names no data centre")
    if kind == AMAZON or name == "Amazon":
        # Whichever of the two says so:
        # a record half plain, half Amazon's cannot be written by Java peers.
        return DataCenter("Amazon", _texts(fields.get("metadata"), "dataCenterInfo.metadata"))
    if name and name not in _DATA_CENTERS:
        raise InvalidRequest(f"dataCenterInfo.name must be one of {', '.join(_DATA_CENTERS)}")
    return DataCenter(name)


def _amazon_id(data_center: DataCenter | None) -> str | None:
    if data_center is None or data_center.metadata is None:
        return None
    return data_center.metadata.get("instance-id")


def _with_amazon_id(data_center: DataCenter, own_id: str) -> DataCenter:
    if data_center.metadata is None or data_center.metadata.get("instance-id"):
        return data_center
    return DataCenter(data_center.name, {**data_center.metadata, "instance-id": own_id})
