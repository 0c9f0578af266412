"""Which casts exist, and how they and the types are spelled for Spark."""

from __future__ import annotations

import pytest

from sqe.engine.render.quoting import spelled
from sqe.engine.spark.functions.casts import spark_cast
from sqe.engine.spark.types import spark_type
from sqe.errors import NotSupported
from sqe.functions.casts import castable
from sqe.types.sql_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DAY_SECOND,
    DOUBLE,
    INTEGER,
    UNKNOWN,
    UUID,
    VARBINARY,
    VARCHAR,
    Array,
    Char,
    Decimal,
    Map,
    Row,
    RowField,
    Time,
    Timestamp,
    TimestampTz,
    Type,
    Varchar,
)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (INTEGER, BIGINT),
        (DOUBLE, BOOLEAN),
        (BOOLEAN, Decimal(3, 1)),
        (VARCHAR, DATE),
        (DATE, TimestampTz(3)),
        (Timestamp(6), DATE),
        (DAY_SECOND, VARCHAR),
        (UNKNOWN, Array(INTEGER)),
        (Array(INTEGER), Array(VARCHAR)),
        (UUID, VARCHAR),
    ],
    ids=str,
)
def test_casts_that_exist(source: Type, target: Type) -> None:
    assert castable(source, target)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (INTEGER, DATE),
        (DATE, INTEGER),
        (BOOLEAN, DATE),
        (VARBINARY, VARCHAR),
        (Array(INTEGER), VARCHAR),
        (Array(INTEGER), Array(DATE)),
        (Row((RowField("a", INTEGER),)), Row(())),
        (DAY_SECOND, BIGINT),
    ],
    ids=str,
)
def test_casts_that_do_not_exist(source: Type, target: Type) -> None:
    assert not castable(source, target)
    with pytest.raises(NotSupported):
        spark_cast("x", source, target, safe=False)


def test_a_cast_that_changes_nothing_is_not_written() -> None:
    assert spark_cast("x", Varchar(3), VARCHAR, safe=False) == "x"
    assert spark_cast("x", Array(Varchar(3)), Array(VARCHAR), safe=False) == "x"
    assert spark_cast("x", Timestamp(3), Timestamp(6), safe=False) == "x"


def test_plain_casts_stay_readable() -> None:
    assert spark_cast("x", INTEGER, BIGINT, safe=False) == "CAST(x AS BIGINT)"
    assert spark_cast("x", BIGINT, INTEGER, safe=True) == "try_cast(x AS INT)"
    assert spark_cast("x", Array(INTEGER), Array(DOUBLE), safe=False) == "CAST(x AS ARRAY<DOUBLE>)"
    assert spark_cast("x", VARCHAR, Varchar(3), safe=False) == "left(x, 3)"
    assert spark_cast("x", VARCHAR, Char(3), safe=False) == "rpad(x, 3, ' ')"


@pytest.mark.parametrize(
    ("t", "text"),
    [
        (Decimal(12, 2), "DECIMAL(12,2)"),
        (Varchar(3), "STRING"),
        (Timestamp(3), "TIMESTAMP_NTZ"),
        (TimestampTz(6), "TIMESTAMP"),
        (DAY_SECOND, "INTERVAL DAY TO SECOND"),
        (Map(VARCHAR, Array(INTEGER)), "MAP<STRING, ARRAY<INT>>"),
        (Row((RowField("a`b", INTEGER), RowField(None, DATE))), "STRUCT<`a``b`: INT, `field1`: DATE>"),
        (Row((RowField("x", INTEGER), RowField("x", DATE))), "STRUCT<`x`: INT, `field1`: DATE>"),
    ],
    ids=str,
)
def test_types_in_spark(t: Type, text: str) -> None:
    assert spelled(spark_type(t), "`") == text


@pytest.mark.parametrize("t", [Time(9), Timestamp(9), TimestampTz(12)], ids=str)
def test_types_that_spark_does_not_have(t: Type) -> None:
    with pytest.raises(NotSupported):
        spark_type(t)
