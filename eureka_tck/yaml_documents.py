"""
Settings as YAML documents, an application.yml: nested by the dots of their names.

Knows the notation, not one setting.
"""

from __future__ import annotations

import re
import reprlib
from itertools import islice
from typing import TYPE_CHECKING, Any

import yaml

from eureka_tck.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MOST_VALUES = 10_000  # of one document: far more than Spring knows, far less than aliases make


def read_yaml(text: str, source: str) -> dict[str, object]:
    """
    Return the values of all documents by their dotted names; later documents override.

    SettingsError names the source, and the line or the key.
    """
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


def _as_scalar(text: str) -> object:
    """Return the value as YAML should write it: a number or a truth bare, all else as text."""
    if text in {"true", "false"}:
        return text == "true"
    if re.fullmatch(r"0|-?[1-9]\d*", text):
        return int(text)
    if re.fullmatch(r"-?\d+\.\d+", text):
        return float(text)
    return text


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
