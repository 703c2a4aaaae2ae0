"""Known deviations of a cluster whose nodes are of several targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.profile import Profile
from eureka_tck.report.model import Expectation
from eureka_tck.suite import expectations_file, requirements_folder
from eureka_tck.verdict.catalogue import load_catalogue
from eureka_tck.verdict.expectations import load_expectations
from eureka_tck.verdict.judgement import verdict_of
from eureka_tck.verdict.mixture import of_a_mixture
from eureka_tck.verdict.selection import Claim

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.report.model import TestResult

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
        "mesh": ("sometimes", "500"),
    }


def test_a_target_that_does_not_play_breaks_nothing() -> None:
    """A profile of one node has the first of the list alone."""
    assert expected("python", "python", "java") == {"mesh": ("sometimes", "500")}


def test_the_reason_names_the_member() -> None:
    """A reader of the report learns whose deviation it is."""
    known = {"java": ENTRIES, "python": ()}

    *_, last = of_a_mixture(["python", "java", "java"], known, CLAIMS, PROFILES)

    assert last.reason == "java: So."


@pytest.mark.parametrize(
    ("actual", "verdict"), [("500", "known deviation"), ("400", "known deviation"), ("", "failed")]
)
def test_only_what_a_member_answers_by_itself_is_expected(
    actual: str, verdict: str, result: Callable[..., TestResult]
) -> None:
    """Two members break a test in two ways: each of the two will do, and no third."""
    newer = tuple(msgspec.structs.replace(entry, actual="400") for entry in ENTRIES)
    known = {"java": ENTRIES, "newer": newer, "python": ()}
    found = of_a_mixture(["java", "newer", "python"], known, CLAIMS, PROFILES)
    wrong = result(id="t.py::mesh", outcome="failed", actual=actual, sentence=f"It was {actual}.")

    assert verdict_of(wrong, found) == verdict


# Of `--target java:5.0.3,java:5.0.3,python` and `python,python,java:5.0.3`, seen on 2026-12-01.
SEEN = {
    "an_override_lost_in_a_cut_is_repaired_by_renewals[b]": "UNKNOWN",
    "an_override_lost_in_a_cut_is_repaired_by_renewals[c]": "UNKNOWN",
    "metadata_lost_in_a_cut_are_repaired_by_renewals[b]": "nothing",
    "metadata_lost_in_a_cut_are_repaired_by_renewals[c]": "nothing",
    "nodes_agree_after_a_fast_workload": "hasty-1 of round 3, hasty-3 of round 3",
    "different_overrides_of_two_sides_end_equal": (
        "{'a': 'OUT_OF_SERVICE', 'b': 'DOWN', 'c': 'DOWN'}"
    ),
    "nodes_agree_on_what_one_alone_evicted": (
        "{'a': ('OUT_OF_SERVICE', 'OUT_OF_SERVICE'), 'b': ('OUT_OF_SERVICE', 'OUT_OF_SERVICE'), "
        "'c': ('UP', 'UNKNOWN')}"
    ),
}


def test_what_mixed_clusters_were_seen_to_do_is_expected_of_them(
    result: Callable[..., TestResult],
) -> None:
    """The stored expectations know each wrong answer of two mixed clusters, and no empty one."""
    names = ("java:5.0.3", "java:4.3.0")
    catalogue = load_catalogue(requirements_folder())
    known = {name: load_expectations(expectations_file(name), catalogue) for name in names}
    tests = {f"test_cluster.py::test_{name}": actual for name, actual in SEEN.items()}
    claims = [Claim(test, ("CLUSTER-09",), "mesh") for test in tests]
    found = [
        entry
        for entry in of_a_mixture([*names, "python"], {**known, "python": ()}, claims, PROFILES)
        if entry.test in tests
    ]

    assert {entry.test for entry in found} == set(tests)
    for entry in found:
        seen = result(
            id=entry.test,
            requirements=(entry.requirement,),
            outcome="failed",
            actual=tests[entry.test],
        )
        other = msgspec.structs.replace(seen, actual="no answer")
        assert [verdict_of(one, [entry]) for one in (seen, other)] == ["known deviation", "failed"]
