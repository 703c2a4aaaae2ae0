"""A program played on a real registry, call by call, beside the model: what differs, and where."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.model.call import ReadAll, ReadApp, ReadDelta, ReadOne
from eureka_tck.model.registry import OK, ModelRegistry
from eureka_tck.wire.sample import DIRTY_MS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from eureka_tck.model.call import Call, Who
    from eureka_tck.model.dialect import Dialect
    from eureka_tck.model.prediction import Prediction, Rows
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.client import WireClient
    from eureka_tck.wire.exchange import Exchange
    from eureka_tck.wire.record import Applications, Record


@dataclass(frozen=True, slots=True)
class Broken:
    """One thing that was not as predicted; `rows` are those by which it had been."""

    what: str
    due: object
    seen: object
    rows: Rows


@dataclass(frozen=True, slots=True)
class Step:
    """A call, what came of it, and what of that was not as predicted."""

    call: Call
    exchange: Exchange
    status: int
    said: Mapping[str, object]
    prediction: Prediction
    broken: tuple[Broken, ...] = ()


def play(program: Sequence[Call], wire: WireClient, dialect: Dialect) -> list[Step]:
    """
    Play a program on a registry that holds nothing, and what it has changed is read at its end.

    It ends with the first step that is not as predicted.
    """
    model = ModelRegistry(dialect)
    steps: list[Step] = []
    for call in [*program, *epilogue(program)]:
        step = _step(call, wire, model)
        steps.append(step)
        if step.broken:
            break
    return steps


def empty(wire: WireClient, whom: Sequence[Who]) -> None:
    """Cancel all of these, registered or not."""
    for who in whom:
        wire.cancel(who.app, who.id)


def named(program: Sequence[Call]) -> list[Who]:
    """Return all instances that a program names."""
    return sorted({who for call in program if (who := getattr(call, "who", None)) is not None})


def script(steps: Sequence[Step], before: Sequence[Who] = ()) -> str:
    """Return the calls as shell lines, with what was due and what came of each."""
    lines = ["# a registry that holds nothing of " + ", ".join(str(who) for who in before)]
    for number, step in enumerate(steps, 1):
        lines.append(f"# {number}. due {step.prediction.due}, came {step.status}")
        lines += [
            f"#    {one.what} must be {one.due}, was {one.seen} ({', '.join(one.rows)})"
            for one in step.broken
        ]
        lines.append(step.exchange.curl or shlex.join([step.exchange.method, step.exchange.url]))
    return "\n".join(" ".join(line.split("\n")) for line in lines)


def epilogue(program: Sequence[Call]) -> list[Call]:
    """Read all that the program has touched, every way."""
    whom = named(program)
    return [*(ReadOne(who) for who in whom), ReadAll(), ReadDelta()]


def _step(call: Call, wire: WireClient, model: ModelRegistry) -> Step:
    prediction = model.answer(call)
    answer = call.say(wire)
    said: Mapping[str, object] = {}
    broken = []
    if not prediction.allows(answer.status):
        broken.append(Broken("the status", prediction.due, answer.status, prediction.rows))
    elif answer.status == OK:
        said = observe(call, answer, {str(who) for who in model.changes})
        broken = list(denied(prediction, said))
    return Step(call, answer.exchange, answer.status, said, prediction, tuple(broken))


def denied(prediction: Prediction, said: Mapping[str, object]) -> Iterator[Broken]:
    """Yield what an answer says otherwise; of an instance that is not listed nothing is said."""
    for name, fact in prediction.facts.items():
        if name in said and said[name] != fact.due:
            yield Broken(name, fact.due, said[name], fact.rows)


def observe(call: Call, answer: Answer, changed: set[str]) -> dict[str, object]:
    """Return what an answer says, by the names that predictions use."""
    match call:
        case ReadOne():
            return _told(answer.record())
        case ReadApp():
            return _listed(answer.application().instance)
        case ReadAll():
            every = answer.applications()
            return _listed(every) | {"hash": every.hash}
        case ReadDelta():
            return _changes(answer.applications(), changed)
    return {}


def _changes(delta: Applications, changed: set[str]) -> dict[str, object]:
    said: dict[str, object] = {"hash": delta.hash}
    entries = [one for one in delta if _name(one) in changed]
    said["changes"] = tuple(sorted(_name(one) for one in entries))
    # Programs before this one have left their own entries: all of what is gone.
    said["living entries of instances that nobody changed"] = tuple(
        _name(one) for one in delta if _name(one) not in changed and one.action != "DELETED"
    )
    for one in entries:
        said[f"action of {_name(one)}"] = one.action
        said |= _told(one, f" of {_name(one)}")
    return said


def _listed(records: Iterable[Record]) -> dict[str, object]:
    said: dict[str, object] = {}
    names = []
    for one in records:
        names.append(_name(one))
        said |= _told(one, f" of {_name(one)}")
    return said | {"instances": tuple(sorted(names))}


def _told(record: Record, of: str = "") -> dict[str, object]:
    return {
        f"status{of}": record.status,
        f"overridden status{of}": record.overridden_status,
        f"T{of}": None if record.dirty_ms is None else record.dirty_ms - DIRTY_MS,
        f"ip{of}": record.ip,
        f"metadata{of}": tuple(sorted(record.user_metadata.items())),
    }


def _name(record: Record) -> str:
    return f"{record.app}/{record.id}"
