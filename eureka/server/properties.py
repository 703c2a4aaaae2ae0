"""
Where settings stand:
documents of a file and the environment, flattened to one map as Spring does it.

Names are compared relaxed: case and hyphens do not count, nor underscores in the environment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from eureka.core.errors import ConfigurationError
from eureka.server.redaction import redacted

if TYPE_CHECKING:
    from pathlib import Path

    from yaml import Node

ENVIRONMENT = "environment"
_PLACEHOLDER = re.compile(r"\$\{([^${}:]+)(?::([^{}]*))?\}")
_INDEX = re.compile(r"\[[0-9]+\]\Z")  # of an element, as Spring writes lists in .properties files
_DEEPEST = 20  # placeholders resolved one inside the other, before it is called a circle
_MERGE = "tag:yaml.org,2002:merge"  # of `<<`, which may stand in a mapping as often as one likes
_ON_PROFILE = ("spring.config.activate.onprofile", "spring.profiles")


class Property(msgspec.Struct, frozen=True):
    """A value as it is written, and where: for the error that names both."""

    name: str
    value: str
    where: str


Properties = dict[str, Property]


def relaxed(name: str) -> str:
    """
    Return the form in which names are compared.

    >>> relaxed("eureka.server.eviction-interval-timer-in-ms")
    'eureka.server.evictionintervaltimerinms'
    """
    return name.replace("-", "").replace("_", "").lower()


def load_file(path: Path, environment: Mapping[str, str]) -> Properties:
    """
    Return what a YAML or `.properties` file says, placeholders resolved.
    Of several documents later ones go before earlier ones.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigurationError(str(path), "", "there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(str(path), "", f"cannot be read: {error}") from None
    read = _lines if path.suffix == ".properties" else _documents
    active = set(environment.get("SPRING_PROFILES_ACTIVE", "").replace(" ", "").split(","))
    found: Properties = {}
    for pairs in read(text, path):
        document = {
            relaxed(name): Property(name, value, str(path)) for name, value in _joined(pairs)
        }
        if _applies(document, active):
            found |= document
    return resolve(found, environment)


def _documents(text: str, path: Path) -> list[list[tuple[str, str]]]:
    """Return the names and values in each document of a YAML file."""
    import yaml  # noqa: PLC0415 - 17 ms that a server without a file need not spend

    found: list[object] = []
    try:
        loader = yaml.SafeLoader(text)
        while loader.check_node():
            node = loader.get_node()
            _refuse_twins(node, path)
            found.append(loader.construct_document(node))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigurationError(str(path), "", f"is no YAML: {_problem(error)}") from None
    documents = [document for document in found if isinstance(document, dict)]
    if len(documents) < sum(document is not None for document in found):
        raise ConfigurationError(str(path), "", "must hold keys and values at its top level")
    try:
        return [_flat(document) for document in documents]
    except RecursionError:
        problem = "holds a value that contains itself, or too many in each other"
        raise ConfigurationError(str(path), "", problem) from None


def _refuse_twins(root: Node | None, path: Path) -> None:
    """Refuse a key that stands twice in one mapping: all but the last would count for nothing."""
    pending = [("", root)]
    seen: set[int] = set()  # an anchor may be named often, and inside itself
    while pending:
        prefix, node = pending.pop()
        if node is None or isinstance(node.value, str) or id(node) in seen:
            continue
        seen.add(id(node))
        lines: dict[str, int] = {}
        for one in node.value:
            if not isinstance(one, tuple):  # an element of a list
                pending.append((prefix, one))
                continue
            key, value = one
            name, line = f"{prefix}{key.value}", key.start_mark.line + 1
            if name in lines and key.tag != _MERGE:
                problem = f"stands twice, in line {lines[name]} and in line {line}"
                raise ConfigurationError(str(path), name, problem)
            lines[name] = line
            pending.append((f"{name}.", value))


def _problem(error: Exception) -> str:
    """Return what is wrong and where, without the line itself: it may hold a password."""
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", "it cannot be read")
    return f"{problem} (line {mark.line + 1}, column {mark.column + 1})" if mark else str(problem)


def _lines(text: str, path: Path) -> list[list[tuple[str, str]]]:
    """Return the names and values of a `.properties` file, in documents parted by `#---`."""
    documents: list[list[tuple[str, str]]] = [[]]
    # A backslash at the end of a line joins the next one to it.
    for number, line in enumerate(re.sub(r"\\\n[ \t]*", "", text).splitlines(), 1):
        line = line.strip()  # noqa: PLW2901 - the same line
        if line in ("#---", "!---"):
            documents.append([])
        elif line and line[0] not in "#!":
            parts = re.split(r"\s*[=:]\s*", line, maxsplit=1)
            if len(parts) == 1:
                name = line.split(maxsplit=1)[0]  # what follows it may be a password
                problem = f"line {number} must be name=value, but begins with '{name}'"
                raise ConfigurationError(str(path), "", problem)
            documents[-1].append((parts[0], parts[1]))
    return documents


def _joined(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the same with `name[0]`, `name[1]`, … made one list with commas."""
    joined: dict[str, str] = {}
    for name, value in pairs:
        plain = _INDEX.sub("", name)
        indexed = plain != name and plain in joined
        joined[plain] = f"{joined[plain]},{value}" if indexed else value
    return list(joined.items())


def resolve(properties: Properties, environment: Mapping[str, str]) -> Properties:
    """
    Return the same with every `${NAME:default}` replaced:
    by the environment, another property, the default.
    """
    return {
        key: msgspec.structs.replace(found, value=_resolved(found, properties, environment))
        for key, found in properties.items()
    }


def from_environment(environment: Mapping[str, str]) -> Properties:
    """Return the variables by their names without underscores, in lower case."""
    return {
        relaxed(name): Property(name, value, ENVIRONMENT) for name, value in environment.items()
    }


def _flat(node: Mapping[object, object], prefix: str = "") -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for key, value in node.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            pairs += _flat(value, f"{name}.")
        else:
            pairs.append((name, _text(value)))
    return pairs


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(_text(one) for one in value)
    return str(value)


def _applies(document: Properties, active: set[str]) -> bool:
    """Tell whether a document is for a profile that is active, or for none in particular."""
    for key in _ON_PROFILE:
        if key in document:
            wanted = document[key].value.replace(" ", "").split(",")
            return any(
                name[1:] not in active if name.startswith("!") else name in active
                for name in wanted
            )
    return True


def _resolved(found: Property, properties: Properties, environment: Mapping[str, str]) -> str:
    def value_of(match: re.Match[str]) -> str:
        name, default = match[1].strip(), match[2]
        if name in environment:
            return environment[name]
        other = properties.get(relaxed(name))
        if other is not None and name in (other.name, name.lower()):
            return other.value
        if default is None:
            raise ConfigurationError(
                found.where, found.name, f"names ${{{name}}}, which is not set"
            )
        return default

    value = found.value
    for _ in range(_DEEPEST):
        resolved = _PLACEHOLDER.sub(value_of, value)
        if resolved == value:
            return value
        value = resolved
    raise ConfigurationError(found.where, found.name, f"refers to itself: {redacted(found.value)}")
