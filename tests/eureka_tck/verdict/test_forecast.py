"""How long a pass is said to take."""

from __future__ import annotations

import msgspec

from eureka_tck.profile import Profile
from eureka_tck.verdict.forecast import CALL_SECONDS, HARNESS_SECONDS, forecast
from eureka_tck.verdict.selection import Claim


def profile(name: str, seconds: float, nodes: int = 1) -> Profile:
    """Return a profile that waits so long."""
    return Profile(name=name, max_speed=10, seconds=seconds, why="", nodes=nodes)


def test_a_profile_waits_no_longer_than_it_says() -> None:
    """Tests of one profile share its waits: their sum is bounded by the profile's own figure."""
    claims = [Claim(f"t::{n}", ("REG-01",), "p", seconds=100) for n in range(4)]

    predicted = forecast(claims, {"p": profile("p", 200.0)}, {"p": 10.0}, ["python"], 1)

    assert predicted.profiles["p"] == 0.8 + 200 / 10 + 4 * CALL_SECONDS


def test_a_quick_gate_waits_for_shorter_recordings() -> None:
    """Where a profile says so; the others take as long as ever."""
    claims = [Claim(f"t::{n}", ("REG-01",), "p", seconds=30) for n in range(4)]
    short = msgspec.structs.replace(profile("p", 100.0), quick_seconds=50.0)

    quick, full = (
        forecast(claims, {"p": short}, {"p": 10.0}, ["python"], 1, quick=quick).profiles["p"]
        for quick in (True, False)
    )

    assert (quick, full) == (0.8 + 5 + 4 * CALL_SECONDS, 0.8 + 10 + 4 * CALL_SECONDS)


def test_a_single_test_waits_its_own_time() -> None:
    """One selected test of a long profile does not take as long as all of them."""
    claims = [Claim("t::1", ("REG-01",), "p", seconds=30)]

    predicted = forecast(claims, {"p": profile("p", 200.0, nodes=2)}, {"p": 5.0}, ["java"], 1)

    assert predicted.profiles["p"] == 2 * 2.5 + 30 / 5 + CALL_SECONDS


def test_profiles_run_side_by_side_the_longest_first() -> None:
    """Two workers share 30, 20 and 10 s in 30 s, and the harness adds its own."""
    claims = [Claim(f"t::{s}", ("REG-01",), f"p{s}", seconds=float(s)) for s in (10, 20, 30)]
    profiles = {f"p{s}": profile(f"p{s}", float(s)) for s in (10, 20, 30)}
    speeds = dict.fromkeys(profiles, 1.0)

    predicted = forecast(claims, profiles, speeds, [], 2)

    longest = sum(predicted.profiles[name] for name in ("p20", "p10"))
    assert predicted.seconds == HARNESS_SECONDS + max(longest, predicted.profiles["p30"])
