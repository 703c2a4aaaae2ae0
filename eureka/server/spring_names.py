"""
The names of settings: those of Spring Cloud Netflix and Spring Boot that this server uses, and of
Spring Cloud Netflix those that it does not: accepted, so that one file serves both.

The unused ones configure Amazon's services, Spring's HTTP clients and pools of threads.
"""

from __future__ import annotations

from typing import Final

from eureka.server.values import (
    Parser,
    boolean,
    choice,
    milliseconds,
    names,
    no_dns,
    page_path,
    pem,
    readable_file,
    seconds,
    share,
    status,
    url,
    whole,
)

USED: Final[tuple[tuple[str, str, Parser], ...]] = (
    ("server.address", "host", str),
    ("server.port", "port", whole(0, 65535)),
    ("server.ssl.enabled", "security.tls", boolean),
    ("server.ssl.certificate", "security.certificate", readable_file),
    ("server.ssl.certificatePrivateKey", "security.private_key", readable_file),
    ("server.ssl.keyPassword", "security.private_key_password", str),
    ("server.ssl.clientAuth", "security.client_authentication", choice("none", "want", "need")),
    ("server.ssl.trustCertificate", "security.client_authorities", readable_file),
    ("spring.application.name", "application", str),
    ("spring.security.user.name", "security.user", str),
    ("spring.security.user.password", "security.password", str),
    ("eureka.environment", "environment", str),
    ("eureka.datacenter", "data_center", str),
    ("eureka.dashboard.enabled", "dashboard", boolean),
    ("eureka.dashboard.path", "dashboard_path", page_path),
    ("eureka.instance.hostname", "host_name", str),
    ("eureka.instance.instanceId", "own.instance_id", str),
    ("eureka.instance.appname", "own.app", str),
    ("eureka.instance.appGroupName", "own.app_group", str),
    ("eureka.instance.ipAddress", "own.ip_address", str),
    ("eureka.instance.preferIpAddress", "own.prefer_ip_address", boolean),
    ("eureka.instance.nonSecurePort", "own.port", whole(0, 65535)),
    ("eureka.instance.nonSecurePortEnabled", "own.port_enabled", boolean),
    ("eureka.instance.securePort", "own.secure_port", whole(0, 65535)),
    ("eureka.instance.securePortEnabled", "own.secure_port_enabled", boolean),
    ("eureka.instance.virtualHostName", "own.vip_address", str),
    ("eureka.instance.secureVirtualHostName", "own.secure_vip_address", str),
    ("eureka.instance.homePageUrlPath", "own.home_page_path", page_path),
    ("eureka.instance.homePageUrl", "own.home_page_url", str),
    ("eureka.instance.statusPageUrlPath", "own.status_page_path", page_path),
    ("eureka.instance.statusPageUrl", "own.status_page_url", str),
    ("eureka.instance.healthCheckUrlPath", "own.health_check_path", page_path),
    ("eureka.instance.healthCheckUrl", "own.health_check_url", str),
    ("eureka.instance.secureHealthCheckUrl", "own.secure_health_check_url", str),
    ("eureka.instance.leaseRenewalIntervalInSeconds", "own.renewal_interval", whole(1)),
    ("eureka.instance.leaseExpirationDurationInSeconds", "own.duration", whole(1)),
    ("eureka.instance.initialStatus", "own.initial_status", status),
    ("eureka.server.myUrl", "my_url", url),
    ("eureka.server.enableSelfPreservation", "self_preservation", boolean),
    ("eureka.server.renewalPercentThreshold", "renewal_percent_threshold", share),
    ("eureka.server.expectedClientRenewalIntervalSeconds", "expected_renewal_interval", whole(1)),
    ("eureka.server.evictionIntervalTimerInMs", "eviction_interval", milliseconds(1)),
    ("eureka.server.renewalThresholdUpdateIntervalMs", "recount_interval", milliseconds(1)),
    ("eureka.server.defaultOpenForTrafficCount", "open_count", whole(0)),
    ("eureka.instance.registry.defaultOpenForTrafficCount", "open_count", whole(0)),
    ("eureka.server.waitTimeInMsWhenSyncEmpty", "wait_when_sync_empty", milliseconds(0)),
    ("eureka.server.retentionTimeInMSInDeltaQueue", "delta_retention", milliseconds(0)),
    ("eureka.server.deltaRetentionTimerIntervalInMs", "delta_retention_interval", milliseconds(1)),
    ("eureka.server.disableDelta", "disable_delta", boolean),
    ("eureka.server.syncWhenTimestampDiffers", "compare_timestamps", boolean),
    ("eureka.server.useReadOnlyResponseCache", "read_only_cache", boolean),
    ("eureka.server.responseCacheUpdateIntervalMs", "cache_update_interval", milliseconds(1)),
    ("eureka.server.responseCacheAutoExpirationInSeconds", "cache_expiry", seconds(0)),
    ("eureka.server.registrySyncRetries", "sync_retries", whole(0)),
    ("eureka.server.registrySyncRetryWaitMs", "sync_retry_wait", milliseconds(0)),
    ("eureka.server.maxTimeForReplication", "replication_life", milliseconds(1)),
    ("eureka.server.maxElementsInPeerReplicationPool", "replication_capacity", whole(1)),
    ("eureka.server.peerNodeConnectTimeoutMs", "peer_connect_timeout", milliseconds(1)),
    ("eureka.server.peerNodeReadTimeoutMs", "peer_read_timeout", milliseconds(1)),
    ("eureka.server.peerEurekaNodesUpdateIntervalMs", "peers_update_interval", milliseconds(1)),
    ("eureka.server.maxRequestBodyBytes", "max_body", whole(1024)),
    ("eureka.server.maxMetadataBytes", "max_metadata", whole(0)),
    ("eureka.server.logFormat", "log_format", choice("text", "json")),
    ("eureka.server.rateLimiterEnabled", "rate_limited", boolean),
    ("eureka.server.rateLimiterBurstSize", "rate.burst", whole(-1)),
    ("eureka.server.rateLimiterRegistryFetchAverageRate", "rate.list_rate", whole(-1)),
    ("eureka.server.rateLimiterFullFetchAverageRate", "rate.full_rate", whole(-1)),
    ("eureka.server.rateLimiterThrottleStandardClients", "rate.throttle_standard", boolean),
    ("eureka.server.rateLimiterPrivilegedClients", "rate.privileged", names),
    ("eureka.server.remoteRegionRegistryFetchInterval", "regions.fetch_interval", seconds(1)),
    ("eureka.server.remoteRegionConnectTimeoutMs", "regions.connect_timeout", milliseconds(1)),
    ("eureka.server.remoteRegionReadTimeoutMs", "regions.read_timeout", milliseconds(1)),
    ("eureka.server.gZipContentFromRemoteRegion", "regions.gzip", boolean),
    (
        "eureka.server.disableTransparentFallbackToOtherRegion",
        "regions.no_fallback",
        boolean,
    ),
    ("eureka.server.disableDeltaForRemoteRegions", "regions.no_delta", boolean),
    ("eureka.server.remoteRegionTrustStore", "regions.authorities", readable_file),
    ("eureka.client.fetchRegistry", "fetch_registry", boolean),
    ("eureka.client.registerWithEureka", "register_with_eureka", boolean),
    ("eureka.client.shouldUnregisterOnShutdown", "own.cancels", boolean),
    ("eureka.client.preferSameZoneEureka", "prefer_same_zone", boolean),
    ("eureka.client.eurekaServerConnectTimeoutSeconds", "fetch_connect_timeout", seconds(1)),
    ("eureka.client.eurekaServerReadTimeoutSeconds", "fetch_read_timeout", seconds(1)),
    ("eureka.client.useDnsForFetchingServiceUrls", "service_urls_from_dns", no_dns),
    ("eureka.client.tls.trustStore", "security.peer_authorities", readable_file),
    ("eureka.client.tls.trustStoreType", "security.peer_authorities_type", pem),
    ("eureka.client.tls.keyStore", "security.peer_certificate", readable_file),
    ("eureka.client.tls.keyStoreType", "security.peer_certificate_type", pem),
    ("eureka.client.tls.keyStorePassword", "security.peer_certificate_password", str),
)
"""Spring's name, the field of `Settings`, how it is read; a later name goes before an earlier one.
`eureka.server.maxRequestBodyBytes`, `.maxMetadataBytes` and `.logFormat` are this server's own."""

