"""
The same drawn programs on two registries, and where they answer differently.

The model judges between them: a side that answers otherwise than the catalogue says deviates, by
the rows of the prediction. Where neither does, the catalogue leaves the answer open.
A program goes on after a difference only where the model says that the call changed nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hypothesis import HealthCheck, Phase, given, seed, settings

from eureka_tck.model.call import Cancel, Register
from eureka_tck.model.dialect import STRICT
from eureka_tck.model.play import Broken, denied, epilogue, named, observe
from eureka_tck.model.prediction import REFUSED
from eureka_tck.model.program import programs
from eureka_tck.model.registry import OK, ModelRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from eureka_tck.model.call import Call, Who
    from eureka_tck.model.prediction import Prediction
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.client import WireClient
    from eureka_tck.wire.exchange import Exchange

SHORTENING: Final = 60
"""Calls left out one by one from an example, at most: each try plays the rest on both sides."""

REFUSED_FROM: Final = 400


@dataclass(frozen=True, slots=True)
class Reply:
    """One side's answer to the call at which they differ, and what of it the model denies."""

    status: int
    said: Mapping[str, object]
    exchange: Exchange
    broken: tuple[Broken, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A call that the two sides answer differently, after the calls before it."""

    program: tuple[Call, ...]
    replies: tuple[Reply, Reply]
    scripts: tuple[str, str]

    @property
    def call(self) -> Call:
        """The call at which they differ."""
        return self.program[-1]

    @property
    def rows(self) -> tuple[frozenset[str], frozenset[str]]:
        """The rows that each side breaks, by the model."""
        one, other = (
            frozenset(row for broken in reply.broken for row in broken.rows)
            for reply in self.replies
        )
        return one, other

    @property
    def kind(self) -> tuple[object, ...]:
        """What differences that say the same have in common."""
        one, other = self.replies
        names = tuple(
            sorted(
                {
                    name.partition(" of ")[0]  # of whichever instance
                    for name in {*one.said, *other.said}
                    if one.said.get(name) != other.said.get(name)
                }
            )
        )
        sides = tuple(tuple(sorted(rows)) for rows in self.rows)
        return type(self.call).__name__, one.status, other.status, names, sides


@dataclass(frozen=True, slots=True)
class Seen:
    """How often differences of one kind were seen, and the shortest example of it."""

    example: Difference
    times: int


@dataclass(frozen=True, slots=True)
class LiveComparison:
    """How many programs and calls both sides were given, and how they differed."""

    programs: int
    calls: int
    seen: tuple[Seen, ...]


def compare_live(
    wires: tuple[WireClient, WireClient], *, seed_: int, examples: int
) -> LiveComparison:
    """Play so many drawn programs on two registries that hold nothing else."""
    shortest: dict[tuple[object, ...], Difference] = {}
    times: dict[tuple[object, ...], int] = {}
    played, calls = 0, 0
    left: list[Call] = []

    def one(program: tuple[Call, ...]) -> None:
        nonlocal played, calls
        played += 1
        calls += len(program)
        for found in differences(program, wires, left):
            times[found.kind] = times.get(found.kind, 0) + 1
            known = shortest.get(found.kind)
            if known is None or len(found.program) < len(known.program):
                shortest[found.kind] = found

    _drawn(one, seed_, examples)
    seen = (
        Seen(_shortened(found, wires, left), times[kind])
        for kind, found in sorted(shortest.items(), key=lambda item: -times[item[0]])
    )
    return LiveComparison(played, calls, tuple(seen))


def differences(
    program: Sequence[Call], wires: tuple[WireClient, WireClient], left: list[Call]
) -> list[Difference]:
    """
    Play a program on both sides and return where they differ.

    `left` are the calls of the program before, which undoes what it registered; it becomes this.
    """
    for call in left:
        for wire in wires:
            call.say(wire)
    left[:] = [Cancel(who) for who in _registered(program)]
    for wire in wires:
        wire.recorder.forget()
    model = ModelRegistry(STRICT)
    found: list[Difference] = []
    said: list[Call] = []
    for call in [*program, *epilogue(program)]:
        said.append(call)
        prediction = model.answer(call)
        changed = {str(who) for who in model.changes}
        one, other = (_reply(call, call.say(wire), prediction, changed) for wire in wires)
        if one.status == other.status and one.said == other.said:
            continue
        scripts = tuple(_script(wire) for wire in wires)
        found.append(Difference(tuple(said), (one, other), (scripts[0], scripts[1])))
        was_refused = min(one.status, other.status) >= REFUSED_FROM
        if not (was_refused and REFUSED in prediction.statuses):
            break
        said.pop()  # it changed nothing: what comes next does not need it
    return found


def _reply(call: Call, answer: Answer, prediction: Prediction, changed: set[str]) -> Reply:
    said = observe(call, answer, changed) if answer.status == OK else {}
    broken: tuple[Broken, ...]
    if not prediction.allows(answer.status):
        broken = (Broken("the status", prediction.due, answer.status, prediction.rows),)
    else:
        broken = tuple(denied(prediction, said))
    return Reply(answer.status, said, answer.exchange, broken)


def _shortened(
    found: Difference, wires: tuple[WireClient, WireClient], left: list[Call]
) -> Difference:
    """Leave out every call without which the two sides still differ so."""
    tries, at = 0, 0
    while at < len(found.program) - 1 and tries < SHORTENING:
        tries += 1
        shorter = [*found.program[:at], *found.program[at + 1 :]]
        same = [one for one in differences(shorter, wires, left) if one.kind == found.kind]
        if same and len(same[0].program) < len(found.program):
            found = same[0]
        else:
            at += 1
    return found


def _registered(program: Iterable[Call]) -> list[Who]:
    return named([call for call in program if isinstance(call, Register)])


def _script(wire: WireClient) -> str:
    return "\n".join(exchange.curl for exchange in wire.recorder.exchanges)


def _drawn(one: Callable[[tuple[Call, ...]], None], seed_: int, examples: int) -> None:
    @seed(seed_)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(programs(STRICT))
    def drawn(program: tuple[Call, ...]) -> None:
        one(program)

    drawn()
