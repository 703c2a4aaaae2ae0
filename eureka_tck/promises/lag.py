"""
How long a node takes, once all links are up, to tell of an instance what its home node tells.

A node's answer is compared only while the home told the same before and after it,
and only while the instance was live: what is changing is nobody's fault.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.history.event import Seen
    from eureka_tck.history.samples import Sample
    from eureka_tck.history.spans import FaultSpan
    from eureka_tck.promises.judgement import Budget
    from eureka_tck.promises.lives import Life
    from eureka_tck.promises.rules import Rules


@dataclass(frozen=True, slots=True)
class Calm:
    """A stretch without any fault; `after` is the fault that came before it, if any."""

    began: float
    ended: float
    after: FaultSpan | None


@dataclass(frozen=True, slots=True)
class Lag:
    """
    How long a node took in a calm to tell of an instance what its home tells.

    `due` is the instant from which time counts, `agreed` the one at which the node was seen to
    agree for good (None: it was not), `wrong` the last reading in which it did not.
    """

    life: Life
    node: str
    calm: Calm
    due: float
    budget: Budget
    agreed: float | None
    wrong: Sample | None
    home_said: Seen | None
    watched_until: float

    @property
    def seconds(self) -> float:
        """How long it took, or how long it was watched without agreeing."""
        return (self.watched_until if self.agreed is None else self.agreed) - self.due

    @property
    def certainly(self) -> float:
        """How long it was wrong for certain: until its last wrong answer was asked for."""
        return 0.0 if self.wrong is None else self.wrong.began - self.due

    @property
    def is_settled(self) -> bool:
        """Whether it agreed for good, within the budget."""
        return self.agreed is not None and self.certainly <= self.budget.seconds


def calms(spans: Sequence[FaultSpan], end: float) -> tuple[Calm, ...]:
    """Return the stretches between 0 and `end` in which no fault was on."""
    found: list[Calm] = []
    calm_since, after = 0.0, None
    for span in sorted(spans, key=lambda span: span.began):
        if span.began > calm_since:
            found.append(Calm(calm_since, span.began, after))
        if span.ended > calm_since:
            calm_since, after = span.ended, span
    if calm_since < end:
        found.append(Calm(calm_since, end, after))
    return tuple(found)


def lag_in(
    life: Life, node: str, calm: Calm, taken: Mapping[str, Sequence[Sample]], rules: Rules
) -> Lag | None:
    """Return how the node caught up in this calm; None where nothing was to be seen."""
    until = min(calm.ended, life.until)
    due = max(calm.began, life.last_change(until))
    agreed: float | None = None
    wrong: Sample | None = None
    home_said: Seen | None = None
    watched = due
    for reading in _between(taken[node], due, until):
        truth = home_says(life, reading, taken[life.home])
        if truth is None:
            continue
        watched = reading.ended
        if reading.present.get(life.instance) != truth:
            agreed, wrong, home_said = None, reading, truth
        elif agreed is None:
            agreed = reading.ended
    if watched == due:
        return None
    budget = rules.coming_back(life.interval)
    return Lag(life, node, calm, due, budget, agreed, wrong, home_said, watched)


def home_says(life: Life, reading: Sample, at_home: Sequence[Sample]) -> Seen | None:
    """Return what the home told both before and after the reading, None where that differs."""
    before = bisect.bisect_right(at_home, reading.began, key=lambda sample: sample.ended) - 1
    after = bisect.bisect_left(at_home, reading.ended, key=lambda sample: sample.began)
    if before < 0:
        return None
    said = at_home[before].present.get(life.instance)
    if after < len(at_home) and at_home[after].present.get(life.instance) != said:
        return None
    return said


def _between(of_node: Sequence[Sample], began: float, ended: float) -> Sequence[Sample]:
    first = bisect.bisect_left(of_node, began, key=lambda sample: sample.began)
    return [sample for sample in of_node[first:] if sample.ended <= ended]


def differs_during(
    span: FaultSpan, life: Life, node: str, taken: Mapping[str, Sequence[Sample]]
) -> bool:
    """Whether the node was seen to differ from the home while the fault kept them apart."""
    if not span.keeps_apart(node, life.home):
        return False
    began, ended = max(span.began, life.since), min(span.ended, life.until)
    return any(
        (truth := home_says(life, reading, taken[life.home])) is not None
        and reading.present.get(life.instance) != truth
        for reading in _between(taken[node], began, ended)
    )
