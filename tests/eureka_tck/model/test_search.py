"""Drawn programs find what is wrong, shorten it, and say which rows are broken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from eureka_tck.model.call import Call, Cancel, Register, SetMetadata, SetStatus
from eureka_tck.model.dialect import DIALECTS, STRICT
from eureka_tck.model.live import compare_live
from eureka_tck.model.search import search
from eureka_tck.verdict.outcome import RequirementFailed

if TYPE_CHECKING:
    from model.conftest import Obedient  # type: ignore[import-not-found]

    from eureka_tck.model.registry import ModelRegistry


@dataclass(frozen=True, slots=True)
class Hunt:
    """What a search found at a wrong registry, and what it had to find."""

    wire: Obedient
    failure: RequirementFailed
    row: str
    most: int


def forgets_metadata(call: Call, model: ModelRegistry) -> None:
    """Replace all metadata where some are added."""
    if isinstance(call, SetMetadata) and call.who in model.held:
        model.held[call.who] = replace(model.held[call.who], metadata=tuple(sorted(call.entries)))


def keeps_no_override(call: Call, model: ModelRegistry) -> None:
    """Store no override."""
    if isinstance(call, SetStatus) and call.who in model.held:
        model.held[call.who] = replace(model.held[call.who], override=None)


def tells_no_cancellation(call: Call, model: ModelRegistry) -> None:
    """Leave what is cancelled out of the delta."""
    if isinstance(call, Cancel):
        model.changes.pop(call.who, None)


def test_a_right_registry_passes(obedient: type[Obedient]) -> None:
    """All examples are played, each of several calls."""
    wire = obedient()

    calls = search(wire, seed_=1, examples=40, dialect=STRICT)

    assert calls > 4 * 40


def test_the_same_seed_draws_the_same(obedient: type[Obedient]) -> None:
    """A run is repeated by its seed."""
    counts = {search(obedient(), seed_=5, examples=30, dialect=DIALECTS["java"]) for _ in range(2)}

    assert len(counts) == 1


TWISTS = {
    "forgets-metadata": (forgets_metadata, "META-01", 4),
    "keeps-no-override": (keeps_no_override, "STATUS-01", 3),
    "tells-no-cancellation": (tells_no_cancellation, "CANCEL-02", 5),
}
"""By name: what is done wrongly, the row it breaks, and the calls that show it at most."""


@pytest.fixture(scope="module")
def hunts() -> dict[str, Hunt]:
    """Hold what was found until now: making a program short is what takes long."""
    return {}


@pytest.fixture(params=TWISTS)
def hunt(request: pytest.FixtureRequest, hunts: dict[str, Hunt], obedient: type[Obedient]) -> Hunt:
    """Search a wrong registry, once for all tests."""
    name: str = request.param
    if name not in hunts:
        twist, row, most = TWISTS[name]
        wire = obedient(twist)
        with pytest.raises(RequirementFailed) as caught:
            search(wire, seed_=1, examples=80, dialect=STRICT)
        hunts[name] = Hunt(wire, caught.value, row, most)
    return hunts[name]


def test_a_wrong_registry_is_found_by_a_short_program(hunt: Hunt) -> None:
    """The failure names the row, and its script is as short as it can be."""
    calls = [line for line in hunt.failure.script.splitlines() if ". due" in line]

    assert hunt.row in hunt.failure.rows
    assert len(calls) <= hunt.most


def test_the_recorder_keeps_the_short_program_alone(hunt: Hunt) -> None:
    """What is evidence is what the script says."""
    told = [exchange.curl for exchange in hunt.wire.recorder.exchanges]

    assert told
    assert told == [line for line in hunt.failure.script.splitlines() if line in set(told)]


def test_two_that_do_the_same_do_not_differ(obedient: type[Obedient]) -> None:
    """Live comparison of equals finds nothing."""
    found = compare_live((obedient(), obedient()), seed_=1, examples=40)

    assert (found.programs, found.seen) == (40, ())


def test_a_difference_names_the_side_that_deviates(obedient: type[Obedient]) -> None:
    """The model says who of the two is wrong, by which rows, with the shortest example."""
    found = compare_live((obedient(), obedient(forgets_metadata)), seed_=1, examples=60)

    shortest = min(found.seen, key=lambda seen: len(seen.example.program)).example
    right, wrong = shortest.rows
    assert not right
    assert "META-01" in wrong
    assert [type(call) for call in shortest.program[:-1]] == [Register, SetMetadata]
