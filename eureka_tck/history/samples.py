"""Samples of the nodes' registries, each made whole again from the changes that were stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.history.event import Sampled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.history.event import Seen, Source
    from eureka_tck.history.reader import History


@dataclass(frozen=True, slots=True)
class Sample:
    """All that a node answered between `began` and `ended`; `error` where it answered nothing."""

    node: str
    began: float
    ended: float
    source: Source
    present: Mapping[str, Seen]
    error: str = ""

    @property
    def is_reading(self) -> bool:
        """Whether the node answered."""
        return not self.error


def samples(history: History) -> dict[str, tuple[Sample, ...]]:
    """Return the samples of each node in the order of time; failed ones repeat what was known."""
    known: dict[str, Mapping[str, Seen]] = {node: {} for node in history.header.nodes}
    taken: dict[str, list[Sample]] = {node: [] for node in history.header.nodes}
    for event in history.events:
        if not isinstance(event, Sampled):
            continue
        now = _apply(known.get(event.node, {}), event)
        known[event.node] = now
        taken.setdefault(event.node, []).append(
            Sample(event.node, event.began, event.at, event.source, now, event.error)
        )
    return {node: tuple(of_node) for node, of_node in taken.items()}


def readings(history: History) -> dict[str, tuple[Sample, ...]]:
    """Return the samples of each node that it answered."""
    return {
        node: tuple(sample for sample in of_node if sample.is_reading)
        for node, of_node in samples(history).items()
    }


def _apply(before: Mapping[str, Seen], event: Sampled) -> Mapping[str, Seen]:
    if event.error or not (event.whole or event.present or event.absent):
        return before  # nothing changed: share the same mapping
    kept = {} if event.whole else dict(before)
    for gone in event.absent:
        kept.pop(gone, None)
    kept.update(event.present)
    return kept
