"""The lines of the log."""

from __future__ import annotations

import io
import json

import pytest

from eureka.server.clock import Clock
from eureka.server.log import Log


@pytest.fixture
def stream() -> io.StringIO:
    """Return what is written to."""
    return io.StringIO()


def test_a_line_is_a_stamp_a_level_an_event_and_pairs(stream: io.StringIO) -> None:
    """A value that is not plain is written as JSON writes it."""
    log = Log(Clock(), stream)

    log.info(
        "evicted", count=3, seconds=1.5, yes=True, none=None, text='a "b"', empty="", line="\n"
    )

    stamp, rest = stream.getvalue().split(" ", 1)
    assert stamp.endswith("Z")
    assert rest == (
        'info evicted count=3 seconds=1.500 yes=true none=null text="a \\"b\\"" empty="" '
        'line="\\n"\n'
    )


def int_of(text: str) -> int:
    """Fail."""
    raise ValueError(text)


def test_a_fault_of_the_program_shows_where_it_happened(stream: io.StringIO) -> None:
    """With its traceback."""
    log = Log(Clock(), stream)
    with pytest.raises(ValueError, match="odd") as fault:
        int_of("odd")
    log.failure("request-failed", fault.value, path="/x")

    text = stream.getvalue()
    assert "error request-failed path=/x error=ValueError('odd')" in text
    assert "Traceback" in text


def test_warnings_say_so(stream: io.StringIO) -> None:
    """By their level."""
    Log(Clock(), stream).warning("peer-fails")

    assert stream.getvalue().endswith(" warning peer-fails\n")


def test_a_line_can_be_json(stream: io.StringIO) -> None:
    """Values keep their types."""
    log = Log(Clock(), stream, form="json")

    log.info("evicted", count=3, seconds=1.5, yes=True, none=None, text="a\nb")

    assert stream.getvalue().count("\n") == 1
    line = json.loads(stream.getvalue())
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "event": "evicted",
        "count": 3,
        "seconds": 1.5,
        "yes": True,
        "none": None,
        "text": "a\nb",
    }


def test_a_fault_is_one_line_of_json_too(stream: io.StringIO) -> None:
    """Its traceback is a field."""
    with pytest.raises(ValueError, match="odd") as fault:
        int_of("odd")
    Log(Clock(), stream, form="json").failure("request-failed", fault.value)

    (line,) = map(json.loads, stream.getvalue().splitlines())
    assert line["error"] == "ValueError('odd')"
    assert "int_of" in line["traceback"]


def test_logins_never_reach_it(stream: io.StringIO) -> None:
    """In no field and no traceback."""
    url = "http://node:s3cret@b:8761/eureka/"
    with pytest.raises(ValueError, match="s3cret") as fault:
        int_of(url)
    log = Log(Clock(), stream)
    log.failure("batch-failed", fault.value, url=url)
    log.warning("peer-fails", error=f"no answer from {url}")

    assert "s3cret" not in stream.getvalue()
    assert "http://b:8761/eureka/" in stream.getvalue()


def test_a_log_that_nobody_reads_stops_nothing(stream: io.StringIO) -> None:
    """As behind a pipe that was closed."""
    log = Log(Clock(), stream)
    stream.close()

    log.info("evicted")
