"""The storm that Locust itself is tested with: thirty instances that renew every second."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FIELDS = {
    "name": '"short"',
    "story": '"thirty instances that renew every second"',
    "instances": "30",
    "applications": "2",
    "renewal_interval": "1",
    "duration": "30",
    "arrive_over": "0",
}


def short_storm(folder: Path, **fields: float) -> Path:
    """Write it into a file of that folder, with these fields besides, and return the file."""
    file = folder / "storm.toml"
    text = {**_FIELDS, **{key: str(value) for key, value in fields.items()}}
    file.write_text("".join(f"{key} = {value}\n" for key, value in text.items()), encoding="utf-8")
    return file
