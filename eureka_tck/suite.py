"""
Where the suites and their data lie: in a checkout beside the package, in a wheel within it.

`conformance/`, `chaos/`, `load/` and `fixtures/` are data to this package, never imported by it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from eureka_tck.errors import CannotRun

PACKAGE: Final = Path(__file__).resolve().parent


def suite_root() -> Path:
    """Return the folder that holds `conformance/`, `chaos/`, `load/` and `fixtures/`."""
    places = (PACKAGE.parent, PACKAGE / "suites")
    for place in places:
        if (place / "conformance" / "requirements").is_dir() and (place / "fixtures").is_dir():
            return place
    raise CannotRun(
        "the suites are not here: neither "
        + " nor ".join(f"{place}/conformance" for place in places)
        + " has the catalogue.",
        "Install eureka-tck from its wheel, or run it from a checkout.",
    )


def requirements_folder() -> Path:
    """Return the folder of the catalogue's files."""
    return suite_root() / "conformance" / "requirements"


def expectations_file(target: str) -> Path:
    """Return where a target's known deviations stand, whether the file exists or not."""
    return suite_root() / "fixtures" / "expectations" / _file_name(target)


def deviations_file(target: str) -> Path:
    """Return where a target's known deviations of the chaos suite stand, if it has any."""
    return suite_root() / "chaos" / "expectations" / _file_name(target)


def _file_name(target: str) -> str:
    return "".join(one if one.isalnum() or one in ".+-" else "-" for one in target) + ".toml"
