"""Failures as exceptions, one class per kind."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, ClassVar

from . import _toolcrib

__all__ = [
    "AlreadyExistsError",
    "CancelledError",
    "ConflictError",
    "InternalError",
    "InvalidParameterError",
    "IoError",
    "IsDirectoryError",
    "NoSpaceError",
    "NotDirectoryError",
    "NotFoundError",
    "NotReadError",
    "NotRegularError",
    "NotUniqueError",
    "OutsideWorkspaceError",
    "PermissionDeniedError",
    "TimedOutError",
    "ToolError",
    "TooLargeError",
    "UnknownToolError",
    "UnsupportedError",
]


class ToolError(Exception):
    """A failure that helps the next step.

    A tool of your own raises one to fail with that kind; any other exception is a bug in the tool.
    """

    kind: ClassVar[str] = "internal"
    """The value of `metadata["error_kind"]`."""

    def __init__(self, message: str, *, hint: str | None = None, metadata: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        """One sentence that says what is wrong and where."""
        self.hint = hint
        """What to do next."""
        self.metadata = dict(metadata or {})
        """Facts for programs."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (_remade, (type(self), self.message, self.hint, self.metadata))

    @staticmethod
    def of(message: str, metadata: dict[str, Any]) -> ToolError:
        """The error of a failed result, in the class of its kind."""
        kind = metadata.get("error_kind")
        found = next((each for each in ToolError.__subclasses__() if each.kind == kind), ToolError)
        return found(message, hint=metadata.get("hint"), metadata=metadata)


def _remade(kind: type[ToolError], message: str, hint: str | None, metadata: dict[str, Any]) -> ToolError:
    return kind(message, hint=hint, metadata=metadata)


class UnknownToolError(ToolError):
    """No tool has that name."""

    kind = "unknown_tool"


class InvalidParameterError(ToolError):
    """The parameters are invalid."""

    kind = "invalid_parameter"


class NotFoundError(ToolError):
    """The file, directory or text does not exist."""

    kind = "not_found"


class AlreadyExistsError(ToolError):
    """The target already exists."""

    kind = "already_exists"


class NotUniqueError(ToolError):
    """The text to replace occurs several times."""

    kind = "not_unique"


class NotReadError(ToolError):
    """The session has not read the file that it is about to change."""

    kind = "not_read"


class OutsideWorkspaceError(ToolError):
    """The path leads outside every allowed root."""

    kind = "outside_workspace"


class PermissionDeniedError(ToolError):
    """The operating system, a rule or the user denied it."""

    kind = "permission_denied"


class IsDirectoryError(ToolError):
    """The path is a directory, but a file is needed."""

    kind = "is_directory"


class NotDirectoryError(ToolError):
    """The path is a file, but a directory is needed."""

    kind = "not_directory"


class NotRegularError(ToolError):
    """Neither a regular file nor a directory: a pipe, a socket, a device."""

    kind = "not_regular"


class UnsupportedError(ToolError):
    """The tool cannot handle the content of the file."""

    kind = "unsupported"


class TooLargeError(ToolError):
    """A limit is exceeded."""

    kind = "too_large"


class ConflictError(ToolError):
    """The file has changed since the version that the call is based on."""

    kind = "conflict"


class NoSpaceError(ToolError):
    """The disk is full or the quota is used up."""

    kind = "no_space"


class IoError(ToolError):
    """The operating system failed in another way."""

    kind = "io"


class TimedOutError(ToolError):
    """The deadline passed."""

    kind = "timed_out"


class CancelledError(ToolError):
    """The caller cancelled the call."""

    kind = "cancelled"


class InternalError(ToolError):
    """A bug in the tool itself."""

    kind = "internal"


@contextmanager
def raised() -> Generator[None, None, None]:
    """Turns a failure of the native half into a `ToolError`."""
    try:
        yield
    except _toolcrib.Failure as failure:
        _, _, error, _, metadata = failure.args
        raise ToolError.of(error, metadata) from None
