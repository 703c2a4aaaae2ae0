"""
Registrations and lists in JSON, read into core values:
lenient about forms, strict about what is needed.

Where we differ from what Spring's server happens to do, on purpose:
an id comes from `instanceId`, Amazon's `instance-id` or the host name, never from
`metadata.instanceId`, since the same instance registered in XML has another key there.
`@class` and `name` of a data centre that disagree make Amazon's, so no reader stumbles over it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from eureka.core.errors import InvalidRequest
from eureka.core.instance import (
    DEFAULT_DURATION,
    DEFAULT_RENEWAL_INTERVAL,
    DataCenter,
    Instance,
    Key,
    Port,
)
from eureka.core.status import Action, Status
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
_ACTIONS = frozenset(Action)
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


class _Application(msgspec.Struct, gc=False):
    instance: msgspec.Raw = msgspec.Raw(b"null")


class _Applications(msgspec.Struct, gc=False):
    application: list[msgspec.Raw] | None = None


class _List(msgspec.Struct, gc=False):
    applications: _Applications


_Decoded = TypeVar("_Decoded")

_registration = msgspec.json.Decoder(_Registration)
_list = msgspec.json.Decoder(_List)
_application = msgspec.json.Decoder(_Application)
_instances = msgspec.json.Decoder(list[msgspec.Raw] | None)
_instance = msgspec.json.Decoder(InstanceBody)


def read_registration(body: bytes, *, arrived_ms: int) -> Instance:
    """Return the instance that a registration's body describes."""
    return read_instance(_decode(_registration, body).instance, arrived_ms=arrived_ms)


def read_applications(body: bytes, *, arrived_ms: int) -> tuple[list[Instance], int]:
    """
    Return the instances of a list with their stamps, and how many of it could not be read.

    Piece by piece: a thread that read a hundred megabytes in one go would keep the interpreter
    from the loop for a second; to find where the pieces end takes a twentieth of that.
    """
    instances = []
    unreadable = 0
    for application in _decode(_list, body).applications.application or ():
        found = _decode(_application, application).instance
        # Some programs write a list of one without the brackets.
        is_alone = bytes(memoryview(found)[:1]) == b"{"
        for one in (found,) if is_alone else _decode(_instances, found) or ():
            try:
                instances.append(_read_held(_decode(_instance, one), arrived_ms=arrived_ms))
            except InvalidRequest:
                unreadable += 1
    return instances, unreadable


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
    lease_info = _mapping(body.lease_info, "leaseInfo")
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


def _read_held(body: InstanceBody, *, arrived_ms: int) -> Instance:
    """Return an instance as another registry holds it: with what that one added."""
    instance = read_instance(body, arrived_ms=arrived_ms)
    lease_info = _mapping(body.lease_info, "leaseInfo")
    action = text(body.action_type, "actionType")
    return replace(
        instance,
        registered_ms=_stamp(lease_info.get("registrationTimestamp")),
        service_up_ms=_stamp(lease_info.get("serviceUpTimestamp")),
        evicted_ms=_stamp(lease_info.get("evictionTimestamp")),
        updated_ms=_stamp(body.last_updated_timestamp),
        action=Action(action) if action in _ACTIONS else Action.ADDED,
    )


def _stamp(value: object) -> int:
    try:
        return timestamp(value, "a stamp") or 0
    except InvalidRequest:
        return 0


def _decode(decoder: msgspec.json.Decoder[_Decoded], body: bytes | msgspec.Raw) -> _Decoded:
    try:
        return decoder.decode(body.removeprefix(_MARK) if isinstance(body, bytes) else body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidRequest(f"cannot parse the request body: {error}") from error


def _needed(value: str | None, name: str) -> str:
    if not value:
        raise InvalidRequest(f"Missing {name}")
    return value


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _mapping(value: object, field: str) -> Mapping[str, object]:
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    raise InvalidRequest(f"{field} must be an object")


def _texts(value: object, field: str) -> Mapping[str, str]:
    """Return a map of texts, without the class name that Java servers put into empty ones."""
    texts = _mapping(value, field)
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
    fields = _mapping(value, "dataCenterInfo")
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
