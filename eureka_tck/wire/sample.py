"""
Registrations to send: an instance as plain JSON fields, complete unless a test takes one away.

Nothing here checks what it builds: tests send wrong registrations too.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Sample: TypeAlias = dict[str, Json]
"""The fields of an instance by their names on the wire, without the `instance` around them."""

DIRTY_MS: Final = 1_700_000_000_000
"""The T of every sample: a client's opaque number, the same in all runs."""

DEFAULT_DATA_CENTER: Final = "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo"
AMAZON_DATA_CENTER: Final = "com.netflix.appinfo.AmazonInfo"

RENEWAL_INTERVAL: Final = 30  # s, eureka-client LeaseInfo.DEFAULT_LEASE_RENEWAL_INTERVAL
DURATION: Final = 90  # s, eureka-client LeaseInfo.DEFAULT_LEASE_DURATION


def sample(
    app: str,
    instance_id: str,
    *,
    duration: Json = DURATION,
    interval: Json = RENEWAL_INTERVAL,
    **changes: Json,
) -> Sample:
    """
    Return a registration that any registry accepts.

    Args:
        app: The application's name, as it is sent.
        instance_id: The id it registers under.
        duration: `leaseInfo.durationInSecs`, seconds.
        interval: `leaseInfo.renewalIntervalInSecs`, seconds.
        changes: Fields by their names on the wire, replacing the defaults or added to them.

    """
    vip = app.lower()
    fields: Sample = {
        "instanceId": instance_id,
        "hostName": f"{vip}.example",
        "app": app,
        "ipAddr": "10.0.0.1",
        "status": "UP",
        "overriddenStatus": "UNKNOWN",
        "port": {"$": 8080, "@enabled": "true"},
        "securePort": {"$": 443, "@enabled": "false"},
        "countryId": 1,
        "dataCenterInfo": my_own_data_center(),
        "leaseInfo": {"renewalIntervalInSecs": interval, "durationInSecs": duration},
        "metadata": {"zone": "z1"},
        "homePageUrl": f"http://{vip}.example:8080/",
        "statusPageUrl": f"http://{vip}.example:8080/info",
        "healthCheckUrl": f"http://{vip}.example:8080/health",
        "vipAddress": vip,
        "secureVipAddress": vip,
        "isCoordinatingDiscoveryServer": "false",
        "lastUpdatedTimestamp": str(DIRTY_MS),
        "lastDirtyTimestamp": str(DIRTY_MS),
    }
    return fields | changes


def without(fields: Sample, *names: str) -> Sample:
    """Return the registration with these fields left out."""
    return {name: value for name, value in fields.items() if name not in names}


def my_own_data_center() -> Json:
    """Return the data centre of an instance that runs in nobody's cloud."""
    return {"@class": DEFAULT_DATA_CENTER, "name": "MyOwn"}


def amazon_data_center(metadata: dict[str, Json]) -> Json:
    """Return the data centre of an instance at Amazon; `instance-id` in it is its unique id."""
    return {"@class": AMAZON_DATA_CENTER, "name": "Amazon", "metadata": metadata}


def registration(fields: Sample) -> bytes:
    """Return the body of a registration by JSON."""
    return msgspec.json.encode({"instance": fields})
