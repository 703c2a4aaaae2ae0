"""Targets: the words of the command line, adapters, and what each kind of node is started with."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from eureka_tck.clock import unix_now
from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.supplies import faketime, shim
from eureka_tck.targets import CAPABILITIES, NodePlan, parse_target
from eureka_tck.targets.command import load_adapter
from eureka_tck.targets.faketime import preload
from eureka_tck.targets.java import date_stamp
from eureka_tck.targets.state import read_counters, read_spring_page
from eureka_tck.targets.target import Counters

if TYPE_CHECKING:
    from pathlib import Path

STATE = (
    '{"renewsThreshold":7,"renewsLastMinute":2,"leaseExpirationEnabled":true,'
    '"selfPreservationEnabled":false,"emergency":false,"openedAtMs":1,"peers":[]}'
)
PAGE = """
<tr> <td>Lease expiration enabled</td> <td>{enabled}</td> </tr>
<tr> <td>Renews threshold</td> <td>170,000</td> </tr>
<tr> <td>Renews (last min)</td> <td>0</td> </tr>
<h4><b>{banner}</b></h4>
"""


def plan_in(folder: Path, **changes: object) -> NodePlan:
    """Return a plan of node a."""
    values: dict[str, object] = {
        "name": "a",
        "host": "127.0.2.11",
        "port": 8761,
        "peers": (),
        "settings": {"server.port": "8761"},
        "speed": 10.0,
        "epoch": 1000.5,
        "folder": folder,
    }
    return NodePlan(**{**values, **changes})  # type: ignore[arg-type] # a table of its fields


def test_a_word_names_a_target() -> None:
    """Each of the known words is the target of that name, with a speed of its own."""
    named = [parse_target(word)[0] for word in ("python", "java:5.0.3", "java:4.3.0")]

    assert [(t.name, t.family, t.default_speed) for t in named] == [
        ("python", "python", 10),
        ("java:5.0.3", "java", 5),
        ("java:4.3.0", "java", 5),
    ]


def test_a_list_names_one_target_a_node() -> None:
    """A mixed cluster is a comma list; blanks do not matter."""
    assert [t.name for t in parse_target("java:5.0.3, python")] == ["java:5.0.3", "python"]


@pytest.mark.parametrize(
    ("word", "nearest"),
    [("pyton", "python"), ("java:5.0.2", "java:5.0.3"), ("java", "java:"), ("comand:x.toml", "co")],
)
def test_an_unknown_word_is_answered_by_the_nearest(word: str, nearest: str) -> None:
    """The error holds the word, the nearest right one, and all of them."""
    with pytest.raises(CannotRun) as wrong:
        parse_target(word)

    assert f"there is no target {word!r}. Did you mean {nearest}" in wrong.value.problem
    assert (
        "python, java:5.0.3, java:4.3.0, java:3.1, command:ADAPTER.toml, image:REF, url:URL"
        in wrong.value.way_out
    )


def test_an_adapters_relative_path_begins_where_the_command_was_given(tmp_path: Path) -> None:
    """A process that works in another folder finds the same adapter."""
    path = adapter(tmp_path, 'command = ["s"]')

    (target,) = parse_target(f"command:{path.name}", tmp_path)

    assert target.name == f"command:{path.stem}"


def test_an_empty_place_in_a_list_is_refused() -> None:
    """A trailing comma is a slip, not a target."""
    with pytest.raises(CannotRun, match=r"there is no target '' \(in 'python,'\)"):
        parse_target("python,")


def test_every_targets_capabilities_are_known_words() -> None:
    """What a test can need is what a target can have."""
    for target in parse_target("python,java:5.0.3"):
        assert target.capabilities <= CAPABILITIES


def test_the_python_registry_is_started_with_settings_speed_and_epoch(tmp_path: Path) -> None:
    """Its settings are a file in the node's folder; its clock is told where the cluster's is."""
    (target,) = parse_target("python")
    launch = target.launch(plan_in(tmp_path))

    config = tmp_path / "application.yml"
    assert launch.argv == (
        *(sys.executable, "-m", "eureka.server", "--config", str(config)),
        *("--speed", "10", "--epoch", "1000.500000"),
    )
    assert launch.files == {config: "server:\n  port: 8761\n"}


def test_a_node_that_starts_late_is_put_on_the_clusters_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The preloaded clock begins where nine times the age of the cluster has been added."""
    monkeypatch.setattr(faketime, "library", lambda: tmp_path / "libfaketime.so")
    env = preload(plan_in(tmp_path, epoch=unix_now() - 100), faked=True)

    offset, rate = env["FAKETIME"].split()
    assert float(offset) == pytest.approx(900, abs=2)
    assert (rate, env["LD_PRELOAD"]) == ("x10", str(tmp_path / "libfaketime.so"))