SERVICE_URL: Final = "eureka.client.serviceUrl"
ZONES: Final = "eureka.client.availabilityZones"
REGION: Final = "eureka.client.region"
METADATA: Final = "eureka.instance.metadataMap"
REGION_URLS: Final = "eureka.server.remoteRegionUrlsWithName"
REGION_APPS: Final = "eureka.server.remoteRegionAppWhitelist"
OLD_REGION_URLS: Final = "eureka.server.remoteRegionUrls"

MAPS: Final = (SERVICE_URL, ZONES, METADATA, REGION_URLS, REGION_APPS)
"""Names below which arbitrary keys stand."""

_PEM: Final = (
    "is a Java key store; this server reads PEM files: name them by "
    "server.ssl.certificate and server.ssl.certificate-private-key"
)
ELSEWHERE: Final = {
    "server.ssl.keystore": _PEM,
    "server.ssl.truststore": _PEM.replace(
        "server.ssl.certificate and server.ssl.certificate-private-key",
        "server.ssl.trust-certificate",
    ),
    "server.ssl.bundle": "is not read here; name PEM files by server.ssl.certificate and "
    "server.ssl.certificate-private-key",
}
"""Names that Spring Boot knows and that would leave a server open if they were overlooked."""

SECRET: Final = frozenset(
    {
        "security.password",
        "security.private_key_password",
        "security.peer_certificate_password",
    }
)
"""Fields that are never shown."""

