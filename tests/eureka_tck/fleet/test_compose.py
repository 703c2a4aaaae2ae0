"""The Compose file of master and workers says what Locust and the fleet understand."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

ROOT = Path(__file__).parents[3]
VARIABLE = re.compile(r"\$\{[A-Z]+:-([^}]*)\}")


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    """Return the services, with the defaults of their variables."""
    text = (ROOT / "examples" / "load" / "compose.yaml").read_text("utf-8")
    found: dict[str, Any] = yaml.safe_load(VARIABLE.sub(r"\1", text))["services"]
    return found


@pytest.fixture(scope="module")
def understood() -> Callable[[list[str]], argparse.Namespace]:
    """Return Locust's own reading of a command, with the options of the fleet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCUST_SKIP_MONKEY_PATCH", "1")
        reader = importlib.import_module("locust.argument_parser")
        events = importlib.import_module("locust").events
    spec = importlib.util.spec_from_file_location("storming", ROOT / "load" / "locustfile.py")
    assert spec is not None
    assert spec.loader is not None
    before = {name: list(hook._handlers) for name, hook in vars(events).items()}
    file = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(file)
    for name, hook in vars(events).items():  # what it listens to is nothing for other tests
        hook._handlers = before[name]
    parser = reader.get_empty_argument_parser(add_help=False, default_config_files=[])
    reader.setup_parser_arguments(parser)
    file.add_arguments(parser)

    def read(words: list[str]) -> argparse.Namespace:
        found: argparse.Namespace = parser.parse_args(words)
        return found

    return read


def test_each_service_is_a_command_that_locust_understands(
    services: dict[str, Any], understood: Callable[[list[str]], argparse.Namespace]
) -> None:
    """One master, and workers that are told where it is."""
    master, worker = (understood(services[name]["command"]) for name in ("master", "worker"))

    assert (master.master, master.worker) == (True, False)
    assert (worker.master, worker.worker) == (False, True)
    assert worker.master_host == "master"
    assert (master.storm, master.instances, master.minutes) == ("steady", 10_000, 5)
    assert master.host == "http://127.0.0.1:8761"


def test_only_the_master_says_whose_the_registry_is(
    services: dict[str, Any], understood: Callable[[list[str]], argparse.Namespace]
) -> None:
    """Workers are told by it."""
    assert understood(services["master"]["command"]).i_own_this_target
    assert not understood(services["worker"]["command"]).i_own_this_target


def test_nobody_else_reaches_the_master_unasked(services: dict[str, Any]) -> None:
    """Whoever reaches its page can start a storm."""
    assert all(port.startswith("127.0.0.1:") for port in services["master"]["ports"])
    assert "ports" not in services["worker"]


def test_the_fleet_has_time_to_leave(
    services: dict[str, Any], understood: Callable[[list[str]], argparse.Namespace]
) -> None:
    """A container is ended after Locust has given up, not before."""
    for name, service in services.items():
        patience = int(understood(service["command"]).stop_timeout)
        assert int(service["stop_grace_period"].removesuffix("s")) > patience, name
