"""Which signature fits, what is coerced for it, and what type comes out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sqe.errors import Position, TypeMismatch
from sqe.functions.registry import LambdaArgument, Resolution, lookup, resolve
from sqe.types.sql_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DAY_SECOND,
    DOUBLE,
    INTEGER,
    REAL,
    SMALLINT,
    TINYINT,
    UNKNOWN,
    VARCHAR,
    YEAR_MONTH,
    Array,
    Char,
    Decimal,
    FunctionType,
    Map,
    Row,
    RowField,
    Timestamp,
    TimestampTz,
    Type,
    Varchar,
)


def resolved(name: str, *arguments: Type | LambdaArgument) -> Resolution:
    function = lookup(name)
    assert function is not None, name
    return resolve(function, arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("$add", (TINYINT, TINYINT), TINYINT),
        ("$add", (TINYINT, INTEGER), INTEGER),
        ("$add", (INTEGER, BIGINT), BIGINT),
        ("$add", (BIGINT, REAL), REAL),
        ("$add", (INTEGER, DOUBLE), DOUBLE),
        ("$add", (UNKNOWN, INTEGER), INTEGER),
        ("$add", (Decimal(12, 3), INTEGER), Decimal(14, 3)),
        ("$add", (Decimal(38, 10), INTEGER), Decimal(38, 10)),
        ("$add", (Decimal(5, 2), DOUBLE), DOUBLE),
        ("$add", (DATE, YEAR_MONTH), DATE),
        ("$add", (DAY_SECOND, DATE), DATE),
        ("$add", (Timestamp(0), DAY_SECOND), Timestamp(3)),
        ("$add", (Timestamp(6), DAY_SECOND), Timestamp(6)),
        ("$add", (Timestamp(0), YEAR_MONTH), Timestamp(0)),
        ("$sub", (DATE, DATE), DAY_SECOND),
        ("$sub", (Timestamp(3), DATE), DAY_SECOND),
        ("$sub", (TimestampTz(3), TimestampTz(3)), DAY_SECOND),
        ("$mul", (Decimal(12, 3), Decimal(12, 3)), Decimal(24, 6)),
        ("$mul", (Decimal(38, 4), Decimal(12, 2)), Decimal(38, 6)),
        ("$mul", (DAY_SECOND, INTEGER), DAY_SECOND),
        ("$mul", (INTEGER, YEAR_MONTH), YEAR_MONTH),
        ("$div", (INTEGER, INTEGER), INTEGER),
        ("$div", (Decimal(12, 3), INTEGER), Decimal(12, 3)),
        ("$div", (Decimal(3, 2), INTEGER), Decimal(3, 2)),
        ("$div", (Decimal(2, 1), Decimal(2, 1)), Decimal(3, 1)),
        ("$div", (Decimal(38, 2), BIGINT), Decimal(38, 2)),
        ("$mod", (Decimal(12, 3), Decimal(12, 2)), Decimal(12, 3)),
        ("$neg", (Decimal(3, 1),), Decimal(3, 1)),
        ("$eq", (INTEGER, Decimal(3, 1)), BOOLEAN),
        ("$concat", (Varchar(1), Varchar(2)), VARCHAR),
        ("$concat", (Char(5), Varchar(1)), Char(6)),
        ("$concat", (Array(INTEGER), INTEGER), Array(INTEGER)),
        ("$concat", (Array(INTEGER), Array(BIGINT)), Array(BIGINT)),
        ("$subscript", (Map(VARCHAR, DOUBLE), Varchar(1)), DOUBLE),
        ("$array", (INTEGER, Decimal(2, 1)), Array(Decimal(11, 1))),
        ("$array", (), Array(UNKNOWN)),
        ("$row", (INTEGER, VARCHAR), Row((RowField(None, INTEGER), RowField(None, VARCHAR)))),
        ("abs", (INTEGER,), INTEGER),
        ("abs", (Decimal(5, 2),), Decimal(5, 2)),
        ("sqrt", (Decimal(5, 2),), DOUBLE),
        ("sqrt", (INTEGER,), DOUBLE),
        ("round", (Decimal(12, 3),), Decimal(10, 0)),
        ("round", (Decimal(12, 3), INTEGER), Decimal(13, 3)),
        ("round", (SMALLINT, INTEGER), SMALLINT),
        ("floor", (Decimal(38, 10),), Decimal(29, 0)),
        ("truncate", (Decimal(12, 3),), Decimal(9, 0)),
        ("sign", (Decimal(5, 2),), Decimal(1, 0)),
        ("mod", (BIGINT, INTEGER), BIGINT),
        ("power", (INTEGER, INTEGER), DOUBLE),
        ("coalesce", (UNKNOWN, INTEGER, Decimal(3, 1)), Decimal(11, 1)),
        ("nullif", (INTEGER, DOUBLE), INTEGER),
        ("greatest", (INTEGER, BIGINT), BIGINT),
        ("upper", (Varchar(6),), Varchar(6)),
        ("lower", (Char(3),), Char(3)),
        ("trim", (Char(3),), Varchar(3)),
        ("substr", (Varchar(6), INTEGER, INTEGER), Varchar(6)),
        ("concat", (Varchar(1), Varchar(1), Varchar(1)), VARCHAR),
        ("replace", (Varchar(3), Varchar(1), Varchar(2)), Varchar(11)),
        ("replace", (VARCHAR, Varchar(1), Varchar(2)), VARCHAR),
        ("split", (Varchar(6), Varchar(1)), Array(Varchar(6))),
        ("regexp_replace", (Varchar(9), Varchar(11), Varchar(5)), Varchar(229)),
        ("url_encode", (Varchar(7),), Varchar(84)),
        ("length", (UNKNOWN,), BIGINT),
        ("year", (DATE,), BIGINT),
        ("year", (UNKNOWN,), BIGINT),
        ("hour", (Timestamp(6),), BIGINT),
        ("hour", (DATE,), BIGINT),
        ("date_trunc", (Varchar(5), DATE), DATE),
        ("date_trunc", (Varchar(5), Timestamp(6)), Timestamp(6)),
        ("date_add", (Varchar(3), INTEGER, TimestampTz(3)), TimestampTz(3)),
        ("date_diff", (Varchar(3), DATE, Timestamp(3)), BIGINT),
        ("to_iso8601", (Timestamp(3),), Varchar(26)),
        ("date_format", (DATE, Varchar(2)), VARCHAR),
        ("cardinality", (Map(VARCHAR, INTEGER),), BIGINT),
        ("element_at", (Array(VARCHAR), INTEGER), VARCHAR),
        ("map", (Array(VARCHAR), Array(INTEGER)), Map(VARCHAR, INTEGER)),
        ("contains", (Array(INTEGER), BIGINT), BOOLEAN),
        ("sequence", (INTEGER, INTEGER), Array(BIGINT)),
        ("count", (), BIGINT),
        ("sum", (INTEGER,), BIGINT),
        ("sum", (Decimal(7, 2),), Decimal(38, 2)),
        ("sum", (REAL,), REAL),
        ("avg", (INTEGER,), DOUBLE),
        ("avg", (Decimal(7, 2),), Decimal(7, 2)),
        ("max", (Varchar(3),), Varchar(3)),
        ("max", (INTEGER, INTEGER), Array(INTEGER)),
        ("array_agg", (INTEGER,), Array(INTEGER)),
        ("approx_percentile", (INTEGER, Decimal(1, 1)), BIGINT),
        ("stddev_samp", (INTEGER,), DOUBLE),
        ("variance", (Decimal(12, 3),), DOUBLE),
        ("map_agg", (VARCHAR, INTEGER), Map(VARCHAR, INTEGER)),
        ("row_number", (), BIGINT),
        ("lag", (INTEGER, INTEGER, BIGINT), BIGINT),
    ],
    ids=str,
)
def test_the_type_of_a_call(name: str, arguments: Sequence[Type], result: Type) -> None:
    assert resolved(name, *arguments).result == result


def test_arguments_are_brought_to_the_parameters_types() -> None:
    assert resolved("$add", Decimal(12, 3), INTEGER).parameters == (Decimal(12, 3), Decimal(10, 0))
    assert resolved("$eq", INTEGER, DOUBLE).parameters == (DOUBLE, DOUBLE)
    assert resolved("$lt", DATE, Timestamp(6)).parameters == (Timestamp(6), Timestamp(6))
    assert resolved("sum", SMALLINT).parameters == (BIGINT,)
    assert resolved("coalesce", INTEGER, UNKNOWN, BIGINT).parameters == (BIGINT, BIGINT, BIGINT)
    assert resolved("date_diff", Varchar(3), DATE, Timestamp(3)).parameters[1:] == (
        Timestamp(3),
        Timestamp(3),
    )
    assert resolved("contains", Array(INTEGER), BIGINT).parameters == (Array(BIGINT), BIGINT)
    assert resolved("$eq", Char(3), Varchar(5)).parameters == (Char(5), Char(5))


def test_a_lambda_is_bound_with_the_types_of_the_other_arguments() -> None:
    seen: list[tuple[Type, ...]] = []

    def body(types: tuple[Type, ...]) -> Type:
        seen.append(types)
        return VARCHAR

    found = resolved("transform", Array(INTEGER), LambdaArgument(1, body))
    assert seen[0] == (INTEGER,)
    assert found.parameters[1] == FunctionType((INTEGER,), VARCHAR)
    assert found.result == Array(VARCHAR)


def test_a_wider_body_widens_the_state_of_reduce() -> None:
    step = LambdaArgument(2, lambda types: BIGINT)
    finish = LambdaArgument(1, lambda types: types[0])
    found = resolved("reduce", Array(BIGINT), INTEGER, step, finish)
    assert found.parameters[1] == BIGINT
    assert found.result == BIGINT


def test_a_lambda_of_the_wrong_arity_does_not_fit() -> None:
    with pytest.raises(TypeMismatch, match="transform"):
        resolved("transform", Array(INTEGER), LambdaArgument(2, lambda types: BIGINT))


def test_a_mismatch_of_an_operator_names_both_types_and_the_place() -> None:
    function = lookup("$add")
    assert function is not None
    with pytest.raises(TypeMismatch) as raised:
        resolve(function, (VARCHAR, INTEGER), Position(3, 14))
    assert raised.value.code == "TYPE_MISMATCH"
    assert str(raised.value) == "line 3:14: Cannot apply operator: varchar + integer"


def test_a_mismatch_of_a_function_lists_what_exists() -> None:
    with pytest.raises(TypeMismatch) as raised:
        resolved("year", VARCHAR)
    assert raised.value.code == "FUNCTION_NOT_FOUND"
    assert "year(date), year(timestamp(p))" in raised.value.message


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("$eq", (INTEGER, VARCHAR)),
        ("$lt", (Map(VARCHAR, INTEGER), Map(VARCHAR, INTEGER))),
        ("$neg", (VARCHAR,)),
        ("$not", (INTEGER,)),
        ("$like", (INTEGER, VARCHAR)),
        ("sum", (VARCHAR,)),
        ("max", (Map(VARCHAR, INTEGER),)),
        ("coalesce", (INTEGER, VARCHAR)),
        ("substr", (VARCHAR,)),
        ("count", (INTEGER, INTEGER)),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(name: str, arguments: Sequence[Type]) -> None:
    with pytest.raises(TypeMismatch):
        resolved(name, *arguments)


def test_a_product_with_too_many_decimal_places_is_refused() -> None:
    with pytest.raises(TypeMismatch, match="scale 40"):
        resolved("$mul", Decimal(38, 20), Decimal(38, 20))
