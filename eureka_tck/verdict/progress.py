"""
What a person sees while a gate runs: what is judged now, what has failed, how long it still takes.

On a terminal one line that is rewritten; elsewhere a line for each profile that is done,
and one now and then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.verdict.execution import Begun, Ended
from eureka_tck.verdict.judgement import verdict_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TextIO

    from eureka_tck.report.model import Expectation, Verdict
    from eureka_tck.verdict.execution import Event
    from eureka_tck.verdict.forecast import Forecast
    from eureka_tck.verdict.selection import Claim

LINE_EVERY: Final = 15.0
"""Real seconds between two lines where the output is no terminal."""

COUNTED: Final[tuple[Verdict, ...]] = ("failed", "unexpected pass", "inconclusive")
"""Verdicts that the line counts: what is known, or does not apply, needs no alarm."""

NAMED: Final = 4
"""Profiles named in the line; the others are counted."""


class Progress:
    """The account of one pass; `now` tells real seconds."""

    def __init__(
        self,
        claims: Sequence[Claim],
        forecast: Forecast,
        now: Callable[[], float],
        out: TextIO,
        expectations: Sequence[Expectation] = (),
    ) -> None:
        self._open: dict[str, set[str]] = {}
        for claim in claims:
            self._open.setdefault(claim.profile, set()).add(claim.test)
        self._profile_of: Mapping[str, str] = {claim.test: claim.profile for claim in claims}
        self._all = len(claims)
        self._forecast = forecast
        self._now = now
        self._out = out
        self._begun: dict[str, float] = {}
        self._begin = self._said = now()
        self._verdicts: dict[Verdict, int] = {}
        self._expectations = expectations
        self._width = 0

    def note(self, event: Event) -> None:
        """Take an event in and show what it changes."""
        if isinstance(event, Begun):
            profile = self._profile_of.get(event.test)
            if profile:
                self._begun.setdefault(profile, self._now())
        elif isinstance(event, Ended):
            self._end(event)
        self._show()

    def close(self) -> None:
        """End the line that was being rewritten."""
        if self._out.isatty() and self._width:
            self._out.write("\r" + " " * self._width + "\r")
            self._out.flush()

    def line(self) -> str:
        """Return the state in one line."""
        judged = self._all - sum(map(len, self._open.values()))
        told = [f"{judged} of {self._all} tests"]
        told += [f"{self._verdicts[name]} {name}" for name in COUNTED if self._verdicts.get(name)]
        running = [name for name in self._begun if self._open[name]]
        if running:
            more = f" and {len(running) - NAMED} more" if len(running) > NAMED else ""
            told.append(f"now {', '.join(running[:NAMED])}{more}")
        left = self._left()
        told.append(f"about {left:.0f} s left" if left >= 1 else "nearly done")
        return f"{self._elapsed():5.0f} s  " + "; ".join(told)

    def _end(self, event: Ended) -> None:
        profile, verdict = event.result.profile, verdict_of(event.result, self._expectations)
        self._verdicts[verdict] = self._verdicts.get(verdict, 0) + 1
        still_open = self._open.get(profile, set())
        still_open.discard(event.result.id)
        if not still_open and profile in self._begun and not self._out.isatty():
            took = self._now() - self._begun[profile]
            self._print(f"{self._elapsed():5.0f} s  {profile} is done after {took:.0f} s")

    def _show(self) -> None:
        if self._out.isatty():
            text = self.line()
            self._out.write("\r" + text.ljust(self._width))
            self._out.flush()
            self._width = len(text)
        elif self._now() - self._said >= LINE_EVERY:
            self._print(self.line())

    def _print(self, text: str) -> None:
        self._said = self._now()
        self._out.write(text + "\n")
        self._out.flush()

    def _elapsed(self) -> float:
        return self._now() - self._begin

    def _left(self) -> float:
        """Return the forecast of what is left, at least that of each profile still running."""
        now = self._now()
        running = [
            self._forecast.profiles[name] - (now - begun)
            for name, begun in self._begun.items()
            if self._open[name]
        ]
        return max([0.0, self._forecast.seconds - self._elapsed(), *running])
