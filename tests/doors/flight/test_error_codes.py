"""Every error has a status and a code that clients were told of, and a class that they can know."""

from __future__ import annotations

import ast
from pathlib import Path

import grpc
import pytest

import sqe
from sqe import errors as e
from sqe.catalog.backends import postgres_pointers
from sqe.doors.flight.status import VOCABULARY, class_of, code_of, status_of, trailers_of
from sqe.engine.duckdb.errors import FastLaneFailed

CLASSES = [kind for kind in vars(e).values() if isinstance(kind, type) and issubclass(kind, e.SqeError)]


def codes() -> set[str]:
    """All that stand in the source as the code of an error."""
    found: set[str] = set()
    for file in Path(sqe.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.keyword(arg="code", value=value):
                    found |= texts(value)
                case ast.Assign(targets=[ast.Name(id="code")], value=value):
                    found |= texts(value)
    return found


def texts(node: ast.expr) -> set[str]:
    values = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant))
    return {value for value in values if isinstance(value, str) and value.isupper()}


def test_all_codes_are_words_of_the_vocabulary() -> None:
    known = codes()
    assert {"TABLE_NOT_FOUND", "QUERY_QUEUE_FULL", "VIEW_IS_STALE", "REMOTE_HOST_GONE"} <= known
    assert len(VOCABULARY) == 29
    for kind in CLASSES:
        for code in known | {"SOMETHING_NEW"}:
            assert code_of(kind("x", code=code)) in VOCABULARY, (kind, code)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (e.UserError("x", code="NOT_SUPPORTED"), "UNIMPLEMENTED", "NOT_SUPPORTED"),
        (e.NotSupported("x"), "UNIMPLEMENTED", "NOT_SUPPORTED"),
        (e.UserError("x", code="NESTED_WINDOW"), "INVALID_ARGUMENT", "SEMANTIC_ERROR"),
        (e.UserError("x", code="NUMERIC_VALUE_OUT_OF_RANGE"), "INVALID_ARGUMENT", "INVALID_ARGUMENTS"),
        (e.SyntaxFault("x", code="QUERY_NESTED_TOO_DEEPLY"), "INVALID_ARGUMENT", "SYNTAX_ERROR"),
        (e.NotFound("x"), "NOT_FOUND", "TABLE_NOT_FOUND"),
        (e.ViewNotFound("x"), "NOT_FOUND", "VIEW_NOT_FOUND"),
        (e.NotFound("x", code="FILE_NOT_FOUND"), "NOT_FOUND", "SEMANTIC_ERROR"),
        (e.AlreadyExists("x", code="SCHEMA_ALREADY_EXISTS"), "ALREADY_EXISTS", "DUPLICATE_TABLE"),
        (e.LimitExceeded("x", code="QUERY_QUEUE_FULL"), "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"),
        (e.LimitExceeded("x", code="EXCEEDED_TIME_LIMIT"), "DEADLINE_EXCEEDED", "QUERY_TIMEOUT"),
        (e.Unavailable("x", code="SPARK_NOT_STARTED"), "UNAVAILABLE", "EXECUTION_FAILED"),
        (e.Unavailable("x", code="ICEBERG_CATALOG_ERROR"), "UNAVAILABLE", "CATALOG_ERROR"),
        (FastLaneFailed("x"), "UNAVAILABLE", "EXECUTION_FAILED"),
        (e.InternalError("x"), "INTERNAL", "GENERIC_INTERNAL_ERROR"),
    ],
)
def test_statuses_and_codes(error: e.SqeError, status: str, code: str) -> None:
    assert (status_of(error), code_of(error)) == (grpc.StatusCode[status], code)
    # Trino's name is beside it.
    assert ("x-sqe-error-name", error.code) in trailers_of(error)


def test_classes_are_those_that_clients_know() -> None:
    for kind in CLASSES:
        error = kind("x")
        assert getattr(e, class_of(error)) is type(error)
    assert class_of(postgres_pointers._Fault("x")) == "Unavailable"
    assert class_of(FastLaneFailed("x")) == "Unavailable"
