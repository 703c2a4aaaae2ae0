"""
Make supplies before they are needed: `python -m eureka_tck.supplies [NAME…]`, all without a name.

Every supply is made on first use too; this is for machines that prepare first and test later.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Final

from eureka_tck.errors import CannotRun
from eureka_tck.supplies import faketime, images, java, shim, toxiproxy
from eureka_tck.supplies.progress import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SUPPLIES: Final[dict[str, tuple[Callable[[], object], ...]]] = {
    "toxiproxy": (toxiproxy.server,),
    "faketime": (faketime.library,),
    "shim": (shim.library,),
    "java": tuple(partial(java.reference, version) for version in java.versions()),
    "images": (
        images.toxiproxy,
        images.python_image,
        *(partial(images.java, version) for version in java.versions()),
    ),
}


def main(names: Sequence[str]) -> int:
    """Make these supplies, or all; return 3 where one cannot be had."""
    if unknown := [name for name in names if name not in SUPPLIES]:
        tell(f"there is no supply {unknown[0]!r}; there are {', '.join(SUPPLIES)}")
        return 3
    try:
        for name in names or SUPPLIES:
            for make in SUPPLIES[name]:
                make()
    except CannotRun as error:
        tell(str(error))
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
