"""
Settings of a registry by Spring's names: read from YAML or properties, brought to one spelling.

Spring reads `eviction-interval-timer-in-ms`, `evictionIntervalTimerInMs` and
`EUREKA_SERVER_EVICTIONINTERVALTIMERINMS` as one name (relaxed binding).
So that a user's file can override what a cluster sets by itself,
all are brought to the spelling of `settings.toml`.
Values stay text: what they mean is the registry's affair, but a number must be one.
"""

from __future__ import annotations

import difflib
import functools
import re
import reprlib
import tomllib
from importlib import resources
from itertools import islice
from typing import TYPE_CHECKING, Any

import yaml

from eureka_tck.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

STRICT = (
    "eureka.server.",
    "eureka.instance.registry.",
)  # a name not known here is a slip of the pen
MOST_VALUES = 10_000  # of one document: far more than Spring knows, far less than aliases make
LEGAL: Mapping[str, re.Pattern[str]] = {
    "whole number": re.compile(r"-?\d+"),
    "number": re.compile(r"-?\d+(\.\d*)?([eE][-+]?\d+)?|-?\.\d+"),
    "true or false": re.compile(r"true|false", re.IGNORECASE),
}


def canonical(name: str) -> str:
    """Return the one spelling of a setting's name; a name that is not known keeps its own."""
    known = _known()
    uniform = _uniform(name)
    if uniform in known:
        return known[uniform][0]
    for size in range(len(uniform.split(".")) - 1, 1, -1):  # a key of a map keeps its spelling
        head = ".".join(uniform.split(".")[:size])
        if head in known and known[head][1] == "map":
            return ".".join((known[head][0], *name.split(".")[size:]))
    return name


def normalise(settings: Mapping[str, object], source: str = "the settings") -> dict[str, str]:
    """
    Return the settings by their canonical names, each value as text.

    SettingsError names the source, the key, the value and what it must be.
    """
    found: dict[str, str] = {}
    for name, value in settings.items():
        key = canonical(name)
        text = _as_text(value)
        _check(source, name, key, text)
        found[key] = text
    return found


def load_settings(path: Path) -> dict[str, str]:
    """
    Read a settings file by its suffix: .yml, .yaml or .properties.

    Later documents of one YAML file override earlier ones, as in Spring.
    """
    source = str(path)
    if path.suffix not in {".yml", ".yaml", ".properties"}:
        raise SettingsError(
            f"{source}: the suffix {path.suffix!r} says nothing of its format.",
            "A settings file ends in .yml, .yaml or .properties.",
        )
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise SettingsError(f"{source}: cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{source}: is not UTF-8 text (byte {error.start}).") from error
    if path.suffix == ".properties":
        settings: Mapping[str, object] = dict(_read_properties(text, source))
    else:
        settings = _read_yaml(text, source)
    found = normalise(settings, source)
    _check_bounds(found, source)
    return found


def as_yaml(settings: Mapping[str, str]) -> str:
    """Return the settings as an application.yml, nested by the dots of their names."""
    tree: dict[str, object] = {}
    for name, value in sorted(settings.items()):
        at = tree
        *parents, leaf = name.split(".")
        for parent in parents:
            below = at.setdefault(parent, {})
            if not isinstance(below, dict):  # a.b and a.b.c: a mapping cannot say both
                leaf, at = name, tree
                break
            at = below
        at[leaf] = _as_scalar(value)
    return yaml.safe_dump(tree, sort_keys=True, allow_unicode=True)


def as_properties(settings: Mapping[str, str]) -> str:
    """Return the settings as an application.properties."""
    return "".join(f"{_escape(k, ' :=')}={_escape(v, '')}\n" for k, v in sorted(settings.items()))


