"""The counters of a node as it shows them: our registry's state page, or Spring's status page."""

from __future__ import annotations

import re

import msgspec

from eureka_tck.errors import CannotRun
from eureka_tck.targets.target import Counters

STATE_PATH = "/registry/state"  # of our own registry, JSON
SPRING_PATH = "/"  # of Spring's, HTML


class State(msgspec.Struct, frozen=True):
    """The part of our registry's state page that is read here."""

    renews_threshold: int = msgspec.field(name="renewsThreshold")
    renews_last_minute: int = msgspec.field(name="renewsLastMinute")
    expiration_enabled: bool = msgspec.field(name="leaseExpirationEnabled")
    self_preservation: bool = msgspec.field(name="selfPreservationEnabled")
    emergency: bool = msgspec.field(name="emergency")
    opened_at_ms: int = msgspec.field(name="openedAtMs", default=0)


def read_state(text: str) -> State:
    """Read the state page; CannotRun names what of it is not as it must be."""
    try:
        return msgspec.json.decode(text, type=State)
    except msgspec.DecodeError as error:
        raise CannotRun(
            f"the state page of the node cannot be read: {error}. It began {text[:80]!r}.",
        ) from error


def read_counters(text: str) -> Counters:
    """Read the counters from the state page."""
    state = read_state(text)
    return Counters(
        threshold=state.renews_threshold,
        renewals_last_minute=state.renews_last_minute,
        expiration_enabled=state.expiration_enabled,
        self_preservation=state.self_preservation,
        emergency=state.emergency,
    )


def read_spring_page(html: str) -> Counters:
    """
    Read the counters from Spring's status page.

    It groups digits by the locale that was asked for, so separators are stripped;
    its banners are the only place that says whether self-preservation is on.
    """
    return Counters(
        threshold=_figure(html, "Renews threshold"),
        renewals_last_minute=_figure(html, "Renews (last min)"),
        expiration_enabled=_word(html, "Lease expiration enabled") == "true",
        self_preservation="THE SELF PRESERVATION MODE IS TURNED OFF" not in html,
        emergency="EMERGENCY! EUREKA MAY BE INCORRECTLY CLAIMING" in html,
    )


def _word(html: str, label: str) -> str:
    found = re.search(rf"{re.escape(label)}\s*</td>\s*<td>\s*([^<]*?)\s*</td>", html)
    if found is None:
        raise CannotRun(
            f"the status page of the node has no row {label!r}, so its counters cannot be read."
        )
    return found[1]


def _figure(html: str, label: str) -> int:
    digits = re.sub(r"[^\d-]", "", _word(html, label))
    if not digits:
        raise CannotRun(f"the row {label!r} of the node's status page holds no number.")
    return int(digits)
