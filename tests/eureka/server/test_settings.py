"""Settings by Spring's names."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from eureka.core.errors import ConfigurationError
from eureka.core.policy import Policy, RatePolicy, ReplicationPolicy
from eureka.server.binding import load, load_with_sources
from eureka.server.description import described
from eureka.server.settings import OwnInstance, RegionSettings, Security, Settings
from eureka.server.spring_names import UNUSED, USED

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
        "spring.main.banner-mode: off\n"
        f"{SERVER}.xmlCodecName: x\n"
        "eureka.client.region: r\n"
        "eureka.client.availability-zones.r: z\n",
    )

    assert settings.unused == ("eureka.server.xmlCodecName", "spring.main.banner-mode")


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


def test_settings_are_described_with_their_sources(file: Path) -> None:
    """One a line, durations in seconds, where each comes from, and what has no effect."""
    file.write_text(
        f"{SERVER}.evictionIntervalTimerInMs: 5500\nspring.x: 1\n"
        "eureka.client.serviceUrl.defaultZone: http://me:secret@b:1/\n"
        "eureka.instance.metadata-map.zone: north\n"
    )
    environment = {"SPRING_SECURITY_USER_PASSWORD": "secret", "SERVER_PORT": "5"}
    text = described(*load_with_sources(file, environment)).splitlines()

    assert f"eureka.server.evictionIntervalTimerInMs = 5.5 s  ({file})" in text
    assert "eureka.server.renewalPercentThreshold = 0.85  (default)" in text
    assert "eureka.server.enableSelfPreservation = true  (default)" in text
    assert "server.port = 5  (environment: SERVER_PORT)" in text
    assert (
        "spring.security.user.password = ***  (environment: SPRING_SECURITY_USER_PASSWORD)" in text
    )
    assert f"eureka.client.serviceUrl.* = http://b:1/  ({file})" in text
    assert f"eureka.instance.metadataMap.zone = north  ({file})" in text
    assert text[-1] == "spring.x has no effect here"
    assert "secret" not in "".join(text)


def test_no_name_is_both_used_and_unused() -> None:
    """A setting has an effect or has none."""
    used = {name for name, _, _ in USED}

    assert used.isdisjoint(UNUSED)
    assert len(set(UNUSED)) == len(UNUSED)


def test_zones_begin_with_the_own_one_and_fall_back_to_the_default_zone(file: Path) -> None:
    """A zone without URLs of its own has those of the default zone, as in Spring."""
    text = (
        "eureka:\n  instance.metadata-map.zone: z2\n  client:\n    region: north-1\n"
        "    availability-zones: {north-1: [z1, z2, z3]}\n"
        "    service-url: {z1: http://a:1/, z2: http://b:1/, defaultZone: http://d:1/}\n"
    )
    settings = loaded(file, text)

    assert settings.peers == ("http://b:1/", "http://d:1/", "http://a:1/")
    assert (settings.region, settings.zone) == ("north-1", "z2")
    assert loaded(file, f"{text}eureka.client.prefer-same-zone-eureka: false\n").peers == (
        "http://a:1/",
        "http://b:1/",
        "http://d:1/",
    )


def test_the_own_instance_is_described_by_springs_names(file: Path) -> None:
    """Metadata keep their spelling; the application is called as Spring's."""
    settings = loaded(
        file,
        "spring.application.name: registry\n"
        "eureka.instance:\n  instance-id: r-1\n  lease-renewal-interval-in-seconds: 10\n"
        "  metadata-map: {startedBy: me, a-b: '${who:x}'}\n  initial-status: OUT_OF_SERVICE\n",
        EUREKA_INSTANCE_METADATAMAP_COLOUR="red",
    )

    assert settings.own == OwnInstance(
        app="registry",
        instance_id="r-1",
        renewal_interval=10,
        initial_status="OUT_OF_SERVICE",
        metadata={"startedBy": "me", "a-b": "x", "colour": "red"},
    )


def test_regions_and_their_whitelists(file: Path) -> None:
    """Names keep their spelling; the global whitelist is for regions without their own."""
    settings = loaded(
        file,
        f"{SERVER}:\n"
        "  remote-region-urls-with-name: {us-West: http://w:1/eureka, north: http://n:1/eureka}\n"
        "  remote-region-app-whitelist: {us-West: [cart, billing], global: x}\n"
        "  remote-region-registry-fetch-interval: 3\n"
        "  disable-transparent-fallback-to-other-region: true\n",
    )

    assert settings.regions == RegionSettings(
        urls={"us-West": "http://w:1/eureka/", "north": "http://n:1/eureka/"},
        allowed={"us-west": frozenset({"CART", "BILLING"}), "global": frozenset({"X"})},
        fetch_interval=3,
        no_fallback=True,
    )
    assert settings.regions.applications("us-West") == frozenset({"CART", "BILLING"})
    assert settings.regions.applications("north") == frozenset({"X"})


