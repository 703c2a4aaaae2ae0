"""
From names to settings: Spring's names, in a file or the environment, to the values of `settings`.

A name below `eureka.` that nobody knows is refused, with the nearest right one;
so is one that would be dangerous to overlook.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

import msgspec

from eureka.core.errors import ConfigurationError
from eureka.server.properties import (
    ENVIRONMENT,
    Properties,
    Property,
    from_environment,
    load_file,
    relaxed,
)
from eureka.server.settings import Settings
from eureka.server.spring_names import (
    ELSEWHERE,
    MAPS,
    METADATA,
    OLD_REGION_URLS,
    REGION,
    REGION_APPS,
    REGION_URLS,
    SERVICE_URL,
    UNUSED,
    USED,
    ZONES,
)
from eureka.server.values import Parser, url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_RELAXED_MAPS = tuple(relaxed(name) for name in MAPS)
_KNOWN = {
    relaxed(name): name
    for name in (*(name for name, _, _ in USED), *UNUSED, REGION, OLD_REGION_URLS)
}
_IN_ENVIRONMENT = {key.replace(".", ""): key for key in _KNOWN}
_OURS = ("eurekaserver", "eurekaclient", "eurekainstance", "eurekadashboard")
# Typing errors below these would leave a server open that was meant to be closed.
_STRICT = ("eureka.", "server.ssl.", "spring.security.user.")
_STRICT_IN_ENVIRONMENT = (*_OURS, "serverssl", "springsecurityuser")
_SHARED = ("eureka.server.", "eureka.client.", "eureka.instance.", *_STRICT)
# What Kubernetes puts into every container for a service that is called eureka-server.
_SERVICE_LINK = re.compile(r"_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_[0-9]+_(TCP|UDP)\w*)?)\Z")

Sources = dict[str, str]
"""Where the value of each field comes from, by the field; what is missing has its default."""


def load(path: Path | None, environment: Mapping[str, str]) -> Settings:
    """Return the settings of a file and the environment, or say which one cannot be meant."""
    return load_with_sources(path, environment)[0]


def load_with_sources(
    path: Path | None, environment: Mapping[str, str]
) -> tuple[Settings, Sources]:
    """Return the same, and where each value comes from."""
    properties = load_file(path, environment) if path else {}
    _check_names(properties)
    properties |= _named_in(environment)
    settings, sources = _build(properties)
    _check_sense(settings, sources)
    return settings, sources


def _build(properties: Properties) -> tuple[Settings, Sources]:
    values: dict[str, object] = {}
    sources: Sources = {}
    for name, field, parse in USED:
        found = properties.get(relaxed(name))
        if found is not None and found.value.strip():
            values[field] = _parsed(found, parse)
            sources[field] = _source(found)
    metadata = _below(properties, METADATA)
    values["own.metadata"] = {name: one.value for name, one in metadata}
    if metadata:
        sources["own.metadata"] = _source(metadata[-1][1])
    values |= _regions(properties, sources)
    values |= _peers(properties, values, sources)
    if "own.app" not in values and "application" in values:
        values["own.app"] = values["application"]
    used = {relaxed(name) for name, _, _ in USED} | {relaxed(REGION), relaxed(OLD_REGION_URLS)}
    values["unused"] = tuple(
        sorted(
            found.name for key, found in properties.items() if key not in used and not _in_map(key)
        )
    )
    return msgspec.convert(_nested(values), Settings), sources


def _nested(values: Mapping[str, object]) -> dict[str, object]:
    nested: dict[str, object] = {}
    groups: dict[str, dict[str, object]] = {}
    for field, value in values.items():
        group, _, name = field.rpartition(".")
        if group:
            groups.setdefault(group, {})[name] = value
        else:
            nested[field] = value
    return nested | groups


def _parsed(found: Property, parse: Parser) -> object:
    try:
        return parse(found.value.strip())
    except ValueError as error:
        raise ConfigurationError(found.where, found.name, str(error)) from None


def _source(found: Property) -> str:
    return f"{ENVIRONMENT}: {found.name}" if found.where == ENVIRONMENT else found.where


def _below(properties: Properties, name: str) -> list[tuple[str, Property]]:
    """Return the entries of a map, by their keys as they are written."""
    prefix = f"{relaxed(name)}."
    depth = name.count(".") + 1
    entries = []
    for key, found in properties.items():
        if key.startswith(prefix):
            written = found.name.split(".", depth)[-1].strip("[]")
            entries.append((key[len(prefix) :] if found.where == ENVIRONMENT else written, found))
    return entries


def _regions(properties: Properties, sources: Sources) -> dict[str, object]:
    urls: dict[str, object] = {}
    old = properties.get(relaxed(OLD_REGION_URLS))
    for one in old.value.split(",") if old else ():
        if old and one.strip():
            found = str(_parsed(msgspec.structs.replace(old, value=one), url))
            # Without names regions are called by their hosts.
            urls[re.sub(r"[/:].*", "", found.partition("://")[2].rpartition("@")[2])] = found
            sources["regions.urls"] = _source(old)
    for name, entry in _below(properties, REGION_URLS):
        urls[name] = _parsed(entry, url)
        sources["regions.urls"] = _source(entry)
    allowed: dict[str, frozenset[str]] = {}
    for name, entry in _below(properties, REGION_APPS):
        apps = (app.strip().upper() for app in entry.value.split(","))
        allowed[name.lower()] = frozenset(app for app in apps if app)
        sources["regions.allowed"] = _source(entry)
    return {"regions.urls": urls, "regions.allowed": allowed}


def _peers(
    properties: Properties, values: Mapping[str, object], sources: Sources
) -> dict[str, object]:
    """
    Return the service URLs of the region's zones, each once: the own zone's first,
    then those that follow it; a zone without URLs of its own has those of the default zone.
    """
    region = properties.get(relaxed(REGION))
    name = region.value.strip() if region and region.value.strip() else Settings().region
    listed = properties.get(f"{relaxed(ZONES)}.{relaxed(name)}")
    zones = [zone.strip() for zone in listed.value.split(",")] if listed else ["defaultZone"]
    metadata = values.get("own.metadata")
    own = metadata.get("zone", zones[0]) if isinstance(metadata, dict) else zones[0]
    if own in zones and values.get("prefer_same_zone", True):
        zones = zones[zones.index(own) :] + zones[: zones.index(own)]
    urls: dict[str, None] = {}
    for zone in zones:
        found = next(
            (
                one
                for key in (zone, "defaultZone")
                if (one := properties.get(f"{relaxed(SERVICE_URL)}.{relaxed(key)}"))
                and one.value.strip()
            ),
            None,
        )
        for text in found.value.split(",") if found else ():
            if found and text.strip():
                urls[str(_parsed(msgspec.structs.replace(found, value=text), url))] = None
                sources["peers"] = _source(found)
    return {"peers": tuple(urls), "region": name, "zone": own}


def _check_sense(settings: Settings, sources: Sources) -> None:
    """Refuse what is right one by one and makes no sense together."""
    security, own = settings.security, settings.own
    for senseless, field, name, problem in (
        (
            security.tls and bool(security.certificate) != bool(security.private_key),
            "security.certificate" if security.certificate else "security.private_key",
            "server.ssl.certificate",
            "and server.ssl.certificate-private-key belong together; one of them is missing",
        ),
        (
            "security.tls" in sources and security.tls and not security.certificate,
            "security.tls",
            "server.ssl.enabled",
            "needs server.ssl.certificate (PEM); without one this would listen without TLS",
        ),
        (
            "security.user" in sources and not security.password,
            "security.user",
            "spring.security.user.name",
            "needs spring.security.user.password; without one everybody may call",
        ),
        (
            security.client_authentication != "none" and not security.client_authorities,
            "security.client_authentication",
            "server.ssl.client-auth",
            "needs server.ssl.trust-certificate, to know whose certificates are good",
        ),
        (
            security.client_authentication != "none" and not security.serves_tls,
            "security.client_authentication",
            "server.ssl.client-auth",
            "needs server.ssl.certificate: without TLS no client shows a certificate",
        ),
        (
            own.renewal_interval > own.duration,
            "own.renewal_interval",
            "eureka.instance.leaseRenewalIntervalInSeconds",
            f"is {own.renewal_interval}, longer than the lease of {own.duration} s that it renews",
        ),
    ):
        if senseless:
            raise ConfigurationError(sources.get(field, "settings"), name, problem)


def _check_names(properties: Properties) -> None:
    for key, found in properties.items():
        if key in ELSEWHERE:
            raise ConfigurationError(found.where, found.name, ELSEWHERE[key])
        if key.startswith(_STRICT) and key not in _KNOWN and not _in_map(key):
            raise ConfigurationError(found.where, found.name, _unknown(key))


def _unknown(key: str) -> str:
    name = _nearest(key, _SHARED, _KNOWN)
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
    return any(key.startswith(f"{prefix}.") for prefix in _RELAXED_MAPS)


def _named_in(environment: Mapping[str, str]) -> Properties:
    """Return the settings among the variables; an unknown name that starts like one is an error."""
    found: Properties = {}
    for key, variable in from_environment(environment).items():
        dotless = key.replace(".", "")
        in_map = next((m for m in _RELAXED_MAPS if dotless.startswith(m.replace(".", ""))), None)
        if dotless in _IN_ENVIRONMENT:
            found[_IN_ENVIRONMENT[dotless]] = variable
        elif in_map is not None:
            found[f"{in_map}.{dotless[len(in_map.replace('.', '')) :]}"] = variable
        elif dotless.startswith(_STRICT_IN_ENVIRONMENT) and not _SERVICE_LINK.search(variable.name):
            name = _nearest(dotless, _STRICT_IN_ENVIRONMENT, _IN_ENVIRONMENT)
            problem = _refusal(name and _variable(name))
            raise ConfigurationError(ENVIRONMENT, variable.name, problem)
    return found


def _variable(dotless: str) -> str:
    return _IN_ENVIRONMENT[dotless].upper().replace(".", "_")
