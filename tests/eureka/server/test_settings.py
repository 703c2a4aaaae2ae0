"""Settings by Spring's names."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from eureka.core.errors import ConfigurationError
from eureka.core.policy import Policy, ReplicationPolicy
from eureka.server.settings import USED, Settings, described, load
from eureka.server.spring_names import UNUSED

if TYPE_CHECKING:
    from pathlib import Path

SERVER = "eureka.server"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the file is to be written."""
    return tmp_path / "application.yml"


def loaded(file: Path, text: str, **environment: str) -> Settings:
    """Return the settings of such a file."""
    file.write_text(text, encoding="utf-8")
    return load(file, environment)


def problem(file: Path, text: str, **environment: str) -> str:
    """Return what is told about such a file."""
    with pytest.raises(ConfigurationError) as error:
        loaded(file, text, **environment)
    return str(error.value)


def test_defaults_are_those_of_spring() -> None:
    """Without file and variables, registry and outboxes behave as Spring's."""
    settings = load(None, {})

    assert settings == Settings()
    assert settings.policy() == Policy()
    assert settings.replication() == ReplicationPolicy()


def test_settings_reach_what_they_are_for(file: Path) -> None:
    """Milliseconds become seconds."""
    settings = loaded(
        file,
        "server: {port: 9000, address: 127.0.0.5}\n"
        f"{SERVER}.evictionIntervalTimerInMs: 5500\n"
        f"{SERVER}.renewal-percent-threshold: 0.5\n"
        f"{SERVER}.max-time-for-replication: 10000\n"
        f"{SERVER}.maxElementsInPeerReplicationPool: 50\n"
        f"{SERVER}.enable-self-preservation: FALSE\n"
        f"{SERVER}.responseCacheAutoExpirationInSeconds: 20\n",
    )

    assert (settings.host, settings.port) == ("127.0.0.5", 9000)
    assert settings.policy() == Policy(
        eviction_interval=5.5, renewal_percent_threshold=0.5, self_preservation=False
    )
    assert settings.replication() == ReplicationPolicy(life=10, capacity=50)
    assert settings.cache_expiry == 20


def test_the_environment_goes_before_the_file(file: Path) -> None:
    """With and without underscores between the words; an empty value says nothing."""
    settings = loaded(
        file,
        f"{SERVER}.evictionIntervalTimerInMs: 5000\nserver.port: 1\n",
        EUREKA_SERVER_EVICTIONINTERVALTIMERINMS="7000",
        EUREKA_SERVER_DISABLE_DELTA="true",
        EUREKA_SERVER_MYURL=" ",
        SERVER_PORT="2",
        EUREKA_CLIENT_SERVICEURL_DEFAULTZONE="http://b:1/eureka",
        UNRELATED="x",
    )

    assert settings.eviction_interval == 7
    assert settings.disable_delta
    assert settings.my_url == ""
    assert settings.port == 2
    assert settings.peers == ("http://b:1/eureka/",)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "evictionIntervalTimerInMs: soon",
            "must be a whole number of 1 or more (milliseconds), but is 'soon'",
        ),
        (
            "evictionIntervalTimerInMs: 0",
            "must be a whole number of 1 or more (milliseconds), but is '0'",
        ),
        (
            "expectedClientRenewalIntervalSeconds: 0",
            "must be a whole number of 1 or more, but is '0'",
        ),
        ("enableSelfPreservation: yes please", "must be true or false, but is 'yes please'"),
        ("renewalPercentThreshold: 85", "must be a number from 0 to 1, but is '85'"),
        ("renewalPercentThreshold: much", "must be a number from 0 to 1, but is 'much'"),
        (
            "myUrl: registry-a",
            "must be a URL such as http://registry-b:8761/eureka/, but is 'registry-a'",
        ),
        (
            "myUrl: http://a:99999/",
            "must be a URL such as http://registry-b:8761/eureka/, but is 'http://a:99999/'",
        ),
    ],
)
def test_a_wrong_value_is_told_with_file_key_and_expectation(
    file: Path, text: str, complaint: str
) -> None:
    """In one line."""
    key = text.partition(":")[0]

    assert problem(file, f"eureka:\n  server:\n    {text}\n") == (
        f"{file}: {SERVER}.{key} {complaint}"
    )


def test_a_wrong_port_is_told(file: Path) -> None:
    """With the limits."""
    assert problem(file, "server.port: 70000") == (
        f"{file}: server.port must be a whole number from 0 to 65535, but is '70000'"
    )


def test_an_unknown_name_is_refused_with_the_nearest_right_one(file: Path) -> None:
    """As far as there is one that is near."""
    assert problem(file, f"{SERVER}.evictionIntervalTimerMs: 5") == (
        f"{file}: {SERVER}.evictionIntervalTimerMs is no setting of a Eureka server; "
        f"did you mean {SERVER}.evictionIntervalTimerInMs?"
    )
    assert problem(file, "eureka.x: 5") == f"{file}: eureka.x is no setting of a Eureka server"


