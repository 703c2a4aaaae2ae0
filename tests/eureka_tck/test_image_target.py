"""Any image as a target: how its adapter hands settings over, and what is wrong with one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.targets import NodePlan, parse_target
from eureka_tck.targets.image import load_image

PLAN = NodePlan(
    name="a",
    host="registry-a",
    port=8761,
    peers=(),
    settings={"server.port": "8761", "eureka.server.enableSelfPreservation": "false"},
    speed=10.0,
    epoch=12.5,
    folder=Path(),
)


def adapter(folder: Path, *lines: str) -> str:
    """Write an adapter and return its name."""
    (folder / "mine.toml").write_text("\n".join(['image = "mine:1"', *lines]), "utf-8")
    return "mine.toml"


def test_an_image_by_its_name_takes_springs_settings() -> None:
    """Without an adapter they travel as JSON in the environment."""
    (target,) = parse_target("image:registry.example/eureka:1.2")

    launch = target.image(PLAN)

    assert (target.name, target.default_speed) == ("image:registry.example/eureka:1.2", 1.0)
    assert launch.image == "registry.example/eureka:1.2"
    assert json.loads(launch.env["SPRING_APPLICATION_JSON"]) == PLAN.settings
    assert "clock" not in target.capabilities


def test_settings_go_where_the_adapter_says(tmp_path: Path) -> None:
    """Into a file of the container, its environment or its arguments."""
    file = load_image(
        adapter(tmp_path, 'settings = "yaml"', 'file = "/etc/mine.yml"'), tmp_path
    ).image(PLAN)
    env = load_image(adapter(tmp_path, 'settings = "environment"'), tmp_path).image(PLAN)
    words = load_image(
        adapter(tmp_path, 'settings = "arguments"', 'command = ["serve"]'), tmp_path
    ).image(PLAN)

    assert "enableSelfPreservation: false" in file.files["/etc/mine.yml"]
    assert env.env["EUREKA_SERVER_ENABLESELFPRESERVATION"] == "false"
    assert words.command is not None
    assert words.command[0] == "serve"
    assert "--eureka.server.enableSelfPreservation=false" in words.command


def test_a_clock_of_its_own_is_told_the_speed(tmp_path: Path) -> None:
    """It then has the capability, and a default speed above 1."""
    target = load_image(
        adapter(tmp_path, 'clock = "own"', "[environment]", 'FAST = "{speed} {epoch}"'), tmp_path
    )

    assert target.image(PLAN).env["FAST"] == "10 12.500000"
    assert "clock" in target.capabilities
    assert target.default_speed == 10.0


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('settings = "yaml"', "file is ''"),
        ('command = ["{prot}"]', r"command\[0\] is '\{prot\}'"),
        ('clock = "own"', "no word of command or environment holds {speed}"),
        ('capabilities = ["fly"]', "capabilities names 'fly'"),
        ("ready_within = -1.0", "ready_within is -1"),
        ("whatever = 1", "there is no key whatever"),
    ],
)
def test_a_faulty_adapter_is_refused_by_key(tmp_path: Path, line: str, says: str) -> None:
    """File, key, value and what it must be."""
    with pytest.raises(SettingsError, match=says):
        load_image(adapter(tmp_path, line), tmp_path)


def test_an_image_is_judged_in_docker_alone() -> None:
    """The error says how."""
    (target,) = parse_target("image:mine:1")

    with pytest.raises(CannotRun, match="Judge it with --backend docker"):
        target.prepare("process")