def test_regions_without_names_are_called_by_their_hosts(tmp_path: Path) -> None:
    """The older way; a list in a .properties file has indices."""
    file = tmp_path / "application.properties"
    name = f"{SERVER}.remoteRegionUrls"
    settings = loaded(file, f"{name}[0]=http://w:1/eureka\n{name}[1]=http://n.org/eureka\n")

    assert settings.regions.urls == {"w": "http://w:1/eureka/", "n.org": "http://n.org/eureka/"}
    assert settings.regions.applications("w") is None


def test_rates_are_set_by_their_names(file: Path) -> None:
    """Spring's names and Netflix's defaults."""
    settings = loaded(
        file,
        f"{SERVER}:\n  rate-limiter-enabled: true\n  rate-limiter-burst-size: 5\n"
        "  rate-limiter-privileged-clients: [a, b]\n",
    )

    assert settings.rate_limited
    assert settings.rate == RatePolicy(burst=5, privileged=frozenset({"a", "b"}))


def test_a_login_is_springs_own(file: Path) -> None:
    """With the user that Spring Boot has by default."""
    security = loaded(file, "spring.security.user.password: s3cret\n").security

    assert security == Security(user="user", password="s3cret")  # noqa: S106 - of a test
    assert security.login_required
    assert not Security().login_required


def test_a_wrong_url_is_told_without_its_login(file: Path) -> None:
    """Whatever stands before the @ is nobody's business."""
    text = problem(file, "eureka.client.service-url.defaultZone: 'ftp://me:secret@b/eureka'\n")

    assert text.endswith("but is 'b/eureka'")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("server.ssl.certificate: {file}", "one of them is missing"),
        (
            "server.ssl: {certificate: {file}, certificatePrivateKey: {file}, clientAuth: need}",
            "needs server.ssl.trust-certificate",
        ),
        ("server.ssl.enabled: true", "this would listen without TLS"),
        ("spring.security.user.name: me", "needs spring.security.user.password"),
        ("server.ssl: {client-auth: want, trust-certificate: '{file}'}", "without TLS"),
        ("server.ssl.certificate: /no/such", "that can be read, but '/no/such': No such file"),
        ("server.ssl.certificate: classpath:x.pem", "must be a file outside of any jar"),
        ("server.ssl.key-store: x.jks", "is a Java key store; this server reads PEM files"),
        ("server.ssl.trust-store: x.jks", "name them by server.ssl.trust-certificate"),
        ("server.ssl.bundle: b", "is not read here"),
        ("server.ssl.certifcate: x", "did you mean server.ssl.certificate?"),
        ("server.ssl.client-auth: maybe", "must be none or want or need, but is 'maybe'"),
        ("spring.security.user.pasword: x", "did you mean spring.security.user.password?"),
        ("eureka.client.tls.trust-store-type: JKS", "must be PEM: Java key stores are not read"),
        ("eureka.client.use-dns-for-fetching-service-urls: true", "must be false"),
        ("eureka.dashboard.path: status", "must be a path such as /status, but is 'status'"),
        ("eureka.instance.initial-status: FINE", "must be up or down or starting"),
        (
            "eureka.instance.lease-renewal-interval-in-seconds: 100",
            "is 100, longer than the lease of 90 s that it renews",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(file: Path, text: str, complaint: str) -> None:
    """Alone or beside another setting."""
    assert complaint in problem(file, text.replace("{file}", str(file)))


def test_a_path_of_the_status_page_ends_without_a_slash(file: Path) -> None:
    """Its own root excepted."""
    assert loaded(file, "eureka.dashboard.path: /status/").dashboard_path == "/status"
    assert loaded(file, "eureka.dashboard.path: /").dashboard_path == "/"


def test_a_name_like_one_with_effect_is_pointed_out(file: Path) -> None:
    """Where it is not below `eureka.` it is not refused."""
    file.write_text("server.prot: 1\nspring.main.x: 1\neureka.server.xmlCodecName: x\n")
    text = described(*load_with_sources(file, {}))

    assert "server.prot has no effect here; did you mean server.port?\n" in text
    assert "spring.main.x has no effect here\n" in text
    assert "eureka.server.xmlCodecName has no effect here\n" in text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yml", "spring.security.user.password: 's3cret\n"),
        ("a.yml", "a: [http://me:s3cret@b/\n"),
        ("a.properties", "spring.security.user.password s3cret\n"),
        ("a.yml", "eureka.server.myUrl: http://a:s3cret@${x}/\nx: ${y}\ny: ${x}\n"),
    ],
)
def test_what_cannot_be_read_is_told_without_secrets(tmp_path: Path, name: str, text: str) -> None:
    """By line and column, not by what stands there."""
    file = tmp_path / name
    file.write_text(text)

    with pytest.raises(ConfigurationError) as error:
        load(file, {})

    assert str(file) in str(error.value)
    assert "s3cret" not in str(error.value)
