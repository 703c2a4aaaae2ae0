"""All a server can be told, as values; `binding` reads them from files and the environment."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Literal

import msgspec

from eureka.core.policy import Policy, RatePolicy, ReplicationPolicy

_MEBIBYTE = 1024 * 1024
_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - addresses to recognise, not to bind

ClientAuthentication = Literal["none", "want", "need"]


class OwnInstance(msgspec.Struct, frozen=True, kw_only=True):
    """
    What the server registers of itself, where Spring's defaults do not fit;
    an empty text or None means the default. Durations in registry seconds.
    """

    instance_id: str = ""
    app: str = ""
    app_group: str = ""
    ip_address: str = ""
    prefer_ip_address: bool = False
    port: int | None = None
    port_enabled: bool = True
    secure_port: int | None = None
    secure_port_enabled: bool = False
    vip_address: str = ""
    secure_vip_address: str = ""
    home_page_path: str = "/"
    home_page_url: str = ""
    status_page_path: str = "/"
    status_page_url: str = ""
    health_check_path: str = "/health"
    health_check_url: str = ""
    secure_health_check_url: str = ""
    renewal_interval: int = 30
    duration: int = 90
    initial_status: str = "UP"
    metadata: Mapping[str, str] = {}
    cancels: bool = True  # when the server ends


class Security(msgspec.Struct, frozen=True, kw_only=True):
    """Who may call, and how connections are protected; files are PEM."""

    user: str = "user"  # Spring Boot's SecurityProperties
    password: str = ""  # none: everybody may call
    tls: bool = True  # if there is a certificate
    certificate: str = ""
    private_key: str = ""
    private_key_password: str = ""
    client_authentication: ClientAuthentication = "none"
    client_authorities: str = ""
    peer_authorities: str = ""
    peer_authorities_type: str = "PEM"
    peer_certificate: str = ""
    peer_certificate_type: str = "PEM"
    peer_certificate_password: str = ""

    @property
    def login_required(self) -> bool:
        """Tell whether callers have to say who they are."""
        return bool(self.password)

    @property
    def serves_tls(self) -> bool:
        """Tell whether the server listens for TLS."""
        return self.tls and bool(self.certificate)


class RegionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The registries of other regions; durations in registry seconds."""

    urls: Mapping[str, str] = {}  # by name, as queries spell it
    allowed: Mapping[str, frozenset[str]] = {}
    """The applications that are taken of a region, by its name; `global` for all other regions."""
    fetch_interval: float = 30.0
    connect_timeout: float = 1.0
    read_timeout: float = 1.0
    gzip: bool = True
    no_fallback: bool = False
    no_delta: bool = False
    authorities: str = ""

    def applications(self, region: str) -> frozenset[str] | None:
        """Return the applications that are taken of a region; None means all."""
        return self.allowed.get(region.lower(), self.allowed.get("global"))


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All a server can be told. Durations in registry seconds."""

    host: str = "0.0.0.0"  # noqa: S104 - a registry is there for others, as Spring's server is
    port: int = 8761
    host_name: str = ""
    application: str = "unknown"  # Spring's default name
    environment: str = "test"  # eureka-client's default, shown on the status page
    data_center: str = "default"  # the same
    dashboard: bool = True
    dashboard_path: str = "/"
    log_format: Literal["text", "json"] = "text"
    my_url: str = ""
    region: str = "us-east-1"  # Spring's default
    zone: str = "defaultZone"
    prefer_same_zone: bool = True
    service_urls_from_dns: bool = False
    peers: tuple[str, ...] = ()
    self_preservation: bool = True
    renewal_percent_threshold: float = 0.85
    expected_renewal_interval: int = 30
    eviction_interval: float = 60.0
    recount_interval: float = 900.0
    open_count: int = 1
    wait_when_sync_empty: float = 300.0
    delta_retention: float = 180.0
    delta_retention_interval: float = 30.0
    disable_delta: bool = False
    compare_timestamps: bool = True
    read_only_cache: bool = True
    cache_update_interval: float = 30.0
    cache_expiry: float = 180.0
    sync_retries: int | None = None
    sync_retry_wait: float = 30.0
    fetch_registry: bool = True
    register_with_eureka: bool = True
    fetch_connect_timeout: float = 5.0
    fetch_read_timeout: float = 8.0
    replication_life: float = 30.0
    replication_capacity: int = 10_000
    peer_connect_timeout: float = 0.2
    peer_read_timeout: float = 0.2
    peers_update_interval: float = 600.0
    max_body: int = 16 * _MEBIBYTE  # bytes
    max_metadata: int = _MEBIBYTE  # bytes
    rate_limited: bool = False
    rate: RatePolicy = RatePolicy()
    own: OwnInstance = OwnInstance()
    security: Security = Security()
    regions: RegionSettings = RegionSettings()
    unused: tuple[str, ...] = ()
    """Names that were given and have no effect here."""

    @property
    def copies(self) -> int:
        """
        How often a copy of a peer's registry is tried at start;
        5 for a registry that is its own client, as in Spring.
        """
        if not self.fetch_registry:
            return 0
        if self.sync_retries is not None:
            return self.sync_retries
        return 5 if self.register_with_eureka else 0

    @property
    def own_host(self) -> str:
        """The host name by which a peer's URL is recognised as this server's own."""
        if self.host_name:
            return self.host_name
        return socket.gethostname() if self.host in _EVERYWHERE else self.host

    def policy(self) -> Policy:
        """Return what the registry is told of this."""
        return Policy(
            self_preservation=self.self_preservation,
            renewal_percent_threshold=self.renewal_percent_threshold,
            expected_renewal_interval=self.expected_renewal_interval,
            eviction_interval=self.eviction_interval,
            recount_interval=self.recount_interval,
            open_count=self.open_count,
            wait_when_sync_empty=self.wait_when_sync_empty,
            delta_retention=self.delta_retention,
            delta_retention_interval=self.delta_retention_interval,
            compare_timestamps=self.compare_timestamps,
            max_metadata=self.max_metadata,
        )

    def replication(self) -> ReplicationPolicy:
        """Return what the outboxes are told of this."""
        return ReplicationPolicy(life=self.replication_life, capacity=self.replication_capacity)
