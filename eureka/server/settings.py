"""
The settings of a server:
by Spring's names, with Spring's defaults, from a file and the environment.
"""

from __future__ import annotations

import re
import socket
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

import msgspec

from eureka.core.errors import ConfigurationError
from eureka.core.policy import Policy, ReplicationPolicy
from eureka.server.properties import (
    ENVIRONMENT,
    Properties,
    Property,
    from_environment,
    load_file,
    relaxed,
)
from eureka.server.spring_names import UNUSED, UNUSED_MAPS
from eureka.server.values import Parser, boolean, milliseconds, seconds, share, url, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_MEBIBYTE = 1024 * 1024
_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - addresses to recognise, not to bind


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All a server can be told. Durations in registry seconds."""

    host: str = "0.0.0.0"  # noqa: S104 - a registry is there for others, as Spring's server is
    port: int = 8761
    host_name: str = ""
    my_url: str = ""
    peers: tuple[str, ...] = ()
    self_preservation: bool = True
    renewal_percent_threshold: float = 0.85
    expected_renewal_interval: int = 30
    eviction_interval: float = 60.0
    recount_interval: float = 900.0
    open_count: int = 1
    wait_when_sync_empty: float = 300.0
    delta_retention: float = 180.0
    delta_retention_interval: float = 30.0
    disable_delta: bool = False
    compare_timestamps: bool = True
    read_only_cache: bool = True
    cache_update_interval: float = 30.0
    cache_expiry: float = 180.0
    sync_retries: int | None = None
    sync_retry_wait: float = 30.0
    fetch_registry: bool = True
    register_with_eureka: bool = True
    fetch_connect_timeout: float = 5.0
    fetch_read_timeout: float = 8.0
    replication_life: float = 30.0
    replication_capacity: int = 10_000
    peer_connect_timeout: float = 0.2
    peer_read_timeout: float = 0.2
    peers_update_interval: float = 600.0
    max_body: int = 16 * _MEBIBYTE  # bytes
    unused: tuple[str, ...] = ()
    """Names that were given and have no effect here."""

    @property
    def copies(self) -> int:
        """
        How often a copy of a peer's registry is tried at start;
        5 for a registry that is its own client, as in Spring.
        """
        if not self.fetch_registry:
            return 0
        if self.sync_retries is not None:
            return self.sync_retries
        return 5 if self.register_with_eureka else 0

    @property
    def own_host(self) -> str:
        """The host name by which a peer's URL is recognised as this server's own."""
        if self.host_name:
            return self.host_name
        return socket.gethostname() if self.host in _EVERYWHERE else self.host

    def policy(self) -> Policy:
        """Return what the registry is told of this."""
        return Policy(
            self_preservation=self.self_preservation,
            renewal_percent_threshold=self.renewal_percent_threshold,
            expected_renewal_interval=self.expected_renewal_interval,
            eviction_interval=self.eviction_interval,
            recount_interval=self.recount_interval,
            open_count=self.open_count,
            wait_when_sync_empty=self.wait_when_sync_empty,
            delta_retention=self.delta_retention,
            delta_retention_interval=self.delta_retention_interval,
            compare_timestamps=self.compare_timestamps,
        )

    def replication(self) -> ReplicationPolicy:
        """Return what the outboxes are told of this."""
        return ReplicationPolicy(life=self.replication_life, capacity=self.replication_capacity)


USED: Final[tuple[tuple[str, str, Parser], ...]] = (
    ("server.address", "host", str),
    ("server.port", "port", whole(0, 65535)),
    ("eureka.instance.hostname", "host_name", str),
    ("eureka.server.myUrl", "my_url", url),
    ("eureka.server.enableSelfPreservation", "self_preservation", boolean),
    ("eureka.server.renewalPercentThreshold", "renewal_percent_threshold", share),
    ("eureka.server.expectedClientRenewalIntervalSeconds", "expected_renewal_interval", whole(1)),
    ("eureka.server.evictionIntervalTimerInMs", "eviction_interval", milliseconds(1)),
    ("eureka.server.renewalThresholdUpdateIntervalMs", "recount_interval", milliseconds(1)),
    ("eureka.server.defaultOpenForTrafficCount", "open_count", whole(0)),
    ("eureka.instance.registry.defaultOpenForTrafficCount", "open_count", whole(0)),
    ("eureka.server.waitTimeInMsWhenSyncEmpty", "wait_when_sync_empty", milliseconds(0)),
    ("eureka.server.retentionTimeInMSInDeltaQueue", "delta_retention", milliseconds(0)),
    ("eureka.server.deltaRetentionTimerIntervalInMs", "delta_retention_interval", milliseconds(1)),
    ("eureka.server.disableDelta", "disable_delta", boolean),
    ("eureka.server.syncWhenTimestampDiffers", "compare_timestamps", boolean),
    ("eureka.server.useReadOnlyResponseCache", "read_only_cache", boolean),
    ("eureka.server.responseCacheUpdateIntervalMs", "cache_update_interval", milliseconds(1)),
    ("eureka.server.responseCacheAutoExpirationInSeconds", "cache_expiry", seconds(0)),
    ("eureka.server.registrySyncRetries", "sync_retries", whole(0)),
    ("eureka.server.registrySyncRetryWaitMs", "sync_retry_wait", milliseconds(0)),
    ("eureka.client.fetchRegistry", "fetch_registry", boolean),
    ("eureka.client.registerWithEureka", "register_with_eureka", boolean),
    ("eureka.client.eurekaServerConnectTimeoutSeconds", "fetch_connect_timeout", seconds(1)),
    ("eureka.client.eurekaServerReadTimeoutSeconds", "fetch_read_timeout", seconds(1)),
    ("eureka.server.maxTimeForReplication", "replication_life", milliseconds(1)),
    ("eureka.server.maxElementsInPeerReplicationPool", "replication_capacity", whole(1)),
    ("eureka.server.peerNodeConnectTimeoutMs", "peer_connect_timeout", milliseconds(1)),
    ("eureka.server.peerNodeReadTimeoutMs", "peer_read_timeout", milliseconds(1)),
    ("eureka.server.peerEurekaNodesUpdateIntervalMs", "peers_update_interval", milliseconds(1)),
    ("eureka.server.maxRequestBodyBytes", "max_body", whole(1024)),
)
"""Spring's name, the field of `Settings`, how it is read; a later name goes before an earlier one.
`eureka.server.maxRequestBodyBytes` is this server's own."""

