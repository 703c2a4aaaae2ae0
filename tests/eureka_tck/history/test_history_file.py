"""The history file: what is written comes back, and whatever cannot be read is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.history import HistoryError, HistoryWriter, read_history
from eureka_tck.history.event import (
    ClockRead,
    Completed,
    Copied,
    Counted,
    Ended,
    Event,
    FaultBegan,
    FaultBit,
    FaultEnded,
    Header,
    Invoked,
    Marked,
    NodeClockRead,
    Sampled,
    Seen,
)

if TYPE_CHECKING:
    from pathlib import Path

HEADER = Header(
    run="0123abcd",
    scenario="partition-one",
    target="python",
    backend="process",
    speed=10,
    seed=7,
    started="2026-11-30T14:00:00Z",
    command="eureka-tck chaos",
    nodes=("a", "b"),
    settings={"a": {"eureka.server.enableSelfPreservation": "true"}, "b": {}},
)

EVERY_KIND: tuple[Event, ...] = (
    Marked(at=0.0, name="settling", said="registering"),
    Invoked(at=1.0, op=1, who="fleet", node="a", verb="register", instance="CART/1", lease=60),
    Completed(at=1.1, op=1, outcome="ok", status=204),
    Invoked(at=1.2, op=2, who="ops", node="a", verb="status", instance="CART/1", value="DOWN"),
    Completed(at=1.3, op=2, outcome="unknown", error="timed out"),
    Invoked(at=1.4, op=3, who="reader", node="b", verb="read-delta", instance=""),
    Completed(at=1.5, op=3, outcome="ok", status=200),
    Copied(at=1.6, client="reader-1", node="b", read_at=1.4, present={"CART/1": "UP"}),
    NodeClockRead(at=1.7, node="b", ahead=-30.0, within=0.1),
    Sampled(
        at=2.0,
        began=1.9,
        node="a",
        whole=True,
        present={"CART/1": Seen("UP", "UNKNOWN", 1_700_000_000_000, "ab12")},
    ),
    Counted(
        at=2.0,
        node="a",
        threshold=3,
        renewals=4,
        expiration_enabled=True,
        self_preservation=True,
    ),
    FaultBegan(at=3.0, fault="cut", kind="partition", said="b is cut off", links=("a>b", "b>a")),
    FaultBit(at=4.0, fault="cut", proof=("refused",)),
    FaultEnded(at=9.0, fault="cut", since=8.9),
    ClockRead(at=9.5, epoch_ms=1_700_000_009_500, late=0.2),
    Ended(at=10.0),
)


def written(folder: Path, *events: Event) -> Path:
    """Write the events and return the file."""
    with HistoryWriter(folder, HEADER) as writer:
        for event in events:
            writer.write(event)
    return writer.path


def test_every_kind_of_event_comes_back_as_it_was_written(tmp_path: Path) -> None:
    """A stored history is the history that was recorded."""
    written(tmp_path, *EVERY_KIND)

    history = read_history(tmp_path)

    assert (history.header, history.events) == (HEADER, EVERY_KIND)


def test_history_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    """Each event is in the file when `write` returns."""
    with HistoryWriter(tmp_path, HEADER) as writer:
        writer.write(EVERY_KIND[0])

        assert read_history(tmp_path).events == EVERY_KIND[:1]


def test_line_still_being_written_is_left_out(tmp_path: Path) -> None:
    """A last line without its end belongs to the future."""
    file = written(tmp_path, EVERY_KIND[0])
    with file.open("ab") as stream:
        stream.write(b'{"event":"mark","at":1')

    assert read_history(file).events == EVERY_KIND[:1]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"not json", "malformed"),
        (b'{"event":"storm","at":1.0}', "Invalid value 'storm'"),
        (b'{"event":"mark","at":"noon","name":"x"}', "Expected `float`, got `str` - at `$.at`"),
        (b'{"event":"mark","name":"x"}', "missing required field `at`"),
        (b'"\xff"', "Expected `object`, got `str`"),
        (b"", "Input data was truncated"),
    ],
)
def test_broken_line_is_named_with_file_and_number(tmp_path: Path, line: bytes, why: str) -> None:
    """The error of a line that cannot be read says which one it is and what is wrong with it."""
    file = written(tmp_path, EVERY_KIND[0])
    file.write_bytes(file.read_bytes() + line + b"\n")

    with pytest.raises(HistoryError) as caught:
        read_history(file)

    assert f"{file}, line 3 is not an event of a history: " in str(caught.value)
    assert why in str(caught.value)


def test_header_of_a_newer_schema_is_refused(tmp_path: Path) -> None:
    """A history of a later version is not misread."""
    file = written(tmp_path)
    file.write_bytes(file.read_bytes().replace(b'"schema":2', b'"schema":3'))

    with pytest.raises(HistoryError, match=r"line 1: schema is 3; this eureka-tck reads 1 to 2"):
        read_history(file)


def test_history_of_the_first_schema_is_read(tmp_path: Path) -> None:
    """What version 1 wrote is judged by today's promises."""
    file = written(tmp_path)
    file.write_bytes(file.read_bytes().replace(b'"schema":2', b'"schema":1'))

    assert read_history(file).header.schema == 1


def test_file_that_begins_with_another_event_is_refused(tmp_path: Path) -> None:
    """A history begins with its header."""
    file = tmp_path / "history.jsonl"
    file.write_bytes(b'{"event":"mark","schema":1}\n')

    with pytest.raises(HistoryError, match=r"line 1: its event is 'mark'"):
        read_history(file)


def test_empty_file_is_refused(tmp_path: Path) -> None:
    """A run that wrote no whole line left nothing to judge."""
    (tmp_path / "history.jsonl").write_bytes(b'{"event":"hea')

    with pytest.raises(HistoryError, match="holds no whole line"):
        read_history(tmp_path)


def test_folder_without_a_history_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    """A wrong folder is named, and what to give instead."""
    with pytest.raises(HistoryError, match=r"history\.jsonl cannot be read") as caught:
        read_history(tmp_path)

    assert "reports/latest" in str(caught.value)


def test_history_that_cannot_be_written_is_an_error_of_the_run(tmp_path: Path) -> None:
    """A folder that is not there ends the run before it begins."""
    with (
        pytest.raises(CannotRun, match="cannot be written"),
        HistoryWriter(tmp_path / "no", HEADER),
    ):
        pass


@pytest.mark.parametrize(
    ("events", "complete"),
    [
        ((Ended(at=1.0),), True),
        ((Ended(at=1.0, error="Ctrl-C"),), False),
        ((), False),
        ((EVERY_KIND[0],), False),
    ],
    ids=["ended", "broken off", "nothing", "still going on"],
)
def test_history_is_complete_if_it_ended_without_an_error(
    tmp_path: Path, events: tuple[Event, ...], *, complete: bool
) -> None:
    """Only a regular end makes a history complete."""
    written(tmp_path, *events)

    assert read_history(tmp_path).is_complete is complete


def test_history_that_tells_of_a_strange_node_is_named(tmp_path: Path) -> None:
    """A line about a node that the header does not know was never written by a run."""
    written(tmp_path, Sampled(at=1.0, began=0.9, node="z"))

    with pytest.raises(HistoryError, match=r"line 2 tells of node 'z'; the nodes of the run are"):
        read_history(tmp_path)
