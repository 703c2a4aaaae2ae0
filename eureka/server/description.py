"""The effective settings as text: what is in force, where it comes from, what has no effect."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

import msgspec

from eureka.server.properties import relaxed
from eureka.server.redaction import redacted
from eureka.server.spring_names import (
    METADATA,
    REGION,
    REGION_APPS,
    REGION_URLS,
    SECRET,
    SERVICE_URL,
    UNUSED,
    USED,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka.server.binding import Sources
    from eureka.server.settings import Settings

_SHARES: Final = frozenset({"renewal_percent_threshold"})  # the numbers that are no durations
_DEFAULT: Final = "default"
_NAMES: Final = {relaxed(name): name for name, _, _ in USED}
_OTHERS: Final = frozenset(relaxed(name) for name in UNUSED)
_ALIKE: Final = 0.8


def described(settings: Settings, sources: Sources) -> str:
    """
    Return the effective settings, one a line, by the names they are given by;
    durations in seconds; secrets and logins in URLs are left out.
    """
    values = _flat(msgspec.structs.asdict(settings))
    values |= {"sync_retries": settings.copies, "host_name": settings.own_host}
    names = {field: name for name, field, _ in USED}
    lines = [_line(name, values[field], field, sources) for field, name in names.items()]
    lines.append(_line(REGION, settings.region, "region", sources))
    lines.append(_line(f"{SERVICE_URL}.*", ",".join(settings.peers), "peers", sources))
    for prefix, field, entries in (
        (METADATA, "own.metadata", settings.own.metadata),
        (REGION_URLS, "regions.urls", settings.regions.urls),
        (REGION_APPS, "regions.allowed", settings.regions.allowed),
    ):
        for name, value in entries.items():
            lines.append(_line(f"{prefix}.{name}", value, field, sources))
    lines += [f"{name} has no effect here{_hint(name)}\n" for name in settings.unused]
    return "".join(lines)


def _hint(name: str) -> str:
    """Return the name that was probably meant by one that nobody knows."""
    if relaxed(name) in _OTHERS:
        return ""
    nearest = get_close_matches(relaxed(name), _NAMES, n=1, cutoff=_ALIKE)
    return f"; did you mean {_NAMES[nearest[0]]}?" if nearest else ""


def _flat(values: Mapping[str, object]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for field, value in values.items():
        if isinstance(value, msgspec.Struct):
            fields = msgspec.structs.asdict(value)
            flat |= {f"{field}.{name}": one for name, one in fields.items()}
        else:
            flat[field] = value
    return flat


def _line(name: str, value: object, field: str, sources: Sources) -> str:
    return f"{name} = {_text(value, field)}  ({sources.get(field, _DEFAULT)})\n"


def _text(value: object, field: str) -> str:
    if field in SECRET:
        return "***" if value else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and field not in _SHARES:
        return f"{value:g} s"
    if isinstance(value, frozenset):
        return ",".join(sorted(str(one) for one in value))
    return "" if value is None else redacted(str(value))