_DURATIONS = {
    name
    for name, value in msgspec.structs.asdict(Settings()).items()
    if isinstance(value, float) and name != "renewal_percent_threshold"
}
_SERVICE_URL = "eureka.client.serviceUrl"
_ZONES = "eureka.client.availabilityZones"
_REGION = "eureka.client.region"
_MAPS = tuple(relaxed(name) for name in (_SERVICE_URL, _ZONES, *UNUSED_MAPS))
_KNOWN = {relaxed(name): name for name in (*(name for name, _, _ in USED), *UNUSED, _REGION)}
_IN_ENVIRONMENT = {key.replace(".", ""): key for key in _KNOWN}
_OURS = ("eurekaserver", "eurekaclient", "eurekainstance", "eurekadashboard")
# What Kubernetes puts into every container for a service that is called eureka-server.
_SERVICE_LINK = re.compile(r"_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_[0-9]+_(TCP|UDP)\w*)?)\Z")


def load(path: Path | None, environment: Mapping[str, str]) -> Settings:
    """Return the settings of a file and the environment, or say which one cannot be meant."""
    properties = load_file(path, environment) if path else {}
    _check_names(properties)
    properties |= _named_in(environment)
    return _build(properties)


def described(settings: Settings) -> str:
    """
    Return the effective settings, one a line, by the names they are given by;
    seconds as such.
    """
    names = {field: name for name, field, _ in USED} | {"peers": f"{_SERVICE_URL}.defaultZone"}
    values = msgspec.structs.asdict(settings) | {
        "sync_retries": settings.copies,
        "host_name": settings.own_host,
        "peers": ",".join(settings.peers),
    }
    lines = [
        f"{name} = {values[field]}{' s' if field in _DURATIONS else ''}\n"
        for field, name in names.items()
    ]
    lines += [f"{name} has no effect here\n" for name in settings.unused]
    return "".join(lines)


