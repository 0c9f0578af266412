"""What a client is told when something went wrong: a gRPC status, a text, and our names of the error."""

from __future__ import annotations

import grpc

from sqe import errors as e
from sqe.observe.redact import for_strangers

ERROR_CODE = "x-sqe-error-code"
ERROR_NAME = "x-sqe-error-name"
QUERY_ID = "x-sqe-query-id"
# The parts of the text, one by one, for our own client.
ERROR_CLASS = "x-sqe-error-class"
ERROR_POSITION = "x-sqe-error-position"
ERROR_HINT = "x-sqe-error-hint-bin"
# Texts quote statements, and most clients take headers of 8 KB together.
LONGEST_TEXT = 4096
LONGEST_HINT = 1024

_BY_CODE = {
    "CATALOG_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "COLUMN_NOT_FOUND": grpc.StatusCode.INVALID_ARGUMENT,
    "EXCEEDED_TIME_LIMIT": grpc.StatusCode.DEADLINE_EXCEEDED,
    "NOT_SUPPORTED": grpc.StatusCode.UNIMPLEMENTED,
}
# The first that fits.
_BY_CLASS: tuple[tuple[type[e.SqeError], grpc.StatusCode], ...] = (
    (e.AuthenticationFailed, grpc.StatusCode.UNAUTHENTICATED),
    (e.SessionExpired, grpc.StatusCode.UNAUTHENTICATED),
    (e.AccessDenied, grpc.StatusCode.PERMISSION_DENIED),
    (e.Cancelled, grpc.StatusCode.CANCELLED),
    (e.NotFound, grpc.StatusCode.NOT_FOUND),
    (e.AlreadyExists, grpc.StatusCode.ALREADY_EXISTS),
    (e.NotSupported, grpc.StatusCode.UNIMPLEMENTED),
    (e.UserError, grpc.StatusCode.INVALID_ARGUMENT),
    (e.InterfaceError, grpc.StatusCode.INVALID_ARGUMENT),
    (e.LimitExceeded, grpc.StatusCode.RESOURCE_EXHAUSTED),
    (e.CommitConflict, grpc.StatusCode.ABORTED),
    (e.Unavailable, grpc.StatusCode.UNAVAILABLE),
)
# What x-sqe-error-code may be: SQE's own words, of which there are few.
VOCABULARY = frozenset({
    "SYNTAX_ERROR", "PARSE_ERROR", "SEMANTIC_ERROR", "TYPE_MISMATCH", "INVALID_ARGUMENTS",
    "INVALID_CAST", "DIVISION_BY_ZERO", "TABLE_NOT_FOUND", "COLUMN_NOT_FOUND", "SCHEMA_NOT_FOUND",
    "CATALOG_NOT_FOUND", "VIEW_NOT_FOUND", "FUNCTION_NOT_FOUND", "DUPLICATE_TABLE", "DUPLICATE_COLUMN",
    "AUTHENTICATION_FAILED", "ACCESS_DENIED", "SESSION_EXPIRED", "EXECUTION_FAILED", "QUERY_TIMEOUT",
    "QUERY_CANCELLED", "RESOURCE_EXHAUSTED", "CATALOG_ERROR", "CATALOG_UNAVAILABLE",
    "CIRCUIT_BREAKER_OPEN", "STORAGE_ERROR", "COMMIT_CONFLICT", "NOT_SUPPORTED",
    "GENERIC_INTERNAL_ERROR",
})  # fmt: skip
# Where it has another word than Trino, whose is the one in x-sqe-error-name.
_NAMES = {
    "ALREADY_EXISTS": "DUPLICATE_TABLE",
    "CACHE_NOT_USABLE": "STORAGE_ERROR",
    "COLUMN_ALREADY_EXISTS": "DUPLICATE_COLUMN",
    "DUPLICATE_COLUMN_NAME": "DUPLICATE_COLUMN",
    "EXCEEDED_TIME_LIMIT": "QUERY_TIMEOUT",
    "GENERIC_USER_ERROR": "SEMANTIC_ERROR",
    "ICEBERG_BAD_DATA": "STORAGE_ERROR",
    "ICEBERG_CATALOG_ERROR": "CATALOG_ERROR",
    "ICEBERG_FILESYSTEM_ERROR": "STORAGE_ERROR",
    "ICEBERG_INVALID_METADATA": "STORAGE_ERROR",
    "ICEBERG_MISSING_FILE": "STORAGE_ERROR",
    "INVALID_CAST_ARGUMENT": "INVALID_CAST",
    "INVALID_COMMAND": "INVALID_ARGUMENTS",
    "INVALID_FUNCTION_ARGUMENT": "INVALID_ARGUMENTS",
    "INVALID_PARAMETER_USAGE": "INVALID_ARGUMENTS",
    "INVALID_SESSION_PROPERTY": "INVALID_ARGUMENTS",
    "INVALID_TABLE_PROPERTY": "INVALID_ARGUMENTS",
    "NOT_FOUND": "INVALID_ARGUMENTS",
    "PERMISSION_DENIED": "ACCESS_DENIED",
    "REMOTE_HOST_GONE": "EXECUTION_FAILED",
    "SCHEMA_ALREADY_EXISTS": "DUPLICATE_TABLE",
    "SPOOL_LOST": "STORAGE_ERROR",
    "SPOOL_NOT_USABLE": "STORAGE_ERROR",
    "TABLE_ALREADY_EXISTS": "DUPLICATE_TABLE",
    "TRANSACTION_CONFLICT": "COMMIT_CONFLICT",
    "TRANSACTION_STATE_UNKNOWN": "CATALOG_ERROR",
    "USER_CANCELED": "QUERY_CANCELLED",
}
# The word for all other codes of a class, or of those below it; the first that fits.
_DEFAULTS: tuple[tuple[type[e.SqeError], str], ...] = (
    (e.AuthenticationFailed, "AUTHENTICATION_FAILED"),
    (e.SessionExpired, "SESSION_EXPIRED"),
    (e.AccessDenied, "ACCESS_DENIED"),
    (e.Cancelled, "QUERY_CANCELLED"),
    (e.AlreadyExists, "DUPLICATE_TABLE"),
    (e.NotSupported, "NOT_SUPPORTED"),
    (e.SyntaxFault, "SYNTAX_ERROR"),
    (e.TypeMismatch, "TYPE_MISMATCH"),
    (e.InvalidArgument, "INVALID_ARGUMENTS"),
    (e.InvalidValue, "INVALID_ARGUMENTS"),
    (e.ConstraintViolation, "EXECUTION_FAILED"),
    (e.ConfigError, "EXECUTION_FAILED"),
    (e.UserError, "SEMANTIC_ERROR"),
    (e.InterfaceError, "INVALID_ARGUMENTS"),
    (e.LimitExceeded, "RESOURCE_EXHAUSTED"),
    (e.CommitConflict, "COMMIT_CONFLICT"),
    (e.Unavailable, "EXECUTION_FAILED"),
)


