"""
The pages for people: the status page and the last leases.

HTML by templates that escape everything; complete without script.
Written piece by piece, so that a large registry serves other calls meanwhile.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from importlib import resources
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from eureka import __version__
from eureka.server.explanation import duration
from eureka.server.overview import State, applications_of, state_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from eureka.server.cluster import Cluster
    from eureka.server.service import Service

LAST: Final = "/lastn"
MOST_APPLICATIONS: Final = 1000
MOST_INSTANCES: Final = 50  # of one application; a page of all would help nobody
_PIECE: Final = 16 * 1024  # characters written before other calls are served
_HEADERS: Final = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_STATUS_KINDS: Final = {
    "UP": "good",
    "DOWN": "bad",
    "OUT_OF_SERVICE": "warn",
    "STARTING": "warn",
    "UNKNOWN": "warn",
}
_PEER_KINDS: Final = {"answers": "good", "fails": "bad", "not asked yet": "quiet"}
_PHASES: Final = {
    "copying": {
        "headline": "This node is starting.",
        "why": "It copies the registry of a peer; lists are refused until it is done, "
        "so that clients keep their own copies.",
    },
    "waiting": {
        "headline": "List reads are refused for now.",
        "why": "Nothing was copied when this node started, so it waits for its clients to "
        "register before it tells anybody who there is (waitTimeInMsWhenSyncEmpty).",
    },
}


def routes(service: Service, cluster: Cluster) -> Sequence[BaseRoute]:
    """Return the routes of the pages, if there is a dashboard."""
    settings = service.settings
    if not settings.dashboard:
        return ()
    environment = _environment()
    home = settings.dashboard_path

    def shared(here: str) -> dict[str, object]:
        return {
            "style": _style(),
            "host": settings.own_host,
            "version": __version__,
            "now": service.clock.now().epoch_ms,
            "pages": (("Status", home), ("Last 1000 leases", LAST)),
            "here": here,
        }

    async def status(_request: Request) -> Response:
        template = environment.get_template("status.html.j2")
        context = shared(home) | _status(service, state_of(service, cluster))
        return _html(template.generate_async(context))

    async def last(_request: Request) -> Response:
        account = service.account
        template = environment.get_template("lastn.html.j2")
        context = shared(LAST) | {
            "came": [(c.at_ms, c.key, "yes" if c.again else "no") for c in reversed(account.came)],
            "went": [(one.at_ms, one.key, one.how) for one in reversed(account.went)],
        }
        return _html(template.generate_async(context))

    return (Route(home, status), Route(LAST, last))


def _status(service: Service, state: State) -> dict[str, object]:
    started = service.clock.monotonic()
    yes = {True: "true", False: "false"}
    run = state.last_run
    return {
        "state": state,
        "title": _title(state),
        "sentence": _sentence(state),
        "phase_line": _PHASES.get(state.phase),
        "status_kinds": _STATUS_KINDS,
        "peer_kinds": _PEER_KINDS,
        "most_applications": MOST_APPLICATIONS,
        "applications": applications_of(service, most=MOST_APPLICATIONS, instances=MOST_INSTANCES),
        "node_rows": (
            ("Environment", state.general["environment"]),
            ("Data center", state.general["data center"]),
            ("Current time", _moment(state.now_ms)),
            ("Uptime", duration(started)),
            ("Serving since", _moment(state.opened_at_ms) if state.opened_at_ms else "not yet"),
            ("Instances", f"{state.instances:,}"),
            *((f"… {name}", f"{size:,}") for name, size in sorted(state.by_status.items())),
        ),
        "lease_rows": (
            ("Self-preservation enabled", yes[state.self_preservation_enabled]),
            ("Lease expiration enabled", yes[state.lease_expiration_enabled]),
            ("Renews threshold", f"{state.renews_threshold:,}"),
            ("Renews (last min)", f"{state.renews_last_minute:,}"),
            ("Renews (this minute so far)", f"{state.protection.counting:,}"),
            ("Expected clients", f"{state.expected_clients:,}"),
            ("Renewals since start", f"{state.renewals:,}"),
            ("Registrations since start", f"{state.registrations:,}"),
            ("Cancellations since start", f"{state.cancels:,}"),
            ("Evictions since start", f"{state.evictions:,}"),
            (
                "Last eviction run",
                "none yet"
                if run is None
                else f"{duration((state.now_ms - state.last_eviction_run_ms) / 1000)} ago: "
                f"{run.expired:,} expired, {run.evicted:,} evicted (at most {run.limit:,})",
            ),
        ),
        "general_rows": [(name, value or "none") for name, value in state.general.items()],
    }


def _title(state: State) -> str:
    failing = sum(peer.word == "fails" for peer in state.peers)
    if state.emergency:
        return "Emergency"
    return f"{failing} of {len(state.peers)} peers failing" if failing else "Status"


def _sentence(state: State) -> str:
    apps = "1 application" if state.applications == 1 else f"{state.applications:,} applications"
    instances = "1 instance" if state.instances == 1 else f"{state.instances:,} instances"
    up = state.by_status.get("UP", 0)
    rest = state.instances - up
    parts = [f"{instances} of {apps} registered"]
    if rest:
        parts.append(f"{rest:,} of them not UP")
    failing = sum(peer.word == "fails" for peer in state.peers)
    if failing:
        parts.append(f"{failing} of {len(state.peers)} peers failing")
    return f"{', '.join(parts)}."


def _html(pieces: AsyncIterator[str]) -> Response:
    return StreamingResponse(_paced(pieces), media_type="text/html", headers=_HEADERS)


async def _paced(pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield the pieces in larger ones, serving other calls in between."""
    waiting: list[str] = []
    size = 0
    async for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _PIECE:
            yield "".join(waiting)
            await asyncio.sleep(0)
            waiting, size = [], 0
    yield "".join(waiting)


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("eureka.server"),
        autoescape=True,
        undefined=StrictUndefined,
        enable_async=True,
    )
    environment.filters |= {
        "ago": lambda ms: f"{duration(ms / 1000)} ago",
        "count": lambda count: f"{count:,}",
        "moment": _moment,
        "stamp": _stamp,
    }
    return environment


def _style() -> Markup:
    sheet = resources.files("eureka.server") / "templates" / "style.css"
    return Markup(sheet.read_text("utf-8"))  # noqa: S704 - our own file, not a caller's word


def _moment(epoch_ms: int) -> str:
    return datetime.fromtimestamp(epoch_ms / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _stamp(epoch_ms: int) -> str:
    return datetime.fromtimestamp(epoch_ms / 1000, tz=UTC).isoformat(timespec="milliseconds")
