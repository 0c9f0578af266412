"""What is not proven is not for the fast lane, and the reason says what it is."""

from __future__ import annotations

import pytest

from sqe.engine.duckdb import proven
from sqe.types.sql_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    UNKNOWN,
    VARBINARY,
    VARCHAR,
    Array,
    Char,
    Decimal,
    Fixed,
    FunctionType,
    Map,
    Row,
    RowField,
    Timestamp,
    TimestampTz,
    Type,
    Varchar,
)


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        (BIGINT, "bigint"),
        (Decimal(18, 4), "decimal(short)"),
        (Decimal(19, 4), "decimal(long)"),
        (Varchar(3), "varchar"),
        (Char(3), "char"),
        (Fixed(4), "varbinary"),
        (Timestamp(0), "timestamp"),
        (TimestampTz(6, "Europe/Paris"), "timestamp with time zone"),
        (Array(Decimal(38, 0)), "array(decimal(long))"),
        (Map(VARCHAR, Array(DATE)), "map(varchar, array(date))"),
        (Row((RowField("a", DATE),)), "row"),
        (FunctionType((BIGINT,), BOOLEAN), "function"),
        (UNKNOWN, "unknown"),
    ],
    ids=str,
)
def test_types_that_are_proven_together(kind: Type, key: str) -> None:
    assert proven.type_key(kind) == key


def test_arguments_of_one_type_count_as_one_where_there_may_be_any_number() -> None:
    assert proven.call_keys("coalesce", [BIGINT, BIGINT, BIGINT]) == ["bigint"]
    assert proven.call_keys("max_by", [BIGINT, BIGINT]) == ["bigint, bigint"]
    assert proven.call_keys("$row", [BIGINT, VARCHAR, BIGINT]) == ["bigint", "varchar"]
    assert proven.call_keys("count", []) == [""]


def test_a_cast_of_an_array_needs_the_cast_of_its_elements() -> None:
    assert proven.cast_keys(Array(INTEGER), Array(DOUBLE)) == [("array", "array"), ("integer", "double")]
    assert proven.cast_keys(Array(INTEGER), Array(INTEGER)) == [("array", "array")]


def test_the_plainest_calls_are_proven() -> None:
    assert proven.call_refusal("$add", [BIGINT, BIGINT]) is None
    assert proven.call_refusal("count", []) is None
    assert proven.cast_refusal(INTEGER, BIGINT, False) is None
    assert proven.cast_refusal(UNKNOWN, VARBINARY, False) is None
    assert proven.cast_refusal(VARBINARY, VARBINARY, True) is None


def test_the_reason_names_the_call() -> None:
    assert proven.call_refusal("no_such", [BIGINT, Varchar(2)]) == (
        "no_such(bigint, varchar) is not proven on the fast lane"
    )
    reason = proven.cast_refusal(DATE, BIGINT, True)
    assert reason == "TRY_CAST(date AS bigint) is not proven on the fast lane"


def test_what_differs_says_how() -> None:
    outcome = proven.Outcome({}, {}, {}, {"f(real)": "f(a.f): 1 of 7 rows differ"})
    assert outcome.of_call("f", "real") == ("f(real) differs on the fast lane: f(a.f): 1 of 7 rows differ")
