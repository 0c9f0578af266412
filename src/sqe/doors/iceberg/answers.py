"""What the door answers: the protocol's bodies, and its names for our errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from sqe.catalog.iceberg.metadata import MissingFile
from sqe.catalog.iceberg.strict import InvalidCommit
from sqe.catalog.iceberg.table import TableMetadata, tag_of
from sqe.errors import (
    AccessDenied,
    AlreadyExists,
    AuthenticationFailed,
    Cancelled,
    CommitConflict,
    ConfigError,
    InvalidArgument,
    LimitExceeded,
    NotFound,
    NotSupported,
    SessionExpired,
    Unavailable,
    UserError,
    ViewNotFound,
)
from sqe.foundation.record import record
from sqe.observe.redact import for_strangers

Raw = dict[str, Any]


@record
class Answer:
    """`content` is JSON."""

    content: bytes | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


NOTHING = Answer(status=204)
TOO_LARGE = "EXCEEDED_REQUEST_SIZE"


class Unprocessable(InvalidArgument):
    """A request that contradicts itself, or an idempotency key that is another request's."""


def json_answer(body: Raw, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    content = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return Answer(content, status, headers or {})


def table_answer(loaded: TableMetadata) -> Answer:
    body: Raw = {"metadata": loaded.raw, "config": dict(loaded.config)}
    if not loaded.location:
        return json_answer(body)
    return json_answer({"metadata-location": loaded.location, **body}, headers={"ETag": etag(loaded)})


def etag(loaded: TableMetadata) -> str:
    return tag_of(str(loaded.raw.get("table-uuid")), loaded.location)


def error_answer(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> Answer:
    return json_answer({"error": {"message": message, "type": kind, "code": status}}, status, headers)


def failure(error: Exception, *, changes: bool) -> Answer:
    """`changes` says that the request may have changed something before it failed."""
    message = str(error)
    match error:
        case CommitConflict():
            return error_answer(409, "CommitFailedException", message)
        case InvalidCommit():
            # As Iceberg's own clients call it.
            return error_answer(400, "IllegalArgumentException", message)
        case Unprocessable():
            return error_answer(422, "UnprocessableEntityException", message)
        case AuthenticationFailed() | SessionExpired():
            challenge = {"WWW-Authenticate": 'Bearer realm="sqe", Basic realm="sqe"'}
            return error_answer(401, "NotAuthorizedException", message, challenge)
        case AccessDenied():
            return error_answer(403, "ForbiddenException", message)
        case ViewNotFound():
            return error_answer(404, "NoSuchViewException", message)
        case NotFound():
            return error_answer(404, _MISSING.get(error.code, "NoSuchTableException"), message)
        case AlreadyExists():
            return error_answer(409, "AlreadyExistsException", message)
        case NotSupported():
            return error_answer(406, "UnsupportedOperationException", message)
        case LimitExceeded() if error.code == TOO_LARGE:
            return error_answer(413, "BadRequestException", message)
        case LimitExceeded() | Cancelled():
            return error_answer(429, "TooManyRequestsException", message)
        case MissingFile():
            reason = f"Failed to open input stream for file: {error.location}"
            return error_answer(404, "NotFoundException", reason)
        case Unavailable():
            # A file that cannot be written is known not to be there; the rest is not known.
            unknown = changes and error.code != "ICEBERG_FILESYSTEM_ERROR"
            status = 503 if unknown or not changes else 400
            return error_answer(status, "ServiceUnavailableException", for_strangers(message))
        case ConfigError():
            return error_answer(503, "ServiceUnavailableException", for_strangers(message))
        case UserError():
            conflict = _CONFLICTS.get(error.code)
            status, kind = (400, "BadRequestException") if conflict is None else (409, conflict)
            return error_answer(status, kind, message)
    return error_answer(500, "InternalServerError", "a bug of ours")


_MISSING = {"SCHEMA_NOT_FOUND": "NoSuchNamespaceException", "CATALOG_NOT_FOUND": "NoSuchWarehouseException"}
_CONFLICTS = {"ALREADY_EXISTS": "AlreadyExistsException", "SCHEMA_NOT_EMPTY": "NamespaceNotEmptyException"}
