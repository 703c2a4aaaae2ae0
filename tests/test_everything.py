"""What `make test` runs is what the README says it runs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eureka_tck.schedules.scenario import load_scenario

if TYPE_CHECKING:
    from types import ModuleType

HERE = Path(__file__).parent


def everything() -> ModuleType:
    """Return the script as a module; it lies beside the tests, in no package."""
    spec = importlib.util.spec_from_file_location("everything", HERE / "everything.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_readme_lists_every_step_in_order() -> None:
    """The table of the README has one row a step, in the order in which they run."""
    readme = (HERE.parent / "README.md").read_text(encoding="utf-8")
    table = readme.split("| step | needs | seconds |\n|---|---|---|\n")[1].split("\n\n")[0]

    listed = [line.split("|")[1].strip() for line in table.splitlines()]

    assert listed == [step.name for step in everything().STEPS]


def test_the_scenarios_of_make_chaos_are_played_and_exist() -> None:
    """All of them on the Python registry, some on Java, each by a name that the suite has."""
    module = everything()
    names = [step.name for step in module.STEPS]

    assert len(module.few()) > len(module.FEWER)
    assert {load_scenario(one).name for one in module.few()} == set(module.few())
    assert set(module.FEWER) <= set(module.few())
    assert {f"chaos {one}, python" for one in module.few()} <= set(names)


@pytest.mark.parametrize(
    ("codes", "words", "kept"),
    [
        ((2, 0), "inconclusive, then passed", True),
        ((2, 2), "inconclusive, then inconclusive", False),
        ((2, 1), "inconclusive, then failed", False),
        ((1, 0), "failed", False),
        ((0,), "passed", True),
    ],
)
def test_only_an_inconclusive_step_runs_once_more(
    codes: tuple[int, ...], words: str, *, kept: bool
) -> None:
    """A verdict of failure is final; one that could not be had is asked for once more, and said."""
    module = everything()
    answers = iter(codes)
    named = {0: "passed", 1: "failed", 2: "inconclusive"}

    def perform(_: object) -> object:
        code = next(answers)
        return module.Outcome(named[code], 1.0, code)

    (outcome,) = module.run_all([module.gate("python", "process", "quick")], perform)

    assert outcome.words == words
    assert (outcome.is_kept, outcome.is_failed) == (kept, not kept)


def test_a_step_of_pytest_never_runs_again() -> None:
    """Its exit code 2 means that it was interrupted."""
    module = everything()

    (outcome,) = module.run_all(
        [module.Step("own tests", ("true",))], lambda _: module.Outcome("inconclusive", 1.0, 2)
    )

    assert outcome.is_failed


def test_a_step_whose_machine_lacks_something_is_no_failure() -> None:
    """It is counted as skipped."""
    outcome = everything().Outcome("not run: this machine has no java")

    assert not outcome.is_kept
    assert not outcome.is_failed


def test_a_failed_step_says_why_under_the_table(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The last line that tells stands there again; what it printed before does not."""
    module = everything()
    script = "print('working'); print('Exit    1: 1 MUST row failed (RENEW-02)'); exit(1)"
    step = module.Step("gate x", (sys.executable, "-c", script))
    monkeypatch.setattr(module, "STEPS", (step,))

    code = module.main([])

    below = capfd.readouterr().out.split("What ran")[1]
    assert code == 1
    assert below.splitlines()[-2:] == [
        "  gate x: Exit    1: 1 MUST row failed (RENEW-02)",
        "0 passed, 1 failed",
    ]
    assert "working" not in below


def test_a_step_that_does_not_end_is_ended() -> None:
    """Its budget is named, and its process is gone."""
    module = everything()

    outcome = module.run(
        module.Step("hangs", (sys.executable, "-c", "import time; time.sleep(60)"), budget=0.2)
    )

    assert outcome.words == "failed: not done within 0.2 s"
