"""The vocabulary of everything that can go wrong.

An error has a code (Trino's names where Trino has one), a kind, a message that says what was
wrong, a position in the statement, and a hint that says what to do. Each door maps it once; for the
Python one the classes of PEP 249 are among the bases.
"""

from __future__ import annotations

from enum import Enum
from typing import Self, cast

from sqe.foundation.record import record


class ErrorKind(Enum):
    """Who has to act on an error: the author of the statement, the operator, or us."""

    USER_ERROR = "USER_ERROR"
    INSUFFICIENT_RESOURCES = "INSUFFICIENT_RESOURCES"
    EXTERNAL = "EXTERNAL"
    INTERNAL_ERROR = "INTERNAL_ERROR"


@record
class Position:
    """Where in the statement's text, both counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class SqeError(Exception):
    """Any failure that a user may see. `code` is stable; `message` is for people. `query_id` is the
    statement's, once there is one. To PEP 249 this is `Error`, and each error below is also of one of
    its classes."""

    code = "GENERIC_INTERNAL_ERROR"
    kind = ErrorKind.INTERNAL_ERROR
    query_id: str | None = None

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


class InterfaceError(SqeError):
    """The Python API was used in a way that it cannot be: closed, or nothing to fetch."""

    code = "INVALID_USE"
    kind = ErrorKind.USER_ERROR


class DatabaseError(SqeError):
    """Everything that a statement can fail with."""


class DataError(DatabaseError):
    """A value that no operation could take."""


class OperationalError(DatabaseError):
    """Something around the statement: a limit, a machine, a permission, a conflict."""


class IntegrityError(DatabaseError):
    """A row that its table does not allow."""


class ProgrammingError(DatabaseError):
    """The statement itself."""


class NotSupportedError(DatabaseError):
    """What we do not do."""


class UserError(DatabaseError):
    """The statement is wrong, and its author can mend it."""

    code = "GENERIC_USER_ERROR"
    kind = ErrorKind.USER_ERROR

    def __new__(cls, message: str, *, code: str | None = None, **_: object) -> Self:
        # The code says which of PEP 249's classes it is, so that no place has to say both.
        error_class = _CLASSES_BY_CODE.get(code or "", InvalidStatement) if cls is UserError else cls
        return super().__new__(cast("type[Self]", error_class), message)


class InvalidStatement(UserError, ProgrammingError):
    """A plain UserError becomes one of these, or of the next two."""


class InvalidValue(UserError, DataError):
    code = "INVALID_FUNCTION_ARGUMENT"


class ConstraintViolation(UserError, IntegrityError):
    code = "CONSTRAINT_VIOLATION"


_CLASSES_BY_CODE: dict[str, type[UserError]] = {
    "CONSTRAINT_VIOLATION": ConstraintViolation,
    "DIVISION_BY_ZERO": InvalidValue,
    "INVALID_CAST_ARGUMENT": InvalidValue,
    "INVALID_FUNCTION_ARGUMENT": InvalidValue,
    "INVALID_LITERAL": InvalidValue,
    "JSON_INPUT_CONVERSION_ERROR": InvalidValue,
    "JSON_OUTPUT_CONVERSION_ERROR": InvalidValue,
    "JSON_VALUE_RESULT_ERROR": InvalidValue,
    "MERGE_TARGET_ROW_MULTIPLE_MATCHES": InvalidValue,
    "NUMERIC_VALUE_OUT_OF_RANGE": InvalidValue,
    "PATH_EVALUATION_ERROR": InvalidValue,
    "SUBQUERY_MULTIPLE_ROWS": InvalidValue,
}


class SyntaxFault(UserError, ProgrammingError):
    code = "SYNTAX_ERROR"


class NotSupported(UserError, NotSupportedError):
    code = "NOT_SUPPORTED"


class TypeMismatch(UserError, ProgrammingError):
    code = "TYPE_MISMATCH"


class NotFound(UserError, ProgrammingError):
    """A name that does not exist for this user; `code` says of what kind."""

    code = "TABLE_NOT_FOUND"


class ViewNotFound(NotFound):
    """Where only a view would do. The code is Trino's, which has none for views."""


class AlreadyExists(UserError, ProgrammingError):
    code = "TABLE_ALREADY_EXISTS"


class AccessDenied(UserError, OperationalError):
    code = "PERMISSION_DENIED"


class AuthenticationFailed(UserError, OperationalError):
    """Who asks could not prove who they are. The reason is for the log of the server alone."""

    code = "AUTHENTICATION_FAILED"


class SessionExpired(UserError, OperationalError):
    """The session is over: log in again."""

    code = "SESSION_EXPIRED"


class InvalidArgument(UserError, ProgrammingError):
    code = "INVALID_ARGUMENTS"


class Cancelled(UserError, OperationalError):
    code = "USER_CANCELED"


class ConfigError(UserError, OperationalError):
    """The configuration cannot be used as it stands."""

    code = "CONFIGURATION_INVALID"


class LimitExceeded(OperationalError):
    """A limit was reached; the message names it."""

    code = "EXCEEDED_LOCAL_MEMORY_LIMIT"
    kind = ErrorKind.INSUFFICIENT_RESOURCES


class Unavailable(OperationalError):
    """A part that we depend on (Spark, Java, a catalog, a disk) does not answer."""

    code = "REMOTE_HOST_GONE"
    kind = ErrorKind.EXTERNAL


class CommitConflict(OperationalError):
    code = "TRANSACTION_CONFLICT"
    kind = ErrorKind.EXTERNAL


class InternalError(DatabaseError):
    """A bug of ours."""
