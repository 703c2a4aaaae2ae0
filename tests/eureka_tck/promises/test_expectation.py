"""Known deviations of a target: applied to judgements, read from their file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from eureka_tck.errors import SettingsError
from eureka_tck.promises.expectation import (
    Deviation,
    Verdict,
    apply_deviations,
    deviations_of,
    exit_code,
    load_deviations,
    notes_on,
)
from eureka_tck.promises.judgement import Finding, Judgement, Violation
from eureka_tck.schedules.scenario import load_scenario
from eureka_tck.suite import suite_root

if TYPE_CHECKING:
    from pathlib import Path

    from eureka_tck.promises.expectation import Judged

KNOWN = Deviation(
    promise="peers_converge",
    scenario="partition-one",
    said="never agreed",
    reason="lost after 30 s",
    hurts="Callers of what is gone.",
)
SOMETIMES = replace(KNOWN, reason="a race", frequency="sometimes")
ENTRY = """
[[deviation]]
promise = "peers_converge"
scenario = "partition-one"
said = "never agreed"
reason = "lost after 30 s"
hurts = "Callers of what is gone."
"""


def judgement(finding: Finding, *breaches: str, said: str = "") -> Judgement:
    """Return a judgement of `peers_converge` with a violation a breach."""
    return Judgement(
        promise="peers_converge",
        statement="",
        rows=(),
        finding=finding,
        said=said,
        violations=tuple(
            Violation(node="b", instance="A/1", at=1.0, until=None, said=breach)
            for breach in breaches
        ),
    )


def judged(one: Judgement, *known: Deviation) -> Judged:
    """Return what the deviations make of a judgement in partition-one."""
    (found,) = apply_deviations([one], known, "partition-one")
    return found


@pytest.mark.parametrize(
    ("one", "known", "verdict"),
    [
        (judgement("broken", "it never agreed"), (), "broken"),
        (judgement("broken", "it never agreed"), (KNOWN,), "known deviation"),
        (judgement("broken", said="it never agreed"), (KNOWN,), "known deviation"),
        (judgement("broken", "it vanished"), (KNOWN,), "broken"),
        (judgement("broken", "it never agreed", "it vanished"), (KNOWN,), "broken"),
        (judgement("kept"), (KNOWN,), "unexpected pass"),
        (judgement("kept"), (SOMETIMES,), "kept"),
        (judgement("kept", said="it never agreed"), (KNOWN,), "unexpected pass"),
        (judgement("inconclusive"), (KNOWN,), "inconclusive"),
    ],
)
def test_deviation_excuses_only_what_it_says(
    one: Judgement, known: tuple[Deviation, ...], verdict: Verdict
) -> None:
    """Breaches that are all known are a known deviation; anything else is what it is."""
    assert judged(one, *known).verdict == verdict


@pytest.mark.parametrize(
    ("breaches", "verdict"),
    [
        (("it never agreed", "it vanished"), "known deviation"),
        (("it never agreed",), "unexpected pass"),
    ],
)
def test_every_entry_has_to_show(breaches: tuple[str, ...], verdict: Verdict) -> None:
    """Of two kinds of breach that are known to show always, one alone is not as expected."""
    other = replace(KNOWN, said="it vanished")

    assert judged(judgement("broken", *breaches), KNOWN, other).verdict == verdict


def test_what_a_race_decides_may_stay_away_beside_another() -> None:
    """An entry that shows sometimes is reported, and fails nothing."""
    race = replace(SOMETIMES, said="it vanished")
    found = judged(judgement("broken", "it never agreed"), KNOWN, race)

    assert found.verdict == "known deviation"
    assert notes_on(found) == [
        "Known: lost after 30 s. Callers of what is gone.",
        "Known to break it sometimes, and not seen in this run: a race.",
    ]


def test_breach_that_is_not_known_is_pointed_out_among_those_that_are() -> None:
    """A reader need not compare the sentences."""
    found = judged(judgement("broken", "it never agreed", "it vanished"), KNOWN)

    assert found.unexplained == "it vanished"
    assert notes_on(found)[1] == "Not known of it: it vanished."


def test_deviation_of_another_scenario_excuses_nothing() -> None:
    """A deviation holds for its scenario alone."""
    (found,) = apply_deviations([judgement("broken", "it never agreed")], [KNOWN], "kill-one")

    assert found.verdict == "broken"


@pytest.mark.parametrize(
    ("findings", "code"),
    [
        (("kept", "kept"), 0),
        (("kept", "inconclusive"), 2),
        (("inconclusive", "broken"), 1),
        ((), 0),
    ],
)
def test_exit_code_is_that_of_the_worst_verdict(findings: tuple[Finding, ...], code: int) -> None:
    """Broken comes before inconclusive, and that before kept."""
    found = apply_deviations([judgement(one) for one in findings], [], "partition-one")

    assert exit_code(found) == code


@pytest.mark.parametrize(
    ("finding", "known", "code"),
    [
        ("broken", KNOWN, 0),
        ("kept", KNOWN, 1),
        ("kept", SOMETIMES, 0),
        ("inconclusive", KNOWN, 2),
    ],
)
def test_exit_code_knows_what_was_expected(finding: Finding, known: Deviation, code: int) -> None:
    """Only what is known costs nothing, and what stayed away although it shows always does."""
    breaches = ("it never agreed",) if finding == "broken" else ()

    assert exit_code([judged(judgement(finding, *breaches), known)]) == code


def test_target_without_a_file_has_no_known_deviations(tmp_path: Path) -> None:
    """Most targets deviate nowhere."""
    assert load_deviations(tmp_path / "python.toml") == ()


def test_deviations_are_read_from_their_file(tmp_path: Path) -> None:
    """An entry comes back as it was written."""
    file = tmp_path / "java-5.0.3.toml"
    file.write_text(ENTRY)

    assert load_deviations(file) == (KNOWN,)


@pytest.mark.parametrize(
    ("target", "known"),
    [
        ("java", (KNOWN,)),
        ("java,java,python", (replace(KNOWN, frequency="sometimes"),)),
        ("java,java", (KNOWN,)),
        ("python", ()),
    ],
)
def test_mixed_cluster_has_the_deviations_of_its_targets(
    tmp_path: Path, target: str, known: tuple[Deviation, ...]
) -> None:
    """What always shows where all nodes are alike depends there on the node that is hit."""
    (tmp_path / "java.toml").write_text(ENTRY)

    assert deviations_of(target, lambda name: tmp_path / f"{name}.toml") == known


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('[[deviation]]\npromise = "peers_converge"\n', "deviation[0].scenario is missing."),
        (
            ENTRY + ENTRY,
            "deviation[1] (peers_converge in partition-one) stands twice.",
        ),
        (
            ENTRY.replace("never agreed", " "),
            (
                "deviation[0] (peers_converge in partition-one) has no said: it says what is seen "
                "where, why, and whom it hurts."
            ),
        ),
    ],
)
def test_wrong_deviation_names_its_file_and_field(tmp_path: Path, text: str, fault: str) -> None:
    """A typing error in a file is a message, not a traceback."""
    file = tmp_path / "java-5.0.3.toml"
    file.write_text(text)

    with pytest.raises(SettingsError) as caught:
        load_deviations(file)

    assert str(caught.value) == f"{file}: {fault}"


def test_deviation_of_what_is_no_promise_is_refused(tmp_path: Path) -> None:
    """An entry that nothing can ever meet would excuse nothing and fail nothing."""
    file = tmp_path / "java-5.0.3.toml"
    file.write_text(ENTRY.replace("peers_converge", "peers_agree"))

    with pytest.raises(SettingsError, match="names no promise; the promises are: no_live"):
        load_deviations(file)


def test_every_deviation_names_what_its_scenario_judges() -> None:
    """The entries of this repository can all be met."""
    files = sorted((suite_root() / "chaos" / "expectations").glob("*.toml"))

    entries = [(file.name, entry) for file in files for entry in load_deviations(file)]

    assert entries
    assert not [
        (name, entry.scenario, entry.promise)
        for name, entry in entries
        if entry.promise not in load_scenario(entry.scenario).promises
    ]
