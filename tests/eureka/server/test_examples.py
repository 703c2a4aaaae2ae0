"""The examples for operators: what they name exists, and what they set is understood."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from eureka.core.errors import ConfigurationError
from eureka.server.__main__ import _parser
from eureka.server.binding import load
from eureka.server.health import PATHS

EXAMPLES = Path(__file__).parents[3] / "examples"
SETTINGS = EXAMPLES / "application.yml"
NODE = {"REGISTRY_PASSWORD": "x%2Fy", "EUREKA_INSTANCE_HOSTNAME": "registry-a"}


def test_the_settings_are_those_of_one_node_of_three() -> None:
    """With a login for clients and peers, and nothing without effect."""
    settings = load(SETTINGS, NODE)

    assert settings.own_host == "registry-a"
    assert len(settings.peers) == 3
    assert all(peer.startswith("http://eureka:x%2Fy@registry-") for peer in settings.peers)
    assert settings.security.login_required
    assert settings.unused == ()
    assert settings.log_format == "json"


def test_without_its_password_a_node_does_not_start() -> None:
    """Rather than without a login."""
    with pytest.raises(ConfigurationError, match="REGISTRY_PASSWORD"):
        load(SETTINGS, {})


def test_tls_is_a_profile(tmp_path: Path) -> None:
    """Its files are named by the environment."""
    for name in ("tls.crt", "tls.key"):
        (tmp_path / name).touch()
    environment = {**NODE, "SPRING_PROFILES_ACTIVE": "tls", "TLS_FOLDER": str(tmp_path)}

    assert load(SETTINGS, environment).security.serves_tls


def test_the_unit_starts_the_command_as_it_is_called() -> None:
    """Its options are understood; the exit codes that end it are those of wrong settings."""
    unit = (EXAMPLES / "eureka-server.service").read_text("utf-8")
    found = re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    assert found is not None
    command, *arguments = shlex.split(found[1])

    assert command.endswith("/eureka-server")
    assert _parser().parse_args(arguments).config is not None
    assert "RestartPreventExitStatus=2 3" in unit


def test_the_image_starts_the_server_and_asks_for_its_health() -> None:
    """By a path that needs no login, with packages that the server imports."""
    text = (EXAMPLES / "Dockerfile").read_text("utf-8")
    asked = re.search(r"8761(/[\w/]+)'", text)

    assert asked is not None
    assert asked[1] in PATHS
    assert 'ENTRYPOINT ["python3", "-m", "eureka.server"]' in text
    assert "USER eureka" in text
