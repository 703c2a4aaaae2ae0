"""The command line: what it teaches, and how it ends when it cannot run."""

from __future__ import annotations

import signal
import sys
import tomllib
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest

import eureka_tck
from eureka_tck import cli
from eureka_tck.__main__ import main as begin
from eureka_tck.commands import console
from eureka_tck.errors import CannotRun

CHECKOUT = Path(__file__).parents[2]


def run(*words: str) -> int:
    """Run a command line and return its exit code, also where argparse ends it."""
    try:
        return cli.main(words)
    except SystemExit as end:
        return int(end.code or 0)


def test_help_names_every_command_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    """A newcomer learns from --help what there is and what the codes mean."""
    assert run("--help") == 0

    printed = capsys.readouterr().out
    for command in cli.COMMANDS:
        assert command in printed
    assert "0 kept, 1 broken, 2 inconclusive, 3 could not run" in printed


def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    """Each command that is named exists and has a help of its own."""
    for command in cli.COMMANDS:
        assert run(command, "--help") == 0
        assert f"usage: eureka-tck {command}" in capsys.readouterr().out


def test_version_is_the_distributions(capsys: pytest.CaptureFixture[str]) -> None:
    """The version is printed as the package has it."""
    assert run("--version") == 0
    assert capsys.readouterr().out == f"eureka-tck {eureka_tck.__version__}\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["gaet"], "invalid choice: 'gaet'"),
        (["gate", "--speed", "0"], "argument --speed: '0' is not a number above 0"),
        (["gate", "--speed", "nan"], "argument --speed: 'nan' is not a number above 0"),
        (["gate", "--seed", "-1"], "argument --seed"),
        (["gate", "--level", "MIGHT"], "'MIGHT' is no level; levels are MUST, SHOULD, REF"),
        (["gate", "--backend", "moon"], "invalid choice: 'moon'"),
        (["gate", "--target", "jav"], "Did you mean java"),
        (["gate", "--target", "python,python"], "2 targets are named for a cluster of 3 nodes"),
        (["gate", "--select", "FOO-1"], "--select FOO-1: there is no such row, chapter or test,"),
        (["gate", "--settings", "no.yml"], "no.yml"),
        (["gate", "--expectations", "no.toml"], "--expectations no.toml: there is no such file."),
        (["gate", "--expectations", "pyhton"], "there is no target 'pyhton'. Did you mean python?"),
        (["catalogue", "FOO"], "FOO is no row and no chapter."),
        (["catalogue", "--level", "MIGHT"], "--level MIGHT: levels are MUST, SHOULD, REF."),
    ],
)
def test_a_wrong_command_line_exits_3_with_one_message(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """2 would mean inconclusive; the message says what is wrong, without a traceback."""
    assert run(*words) == 3

    said = capsys.readouterr().err
    assert says in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (CannotRun("no Java.", "Bring it."), 3, "eureka-tck: no Java.\n  Bring it.\n"),
        (KeyboardInterrupt(), 130, "stopped; nothing is left running"),
        (BrokenPipeError(), 3, ""),
        (ValueError("oops"), 3, "this is a fault of eureka-tck itself"),
    ],
)
def test_an_error_becomes_an_exit_code(
    error: BaseException,
    code: int,
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exit code 1 belongs to verdicts alone."""

    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr("eureka_tck.commands.catalogue.run", fail)
    if isinstance(error, BrokenPipeError):
        monkeypatch.setattr("sys.stderr.close", lambda: None)

    assert run("catalogue") == code
    assert says in capsys.readouterr().err


def test_the_catalogue_is_printed_by_row_chapter_and_level(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Rows in short; one that is named with all that is known of it."""
    assert run("catalogue", "cancel", "--level", "must") == 0
    chapter = capsys.readouterr().out
    assert run("catalogue", "REG-04") == 0
    row = capsys.readouterr().out

    assert chapter.startswith("Cancelling (CANCEL)\n\nCANCEL-01    MUST    `DELETE")
    assert "Why:" not in chapter
    assert chapter.endswith("5 rows, 5 MUST, 0 SHOULD, 0 REF\n")
    assert "Why: A 5xx tells a client" in row
    assert "Java reference deviates: 500 for JSON `null`" in row
    assert "Source: AbstractInstanceRegistry.register" in row


def test_words_keep_commas_within_brackets() -> None:
    """A case's parameters may hold a comma."""
    assert console.words("EVICT-02[a,b], RENEW ,") == ("EVICT-02[a,b]", "RENEW")


def test_a_command_is_quoted_as_it_is_typed() -> None:
    """A report's command can be pasted into a shell."""
    assert console.quoted(["gate", "--select", "A-01[x]"]) == "eureka-tck gate --select 'A-01[x]'"


def test_a_targets_words_do_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters of an answer or a log are spelt out; lines and tabs stay."""
    console.say("a\x1b[31mred\x00\x9b\r\n\tb, Ördner")

    assert capsys.readouterr().out == "a\\x1b[31mred\\x00\\x9b\\x0d\n\tb, Ördner\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_the_command_is_imported_ends_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: signal.Signals,
    code: int,
) -> None:
    """Imports take half a second, in which somebody changes their mind."""
    monkeypatch.setattr("importlib.import_module", lambda _: signal.raise_signal(number))

    assert run("gate") == code
    assert capsys.readouterr().err == "\neureka-tck: stopped; nothing is left running.\n"


class Hurried(MetaPathFinder):
    """Somebody who presses Ctrl-C while a module is looked for."""

    def __init__(self, module: str) -> None:
        self.module = module

    def find_spec(self, fullname: str, *_: object) -> None:
        """Press it."""
        if fullname == self.module:
            signal.raise_signal(signal.SIGINT)


def test_ctrl_c_while_the_command_line_is_imported_ends_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The very first tenth of a second is no exception."""
    monkeypatch.delitem(sys.modules, "eureka_tck.cli")
    monkeypatch.setattr(sys, "meta_path", [Hurried("eureka_tck.cli"), *sys.meta_path])

    assert begin() == 130
    assert capsys.readouterr().err == "\neureka-tck: stopped; nothing is left running.\n"


def test_the_command_begins_where_a_ctrl_c_is_caught() -> None:
    """The installed script and `python -m eureka_tck` are one."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]

    assert project["scripts"]["eureka-tck"] == f"{begin.__module__}:{begin.__name__}"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--out", "{file}"], "the folder of the run cannot be made below {file}"),
        (["--backend", "docker"], "none answers at unix:///no/such.sock"),
    ],
    ids=["out", "docker"],
)
def test_a_gate_that_cannot_begin_announces_nothing(
    tmp_path: Path,
    state: Path,  # noqa: ARG001 - the run is recorded there
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    says: str,
) -> None:
    """Nobody is told how long it will take before it is refused."""
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such.sock")
    file = tmp_path / "file"
    file.touch()

    code = run("gate", "--select", "REG-01", *(word.format(file=file) for word in words))

    printed = capsys.readouterr()
    assert code == 3
    assert printed.out == ""
    assert says.format(file=file) in printed.err