def test_an_unknown_variable_is_refused_as_well(file: Path) -> None:
    """By the name it should have."""
    assert problem(file, "", EUREKA_SERVER_EVICTION_INTERVAL_TIMER_MS="5") == (
        "environment: EUREKA_SERVER_EVICTION_INTERVAL_TIMER_MS is no setting of a Eureka server; "
        "did you mean EUREKA_SERVER_EVICTIONINTERVALTIMERINMS?"
    )
    assert problem(file, "", EUREKA_CLIENT_X="5") == (
        "environment: EUREKA_CLIENT_X is no setting of a Eureka server"
    )


def test_what_kubernetes_sets_for_a_service_is_no_setting(file: Path) -> None:
    """A service called eureka-server puts its address into every container."""
    settings = loaded(
        file,
        "",
        EUREKA_SERVER_SERVICE_HOST="10.0.0.1",
        EUREKA_SERVER_SERVICE_PORT_HTTP="8761",
        EUREKA_SERVER_PORT="tcp://10.0.0.1:8761",
        EUREKA_SERVER_PORT_8761_TCP_ADDR="10.0.0.1",
    )

    assert settings == Settings()


def test_other_names_are_listed_and_ignored(file: Path) -> None:
    """Spring's own, and those of a Eureka server that this one does not need."""
    settings = loaded(
        file,
        "spring.application.name: registry\n"
        f"{SERVER}.rateLimiterEnabled: true\n"
        "eureka.instance.metadata-map.zone: z1\n"
        "eureka.client.region: r\n"
        "eureka.client.availability-zones.r: z\n",
    )

    assert settings.unused == (
        "eureka.instance.metadata-map.zone",
        "eureka.server.rateLimiterEnabled",
        "spring.application.name",
    )


def test_peers_are_the_service_urls_of_the_default_zone(file: Path) -> None:
    """Each once, with a slash at the end."""
    settings = loaded(
        file,
        "eureka.client.service-url.defaultZone: "
        "'http://b:8761/eureka, http://c:8761/eureka/,,http://b:8761/eureka/'",
    )

    assert settings.peers == ("http://b:8761/eureka/", "http://c:8761/eureka/")


def test_peers_of_several_zones(file: Path) -> None:
    """The zones of the region, in their order."""
    settings = loaded(
        file,
        "eureka.client:\n  region: north\n  availability-zones: {north: 'z2,z1'}\n"
        "  serviceUrl: {z1: http://a:1/, z2: http://b:1/, z3: http://c:1/}\n",
    )

    assert settings.peers == ("http://b:1/", "http://a:1/")


def test_a_wrong_peer_is_told(file: Path) -> None:
    """By its own value."""
    assert problem(file, "eureka.client.serviceUrl.defaultZone: 'http://b:1/,c'").endswith(
        "must be a URL such as http://registry-b:8761/eureka/, but is 'c'"
    )


@pytest.mark.parametrize(
    ("text", "rounds"),
    [
        ("", 5),
        ("eureka.client.register-with-eureka: false", 0),
        ("eureka.client.fetch-registry: false", 0),
        (f"{SERVER}.registrySyncRetries: 3", 3),
        (f"eureka.client.register-with-eureka: false\n{SERVER}.registrySyncRetries: 3", 3),
        (f"eureka.client.fetch-registry: false\n{SERVER}.registrySyncRetries: 3", 0),
    ],
)
def test_how_often_a_copy_is_tried(file: Path, text: str, rounds: int) -> None:
    """5 for a registry that is its own client, as in Spring, unless told, or it does not fetch."""
    assert loaded(file, text).copies == rounds


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("eureka.instance.hostname: registry-a", "registry-a"),
        ("server.address: 127.0.0.5", "127.0.0.5"),
        ("", socket.gethostname()),
    ],
)
def test_the_own_host(file: Path, text: str, host: str) -> None:
    """The name given, else the address listened on, else the machine's name."""
    assert loaded(file, text).own_host == host


def test_the_old_name_of_the_open_count_works(file: Path) -> None:
    """The new one goes before it."""
    old = f"{SERVER}.defaultOpenForTrafficCount: 7\n"
    assert loaded(file, old).open_count == 7

    new = "eureka.instance.registry.default-open-for-traffic-count: 0\n"
    assert loaded(file, new + old).open_count == 0


def test_settings_are_described_by_their_names(file: Path) -> None:
    """One a line, durations in seconds, and what has no effect."""
    text = described(
        loaded(
            file,
            f"{SERVER}.evictionIntervalTimerInMs: 5500\nspring.x: 1\n"
            "eureka.client.serviceUrl.defaultZone: http://b:1/\n",
        )
    ).splitlines()

    assert "eureka.server.evictionIntervalTimerInMs = 5.5 s" in text
    assert "eureka.server.renewalPercentThreshold = 0.85" in text
    assert "eureka.client.serviceUrl.defaultZone = http://b:1/" in text
    assert text[-1] == "spring.x has no effect here"


def test_no_name_is_both_used_and_unused() -> None:
    """A setting has an effect or has none."""
    used = {name for name, _, _ in USED}

    assert used.isdisjoint(UNUSED)
    assert len(set(UNUSED)) == len(UNUSED)
