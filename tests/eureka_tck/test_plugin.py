"""The pytest plugin in sessions of its own: other people's tests, and a suite without the gate."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import eureka_tck
from eureka_tck.verdict.collection import AUTOLOAD_OFF

if TYPE_CHECKING:
    from collections.abc import Callable

BUDGET = 60.0  # real s for a small session; a second on an idle machine


@pytest.fixture
def session(
    tmp_path: Path, state: Path, stub_adapter: Callable[..., Path]
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run pytest with the plugin on one file of tests, against the stub."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n", "utf-8")

    def run(text: str, *words: str) -> subprocess.CompletedProcess[str]:
        (folder / "test_mine.py").write_text(textwrap.dedent(text), "utf-8")
        environment = {
            **os.environ,
            AUTOLOAD_OFF: "1",
            "PYTHONPATH": str(Path(eureka_tck.__file__).parent.parent),
            "XDG_STATE_HOME": str(state.parent),
        }
        target = f"command:{stub_adapter()}"
        return subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-p", "eureka_tck.plugin"),
                *("-p", "no:cacheprovider", "--eureka-target", target, *words),
            ],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=BUDGET,
        )

    return run


def test_a_program_is_tested_against_a_real_cluster(
    session: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, state: Path
) -> None:
    """`eureka_cluster` starts nodes for one test, at real time, and leaves nothing behind."""
    done = session("""
    import urllib.error, urllib.request
    import pytest

    def test_mine(eureka_cluster):
        cluster = eureka_cluster(nodes=2)
        assert cluster.clock.speed == 1.0
        assert [node.is_alive() for node in cluster] == [True, True]
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(cluster["b"].url + "/apps/NOBODY")
        refused.value.close()
        assert refused.value.code == 404
        open("alive", "w").close()

    def test_another(eureka_cluster):
        assert eureka_cluster(settings={"eureka.server.registrySyncRetries": 0}, speed=2.0).clock
    """)

    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "mine" / "alive").exists()
    assert not (tmp_path / "mine" / "reports").exists()
    assert list((state / "runs").glob("*.jsonl")) == []


def test_other_peoples_tests_keep_their_order_and_their_outcomes(
    session: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """A session without our marker is as it would be without the plugin."""
    done = session(
        """
    import pytest

    def test_b(): pass

    @pytest.mark.parametrize("x", [1])
    def test_a(x): raise ValueError("mine")
    """,
        "-v",
    )

    assert done.returncode == 1
    assert done.stdout.index("test_b") < done.stdout.index("test_a")
    assert "ValueError: mine" in done.stdout
    assert "REQUIREMENT" not in done.stdout.upper()


def test_a_suite_runs_without_the_gate(
    session: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """Failures read as in the gate, what is not applicable is skipped, unmarked tests run too."""
    done = session(
        """
    from eureka_tck.verdict import Inconclusive, NotApplicable, expect, requirement

    def test_unmarked(): pass

    @requirement("RENEW-02")
    def test_it_breaks(case, registry):
        '''A renewal of nobody.'''
        case.given("nobody")
        expect("the answer", registry.instance(case.app(), case.id(1))).has_status(200)

    @requirement("RENEW-03")
    def test_it_has_no_answer(case):
        '''Nothing seen.'''
        raise Inconclusive("no run was seen.")

    @requirement("RENEW-04")
    def test_it_is_not_for_here(case):
        '''Nothing to see.'''
        raise NotApplicable("not on a Tuesday.")

    @requirement("RENEW-05", profile="lease")
    def test_it_holds(cluster, profile_cluster):
        '''A cluster of its own profile.'''
        assert profile_cluster("lease") is cluster
    """,
        "-rs",
        "--eureka-seed",
        "7",
    )

    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 failed, 2 passed, 1 skipped" in done.stdout
    assert "RENEW-02: the answer had status 404; it must have status 200.\n" in done.stdout
    assert "  Given        nobody\n" in done.stdout
    assert re.search(r"\(process\), speed \d+, seed 7\n", done.stdout)
    assert '--select "RENEW-02"' in done.stdout
    assert "RENEW-03: no run was seen." in done.stdout
    assert "not applicable: not on a Tuesday." in done.stdout


def test_a_node_that_dies_fails_the_test_and_not_the_next(
    session: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """The registry's end is the test's failure, with its log; the next has a fresh cluster."""
    done = session("""
    import os, signal
    from eureka_tck.verdict import requirement

    @requirement("RENEW-02")
    def test_it_kills(cluster, registry, case):
        '''Something ends the registry.'''
        import psutil
        for process in psutil.process_iter(["cmdline"]):
            if str(cluster["a"].plan.folder) in " ".join(process.info["cmdline"] or ()):
                process.kill()
                process.wait(10)
        registry.instance(case.app(), case.id(1))

    @requirement("RENEW-03")
    def test_the_next(cluster):
        '''A registry is there.'''
        assert cluster["a"].is_alive()
    """)

    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "RENEW-02: the registry on node a ended by itself during the test." in done.stdout
    assert "    | stub: open at" in done.stdout


def test_case_is_for_marked_tests_only(
    session: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """A test that names no row has no case, and is told so."""
    done = session("def test_mine(case): pass")

    assert "the fixture `case` is for tests marked by `requirement`" in done.stdout
