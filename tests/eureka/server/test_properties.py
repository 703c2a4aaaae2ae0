"""Files and variables as flat maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka.core.errors import ConfigurationError
from eureka.server.properties import load_file, relaxed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the file is to be written."""
    return tmp_path / "application.yml"


def values(file: Path, text: str, **environment: str) -> dict[str, str]:
    """Return name and value of each property in such a file."""
    file.write_text(text, encoding="utf-8")
    return {found.name: found.value for found in load_file(file, environment).values()}


@pytest.mark.parametrize(
    "name", ["eureka.server.myUrl", "eureka.server.my-url", "EUREKA.SERVER.MY_URL"]
)
def test_names_are_compared_relaxed(name: str) -> None:
    """Case, hyphens and underscores do not count."""
    assert relaxed(name) == "eureka.server.myurl"


def test_nested_and_flat_keys_are_one(file: Path) -> None:
    """Lists are joined by commas, flags and nothing are as Spring writes them."""
    text = "a:\n  b: {c: 1}\n  b.d: [x, y]\ne: true\nf:\ng: no\n"

    assert values(file, text) == {"a.b.c": "1", "a.b.d": "x,y", "e": "true", "f": "", "g": "false"}


def test_later_documents_go_before_earlier_ones(file: Path) -> None:
    """Also where they spell the name differently; empty ones say nothing."""
    text = "a-b: 1\nc: 1\n---\n---\naB: 2\n"

    assert values(file, text) == {"aB": "2", "c": "1"}


@pytest.mark.parametrize(
    ("profile", "active", "applies"),
    [
        ("dev", "dev", True),
        ("dev, test", "test", True),
        ("dev", "prod, test", False),
        ("dev", "", False),
        ("'!dev'", "prod", True),
        ("'!dev'", "dev", False),
    ],
)
@pytest.mark.parametrize("key", ["spring.config.activate.on-profile", "spring.profiles"])
def test_a_document_of_a_profile_applies_where_it_is_active(
    file: Path, key: str, profile: str, active: str, applies: bool
) -> None:
    """As SPRING_PROFILES_ACTIVE says."""
    text = f"a: 1\n---\n{key}: {profile}\na: 2\n"

    found = values(file, text, SPRING_PROFILES_ACTIVE=active)

    assert found["a"] == ("2" if applies else "1")


def test_placeholders_are_replaced(file: Path) -> None:
    """By the environment, else another property, else their default; inside each other too."""
    text = (
        "port: ${PORT:8761}\nhost: ${HOST:${FALLBACK:here}}\nurl: http://${host}:${port}/\n"
        "both: ${A:}${B:b}\n"
    )

    assert values(file, text, PORT="99") == {
        "port": "99",
        "host": "here",
        "url": "http://here:99/",
        "both": "b",
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: ${NONE}", "a names ${NONE}, which is not set"),
        ("a: ${b}\nb: ${a}", "a refers to itself: ${b}"),
        ("- a", "must hold keys and values at its top level"),
        (
            "a: [",
            "is no YAML: expected the node content, but found '<stream end>' (line 1, column 5)",
        ),
        ("a: &a [*a]", "holds a value that contains itself"),
        ("a: \x00", "is no YAML: special characters are not allowed"),
        ("a: 1\nb: 1\na: 2", "a stands twice, in line 1 and in line 3"),
        ("---\n---\na:\n  b: {c: 1,\n    'c': 1}", "a.b.c stands twice, in line 4 and in line 5"),
        ("a: [{b: 1, b: 2}]", "a.b stands twice, in line 1 and in line 1"),
    ],
)
def test_problems_name_the_file(file: Path, text: str, problem: str) -> None:
    """And the key, where there is one."""
    with pytest.raises(ConfigurationError) as error:
        values(file, text)

    assert str(error.value).startswith(f"{file}: {problem}")


def test_what_is_merged_into_a_mapping_may_be_said_anew(file: Path) -> None:
    """That is what it is merged for; so is the same key in another mapping or document."""
    text = "a: &a {x: 1, y: 1}\nb: {<<: *a, y: 2}\nc: {<<: *a, <<: *a}\n---\nc: {x: 2}\n"

    assert values(file, text) == {
        "a.x": "1",
        "a.y": "1",
        "b.x": "1",
        "b.y": "2",
        "c.x": "2",
        "c.y": "1",
    }


def test_a_file_that_is_not_there(file: Path) -> None:
    """Is told by its name."""
    with pytest.raises(ConfigurationError) as error:
        load_file(file, {})

    assert str(error.value) == f"{file}: there is no such file"


def test_a_file_that_cannot_be_read(file: Path) -> None:
    """Bytes that are no UTF-8, or a folder."""
    file.write_bytes(b"a: \xff")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_file(file, {})
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_file(file.parent, {})


def test_a_properties_file_says_the_same(tmp_path: Path) -> None:
    """Name and value parted by = or :, comments, long lines, documents."""
    file = tmp_path / "application.properties"
    text = (
        "# a comment\n! another\n\na.b = 1 \nc:${A:x}\nlong=one,\\\n   two\nempty=\n"
        "#---\nspring.config.activate.on-profile=dev\na.b=2\n"
    )

    found = values(file, text, A="=y")

    assert found == {"a.b": "1", "c": "=y", "long": "one,two", "empty": ""}
    assert values(file, text, SPRING_PROFILES_ACTIVE="dev")["a.b"] == "2"


def test_a_line_that_is_no_property_is_told(tmp_path: Path) -> None:
    """By its number."""
    file = tmp_path / "application.properties"

    with pytest.raises(ConfigurationError) as error:
        values(file, "a=1\nodd\n")

    assert str(error.value) == f"{file}: line 2 must be name=value, but begins with 'odd'"
