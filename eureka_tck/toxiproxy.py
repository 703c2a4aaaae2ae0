"""
Toxiproxy's API, by the library toxiproxy-python, subclassed where it falls short.

The library (0.1.1) keeps host and port in class attributes, so that one process speaks to one
server; it has no time-outs, cannot update a toxic, puts names into paths unquoted
(ours hold a `>`), and raises for 400, 404 and 409 only.
Here each server has a channel of its own with none of these faults;
what the library builds on its requests (get_proxy, populate, destroy_all, down, get_toxic)
is its own.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import requests
from toxiproxy import proxy as library_proxy
from toxiproxy import server as library_server
from toxiproxy.api import validate_response
from toxiproxy.exceptions import InvalidToxic, NotFound, ProxyExists
from toxiproxy.toxic import Toxic

from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Mapping

CALL_BUDGET = 20.0  # real s for one call of the API; it answers in 1 ms where it gets a processor
REFUSED = 400  # and above: the server did not do what was asked


class Channel:
    """HTTP to one Toxiproxy server; every failure is a CannotRun that says what was asked."""

    def __init__(self, host: str, port: int) -> None:
        self.root = f"http://{host}:{port}"
        self._lock = threading.Lock()  # a session is not made for several threads
        self._session = requests.Session()
        self._session.trust_env = False  # no proxy of the environment

    def call(self, method: str, *path: str, json: object = None) -> Any:  # noqa: ANN401 - JSON
        """Call the API; the parts of the path are quoted here. Return the answer's JSON."""
        url = "/".join((self.root, *(quote(part, safe="") for part in path)))
        try:
            with self._lock:
                answer = self._session.request(method, url, json=json, timeout=CALL_BUDGET)
            validate_response(answer)
        except requests.RequestException as error:
            raise CannotRun(
                f"Toxiproxy at {self.root} did not answer {method} {url}: {error}."
            ) from error
        except (InvalidToxic, NotFound, ProxyExists) as error:
            raise CannotRun(
                f"Toxiproxy refused {method} {url}: {error.args[0].decode(errors='replace')}"
            ) from error
        if answer.status_code >= REFUSED:
            raise CannotRun(
                f"Toxiproxy answered {answer.status_code} to {method} {url}: {answer.text[:200]}"
            )
        return answer.json() if answer.content else None

    def close(self) -> None:
        """Close the connections."""
        self._session.close()


class Proxy(library_proxy.Proxy):  # type: ignore[misc] # the library ships no types
    """One proxy of a server, bound to that server's channel."""

    upstream: str

    def __init__(self, channel: Channel, **values: Any) -> None:  # noqa: ANN401 - the API's JSON
        super().__init__(**values)
        self._channel = channel

    def toxics(self) -> dict[str, Toxic]:
        """Return all toxics of the proxy by their names."""
        found = self._channel.call("GET", "proxies", self.name, "toxics")
        return {toxic["name"]: Toxic(**toxic) for toxic in found}

    def add_toxic(self, **toxic: Any) -> None:  # noqa: ANN401 - the library's signature
        """Add a toxic as the library spells it."""
        toxic.setdefault("stream", "downstream")
        toxic.setdefault("name", f"{toxic['type']}_{toxic['stream']}")
        self._channel.call("POST", "proxies", self.name, "toxics", json=toxic)

    def poison(
        self,
        kind: str,
        attributes: Mapping[str, float],
        *,
        stream: str = "downstream",
        toxicity: float = 1.0,
    ) -> str:
        """Add a toxic under a name of its own and return the name: two of a kind may meet."""
        taken = self.toxics()
        name = f"{kind}_{stream}"
        if name in taken:
            name = next(
                free for n in range(2, len(taken) + 3) if (free := f"{name}_{n}") not in taken
            )
        self.add_toxic(
            type=kind, name=name, stream=stream, toxicity=toxicity, attributes=dict(attributes)
        )
        return name

    def change(self, name: str, attributes: Mapping[str, float]) -> None:
        """Update some attributes of a toxic."""
        self._channel.call(
            "POST", "proxies", self.name, "toxics", name, json={"attributes": dict(attributes)}
        )

    def cure(self, name: str) -> None:
        """Remove a toxic if it is still there."""
        if name in self.toxics():
            self.destroy_toxic(name)

    def reroute(self, upstream: str) -> str:
        """Let it carry to another address, dropping what is open; return the former one."""
        before = str(self.upstream)
        self._channel.call("POST", "proxies", self.name, json={"upstream": upstream})
        self.upstream = upstream
        return before

    def destroy_toxic(self, toxic_name: str) -> bool:
        """Remove a toxic."""
        self._channel.call("DELETE", "proxies", self.name, "toxics", toxic_name)
        return True

    def destroy(self) -> bool:
        """Remove the proxy."""
        self._channel.call("DELETE", "proxies", self.name)
        return True

    def _Proxy__enable_proxy(self, enabled: bool = False) -> None:  # noqa: N802 - the library's mangled name: enable and disable call it
        self._channel.call("POST", "proxies", self.name, json={"enabled": enabled})
        self.enabled = enabled


class Toxiproxy(library_server.Toxiproxy):  # type: ignore[misc] # the same
    """One Toxiproxy server."""

    def __init__(self, host: str, port: int) -> None:
        self._channel = Channel(host, port)

    def proxies(self) -> dict[str, Proxy]:
        """Return all proxies by their names."""
        found = self._channel.call("GET", "proxies")
        return {name: Proxy(self._channel, **values) for name, values in found.items()}

    def link(self, name: str) -> Proxy:
        """Return one proxy as the server knows it now."""
        return Proxy(self._channel, **self._channel.call("GET", "proxies", name))

    def create(
        self, upstream: str, name: str, listen: str | None = None, enabled: bool | None = None
    ) -> Proxy:
        """Create a proxy; without `listen` at a port of the server's choice."""
        values = {
            "name": name,
            "upstream": upstream,
            "listen": listen or "127.0.0.1:0",
            "enabled": enabled is not False,
        }
        return Proxy(self._channel, **self._channel.call("POST", "proxies", json=values))

    def reset(self) -> bool:
        """Enable all proxies and remove all toxics."""
        self._channel.call("POST", "reset")
        return True

    def running(self) -> bool:
        """Say whether the server answers."""
        try:
            self._channel.call("GET", "version")
        except CannotRun:
            return False
        return True

    def version(self) -> str:
        """Return the server's version."""
        found: str = self._channel.call("GET", "version")["version"]
        return found

    def update_api_consumer(self, host: str, port: int) -> None:
        """Speak to another server from now on."""
        self._channel.close()
        self._channel = Channel(host, port)

    def close(self) -> None:
        """Close the connections to the server."""
        self._channel.close()
