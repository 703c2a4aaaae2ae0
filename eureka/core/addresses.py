"""Which applications list which VIP address, so that a read of one need not ask every instance."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka.core.instance import Instance


class Addresses:
    """Counts, by address, the instances of each application that list it."""

    def __init__(self, *, secure: bool) -> None:
        self._secure = secure
        self.names = attrgetter("secure_vip_address" if secure else "vip_address")
        """Returns what an instance says of its addresses; most say a single one."""
        self._apps: dict[str, dict[str, int]] = {}

    def of(self, instance: Instance) -> tuple[str, ...]:
        """Return the addresses of this kind that an instance lists."""
        return instance.secure_vips if self._secure else instance.vips

    def applications(self, address: str) -> Iterable[str]:
        """Return the applications with an instance that lists this address."""
        return self._apps.get(address, ())

    def add(self, instance: Instance) -> None:
        """Count an instance in."""
        for address in set(self.of(instance)):
            apps = self._apps.setdefault(address, {})
            apps[instance.key.app] = apps.get(instance.key.app, 0) + 1

    def remove(self, instance: Instance) -> None:
        """Count an instance out."""
        app = instance.key.app
        for address in set(self.of(instance)):
            apps = self._apps[address]
            apps[app] -= 1
            if not apps[app]:
                del apps[app]
                if not apps:
                    del self._apps[address]

    def change(self, before: Instance, after: Instance) -> None:
        """Count what an instance lists now instead of what it did."""
        if self.of(before) != self.of(after):
            self.remove(before)
            self.add(after)
