"""
What a registry refuses, split by whose fault it is.

    EurekaError
    ├── RequestError            the caller's; `status` is the HTTP status that says so
    │   ├── UnknownInstance     404
    │   ├── UnknownName         404  an application, an id or a path
    │   ├── InvalidRequest      400
    │   └── RegistryClosed      403  not open for list reads yet
    └── ConfigurationError      the operator's

The attributes carry the data, `str()` makes the sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from eureka.core.instance import Key


class EurekaError(Exception):
    """The root of all refusals."""


class RequestError(EurekaError):
    """A call that is refused and has changed nothing."""

    status: ClassVar[int] = 400


class InvalidRequest(RequestError):  # noqa: N818 - reads as the statement it is
    """A call that says something no registry can do."""


class UnknownInstance(RequestError):  # noqa: N818 - the same
    """An instance that holds no lease here."""

    status = 404

    def __init__(self, key: Key, operation: str) -> None:
        super().__init__(key, operation)
        self.key = key
        self.operation = operation

    def __str__(self) -> str:
        return f"{self.key} is not registered here, so it cannot {self.operation}; register first."


class UnknownName(RequestError):  # noqa: N818 - the same
    """An application or id that nobody registered."""

    status = 404

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(kind, name)
        self.kind = kind
        self.name = name

    def __str__(self) -> str:
        return f"There is no {self.kind} {self.name} here."


class RegistryClosed(RequestError):  # noqa: N818 - the same
    """List reads are refused while the registry may know less than its clients."""

    status = 403

    def __str__(self) -> str:
        return "This registry has not learnt its instances yet; keep your copy and ask again."


class ConfigurationError(EurekaError):
    """
    A setting that cannot be meant;
    names where it stands, its key, its value, and what is expected.
    """

    def __init__(self, where: str, key: str, problem: str) -> None:
        super().__init__(where, key, problem)
        self.where = where
        self.key = key
        self.problem = problem

    def __str__(self) -> str:
        return (
            f"{self.where}: {self.key} {self.problem}"
            if self.key
            else f"{self.where}: {self.problem}"
        )