def _build(properties: Properties) -> Settings:
    fields: dict[str, object] = {}
    for name, field, parse in USED:
        found = properties.get(relaxed(name))
        if found is not None and found.value.strip():
            fields[field] = _parsed(found, parse)
    fields["peers"] = _peers(properties)
    used = {relaxed(name) for name, _, _ in USED} | {relaxed(_REGION)}
    fields["unused"] = tuple(
        sorted(
            found.name
            for key, found in properties.items()
            if key not in used and not key.startswith((relaxed(_SERVICE_URL), relaxed(_ZONES)))
        )
    )
    return msgspec.convert(fields, Settings)


def _parsed(found: Property, parse: Parser) -> object:
    try:
        return parse(found.value.strip())
    except ValueError as error:
        raise ConfigurationError(found.where, found.name, str(error)) from None


def _peers(properties: Properties) -> tuple[str, ...]:
    """Return the service URLs of the region's zones, each once, in order."""
    region = properties.get(relaxed(_REGION))
    name = relaxed(region.value) if region and region.value else "useast1"  # Spring's default
    zones = properties.get(f"{relaxed(_ZONES)}.{name}")
    urls: dict[str, None] = {}
    for zone in zones.value.split(",") if zones else ("defaultZone",):
        found = properties.get(f"{relaxed(_SERVICE_URL)}.{relaxed(zone.strip())}")
        for one in found.value.split(",") if found else ():
            if found and one.strip():
                urls[str(_parsed(msgspec.structs.replace(found, value=one), url))] = None
    return tuple(urls)


def _check_names(properties: Properties) -> None:
    for key, found in properties.items():
        if key.startswith("eureka.") and key not in _KNOWN and not _in_map(key):
            raise ConfigurationError(found.where, found.name, _unknown(key))


def _unknown(key: str) -> str:
    name = _nearest(key, ("eureka.server.", "eureka.client.", "eureka.instance."), _KNOWN)
    return _refusal(name and _KNOWN[name])


def _refusal(suggestion: str | None) -> str:
    hint = f"; did you mean {suggestion}?" if suggestion else ""
    return f"is no setting of a Eureka server{hint}"


def _nearest(wanted: str, prefixes: Sequence[str], known: Iterable[str]) -> str | None:
    """Return the known name that is most like it behind the prefix they share, if any is near."""
    prefix = next((one for one in prefixes if wanted.startswith(one)), "")
    names = [name[len(prefix) :] for name in known if name.startswith(prefix)]
    nearest = get_close_matches(wanted[len(prefix) :], names, n=1)
    return prefix + nearest[0] if nearest else None


def _in_map(key: str) -> bool:
    return any(key.startswith(f"{prefix}.") for prefix in _MAPS)


def _named_in(environment: Mapping[str, str]) -> Properties:
    """Return the settings among the variables; an unknown name that starts like one is an error."""
    found: Properties = {}
    for key, variable in from_environment(environment).items():
        dotless = key.replace(".", "")
        in_map = next((one for one in _MAPS if dotless.startswith(one.replace(".", ""))), None)
        if dotless in _IN_ENVIRONMENT:
            found[_IN_ENVIRONMENT[dotless]] = variable
        elif in_map is not None:
            found[f"{in_map}.{dotless[len(in_map.replace('.', '')) :]}"] = variable
        elif dotless.startswith(_OURS) and not _SERVICE_LINK.search(variable.name):
            name = _nearest(dotless, _OURS, _IN_ENVIRONMENT)
            problem = _refusal(name and _variable(name))
            raise ConfigurationError(ENVIRONMENT, variable.name, problem)
    return found


def _variable(dotless: str) -> str:
    return _IN_ENVIRONMENT[dotless].upper().replace(".", "_")
