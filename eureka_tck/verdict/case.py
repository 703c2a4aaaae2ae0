"""
One test in the making: what was given, what happened when, which exchanges show it.

A case belongs to one test and is handed to it as the fixture `case`.
It judges nothing: `expect` raises, `judgement` decides.
"""

from __future__ import annotations

import hashlib
import itertools
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from eureka_tck.report.model import Moment
from eureka_tck.wire.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eureka_tck.wire.exchange import Exchange


class Timekeeper(Protocol):
    """What a case needs of a cluster's clock (`eureka_tck.clock.Clock`)."""

    def now(self) -> float:
        """Return the registry seconds since the cluster's birth."""
        ...

    def lateness(self, since: float) -> float:
        """Return the harness's worst lateness since that instant, in registry seconds."""
        ...


class Case:
    """
    What a test tells about itself while it runs; all of it stands in a failure's message.

    `app` and `id` give names that no other test of the run uses,
    so that tests share a registry without seeing each other's instances;
    `prefix` marks them where the registry is somebody's.
    """

    def __init__(
        self,
        test: str,
        requirements: tuple[str, ...] = (),
        *,
        attempt: int = 1,
        prefix: str = "",
    ) -> None:
        self.test = test
        self.requirements = requirements
        self.attempt = attempt
        self.begun_at: float | None = None
        self.recorder = _CaseRecorder(self)
        self.timeline: list[Moment] = []
        self._given: list[str] = []
        self._clock: Timekeeper | None = None
        self._tag = hashlib.blake2s(f"{test}#{attempt}".encode(), digest_size=3).hexdigest()
        self._prefix = prefix
        self._fresh = itertools.count(1)
        self._slowest = 0.0

    @property
    def given_text(self) -> str:
        """All that was given, in one line."""
        return "; ".join(self._given)

    @property
    def now(self) -> float | None:
        """The instant in registry seconds, None while the case has no cluster."""
        return self._clock.now() if self._clock else None

    def keep_time_by(self, clock: Timekeeper) -> None:
        """Take a cluster's clock: timelines carry its instants, margins its lateness."""
        self._clock = clock
        if self.begun_at is None:
            self.begun_at = clock.now()

    def given(self, text: str) -> None:
        """Say what the test starts from, for the message: settings, fleet, what was not done."""
        self._given.append(text)

    def note(self, text: str, at: float | None = None) -> None:
        """Put an event on the timeline, at an instant in registry seconds (default: now)."""
        self.timeline.append(Moment(text=text, at=self.now if at is None else at))

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges of the test so far, oldest first."""
        return self.recorder.exchanges

    @property
    def slowest(self) -> float:
        """
        Return the real seconds of the slowest answer, those of the recordings it reads too.

        A node that got no processor answers late, also where we ourselves were in time.
        """
        return max(self.recorder.slowest, self._slowest)

    def attach(self, exchange: Exchange) -> None:
        """Keep an exchange as evidence; those of the fixture `registry` are kept by themselves."""
        self.recorder.record(exchange)

    def app(self, name: str = "APP") -> str:
        """Return an application name of this case's own, in upper case: the same for one name."""
        return f"{self._prefix}{name.upper()}-{self._tag.upper()}"

    def id(self, name: str | int | None = None) -> str:
        """Return an instance id of this case's own: the same for one name, fresh without."""
        own = f"new{next(self._fresh)}" if name is None else name
        return f"{self._prefix.lower()}{self._tag}-{own}"

    def began(self, at: float, slowest: float = 0.0) -> None:
        """
        Say that what the test judges began at that instant, in registry seconds.

        For tests that read a timeline recorded before them: their margins cover the recording.
        `slowest` is the slowest answer of it, in real seconds.
        """
        self._slowest = max(self._slowest, slowest)
        self.begun_at = at if self.begun_at is None else min(at, self.begun_at)

    def lateness(self) -> float:
        """Return how late the harness was at worst since the case began, in registry seconds."""
        if self._clock is None or self.begun_at is None:
            return 0.0
        return self._clock.lateness(self.begun_at)

    @contextmanager
    def running(self) -> Iterator[Case]:
        """Be the case whose lateness `expect(…, margin=)` asks for, within this block."""
        token = _CURRENT.set(self)
        try:
            yield self
        finally:
            _CURRENT.reset(token)


class _CaseRecorder(Recorder):
    """The recorder of a case: its instants come from the clock that the case has by then."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self._case = case

    def now(self) -> float | None:
        return self._case.now


_CURRENT: ContextVar[Case | None] = ContextVar("case", default=None)


def current_case() -> Case | None:
    """Return the case of the test that runs here, None outside of the suites."""
    return _CURRENT.get()