_CLIENT: Final = """
allowRedirects backupRegistryImpl cacheRefreshExecutorExponentialBackOffBound
cacheRefreshExecutorThreadPoolSize clientDataAccept decoderName disableDelta dollarReplacement
enabled encoderName escapeCharReplacement eurekaConnectionIdleTimeoutSeconds eurekaServerDNSName
eurekaServerPort eurekaServerTotalConnections eurekaServerTotalConnectionsPerHost
eurekaServerURLContext eurekaServiceUrlPollIntervalSeconds fetchRemoteRegionsRegistry
filterOnlyUpInstances gZipContent healthcheck.enabled heartbeatExecutorExponentialBackOffBound
heartbeatExecutorThreadPoolSize initialInstanceInfoReplicationIntervalSeconds
instanceInfoReplicationIntervalSeconds jersey.enabled logDeltaDiff onDemandUpdateStatusChange
order propertyResolver proxyHost proxyPassword proxyPort proxyUserName refresh.enable
registryFetchIntervalSeconds registryRefreshSingleVipAddress restclient.enabled
restclient.timeout.connectTimeout restclient.timeout.socketTimeout
restTemplateTimeout.connectRequestTimeout restTemplateTimeout.connectTimeout
restTemplateTimeout.socketTimeout shouldEnforceRegistrationAtInit tls.enabled tls.keyPassword
tls.trustStorePassword webclient.enabled
"""

_INSTANCE: Final = """
aSGName asyncClientInitialization dataCenterInfo defaultAddressResolutionOrder environment
instanceEnabledOnit namespace registry.expectedNumberOfClientsSendingRenews
"""

_SERVER: Final = """
aSGCacheExpiryTimeoutMs aSGQueryTimeoutMs aSGUpdateIntervalMs aWSAccessId aWSSecretKey
batchReplication bindingStrategy eIPBindingRetryIntervalMs
eIPBindingRetryIntervalMsWhenUnbound eIPBindRebindRetries enableReplicatedRequestCompression
expectedNumberOfRenewsPerMin initialCapacityOfResponseCache jsonCodecName
listAutoScalingGroupsRoleName logIdentityHeaders maxElementsInStatusReplicationPool
maxIdleThreadAgeInMinutesForPeerReplication maxIdleThreadInMinutesAgeForStatusReplication
maxThreadsForPeerReplication maxThreadsForStatusReplication metrics.enabled
minAvailableInstancesForPeerReplication minThreadsForPeerReplication
minThreadsForStatusReplication numberOfReplicationRetries peerEurekaStatusRefreshTimeIntervalMs
peerNodeConnectionIdleTimeoutSeconds peerNodeTotalConnections peerNodeTotalConnectionsPerHost
primeAwsReplicaConnections propertyResolver remoteRegionConnectionIdleTimeoutSeconds
remoteRegionFetchThreadPoolSize remoteRegionTotalConnections remoteRegionTotalConnectionsPerHost
remoteRegionTrustStorePassword route53BindingRetryIntervalMs route53BindRebindRetries
route53DomainTTL useAwsAsgApi xmlCodecName
"""

UNUSED: Final = (
    *(f"eureka.client.{name}" for name in _CLIENT.split()),
    *(f"eureka.instance.{name}" for name in _INSTANCE.split()),
    *(f"eureka.server.{name}" for name in _SERVER.split()),
    "server.ssl.ciphers",
    "server.ssl.enabledProtocols",
    "server.ssl.protocol",
    "spring.security.user.roles",
)
