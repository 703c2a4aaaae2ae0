"""
How xdist's workers share the tests of a pass: one worker runs all tests of a profile.

xdist's own `loadgroup` rewrites a private field of pytest's items that pytest 9.2 no longer reads,
so that every test is a group of its own; therefore the profiles come with the order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController


class ProfileScheduling(LoadScopeScheduling):  # type: ignore[misc]  # xdist ships no types
    """Hands out whole profiles, in the order in which their first tests were collected."""

    def __init__(self, config: pytest.Config, log: Producer, profiles: Mapping[str, str]) -> None:
        super().__init__(config, log)
        self._profiles = profiles

    def _reschedule(self, node: WorkerController) -> None:
        """Give a worker its next profile when it is about to need it, not two tests before."""
        if self.workqueue and self._pending_of(self.assigned_work[node]) > 1:
            return
        super()._reschedule(node)

    def _split_scope(self, nodeid: str) -> str:
        return self._profiles.get(nodeid, super()._split_scope(nodeid))