def test_the_shim_stands_before_the_faked_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It adds its step to what the next in the order says."""
    monkeypatch.setattr(faketime, "library", lambda: tmp_path / "libfaketime.so")
    monkeypatch.setattr(shim, "library", lambda: tmp_path / "shim.so")
    env = preload(plan_in(tmp_path, wall_file=tmp_path / "wall"), faked=True)

    assert env["LD_PRELOAD"] == f"{tmp_path}/shim.so {tmp_path}/libfaketime.so"
    assert env["WALL_FILE"] == str(tmp_path / "wall")


def test_real_time_needs_no_preload(tmp_path: Path) -> None:
    """At speed 1, or with a clock of its own, a program's clock is right."""
    assert preload(plan_in(tmp_path, speed=1), faked=True) == {}
    assert preload(plan_in(tmp_path), faked=False) == {}


def test_counters_are_read_from_the_state_page() -> None:
    """Our registry shows them as JSON."""
    assert read_counters(STATE) == Counters(7, 2, True, False, False)


@pytest.mark.parametrize("text", ["", "<html>", '{"renewsThreshold":"7"}'])
def test_an_unreadable_state_page_cannot_run(text: str) -> None:
    """The error says what stood there."""
    with pytest.raises(CannotRun, match="the state page of the node cannot be read"):
        read_counters(text)


@pytest.mark.parametrize(
    ("banner", "preservation", "emergency"),
    [
        ("", True, False),
        ("EMERGENCY! EUREKA MAY BE INCORRECTLY CLAIMING INSTANCES ARE UP", True, True),
        ("THE SELF PRESERVATION MODE IS TURNED OFF. THIS MAY NOT PROTECT", False, False),
        ("RENEWALS ARE LESSER. THE SELF PRESERVATION MODE IS TURNED OFF.", False, False),
    ],
)
def test_counters_are_read_from_springs_page(
    banner: str, preservation: bool, emergency: bool
) -> None:
    """Digits may be grouped; the banner says what self-preservation does."""
    page = PAGE.format(enabled="true", banner=banner)

    assert read_spring_page(page) == Counters(170000, 0, True, preservation, emergency)


def test_a_page_without_counters_cannot_run() -> None:
    """The missing row is named."""
    with pytest.raises(CannotRun, match="no row 'Renews threshold'"):
        read_spring_page("<html></html>")


def test_a_date_header_is_a_reading_of_a_clock() -> None:
    """It has whole seconds."""
    stamp = date_stamp("Mon, 30 Nov 2026 14:00:01 GMT")

    assert stamp is not None
    assert (stamp.epoch_ms, stamp.resolution, stamp.when) == (1796047201000, 1.0, "now")
    assert date_stamp(None) is None


def adapter(folder: Path, text: str) -> Path:
    """Write an adapter."""
    path = folder / "mine.toml"
    path.write_text(text)
    return path


def test_an_adapter_says_how_a_program_is_started(tmp_path: Path) -> None:
    """Placeholders are filled in, in arguments and environment."""
    target = load_adapter(
        adapter(
            tmp_path,
            'command = ["{python}", "{here}/s.py", "{host}:{port}", "{{x}}", "{epoch}"]\n'
            'settings = "environment"\nspeed = 3\n'
            '[environment]\nAT = "{folder}/{speed}"\n',
        )
    )
    launch = target.launch(plan_in(tmp_path))

    assert (target.name, target.default_speed) == ("command:mine", 3)
    assert launch.argv == (
        *(sys.executable, f"{tmp_path}/s.py", "127.0.2.11:8761", "{x}", "1000.500000"),
    )
    assert launch.env == {"SERVER_PORT": "8761", "AT": f"{tmp_path}/10"}
    assert launch.files == {}


