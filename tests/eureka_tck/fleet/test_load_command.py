"""What `eureka-tck load` refuses, before anything is started."""

from __future__ import annotations

import pytest

from eureka_tck import cli


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--target", "url:http://127.0.0.1:1"), "only if it is yours, with --i-own-this-target"),
        (
            ("--target", "url:http://127.0.0.1:1", "--i-own-this-target", "--storm", "node-lost"),
            "the storm node-lost starts and breaks nodes",
        ),
        (("--processes", "65"), "--processes is 65; 64 is the most"),
        (("--master", "1000"), "--master is 1000; 64 is the most"),
        (("--web", "70000"), "--web is 70000; a port is at most 65535"),
        (("--instances", "2000000"), "instances is 2e+06; it must be from 1 to 1e+06"),
        (("--minutes", "2000"), "minutes is 2000; it must be from 0.1 to 1440"),
        (("--instances", "50", "--minutes", "0.1"), "renew about 20 times, and a p99 is told from"),
        (("--speed", "10"), "--speed is 10; load runs in real time"),
        (("--processes", "2", "--master", "2"), "--processes are workers of this machine"),
        (("--storm", "stedy"), "did you mean steady?"),
        (("--budget", "nowhere.toml"), "nowhere.toml: cannot be read"),
        (("--against", "nowhere"), "nowhere cannot be read: No such file"),
        (("--against", "x", "--capacity"), "--against holds a storm against another"),
        (("--capacity", "--up-to", "999"), "the search begins with 1000 instances"),
    ],
    ids=[
        "a-guest",
        "a-guest's-nodes",
        "processes",
        "workers",
        "port",
        "size",
        "length",
        "too-little",
        "speed",
        "both",
        "name",
        "budget",
        "nothing-to-compare",
        "capacity",
        "small-capacity",
    ],
)
def test_a_storm_that_must_not_be_is_refused_in_a_sentence(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3, and what to do instead."""
    assert cli.main(["load", *words]) == 3

    assert said in capsys.readouterr().err
