"""
Settings that Spring Cloud Netflix knows and this server does not use:
accepted, so that one file serves both.

Most configure Amazon's services, Spring's HTTP clients
or the instance that a Java server registers of itself.
"""

from __future__ import annotations

from typing import Final

_CLIENT: Final = """
allowRedirects backupRegistryImpl cacheRefreshExecutorExponentialBackOffBound
cacheRefreshExecutorThreadPoolSize clientDataAccept decoderName disableDelta dollarReplacement
enabled encoderName escapeCharReplacement eurekaConnectionIdleTimeoutSeconds eurekaServerDNSName
eurekaServerPort eurekaServerTotalConnections eurekaServerTotalConnectionsPerHost
eurekaServerURLContext eurekaServiceUrlPollIntervalSeconds fetchRemoteRegionsRegistry
filterOnlyUpInstances gZipContent healthcheck.enabled heartbeatExecutorExponentialBackOffBound
heartbeatExecutorThreadPoolSize initialInstanceInfoReplicationIntervalSeconds
instanceInfoReplicationIntervalSeconds jersey.enabled logDeltaDiff onDemandUpdateStatusChange
order preferSameZoneEureka propertyResolver proxyHost proxyPassword proxyPort proxyUserName
refresh.enable registryFetchIntervalSeconds registryRefreshSingleVipAddress
restTemplateTimeout.connectRequestTimeout restTemplateTimeout.connectTimeout
restTemplateTimeout.socketTimeout restclient.enabled restclient.timeout.connectTimeout
restclient.timeout.socketTimeout shouldEnforceRegistrationAtInit shouldUnregisterOnShutdown
tls.enabled tls.keyPassword tls.keyStore tls.keyStorePassword tls.keyStoreType tls.trustStore
tls.trustStorePassword tls.trustStoreType useDnsForFetchingServiceUrls webclient.enabled
"""

_INSTANCE: Final = """
aSGName appGroupName appname asyncClientInitialization dataCenterInfo
defaultAddressResolutionOrder environment healthCheckUrl healthCheckUrlPath homePageUrl
homePageUrlPath initialStatus instanceEnabledOnit instanceId ipAddress
leaseExpirationDurationInSeconds leaseRenewalIntervalInSeconds namespace nonSecurePort
nonSecurePortEnabled preferIpAddress registry.expectedNumberOfClientsSendingRenews
secureHealthCheckUrl securePort securePortEnabled secureVirtualHostName statusPageUrl
statusPageUrlPath virtualHostName
"""

_SERVER: Final = """
aSGCacheExpiryTimeoutMs aSGQueryTimeoutMs aSGUpdateIntervalMs aWSAccessId aWSSecretKey
batchReplication bindingStrategy disableDeltaForRemoteRegions
disableTransparentFallbackToOtherRegion eIPBindRebindRetries eIPBindingRetryIntervalMs
eIPBindingRetryIntervalMsWhenUnbound enableReplicatedRequestCompression
expectedNumberOfRenewsPerMin gZipContentFromRemoteRegion initialCapacityOfResponseCache
jsonCodecName listAutoScalingGroupsRoleName logIdentityHeaders
maxElementsInStatusReplicationPool maxIdleThreadAgeInMinutesForPeerReplication
maxIdleThreadInMinutesAgeForStatusReplication maxThreadsForPeerReplication
maxThreadsForStatusReplication metrics.enabled minAvailableInstancesForPeerReplication
minThreadsForPeerReplication minThreadsForStatusReplication numberOfReplicationRetries
peerEurekaStatusRefreshTimeIntervalMs peerNodeConnectionIdleTimeoutSeconds
peerNodeTotalConnections peerNodeTotalConnectionsPerHost primeAwsReplicaConnections
propertyResolver rateLimiterBurstSize rateLimiterEnabled rateLimiterFullFetchAverageRate
rateLimiterPrivilegedClients rateLimiterRegistryFetchAverageRate
rateLimiterThrottleStandardClients remoteRegionAppWhitelist remoteRegionConnectTimeoutMs
remoteRegionConnectionIdleTimeoutSeconds remoteRegionFetchThreadPoolSize
remoteRegionReadTimeoutMs remoteRegionRegistryFetchInterval remoteRegionTotalConnections
remoteRegionTotalConnectionsPerHost remoteRegionTrustStore remoteRegionTrustStorePassword
remoteRegionUrls remoteRegionUrlsWithName route53BindRebindRetries route53BindingRetryIntervalMs
route53DomainTTL useAwsAsgApi xmlCodecName
"""

UNUSED: Final = (
    *(f"eureka.client.{name}" for name in _CLIENT.split()),
    *(f"eureka.instance.{name}" for name in _INSTANCE.split()),
    *(f"eureka.server.{name}" for name in _SERVER.split()),
    "eureka.dashboard.enabled",
    "eureka.dashboard.path",
    "eureka.datacenter",
    "eureka.environment",
)

UNUSED_MAPS: Final = (
    "eureka.instance.metadataMap",
    "eureka.server.remoteRegionAppWhitelist",
    "eureka.server.remoteRegionUrlsWithName",
)
"""The same, for keys with arbitrary names below them."""
