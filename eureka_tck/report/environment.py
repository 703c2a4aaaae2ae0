"""
The Jinja environment of all pages: autoescape always on, an undefined name is an error.

Whatever a registry, a node's log or a command line says reaches a page as text:
escaped by Jinja, its control characters made visible here,
and the page's policy admits no style or script but our own, by hash.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from eureka_tck.report import figures

if TYPE_CHECKING:
    from collections.abc import Mapping

KEYS: Final[Mapping[str | None, str]] = {
    "failed": "fail",
    "unexpected pass": "upass",
    "inconclusive": "inc",
    "known deviation": "dev",
    "not applicable": "na",
    "passed": "pass",
    None: "none",
}
"""Verdicts to the short key that classes and shapes are named by."""

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufffe\uffff\ud800-\udfff]"
)
_CODE: Final = re.compile("`([^`\n]+)`")


def visible(text: str) -> str:
    """Spell out what a reader would not see, or see in another order: controls, bidi, halves."""
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.replace("\r\n", "\n"))


def with_code(text: str) -> Markup:
    """Render the catalogue's backticks as code; all else is text."""
    parts = _CODE.split(visible(text))
    return Markup().join(
        Markup("<code>{}</code>").format(part) if at % 2 else escape(part)
        for at, part in enumerate(parts)
    )


def anchor(text: str) -> str:
    """Return what points at an id on the page, behind the `#`."""
    return quote(visible(text), safe="")


def render(template: str, *scripts: str, **values: object) -> str:
    """Render a page with the style sheet and these scripts inlined, and its policy."""
    style, script = _asset("style.css"), "".join(_asset(name) for name in scripts)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        _environment()
        .get_template(template)
        .render(
            **values,
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            policy=Markup(policy),  # noqa: S704 - hashes of our own files
        )
    )


def _final(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("eureka_tck.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_final,
    )
    environment.filters.update(
        anchor=anchor,
        code=with_code,
        duration=figures.duration,
        size=figures.size,
        counted=figures.counted,
    )
    return environment


@cache
def _asset(name: str) -> str:
    return resources.files("eureka_tck.report").joinpath("templates", name).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
