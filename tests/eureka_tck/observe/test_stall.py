"""When the recording of a standing process can tell right from wrong."""

from __future__ import annotations

import pytest

from eureka_tck.observe.runs import Run
from eureka_tck.observe.stall import Stall
from eureka_tck.observe.tape import Tape

DUE_MS = 10_000


def stall(late_ms: int, expiries_ms: list[int]) -> Stall:
    """Return a recording of a run that came at `late_ms`, over leases that ran out then."""
    expiry_ms = {str(number): ms for number, ms in enumerate(expiries_ms)}
    run = Run(late_ms, late_ms, tuple(expiry_ms))
    return Stall(Tape("", 0, (), ()), DUE_MS, run, None, expiry_ms, "renewed")


def test_leases_on_either_side_of_the_due_time_can_tell() -> None:
    """Four that ran out before, and one while the run was late, are enough."""
    assert stall(24_000, [6000, 7000, 8000, 9000, 15_000]).can_tell()


@pytest.mark.parametrize(
    ("late_ms", "expiries_ms"),
    [
        pytest.param(17_900, [6000, 7000, 8000, 9000, 15_000], id="not late enough"),
        pytest.param(24_000, [7000, 8000, 9000, 15_000], id="a right run need take three only"),
        pytest.param(24_000, [7000, 8000, 9000, 9600, 15_000], id="one too near to the due time"),
        pytest.param(24_000, [6000, 7000, 8000, 9000], id="nothing to spare"),
    ],
)
def test_without_them_nothing_can_be_told(late_ms: int, expiries_ms: list[int]) -> None:
    """An empty set contains whatever is asked of it: such a pause is made again."""
    assert not stall(late_ms, expiries_ms).can_tell()
