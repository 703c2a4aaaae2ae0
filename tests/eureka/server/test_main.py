"""The command `eureka-server`, as a process."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka import __version__
from eureka.server.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOST = "127.0.0.1"
TERM_BUDGET = 3  # real seconds from SIGTERM to the end


class Process:
    """A server process, known by its log."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "eureka.server", "--host", HOST, "--port", "0"]
        self.process = subprocess.Popen(
            [*command, *arguments], stderr=subprocess.PIPE, text=True, bufsize=1
        )
        self.port = int(self.line(r"listening .*port=(\d+)")[1])

    def line(self, pattern: str) -> re.Match[str]:
        """Return the next line of the log that matches."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            found = re.search(pattern, line)
            if found:
                return found
        raise AssertionError(f"the server ended without a line like {pattern}")

    def state(self) -> dict[str, int]:
        """Return the state of the node."""
        connection = HTTPConnection(HOST, self.port, timeout=10)
        connection.request("GET", "/registry/state")
        state: dict[str, int] = msgspec.json.decode(connection.getresponse().read())
        connection.close()
        return state


@contextmanager
def process(*arguments: str) -> Iterator[Process]:
    """Run a server process for a while."""
    server = Process(*arguments)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()
        assert server.process.stderr is not None
        server.process.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_ends_when_told_with_exit_code_0(number: signal.Signals) -> None:
    """Within three seconds, though a client is connected."""
    with process() as server:
        connection = HTTPConnection(HOST, server.port)
        connection.request("GET", "/eureka/apps")
        assert connection.getresponse().read()

        server.process.send_signal(number)

        assert server.process.wait(TERM_BUDGET) == 0
        server.line(" info ended")
        connection.close()


def test_a_stopped_server_compensates_for_its_absence() -> None:
    """The run after SIGSTOP forgives the time nobody could renew in."""
    with process("--speed", "100") as server:
        before = server.state()["evictionRuns"]
        server.process.send_signal(signal.SIGSTOP)
        with pytest.raises(subprocess.TimeoutExpired):
            server.process.wait(1.2)  # 120 registry seconds, two intervals
        server.process.send_signal(signal.SIGCONT)

        while (state := server.state())["evictionRuns"] == before:
            pass
        assert state["lastCompensationMs"] >= 59_000


def test_a_hung_up_server_reads_its_peers_again(tmp_path: Path) -> None:
    """A file that became unreadable is told, and the list kept."""
    config = tmp_path / "application.yml"
    config.write_text("eureka.client.fetch-registry: false\n")
    with process("--config", str(config)) as server:
        server.line("opened")
        config.write_text("eureka: [\n")

        server.process.send_signal(signal.SIGHUP)

        assert str(config) in server.line("peer-list-kept error=(.*)")[1]


def test_a_port_in_use_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """With exit code 3."""
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]

        assert main(["--host", HOST, "--port", str(port)]) == 3

    assert capsys.readouterr().err == (
        f"eureka-server: {HOST}:{port}: cannot listen there: Address already in use\n"
    )


def test_a_wrong_setting_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 3."""
    config = tmp_path / "application.yml"
    config.write_text("server.port: x\n")

    assert main(["--config", str(config)]) == 3

    assert capsys.readouterr().err == (
        f"eureka-server: {config}: server.port must be a whole number from 0 to 65535, but is 'x'\n"
    )


def test_settings_can_be_checked_without_serving(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arguments go before the environment."""
    monkeypatch.setenv("SERVER_PORT", "1")

    assert main(["--check-config", "--port", "5"]) == 0

    assert "server.port = 5  (argument --port)\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--port", "70000"], "must be a port from 0 to 65535, but is '70000'"),
        (["--port", "x"], "must be a port from 0 to 65535, but is 'x'"),
        (["--speed", "0"], "must be a number above 0, at most 1000, but is '0'"),
        (["--speed", "fast"], "must be a number above 0, at most 1000, but is 'fast'"),
        (["--nothing"], "unrecognized arguments: --nothing"),
    ],
)
def test_wrong_arguments_are_told(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 2, as commands do."""
    with pytest.raises(SystemExit) as end:
        main(arguments)

    assert end.value.code == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argument", "text"), [("--version", f"eureka-server {__version__}"), ("--help", "examples")]
)
def test_the_command_tells_about_itself(
    argument: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its version, and how it is used."""
    with pytest.raises(SystemExit) as end:
        main([argument])

    assert end.value.code == 0
    assert text in capsys.readouterr().out


def test_an_address_of_another_machine_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """IPv6 too."""
    assert main(["--host", "2001:db8::1", "--port", "1"]) == 3
    assert capsys.readouterr().err.startswith("eureka-server: 2001:db8::1:1: cannot listen there")


def test_hanging_clients_and_peers_do_not_keep_a_server_from_ending(tmp_path: Path) -> None:
    """A call that never ends its body, a client that never reads, a peer that never answers."""
    config = tmp_path / "application.yml"
    with socket.create_server((HOST, 0)) as peer:
        url = f"http://{HOST}:{peer.getsockname()[1]}/eureka/"
        config.write_text(
            f"eureka:\n  instance.hostname: registry-a\n  client:\n    fetch-registry: false\n"
            f"    service-url.defaultZone: {url}\n"
        )
        with process("--config", str(config)) as server:
            server.line("registered-itself")
            server.line("peer-fails")
            slow = socket.create_connection((HOST, server.port))
            slow.sendall(
                b"POST /eureka/apps/CART HTTP/1.1\r\nHost: x\r\n"
                b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
            )
            deaf = socket.create_connection((HOST, server.port))
            deaf.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 200)

            server.process.send_signal(signal.SIGTERM)

            assert server.process.wait(TERM_BUDGET) == 0
            slow.close()
            deaf.close()


def test_the_log_can_be_json(tmp_path: Path) -> None:
    """By the argument or the setting."""
    config = tmp_path / "application.properties"
    config.write_text("eureka.server.log-format=json\neureka.client.register-with-eureka=false\n")
    for arguments in (("--log-format", "json"), ("--config", str(config))):
        command = [sys.executable, "-m", "eureka.server", "--host", HOST, "--port", "0"]
        with subprocess.Popen([*command, *arguments], stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            line = msgspec.json.decode(server.stderr.readline())
            assert (line["level"], line["event"]) == ("info", "listening")
            server.terminate()
            rest = server.stderr.read().splitlines()
        assert msgspec.json.decode(rest[-1])["event"] == "ended"


def test_a_certificate_that_is_none_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 3, by the setting that names it."""
    odd = tmp_path / "odd.pem"
    odd.write_text("odd")
    config = tmp_path / "application.yml"
    config.write_text(
        f"server.ssl:\n  certificate: {odd}\n  certificate-private-key: {odd}\nserver.port: 0\n"
    )

    assert main(["--host", HOST, "--config", str(config)]) == 3

    told = capsys.readouterr().err
    assert told.startswith(f"eureka-server: {odd}: server.ssl.certificate cannot be used")
    assert told.count("\n") == 1
