"""The instances a server is measured with, and the calls that make it know them."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Final

from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from bench.subject import Subject

DIRTY_MS: Final = 1_700_000_000_000
APPLICATIONS: Final = 100
CALL_BUDGET: Final = 60.0  # s for one answer; a full list of the Java reference takes 1 s cold
_NO_CONTENT: Final = 204
_OK: Final = 200


def application(number: int) -> str:
    """Return the application of an instance."""
    return f"ORDERS-{number % APPLICATIONS}"


def instance_id(number: int) -> str:
    """Return the id of an instance, as long as Spring makes them."""
    return f"host-{number}.example:orders-{number % APPLICATIONS}:8080"


def registration(number: int, *, dirty_ms: int = DIRTY_MS) -> bytes:
    """Return what Spring's client registers of it: 1.1 KB."""
    name = application(number).lower()
    host = f"host-{number}.example"
    instance = {
        "instanceId": instance_id(number),
        "hostName": host,
        "app": application(number),
        "ipAddr": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
        "status": "UP",
        "overriddenStatus": "UNKNOWN",
        "port": {"$": 8080, "@enabled": "true"},
        "securePort": {"$": 443, "@enabled": "false"},
        "countryId": 1,
        "dataCenterInfo": {
            "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo",
            "name": "MyOwn",
        },
        "leaseInfo": {
            "renewalIntervalInSecs": 30,
            "durationInSecs": 90,
            "registrationTimestamp": 0,
            "lastRenewalTimestamp": 0,
            "evictionTimestamp": 0,
            "serviceUpTimestamp": 0,
        },
        "metadata": {"management.port": "8080", "zone": f"zone-{number % 3}"},
        "homePageUrl": f"http://{host}:8080/",
        "statusPageUrl": f"http://{host}:8080/actuator/info",
        "healthCheckUrl": f"http://{host}:8080/actuator/health",
        "vipAddress": name,
        "secureVipAddress": name,
        "isCoordinatingDiscoveryServer": "false",
        "lastUpdatedTimestamp": str(dirty_ms),
        "lastDirtyTimestamp": str(dirty_ms),
    }
    return json.dumps({"instance": instance}).encode()


class Caller:
    """One connection to a server."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._connection = http.client.HTTPConnection(
            subject.host, subject.port, timeout=CALL_BUDGET
        )

    def register(self, number: int, *, dirty_ms: int = DIRTY_MS) -> None:
        """Register an instance."""
        path = f"/eureka/apps/{application(number)}"
        body = registration(number, dirty_ms=dirty_ms)
        self._call("POST", path, _NO_CONTENT, body, {"Content-Type": "application/json"})

    def renew(self, number: int) -> None:
        """Renew its lease."""
        self._call("PUT", f"/eureka/apps/{application(number)}/{instance_id(number)}", _OK)

    def read_all(self) -> int:
        """Read all instances, as JSON with gzip; return the bytes that came."""
        headers = {"Accept": "application/json", "Accept-Encoding": "gzip"}
        return len(self._call("GET", "/eureka/apps/", _OK, None, headers))

    def read(self, path: str) -> bytes:
        """Return any page of it."""
        return self._call("GET", path, _OK)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _call(
        self,
        method: str,
        path: str,
        expected: int,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> bytes:
        name = f"{method} {self._subject.root}{path}"
        try:
            self._connection.request(method, path, body, headers or {"Accept": "application/json"})
            answer = self._connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise CannotRun(f"{name} has no answer: {error}.") from error
        if answer.status != expected:
            raise CannotRun(f"{name} is answered {answer.status}, where {expected} is right.")
        return data


def register_all(subject: Subject, size: int) -> None:
    """Make a server know a fleet."""
    caller = Caller(subject)
    for number in range(size):
        caller.register(number)
    caller.close()