def as_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings as environment variables, as EUREKA_SERVER_EVICTIONINTERVALTIMERINMS."""
    return {
        re.sub(r"[^A-Z0-9]", "_", name.replace("-", "").upper()): value
        for name, value in settings.items()
    }


def as_arguments(settings: Mapping[str, str]) -> list[str]:
    """Return the settings as arguments of a Spring application, as --server.port=8761."""
    return [f"--{name}={value}" for name, value in sorted(settings.items())]


@functools.cache
def _known() -> Mapping[str, tuple[str, str]]:
    """Return spelling and kind by the name without case, dashes and underscores."""
    return {
        _uniform(name): (name, kind)
        for kind, table in _data().items()
        if kind != "bounds"
        for name in table["names"]
    }


@functools.cache
def _data() -> Mapping[str, Any]:
    text = resources.files("eureka_tck").joinpath("settings.toml").read_text("utf-8")
    return tomllib.loads(text)


@functools.cache
def _groups() -> frozenset[str]:
    """Return the uniform names below which others stand, and which have no value themselves."""
    parts = [name.split(".") for name in _known()]
    heads = {".".join(name[:size]) for name in parts for size in range(1, len(name))}
    return frozenset(heads - _known().keys())


def _uniform(name: str) -> str:
    if re.fullmatch(r"[A-Z0-9_]+", name):  # an environment variable: its underscores are dots
        name = name.replace("_", ".")
    return name.replace("-", "").replace("_", "").lower()


def _check(source: str, name: str, key: str, text: str) -> None:
    uniform = _uniform(re.sub(r"\[\d+\]$", "", key))
    if uniform in _groups() and text not in {"", "{}", "[]"}:
        raise SettingsError(
            f"{source}: {name} is {text!r}, but it must be a group of settings, "
            f"such as {next(one for one, _ in _known().values() if _is_below(one, uniform))}.",
        )
    known = _known().get(uniform)
    if known is None:
        if key.startswith(STRICT) and not _is_in_map(uniform):
            _refuse_unknown(source, name)
        return
    legal = LEGAL.get(known[1])
    if legal is None or "${" in text or legal.fullmatch(text.strip()):
        return
    expected = {"whole number": "a whole number", "number": "a number"}.get(known[1], known[1])
    raise SettingsError(f"{source}: {name} is {text!r}, but it must be {expected}.")


def _is_in_map(uniform: str) -> bool:
    """Say whether a name is a key of a map, as remoteRegionUrlsWithName.far is."""
    parts = uniform.split(".")
    heads = (".".join(parts[:size]) for size in range(2, len(parts)))
    return any(known[1] == "map" for head in heads if (known := _known().get(head)))


def _is_below(name: str, uniform: str) -> bool:
    return _uniform(name).startswith(f"{uniform}.")


def _check_bounds(settings: Mapping[str, str], source: str) -> None:
    """Refuse numbers that make no sense; the kind of each has been checked."""
    for name, (least, *most) in _data()["bounds"].items():
        text = settings.get(name, "")
        if not text.strip() or "${" in text:
            continue
        if float(text) < least or (most and float(text) > most[0]):
            expected = f"from {least} to {most[0]}" if most else f"at least {least}"
            raise SettingsError(f"{source}: {name} is {text}, but it must be {expected}.")


def _refuse_unknown(source: str, name: str) -> None:
    spellings = [spelling for spelling, _ in _known().values()]
    nearest = difflib.get_close_matches(canonical(name), spellings, n=1, cutoff=0.7)
    hint = f"Did you mean {nearest[0]}?" if nearest else ""
    raise SettingsError(f"{source}: there is no setting {name}.", hint)


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _as_scalar(text: str) -> object:
    """Return the value as YAML should write it: a number or a truth bare, all else as text."""
    if text in {"true", "false"}:
        return text == "true"
    if re.fullmatch(r"0|-?[1-9]\d*", text):
        return int(text)
    if re.fullmatch(r"-?\d+\.\d+", text):
        return float(text)
    return text


def _read_yaml(text: str, source: str) -> dict[str, object]:
    try:
        settings = _flat(_documents(text, source), source)
    except RecursionError as error:
        raise SettingsError(f"{source}: is nested too deeply, or holds itself.") from error
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" (line {where.line + 1})" if where is not None else ""
        problem = getattr(error, "problem", None) or "it is malformed"
        raise SettingsError(f"{source}: is not YAML{line}: {problem}.") from error
    return settings


def _documents(text: str, source: str) -> Iterator[object]:
    """Yield the documents; a key that stands twice in one mapping is a slip of the pen."""
    loader = yaml.SafeLoader(text)
    try:
        while loader.check_node():
            node: Any = loader.get_node()  # never None: check_node has just said so
            _refuse_twins(node, "", source, set())
            yield loader.construct_document(node)
    finally:
        loader.dispose()


def _refuse_twins(node: yaml.Node, name: str, source: str, done: set[int]) -> None:
    if id(node) in done:  # an alias
        return
    done.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for index, below in enumerate(node.value):
            _refuse_twins(below, f"{name}[{index}]", source, done)
    elif isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for key, below in node.value:
            word = str(key.value)
            path = f"{name}.{word}" if name else word
            line = key.start_mark.line + 1
            if word in lines and key.tag != "tag:yaml.org,2002:merge":
                raise SettingsError(
                    f"{source}: {path} stands in line {lines[word]} and again in line {line}, "
                    "but a key must stand once.",
                )
            lines[word] = line
            _refuse_twins(below, path, source, done)


def _flat(documents: Iterable[object], source: str) -> dict[str, object]:
    settings: dict[str, object] = {}
    for document in documents:
        if document is None:
            continue
        if not isinstance(document, dict):
            raise SettingsError(
                f"{source}: holds {type(document).__name__} {reprlib.repr(document)}, "
                "but it must map names to values.",
            )
        values = list(islice(_flatten(document, ""), MOST_VALUES + 1))
        if len(values) > MOST_VALUES:
            raise SettingsError(
                f"{source}: unfolds to more than {MOST_VALUES:,} values.",
                "Its aliases multiply each other: write the values out.",
            )
        settings.update(values)
    return settings


def _flatten(value: object, name: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict) and value:
        for key, below in value.items():
            yield from _flatten(below, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _flatten(below, f"{name}[{index}]")
    else:
        yield name, value


def _read_properties(text: str, source: str) -> Iterator[tuple[str, str]]:
    for number, line in _logical_lines(text.splitlines()):
        found = re.match(r"((?:\\.|[^\\=:\s])+)\s*[=:\s]?\s*(.*)", line, re.DOTALL)
        if found is None:
            raise SettingsError(f"{source}: line {number} is {line!r}, but it must be name=value.")
        yield _unescape(found[1]), _unescape(found[2])


def _logical_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers, continued ones joined."""
    joined, start = "", 0
    for number, line in enumerate(lines, 1):
        stripped = line.lstrip()
        if not joined and (not stripped or stripped[0] in "#!"):
            continue
        start = start if joined else number
        joined += stripped
        if re.search(r"(?<!\\)(\\\\)*\\$", joined):
            joined = joined[:-1]
            continue
        yield start, joined
        joined = ""
    if joined:
        yield start, joined


ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def _unescape(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else ESCAPES.get(match[2], match[2])

    units = re.sub(r"\\(?:u([0-9a-fA-F]{4})|(.))", plain, text, flags=re.DOTALL)
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escape(text: str, special: str) -> str:
    """Return the text as a properties file says it, in ASCII: Java reads those as Latin-1."""
    backwards = {value: key for key, value in ESCAPES.items()}
    written = []
    for index, char in enumerate(text):
        if char in backwards:
            written.append(f"\\{backwards[char]}")
        elif char == "\\" or char in special or (index == 0 and char in " #!"):
            written.append(f"\\{char}")
        elif char.isascii():
            written.append(char)
        else:
            units = char.encode("utf-16-be")
            written.extend(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
    return "".join(written)
