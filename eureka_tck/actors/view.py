"""
A view of an instance: one of the reads in which a registry shows it, in any form.

Lists hold it among others, single reads alone; `seen` finds it in each.
It knows paths and forms, not what has to stand in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from eureka_tck.verdict.expect import expect
from eureka_tck.wire.client import JSON
from eureka_tck.wire.record import LeftOut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.actors.instance import Instance
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.record import Record
    from eureka_tck.wire.sample import Json

LISTS: Final = ("apps", "delta", "app", "vip", "svip")
SINGLES: Final = ("instance", "instances")
VIEWS: Final = (*LISTS, *SINGLES)
COMPACT: Final = "X-Eureka-Accept"

OK: Final = 200


def path_of(instance: Instance, view: str) -> str:
    """Return the path of a view, below the base; the VIPs are those of `sample`."""
    app, identity = quote(instance.app, safe=""), quote(instance.id, safe=":")
    vip = quote(instance.app.lower(), safe="")
    return {
        "apps": "/apps",
        "delta": "/apps/delta",
        "app": f"/apps/{app}",
        "vip": f"/vips/{vip}",
        "svip": f"/svips/{vip}",
        "instance": f"/apps/{app}/{identity}",
        "instances": f"/instances/{identity}",
    }[view]


def look(
    instance: Instance,
    view: str,
    *,
    accept: str | None = JSON,
    compact: bool = False,
    gzip: bool = False,
    headers: Mapping[str, str | None] | None = None,
) -> Answer:
    """Return the answer of a view, which must be 200; None as `accept` sends no Accept."""
    __tracebackhide__ = True
    sent: dict[str, str | None] = {"Accept": accept}
    if compact:
        sent[COMPACT] = "compact"
    if gzip:
        sent["Accept-Encoding"] = "gzip"
    answer = instance.registry.call(
        "GET", path_of(instance, view), headers={**sent, **(headers or {})}
    )
    expect(f"the answer to the read {path_of(instance, view)}", answer).has_status(OK)
    return answer


def seen(instance: Instance, view: str, answer: Answer) -> Record:
    """Return the instance as the answer of a view tells it; LeftOut where it tells nothing."""
    if view in SINGLES:
        return answer.record()
    if view == "app":
        found = answer.application().find(instance.id)
    else:
        found = answer.applications().find(instance.app, instance.id)
    if found is None:
        raise LeftOut(f"{path_of(instance, view)} does not list {instance.app}/{instance.id}")
    return found


def plain(instance: Instance, view: str, answer: Answer) -> dict[str, Json]:
    """Return the instance's fields as an answer in JSON writes them, types and all."""
    document = answer.json()
    root = "instance" if view in SINGLES else "application" if view == "app" else "applications"
    inner = document.get(root) if isinstance(document, dict) else None
    found = _find(inner, instance.id)
    if found is None:
        raise LeftOut(f"the JSON below `{root}` does not hold {instance.app}/{instance.id}")
    return found


def _find(node: Json, identity: str) -> dict[str, Json] | None:
    """Return the object with that instanceId, wherever below the node it stands."""
    if isinstance(node, dict):
        if node.get("instanceId") == identity or node.get("hostName") == identity:
            return node
        nested: list[Json] = list(node.values())
    else:
        nested = node if isinstance(node, list) else []
    return next((found for each in nested if (found := _find(each, identity))), None)
