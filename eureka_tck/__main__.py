"""
Where the command `eureka-tck` begins, and `python -m eureka_tck`.

The command line takes a tenth of a second to be imported, in which a Ctrl-C must end as it does
later. Therefore nothing is imported here but what the interpreter has anyway.
"""

from __future__ import annotations

import sys

STOPPED = 130  # what a shell says of a process that Ctrl-C ended


def main() -> int:
    """Import the command line, run it, and return its exit code."""
    try:
        from eureka_tck.cli import main as run  # noqa: PLC0415 - that is the point

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("\neureka-tck: stopped; nothing is left running.\n")
        return STOPPED


if __name__ == "__main__":
    sys.exit(main())