@pytest.mark.parametrize(
    ("settings", "argument", "file"),
    [
        ("yaml", (), "application.yml"),
        ("properties", (), "application.properties"),
        ("arguments", ("--server.port=8761",), None),
    ],
)
def test_settings_reach_a_program_as_the_adapter_says(
    tmp_path: Path, settings: str, argument: tuple[str, ...], file: str | None
) -> None:
    """As a file of either kind, or as arguments."""
    path = adapter(tmp_path, f'command = ["s"]\nsettings = "{settings}"')
    launch = load_adapter(path).launch(plan_in(tmp_path))

    assert launch.argv == ("s", *argument)
    assert [path.name for path in launch.files] == ([file] if file else [])


def test_a_program_without_a_clock_of_its_own_runs_at_speed_1(tmp_path: Path) -> None:
    """Without {speed} in its command it cannot be sped up, so it lacks the capability."""
    plain = load_adapter(adapter(tmp_path, 'command = ["s"]'))
    scaled = load_adapter(adapter(tmp_path, 'command = ["s", "{speed}"]'))

    assert ("clock" in plain.capabilities, plain.default_speed) == (False, 1)
    assert ("clock" in scaled.capabilities, scaled.default_speed) == (True, 10)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("command = []", "command is [], but it must name a program and its arguments."),
        ('name = "x"', "command is missing."),
        ('command = ["s"]\ncomand = 1', "there is no key comand. Did you mean command?"),
        (
            'command = ["s", "{prot}"]',
            "command[1] is '{prot}', but a placeholder must be of {python}, {here}",
        ),
        ('command = ["s", "{"]', "command[1] is '{', which is no pattern:"),
        (
            'command = ["s"]\nsettings = "xml"',
            "settings is 'xml', but it must be 'arguments' or 'environment' or",
        ),
        (
            'command = ["s"]\n[environment]\nLANG = "C"\nX = 5',
            "environment.X is 5, but it must be text.",
        ),
        (
            'command = ["s"]\nspeed = "fast"',
            "speed is 'fast', but it must be a number.",
        ),
        ('command = ["s"]\nspeed = nan', "speed is nan, but it must be a finite number."),
        (
            'command = ["s"]\nready_within = inf',
            "ready_within is inf, but it must be a finite number.",
        ),
        ('command = ["s"]\nspeed = 0', "speed is 0, but it must be above 0."),
        (
            'command = ["s"]\ncapabilities = ["setings"]',
            "capabilities names 'setings', but it must be of ",
        ),
        (
            'command = ["s"]\nclock = "own"',
            "clock is 'own', but no word of command or environment holds {speed}.",
        ),
        ('command = "s"', "command is 's', but it must be a list."),
        ("command = [", "is not TOML:"),
    ],
)
def test_a_wrong_adapter_names_file_key_value_and_expectation(
    tmp_path: Path, text: str, complaint: str
) -> None:
    """Whoever wrote it can find and mend it."""
    path = adapter(tmp_path, text)

    with pytest.raises(SettingsError) as wrong:
        load_adapter(path)

    assert str(wrong.value).startswith(f"{path}: {complaint}")


def test_a_missing_adapter_is_named(tmp_path: Path) -> None:
    """The error says which file, and what it should be."""
    with pytest.raises(SettingsError, match=r"the adapter .*none\.toml cannot be read: No such"):
        parse_target(f"command:{tmp_path}/none.toml")


def test_a_program_without_a_counters_page_shows_none(tmp_path: Path) -> None:
    """It lacks the capability, and asking is an error that names the adapter."""
    target = load_adapter(adapter(tmp_path, 'command = ["s"]'))

    assert "counters" not in target.capabilities
    with pytest.raises(CannotRun, match=r"mine\.toml: names no counters page"):
        target.counters(lambda path: path)


def test_a_program_has_no_image(tmp_path: Path) -> None:
    """It is judged by the process backend alone."""
    with pytest.raises(CannotRun, match="has no container image"):
        load_adapter(adapter(tmp_path, 'command = ["s"]')).prepare("docker")
