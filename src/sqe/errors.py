"""The vocabulary of everything that can go wrong.

An error has a code (Trino's names where Trino has one), a kind, a message that says what was
wrong, a position in the statement, and a hint that says what to do. Each door maps it once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ErrorKind(Enum):
    """Who has to act on an error: the author of the statement, the operator, or us."""

    USER_ERROR = "USER_ERROR"
    INSUFFICIENT_RESOURCES = "INSUFFICIENT_RESOURCES"
    EXTERNAL = "EXTERNAL"
    INTERNAL_ERROR = "INTERNAL_ERROR"


@dataclass(frozen=True, slots=True)
class Position:
    """Where in the statement's text, both counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class SqeError(Exception):
    """Any failure that a user may see. `code` is stable; `message` is for people."""

    code = "GENERIC_INTERNAL_ERROR"
    kind = ErrorKind.INTERNAL_ERROR

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        position: Position | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code
        self.position = position
        self.hint = hint

    def __str__(self) -> str:
        where = f"line {self.position}: " if self.position else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.message}{hint}"


class UserError(SqeError):
    """The statement is wrong, and its author can mend it."""

    code = "GENERIC_USER_ERROR"
    kind = ErrorKind.USER_ERROR


class SyntaxFault(UserError):
    code = "SYNTAX_ERROR"


class NotSupported(UserError):
    code = "NOT_SUPPORTED"


class TypeMismatch(UserError):
    code = "TYPE_MISMATCH"


class NotFound(UserError):
    """A name that does not exist for this user; `code` says of what kind."""

    code = "TABLE_NOT_FOUND"


class AlreadyExists(UserError):
    code = "TABLE_ALREADY_EXISTS"


class AccessDenied(UserError):
    code = "PERMISSION_DENIED"


class InvalidArgument(UserError):
    code = "INVALID_ARGUMENTS"


class Cancelled(UserError):
    code = "USER_CANCELED"


class ConfigError(UserError):
    """The configuration cannot be used as it stands."""

    code = "CONFIGURATION_INVALID"


class LimitExceeded(SqeError):
    """A limit was reached; the message names it."""

    code = "EXCEEDED_LOCAL_MEMORY_LIMIT"
    kind = ErrorKind.INSUFFICIENT_RESOURCES


class Unavailable(SqeError):
    """A part that we depend on (Spark, Java, a catalog, a disk) does not answer."""

    code = "REMOTE_HOST_GONE"
    kind = ErrorKind.EXTERNAL


class CommitConflict(SqeError):
    code = "TRANSACTION_CONFLICT"
    kind = ErrorKind.EXTERNAL


class InternalError(SqeError):
    """A bug of ours."""
