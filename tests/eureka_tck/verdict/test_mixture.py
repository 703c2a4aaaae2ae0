"""Known deviations of a cluster whose nodes are of several targets."""

from __future__ import annotations

from eureka_tck.profile import Profile
from eureka_tck.report.model import Expectation
from eureka_tck.verdict.mixture import of_a_mixture
from eureka_tck.verdict.selection import Claim

PROFILES = {
    name: Profile(name=name, max_speed=10, seconds=1, why="", nodes=nodes)
    for name, nodes in (("lone", 1), ("pair", 2), ("mesh", 3))
}
CLAIMS = [Claim(f"t.py::{name}", ("REG-04",), name) for name in PROFILES]
ENTRIES = tuple(
    Expectation(
        requirement="REG-04", test=claim.test, kind="known deviation", actual="500", reason="So."
    )
    for claim in CLAIMS
)


def expected(*members: str) -> dict[str, tuple[str, str]]:
    """Return frequency and wrong answer by test, of a mixture whose Java members break all."""
    known = {"java": ENTRIES, "python": ()}
    found = of_a_mixture(members, known, CLAIMS, PROFILES)
    return {entry.test[6:]: (entry.frequency, entry.actual) for entry in found}


def test_where_nodes_differ_a_deviation_shows_sometimes() -> None:
    """Which of the nodes is the other one decides what is seen; nodes of one kind are as ever."""
    assert expected("java", "java", "python") == {
        "lone": ("always", "500"),
        "pair": ("always", "500"),
        "mesh": ("sometimes", ""),
    }


def test_a_target_that_does_not_play_breaks_nothing() -> None:
    """A profile of one node has the first of the list alone."""
    assert expected("python", "python", "java") == {"mesh": ("sometimes", "")}


def test_the_reason_names_the_member() -> None:
    """A reader of the report learns whose deviation it is."""
    known = {"java": ENTRIES, "python": ()}

    *_, last = of_a_mixture(["python", "java", "java"], known, CLAIMS, PROFILES)

    assert last.reason == "java: So."
