"""
Where Python keeps what it has compiled, in a place that lets it keep nothing beside its sources.

Containers mostly set PYTHONDONTWRITEBYTECODE. Each of the forty interpreters of a gate then
compiles all of us anew, which was measured at 0.25 CPU s for a worker and 0.1 s for a node.
"""

from __future__ import annotations

import sys

import platformdirs


def kept_bytecode() -> dict[str, str]:
    """
    Return the environment of an interpreter of ours: what it compiles goes to the user's cache.

    Nothing where Python keeps it anyway; a cache that cannot be written only costs the time.
    """
    if not sys.dont_write_bytecode:
        return {}
    kept = platformdirs.user_cache_path("eureka-tck") / "bytecode"
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(kept)}
