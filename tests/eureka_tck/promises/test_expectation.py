"""Known deviations of a target: applied to judgements, read from their file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import SettingsError
from eureka_tck.promises.expectation import (
    Deviation,
    Verdict,
    apply_deviations,
    exit_code,
    load_deviations,
)
from eureka_tck.promises.judgement import Finding, Judgement

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = Deviation(
    promise="peers_converge",
    scenario="partition-one",
    said="never agreed",
    reason="lost after 30 s",
)
SOMETIMES = Deviation(
    promise="peers_converge",
    scenario="partition-one",
    said="never agreed",
    reason="a race",
    frequency="sometimes",
)


def judgement(finding: Finding, said: str = "") -> Judgement:
    """Return a judgement of `peers_converge`."""
    return Judgement(promise="peers_converge", statement="", rows=(), finding=finding, said=said)


@pytest.mark.parametrize(
    ("finding", "said", "deviation", "verdict"),
    [
        ("broken", "it never agreed", None, "broken"),
        ("broken", "it never agreed", KNOWN, "known deviation"),
        ("broken", "it vanished", KNOWN, "broken"),
        ("kept", "", KNOWN, "unexpected pass"),
        ("kept", "", SOMETIMES, "kept"),
        ("inconclusive", "", KNOWN, "inconclusive"),
    ],
)
def test_deviation_excuses_only_what_it_says(
    finding: Finding, said: str, deviation: Deviation | None, verdict: Verdict
) -> None:
    """A promise broken in the known way is a known deviation; anything else is what it is."""
    (judged,) = apply_deviations(
        [judgement(finding, said)], [deviation] if deviation else [], "partition-one"
    )

    assert judged.verdict == verdict


def test_deviation_of_another_scenario_excuses_nothing() -> None:
    """A deviation holds for its scenario alone."""
    (judged,) = apply_deviations([judgement("broken", "it never agreed")], [KNOWN], "kill-one")

    assert judged.verdict == "broken"


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
    judged = apply_deviations([judgement(one) for one in findings], [], "partition-one")

    assert exit_code(judged) == code


def test_target_without_a_file_has_no_known_deviations(tmp_path: Path) -> None:
    """Most targets deviate nowhere."""
    assert load_deviations(tmp_path / "python.toml") == ()


def test_deviations_are_read_from_their_file(tmp_path: Path) -> None:
    """An entry comes back as it was written."""
    file = tmp_path / "java-5.0.3.toml"
    file.write_text(
        '[[deviation]]\npromise = "peers_converge"\nscenario = "partition-one"\n'
        'said = "never agreed"\nreason = "lost after 30 s"\n'
    )

    assert load_deviations(file) == (KNOWN,)


def test_wrong_deviation_names_its_file_and_field(tmp_path: Path) -> None:
    """A typing error in a file is a message, not a traceback."""
    file = tmp_path / "java-5.0.3.toml"
    file.write_text('[[deviation]]\npromise = "peers_converge"\n')

    with pytest.raises(SettingsError) as caught:
        load_deviations(file)

    assert str(caught.value) == f"{file}: deviation[0].scenario is missing."
