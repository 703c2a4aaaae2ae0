"""Drawn programs: up to twenty calls about one to three instances of one or two applications."""

from __future__ import annotations

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


@st.composite
def programs(draw: DrawFn, dialect: Dialect) -> tuple[Call, ...]:
    """Draw a program that can be predicted in this dialect."""
    whom = draw(_instances(dialect))
    return tuple(draw(st.lists(_calls(whom), min_size=1, max_size=LONGEST)))


def _instances(dialect: Dialect) -> SearchStrategy[list[Who]]:
    """Draw who takes part; where overrides leak by the id, no id stands in two applications."""
    unique = (lambda who: who.id) if "STATUS-08" in dialect else (lambda who: who)
    return st.lists(
        st.builds(Who, st.sampled_from(APPS), st.sampled_from(IDS)),
        min_size=1,
        max_size=3,
        unique_by=unique,
    )


def _calls(whom: list[Who]) -> SearchStrategy[Call]:
    who = st.sampled_from(whom)
    lone = [one for one in whom if [other.id for other in whom].count(one.id) == 1]
    t = st.integers(0, 3)
    pairs = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=3)
    entries = pairs.map(lambda drawn: tuple(drawn.items()))
    register = st.builds(
        Register,
        who,
        t,
        st.sampled_from(REPORTED),
        st.sampled_from(OVERRIDES),
        entries,
        st.sampled_from(("10.0.0.1", "10.0.0.2")),
        st.booleans(),
    )
    wrongly = st.builds(
        RegisterWrongly,
        who,
        st.sampled_from(("another application", "no host name", "no data centre", "no JSON")),
    )
    renew = st.builds(
        Renew, who, st.none() | t | st.sampled_from(NO_T), st.sampled_from((None, "UP", "DOWN"))
    )
    some = entries.filter(bool)
    reads = [
        st.builds(ReadOne, who),
        st.builds(ReadApp, st.sampled_from(sorted({one.app for one in whom}))),
        st.builds(ReadAll),
        st.builds(ReadDelta),
    ]
    if lone:  # an id alone names one instance only where no other has it
        reads.append(st.builds(ReadOne, st.sampled_from(lone), st.just(True)))
    return st.one_of(
        register,
        register,
        wrongly,
        renew,
        st.builds(Cancel, who),
        st.builds(SetStatus, who, st.sampled_from((*COMMANDED, *COMMANDED, *NO_STATUS))),
        st.builds(SetStatus, who, st.sampled_from(COMMANDED), t),
        st.builds(RemoveStatus, who, st.sampled_from((None, None, *COMMANDED, "UNKNOWN", "BOGUS"))),
        st.builds(SetMetadata, who, some),
        *reads,
    )
