"""What every recording keeps beside its facts: the evidence of a test that only reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from eureka_tck.report.model import Moment
    from eureka_tck.verdict.case import Case
    from eureka_tck.wire.exchange import Exchange


@dataclass(frozen=True, slots=True)
class Tape:
    """
    What was given, when it began (registry s), what happened, which exchanges show it.

    `slowest` is the slowest answer of the whole recording, in real seconds.
    """

    given: str
    began: float
    moments: tuple[Moment, ...]
    exchanges: tuple[Exchange, ...]
    slowest: float = 0.0

    def play(self, case: Case) -> None:
        """Make this the evidence of a test; its margins then cover the time of the recording."""
        case.given(self.given)
        case.began(self.began, self.slowest)
        for moment in self.moments:
            case.note(moment.text, at=moment.at)
        for exchange in self.exchanges:
            case.attach(exchange)


class Recorded(Protocol):
    """A recording: facts with the tape of their evidence."""

    @property
    def tape(self) -> Tape:
        """What shows the facts."""


RecordedT = TypeVar("RecordedT", bound=Recorded)


def played(recording: RecordedT, case: Case) -> RecordedT:
    """Return the recording, and make it the evidence of the test that reads it."""
    recording.tape.play(case)
    return recording