def status_of(error: e.SqeError) -> grpc.StatusCode:
    status = _BY_CODE.get(error.code)
    if status is not None:
        return status
    return next((code for kind, code in _BY_CLASS if isinstance(error, kind)), grpc.StatusCode.INTERNAL)


def code_of(error: e.SqeError) -> str:
    if isinstance(error, e.ViewNotFound):
        return "VIEW_NOT_FOUND"
    name = _NAMES.get(error.code, error.code)
    if name in VOCABULARY:
        return name
    return next((word for kind, word in _DEFAULTS if isinstance(error, kind)), "GENERIC_INTERNAL_ERROR")


def class_of(error: e.SqeError) -> str:
    """The nearest that clients know: parts of ours have errors of their own."""
    names = (kind.__name__ for kind in type(error).__mro__ if kind.__module__ == e.__name__)
    return next(names)


def text_of(error: e.SqeError) -> str:
    message, hint = _message_and_hint(error)
    where = f"line {error.position}: " if error.position else ""
    return shortened(f"{where}{message}" + (f" ({hint})" if hint else ""), LONGEST_TEXT)


def _message_and_hint(error: e.SqeError) -> tuple[str, str | None]:
    """Message and hint. What is the operator's to mend may name files and hosts: that is for the log."""
    if isinstance(error, e.InternalError):
        return error.message, None
    if error.kind is e.ErrorKind.USER_ERROR and not isinstance(error, e.ConfigError):
        return error.message, error.hint
    return for_strangers(error.message), None if error.hint is None else for_strangers(error.hint)


def shortened(text: str, most: int) -> str:
    """At most so many bytes as gRPC writes them, and always some that it can write."""
    text = text.encode("utf-8", "replace").decode()
    if 3 * len(text.encode()) <= most:
        return text
    size = 0
    for place, char in enumerate(text):
        size += 1 if " " <= char <= "~" and char != "%" else 3 * len(char.encode())
        if size > most - 3:
            return text[:place] + "..."
    return text


def trailers_of(error: e.SqeError) -> tuple[tuple[str, str | bytes], ...]:
    trailers: list[tuple[str, str | bytes]] = [
        (ERROR_CODE, code_of(error)),
        (ERROR_NAME, error.code),
        (ERROR_CLASS, class_of(error)),
    ]
    if error.query_id is not None:
        trailers.append((QUERY_ID, error.query_id))
    if error.position is not None:
        trailers.append((ERROR_POSITION, str(error.position)))
    _, hint = _message_and_hint(error)
    if hint is not None:
        trailers.append((ERROR_HINT, shortened(hint, LONGEST_HINT).encode()))
    return tuple(trailers)
