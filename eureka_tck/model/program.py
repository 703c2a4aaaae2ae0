"""Drawn programs: up to twenty calls about one to three instances of one or two applications."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from hypothesis import strategies as st

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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import DrawFn, SearchStrategy

    from eureka_tck.model.dialect import Dialect

APPS: Final = ("MODEL-A", "MODEL-B")
IDS: Final = ("one", "host:model:8080", "ü ñ", "a%b#c", "q&a+b;c=d?e")
"""Ids of one word, as Spring makes them, and such as must be escaped in a path (WIRE-13)."""

LONGEST: Final = 20

REPORTED: Final = ("UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN", "BOGUS", "up", None)
COMMANDED: Final = ("UP", "DOWN", "STARTING", "OUT_OF_SERVICE")
NO_STATUS: Final = ("BOGUS", "up", "", None)
OVERRIDES: Final = (None, None, None, "OUT_OF_SERVICE", "DOWN")
NO_T: Final = ("abc", "", "1.5", "9223372036854775808")
KEYS: Final = ("zone", "k", "ключ", "with blank", "a.b-c_d")
VALUES: Final = ("", "z1", "ü ñ €", "<&>\"'", "a b", "]]>", "100%", "a=b&c")

_OFFSETS: Final = st.integers(0, 3)
_LATER: Final = st.integers(1, 5)
"""T of status calls: mostly newer than what is stored, for an older one changes nothing."""
_PAIRS: Final = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=3).map(
    lambda drawn: tuple(drawn.items())
)


@st.composite
def programs(draw: DrawFn, dialect: Dialect) -> tuple[Call, ...]:
    """Draw a program that can be predicted in this dialect; most instances register first."""
    whom = draw(_instances("STATUS-08" in dialect))
    calls = draw(_sequences(len(whom)))
    return tuple(_about(call, whom) for call in calls)


@cache
def _instances(apart: bool) -> SearchStrategy[list[Who]]:
    """Draw who takes part; `apart`: no id stands in two applications, where overrides leak."""
    return st.lists(
        st.builds(Who, st.sampled_from(APPS), st.sampled_from(IDS)),
        min_size=1,
        max_size=3,
        unique_by=_by_id if apart else _itself,
    )


@cache
def _sequences(instances: int) -> SearchStrategy[list[Call]]:
    """
    Draw calls about so many instances, which stand in them as slots.

    The length is drawn first: a list that draws when to end is short, and seldom comes to a call
    whose answer depends on several before.
    """
    calls, first = _calls(instances), _registrations(instances)
    firsts = st.lists(first, max_size=2 * instances)
    rest = st.integers(1, LONGEST).flatmap(
        lambda size: st.lists(calls, min_size=size, max_size=size)
    )
    return st.tuples(firsts, rest).map(lambda both: [*both[0], *both[1]])


def _slots(instances: int) -> SearchStrategy[Who]:
    return st.sampled_from([Who("", str(slot)) for slot in range(instances)])


@cache
def _registrations(instances: int) -> SearchStrategy[Call]:
    return st.builds(
        Register,
        _slots(instances),
        _OFFSETS,
        st.sampled_from(REPORTED),
        st.sampled_from(OVERRIDES),
        _PAIRS,
        st.sampled_from(("10.0.0.1", "10.0.0.2")),
        st.booleans(),
    )


@cache
def _calls(instances: int) -> SearchStrategy[Call]:
    who, register = _slots(instances), _registrations(instances)
    faults = st.sampled_from(("another application", "no host name", "no data centre", "no JSON"))
    any_status = st.sampled_from((*COMMANDED, *COMMANDED, *NO_STATUS))
    any_removal = st.sampled_from((None, None, *COMMANDED, "UNKNOWN", "BOGUS"))
    any_t = st.none() | _OFFSETS | st.sampled_from(NO_T)
    return st.one_of(
        register,
        register,
        st.builds(RegisterWrongly, who, faults),
        st.builds(Renew, who, any_t, st.sampled_from((None, "UP", "DOWN"))),
        st.builds(Cancel, who),
        st.builds(SetStatus, who, any_status),
        st.builds(SetStatus, who, st.sampled_from(COMMANDED), _LATER),
        st.builds(RemoveStatus, who, st.sampled_from((None, *COMMANDED)), _LATER),
        st.builds(RemoveStatus, who, any_removal),
        st.builds(SetMetadata, who, _PAIRS.filter(bool)),
        st.builds(ReadOne, who, st.booleans()),
        st.builds(ReadApp, who.map(lambda slot: slot.id)),
        st.builds(ReadAll),
        st.builds(ReadDelta),
    )


def _about(call: Call, whom: Sequence[Who]) -> Call:
    """Put the drawn instances into a call's slots."""
    if isinstance(call, ReadApp):
        return ReadApp(whom[int(call.app)].app)
    if isinstance(call, ReadAll | ReadDelta):
        return call
    who = whom[int(call.who.id)]
    if isinstance(call, ReadOne):  # an id alone names one instance only where no other has it
        is_lone = [one.id for one in whom].count(who.id) == 1
        return ReadOne(who, call.by_id and is_lone)
    return replace(call, who=who)


def _by_id(who: Who) -> str:
    return who.id


def _itself(who: Who) -> Who:
    return who
