"""
The model of a registry that never expires anything: a call goes in, what is due comes out.

It holds what the catalogue says of registering, renewing, cancelling, statuses, metadata, reading
and the delta, as plainly as it can be said; every prediction names the rows it comes from.

What it leaves open, since the catalogue does: stamps, leases, the order in lists, bodies of
refusals, the status UNKNOWN as an override (STATUS-12), a T told with the status already held or
with the removal of an override that is none.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, assert_never

from eureka_tck.model.call import (
    Call,
    Cancel,
    ReadAll,
    ReadApp,
    ReadDelta,
    ReadOne,
    Register,
    RegisterWrongly,
    RemoveStatus,
    Renew,
    SetMetadata,
    SetStatus,
    Who,
)
from eureka_tck.model.dialect import STRICT, Dialect
from eureka_tck.model.prediction import Fact, Prediction, answered, refused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka_tck.model.prediction import Rows

STATUSES: Final = frozenset({"UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"})
SERVING: Final = frozenset({"UP", "OUT_OF_SERVICE"})
OK, STORED, BAD, UNKNOWN = 200, 204, 400, 404

STATUS_ROWS: Final[Rows] = ("STATUS-05", "STATUS-01", "STATUS-02", "STATUS-15", "WIRE-25")
DATA_ROWS: Final[Rows] = ("REG-05", "META-01", "META-03", "WIRE-17")
T_ROWS: Final[Rows] = ("REG-05", "STATUS-14", "META-05")


@dataclass(frozen=True, slots=True)
class Held:
    """What is stored of an instance; `t` is its distance from the T of all samples."""

    status: str
    t: int
    ip: str
    override: str | None = None
    metadata: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class ModelRegistry:
    """The state: what is held, and what was changed how, with the last state of what left."""

    dialect: Dialect = STRICT
    held: dict[Who, Held] = field(default_factory=dict)
    changes: dict[Who, tuple[str, Held | None]] = field(default_factory=dict)

    def answer(self, call: Call) -> Prediction:  # noqa: C901, PLR0911 - a table, one arm a call
        """Take a call, and return what is due."""
        match call:
            case Register():
                return self._register(call)
            case RegisterWrongly():
                return self._register_wrongly(call)
            case Renew():
                return self._renew(call)
            case Cancel():
                return self._cancel(call)
            case SetStatus():
                return self._set_status(call)
            case RemoveStatus():
                return self._remove_status(call)
            case SetMetadata():
                return self._set_metadata(call)
            case ReadOne():
                return self._read_one(call)
            case ReadApp():
                return self._read_app(call)
            case ReadAll():
                return self._read_all()
            case ReadDelta():
                return self._read_delta()
        assert_never(call)

    # writing

    def _register(self, call: Register) -> Prediction:
        old = self.held.get(call.who)
        if old is not None and call.t < old.t:
            # REG-05: older data are not taken; the stored ones are registered again.
            new, reported = old, old.status
        else:
            # WIRE-24: an override in the body counts only where none is stored.
            override = (old.override if old else None) or call.override
            reported = _reported(call.status)
            new = Held(reported, call.t, call.ip, override, tuple(sorted(call.metadata)))
        self._store(call.who, replace(new, status=_ruled(reported, new.override, old)), "ADDED")
        return answered(STORED, "REG-01", "WIRE-12", "WIRE-13")

    def _register_wrongly(self, call: RegisterWrongly) -> Prediction:
        match call.fault:
            case "another application":
                return answered(BAD, "REG-03")
            case "no JSON":
                return refused("REG-04", or_broken="REG-04" in self.dialect)
        return answered(BAD, "REG-02")

    def _renew(self, call: Renew) -> Prediction:
        old = self.held.get(call.who)
        if isinstance(call.t, str):
            return refused("RENEW-08", "RENEW-02", or_broken="RENEW-08" in self.dialect)
        if old is None:
            return answered(UNKNOWN, "RENEW-02")
        if old.status == "UNKNOWN":
            return answered(UNKNOWN, "RENEW-07")
        # RENEW-06: the status it names changes nothing; the rules find what is stored.
        if call.t is not None and call.t > old.t:
            return answered(UNKNOWN, "RENEW-03")
        return answered(OK, "RENEW-01", "RENEW-03", "RENEW-06")

    def _cancel(self, call: Cancel) -> Prediction:
        # CANCEL-03: the override goes too.
        old = self.held.pop(call.who, None)
        if old is None:
            return answered(UNKNOWN, "CANCEL-01")
        self.changes[call.who] = ("DELETED", old)
        return answered(OK, "CANCEL-01")

    def _set_status(self, call: SetStatus) -> Prediction:
        if call.value not in STATUSES - {"UNKNOWN"}:
            return refused("STATUS-09", "STATUS-13", or_broken="STATUS-09" in self.dialect)
        old = self.held.get(call.who)
        if old is None:
            return answered(UNKNOWN, "STATUS-01")
        if old.status != call.value:  # STATUS-06: else no override is stored
            t = max(old.t, call.t or old.t)
            new = replace(old, status=call.value, override=call.value, t=t)
            self._store(call.who, new, "MODIFIED")
        return answered(OK, "STATUS-01", "STATUS-06")

    def _remove_status(self, call: RemoveStatus) -> Prediction:
        if call.value is not None and call.value not in STATUSES:
            return refused("STATUS-09", "STATUS-13", or_broken="STATUS-09" in self.dialect)
        old = self.held.get(call.who)
        if old is None:
            return answered(UNKNOWN, "STATUS-01")
        if old.override is not None:  # STATUS-03: else no change
            t = max(old.t, call.t or old.t)
            new = replace(old, status=call.value or "UNKNOWN", override=None, t=t)
            self._store(call.who, new, "MODIFIED")
        return answered(OK, "STATUS-03")

    def _set_metadata(self, call: SetMetadata) -> Prediction:
        old = self.held.get(call.who)
        if old is None:
            return answered(UNKNOWN, "META-01")
        entries = dict(old.metadata) | dict(call.entries)
        # META-05: a registration with unchanged T, and what is stored is what it reports.
        status = _ruled(old.status, old.override, old)
        new = replace(old, metadata=tuple(sorted(entries.items())), status=status)
        self._store(call.who, new, "ADDED")
        return answered(OK, "META-01")

    def _store(self, who: Who, new: Held, action: str) -> None:
        self.held[who] = new
        self.changes[who] = (action, None)

    # reading

    def _read_one(self, call: ReadOne) -> Prediction:
        held = self.held.get(call.who)
        if held is None:
            return answered(UNKNOWN, "QUERY-01", "CANCEL-01", "REG-02", "REG-04")
        return answered(OK, "QUERY-01", "REG-01", facts=self._facts(held))

    def _read_app(self, call: ReadApp) -> Prediction:
        found = [who for who in self.held if who.app == call.app]
        if not found:
            return answered(UNKNOWN, "QUERY-01", "CANCEL-05")
        return answered(OK, "QUERY-01", facts=self._listing(found))

    def _read_all(self) -> Prediction:
        facts = self._listing(self.held) | {"hash": Fact(self._hash(), ("WIRE-15",))}
        return answered(OK, "QUERY-01", facts=facts)

    def _read_delta(self) -> Prediction:
        facts = {
            "changes": Fact(_names(self.changes), ("DELTA-01", "CANCEL-02", "STATUS-10")),
            "living entries of instances that nobody changed": Fact((), ("DELTA-01",)),
            "hash": Fact(self._hash(), ("DELTA-02",)),
        }
        for who, (action, last) in self.changes.items():
            facts[f"action of {who}"] = Fact(action, ("DELTA-01", "META-02", "STATUS-10"))
            facts |= self._facts(last or self.held[who], f" of {who}")
        return answered(OK, "DELTA-01", facts=facts)

    def _listing(self, among: Iterable[Who]) -> dict[str, Fact]:
        whom = list(among)
        facts = {"instances": Fact(_names(whom), ("QUERY-01", "CACHE-02", "CANCEL-05"))}
        for who in whom:
            facts |= self._facts(self.held[who], f" of {who}")
        return facts

    def _facts(self, held: Held, of: str = "") -> dict[str, Fact]:
        """Return what a reading says of one instance; `of` is added to the names of the facts."""
        status_rows = self._status_rows()
        override_rows = ("STATUS-01", "STATUS-03", "STATUS-06", "WIRE-24")
        return {
            f"status{of}": Fact(held.status, status_rows),
            f"overridden status{of}": Fact(
                held.override or "UNKNOWN", (*override_rows, *status_rows[len(STATUS_ROWS) :])
            ),
            f"T{of}": Fact(held.t, T_ROWS),
            f"ip{of}": Fact(held.ip, DATA_ROWS),
            f"metadata{of}": Fact(tuple(sorted(held.metadata)), DATA_ROWS),
        }

    def _status_rows(self) -> Rows:
        """By which rows a status is predicted: one more where an id stands in two applications."""
        ids = [who.id for who in self.changes]
        return STATUS_ROWS if len(ids) == len(set(ids)) else (*STATUS_ROWS, "STATUS-08")

    def _hash(self) -> str:
        statuses = [held.status for held in self.held.values()]
        return "".join(f"{one}_{statuses.count(one)}_" for one in sorted(set(statuses)))


def _reported(status: str | None) -> str:
    """WIRE-25: a status that is missing means UP, one that nobody knows UNKNOWN."""
    if status is None:
        return "UP"
    return status if status in STATUSES else "UNKNOWN"


def _ruled(reported: str, override: str | None, old: Held | None) -> str:
    """STATUS-05: whose word decides the status."""
    if reported not in SERVING:
        return reported
    if override is not None:
        return override
    if old is not None and old.status in SERVING:
        return old.status
    return reported


def _names(whom: Iterable[Who]) -> tuple[str, ...]:
    return tuple(sorted(str(who) for who in whom))
