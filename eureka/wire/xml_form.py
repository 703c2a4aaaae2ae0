"""
Instances and lists in XML, with names, order and classes as the reference writes them.

What XML cannot hold at all (control characters, U+FFFE) is written as U+FFFD, so that a list
stays readable whatever one record holds; JSON has such values unchanged.
As in the reference there is no XML declaration: all is UTF-8.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from eureka.core.status import hash_of
from eureka.wire.form import COMPACT_METADATA
from eureka.wire.reading import AMAZON, EMPTY_MAP, PLAIN
from eureka.wire.xml_names import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eureka.core.instance import DataCenter, Instance, Port
    from eureka.core.status import Status

_REPLACED: Final = "\ufffd"
_ESCAPES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xd;"}
# A reader makes a line feed of a bare carriage return; the others are no characters of XML 1.0.
_ODD: Final = re.compile("[&<>\r\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_OPEN: Final = "<instance>"
_CLOSE: Final = "</instance>"
_STAMP: Final = "<lastRenewalTimestamp>"


class XmlForm:
    """The form of clients that say nothing about what they read."""

    separator = b""

    def element(self, instance: Instance) -> tuple[bytes, bytes]:
        """Return the full form of an instance, open where the stamp of its last renewal goes."""
        head = (
            _OPEN,
            leaf("instanceId", instance.key.id if instance.shows_id else None),
            leaf("hostName", instance.host_name),
            leaf("app", instance.key.app),
            leaf("appGroupName", instance.app_group),
            leaf("ipAddr", instance.ip_address),
            leaf("sid", instance.sid),
            f"<status>{instance.status}</status>",
            f"<overriddenstatus>{instance.overridden_status}</overriddenstatus>",
            _port("port", instance.port),
            _port("securePort", instance.secure_port),
            f"<countryId>{instance.country_id}</countryId>",
            _data_center(instance.data_center),
            f"<leaseInfo><renewalIntervalInSecs>{instance.renewal_interval}</renewalIntervalInSecs>",
            f"<durationInSecs>{instance.duration}</durationInSecs>",
            f"<registrationTimestamp>{instance.registered_ms}</registrationTimestamp>",
            _STAMP,
        )
        tail = (
            f"</lastRenewalTimestamp><evictionTimestamp>{instance.evicted_ms}</evictionTimestamp>",
            f"<serviceUpTimestamp>{instance.service_up_ms}</serviceUpTimestamp></leaseInfo>",
            _map(instance.metadata.items()),
            leaf("homePageUrl", instance.home_page_url),
            leaf("statusPageUrl", instance.status_page_url),
            leaf("healthCheckUrl", instance.health_check_url),
            leaf("secureHealthCheckUrl", instance.secure_health_check_url),
            leaf("vipAddress", instance.vip_address),
            leaf("secureVipAddress", instance.secure_vip_address),
            "<isCoordinatingDiscoveryServer>",
            f"{'true' if instance.coordinating else 'false'}</isCoordinatingDiscoveryServer>",
            f"<lastUpdatedTimestamp>{instance.updated_ms}</lastUpdatedTimestamp>",
            f"<lastDirtyTimestamp>{instance.dirty_ms}</lastDirtyTimestamp>",
            f"<actionType>{instance.action}</actionType>",
            leaf("asgName", instance.asg_name),
            _CLOSE,
        )
        return "".join(head).encode(), "".join(tail).encode()

    def compact_element(self, instance: Instance) -> bytes:
        """Return the compact form of an instance."""
        fields = (
            _OPEN,
            leaf("instanceId", instance.key.id if instance.shows_id else None),
            leaf("app", instance.key.app),
            leaf("ipAddr", instance.ip_address),
            leaf("vipAddress", instance.vip_address),
            leaf("secureVipAddress", instance.secure_vip_address),
            _data_center(instance.data_center, only=COMPACT_METADATA),
            leaf("hostName", instance.host_name),
            f"<status>{instance.status}</status>",
            f"<lastUpdatedTimestamp>{instance.updated_ms}</lastUpdatedTimestamp>",
            f"<actionType>{instance.action}</actionType>",
            _port("port", instance.port),
            _port("securePort", instance.secure_port),
            _CLOSE,
        )
        return "".join(fields).encode()

    def alone(self) -> tuple[bytes, bytes]:
        """Return nothing: an element is a document."""
        return b"", b""

    def application(self, name: str) -> tuple[bytes, bytes]:
        """Return what makes `<application>`."""
        return f"<application>{leaf('name', name)}".encode(), b"</application>"

    def application_alone(self) -> tuple[bytes, bytes]:
        """Return nothing: an application is a document too."""
        return b"", b""

    def applications(
        self, counts: Mapping[Status, int], *, version: int, compact: bool
    ) -> tuple[bytes, bytes]:
        """Return what makes `<applications>`."""
        facts = (
            f"<versions__delta>{version}</versions__delta>"
            f"<apps__hashcode>{hash_of(counts)}</apps__hashcode>"
        ).encode()
        # The compact form has them behind the list, as in the reference. Nobody may depend on it.
        if compact:
            return b"<applications>", facts + b"</applications>"
        return b"<applications>" + facts, b"</applications>"


def renamed(element: bytes, name: str) -> bytes:
    """Return an element of a list under another name, as the answer to a batch carries it."""
    return b"<%b>%b</%b>" % (name.encode(), element[len(_OPEN) : -len(_CLOSE)], name.encode())


def leaf(name: str, value: str | None) -> str:
    """Return an element with a text in it; none for no value."""
    return "" if value is None else f"<{name}>{_text(value)}</{name}>"


def _text(value: str) -> str:
    return _ODD.sub(_escape, value) if _ODD.search(value) else value


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0], _REPLACED)


def _port(name: str, port: Port) -> str:
    return f'<{name} enabled="{"true" if port.enabled else "false"}">{port.number}</{name}>'


def _map(items: Iterable[tuple[str, str]]) -> str:
    entries = "".join(leaf(escaped(key), value) for key, value in items)
    return f"<metadata>{entries}</metadata>" if entries else f'<metadata class="{EMPTY_MAP}"/>'


def _data_center(data_center: DataCenter, *, only: tuple[str, ...] | None = None) -> str:
    metadata = data_center.metadata
    name = leaf("name", data_center.name)
    if metadata is None:
        return f'<dataCenterInfo class="{PLAIN}">{name}</dataCenterInfo>'
    if only is not None:
        metadata = {key: metadata[key] for key in only if key in metadata}
    return f'<dataCenterInfo class="{AMAZON}">{name}{_map(metadata.items())}</dataCenterInfo>'
