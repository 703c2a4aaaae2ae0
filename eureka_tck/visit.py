"""
A visit at a registry that is somebody's: what we register bears a prefix, and we leave nothing.

Its lists may come from a cache of an age we cannot know (30 s by default): whether a change is
listed at once is tried on arrival, and where it is not, what reads lists is not applicable.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

import msgspec

from eureka_tck.clock import Patience
from eureka_tck.errors import CannotRun
from eureka_tck.verdict.outcome import NotApplicable
from eureka_tck.wire.client import WireClient
from eureka_tck.wire.errors import WireError
from eureka_tck.wire.sample import sample

LIST: Final = re.compile(r"/apps/?([^/?]+/?)?(\?.*)?$|/s?vips/")
"""Paths, below the base, that are answered from the response cache."""

APP: Final = re.compile(r"/apps/([^/?]+)")

LISTED_BUDGET: Final = 65.0
"""Real seconds until a list must have forgotten us: two layers of cache, 30 s each by default."""

LIST_PACE: Final = 1.0
"""Real seconds between two looks at the list."""

GONE: Final = 404


@dataclass(slots=True)
class Visit:
    """What we have registered at one registry, and the proof that it is gone."""

    root: str
    prefix: str
    lists_at_once: bool = True
    _known: set[tuple[str, str]] = field(default_factory=set)
    _has_come: bool = False

    def arrive(self) -> None:
        """Find out, once, whether its lists show a change at once."""
        if self._has_come:
            return
        self._has_come = True
        with contextlib.closing(WireClient(self.root)) as client:
            client.apps()  # from here on the list is in its cache, if it has one
            canary = sample(f"{self.prefix}CANARY", f"{self.prefix}canary")
            self.remember(f"{self.prefix}CANARY", f"{self.prefix}canary")
            client.register(canary)
            self.lists_at_once = f"{self.prefix}CANARY" in self._listed(client)
            client.cancel(f"{self.prefix}CANARY", f"{self.prefix}canary")

    def remember(self, app: str, identity: str) -> None:
        """Keep what is about to be registered, to be cancelled at the end."""
        self._known.add((app, identity))

    def check(self, method: str, path: str, body: bytes) -> None:
        """Raise NotApplicable for a call that is not for a guest; remember what it registers."""
        if method == "GET":
            if not self.lists_at_once and LIST.match(path):
                raise NotApplicable(f"the lists of {self.root} show a change only later.")
            return
        found = APP.match(path)
        if found is None:
            raise NotApplicable(f"{method} {path} is not for a guest of {self.root}.")
        app = unquote(found[1])
        if not self.is_ours(app):
            raise NotApplicable(f"{app} bears no prefix of this run, and {self.root} is not ours.")
        if method == "POST" and (identity := _identity(body)):
            self.remember(app, identity)

    def is_ours(self, app: str) -> bool:
        """Say whether a name bears our prefix; registries read names without case."""
        return app.upper().startswith(self.prefix.upper())

    def leave(self) -> None:
        """Cancel all that bears our prefix, and prove that it is gone; CannotRun if it is not."""
        with contextlib.closing(WireClient(self.root)) as client:
            try:
                left = self._cancel_all(client)
            except WireError as error:
                raise CannotRun(
                    f"{self.root} could not be left as it was found: {error}.",
                    f"What is left there bears the prefix {self.prefix}.",
                ) from error
        if left:
            raise CannotRun(
                f"{self.root} still has {len(left)} instance(s) of ours: {', '.join(left[:5])}.",
                f"All that is ours there bears the prefix {self.prefix}.",
            )

    def _cancel_all(self, client: WireClient) -> list[str]:
        patience = Patience(LISTED_BUDGET)
        while True:
            listed = self._instances(client)
            found = sorted({*self._known, *listed})
            for app, identity in found:
                if identity:
                    client.cancel(app, identity)
            left = [
                f"{app}/{identity}"
                for app, identity in found
                if identity and client.instance(app, identity).status != GONE
            ]
            if not left and not listed:
                return []
            if not patience.pause(LIST_PACE):
                return left or [f"{app}/{identity} (listed)" for app, identity in listed]

    def _listed(self, client: WireClient) -> set[str]:
        return {app.upper() for app, _ in self._instances(client)}

    def _instances(self, client: WireClient) -> set[tuple[str, str]]:
        records = client.apps().applications()
        return {(record.app, record.id) for record in records if self.is_ours(record.app)}


def prefix_of(run: str) -> str:
    """Return the prefix of a run: short, upper case as registries write names."""
    return f"TCK{hashlib.blake2s(run.encode(), digest_size=3).hexdigest().upper()}-"


def _identity(body: bytes) -> str:
    """Return the id a JSON registration names; empty where it is none, or names none."""
    with contextlib.suppress(msgspec.MsgspecError):
        return msgspec.json.decode(body, type=_Body).instance.identity
    return ""


class _Instance(msgspec.Struct):
    identity: str = msgspec.field(name="instanceId", default="")


class _Body(msgspec.Struct):
    instance: _Instance
