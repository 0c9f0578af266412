"""Every type as a parameter, as a result, and through a table."""

from __future__ import annotations

import datetime as dt
import enum
import math
import uuid
import zoneinfo
from decimal import Decimal
from typing import Any

import pytest

import sqe
from sqe.bind.parameters import expression_of

pytestmark = pytest.mark.spark

ID = uuid.UUID("12151fd2-7586-11e9-8f9e-2a86e4085a59")
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")


class Colour(str, enum.Enum):  # noqa: UP042 (str() of a StrEnum is its value)
    RED = "red"


class Size(enum.IntEnum):
    LARGE = 3


# A value, the SQL type that it is as a parameter, and what comes back where it is not equal to what went.
PARAMETERS: list[tuple[Any, str]] = [
    (True, "boolean"),
    (False, "boolean"),
    (0, "integer"),
    (-(2**31), "integer"),
    (2**31, "bigint"),
    (-(2**63), "bigint"),
    (Decimal(2**63), "decimal(19,0)"),
    (1.5, "double"),
    (-0.0, "double"),
    (5e-324, "double"),
    (1.7976931348623157e308, "double"),
    (math.inf, "double"),
    (-math.inf, "double"),
    (Decimal("1.50"), "decimal(3,2)"),
    (Decimal("-0.001"), "decimal(3,3)"),
    (Decimal("12345678901234567890123456789012345678"), "decimal(38,0)"),
    (Decimal("0." + "0" * 37 + "1"), "decimal(38,38)"),
    ("", "varchar(0)"),
    ('it\'s \\ "?" {x} ${y}\n\t\0 ä 😀', "varchar(26)"),
    (b"", "varbinary"),
    (b"\x00\xff'", "varbinary"),
    (dt.date(1, 1, 1), "date"),
    (dt.date(1582, 10, 10), "date"),
    (dt.date(9999, 12, 31), "date"),
    (dt.time(0, 0), "time(6)"),
    (dt.time(23, 59, 59, 999999), "time(6)"),
    (dt.datetime(1, 1, 1), "timestamp(6)"),
    (dt.datetime(2020, 2, 29, 12, 30, 15, 123456), "timestamp(6)"),
    (dt.datetime(9999, 12, 31, 23, 59, 59, 999999), "timestamp(6)"),
    (dt.datetime(2020, 2, 29, 12, tzinfo=dt.UTC), "timestamp(6) with time zone"),
    (dt.datetime(2020, 7, 1, 12, tzinfo=BERLIN), "timestamp(6) with time zone"),
    (dt.datetime(2020, 7, 1, tzinfo=dt.timezone(dt.timedelta(hours=-3))), "timestamp(6) with time zone"),
    (dt.timedelta(0), "interval day to second"),
    (dt.timedelta(days=-400, hours=3, milliseconds=7), "interval day to second"),
    (ID, "uuid"),
    (None, "unknown"),
    ([], "array(unknown)"),
    ([1, None, 2**40], "array(bigint)"),
    ([1, 2.5], "array(double)"),
    (["a", "bc"], "array(varchar(2))"),
    ([[1], [], None], "array(array(integer))"),
    ([ID], "array(uuid)"),
    ([dt.timedelta(seconds=1)], "array(interval day to second)"),
    ({}, "map(unknown, unknown)"),
    ({"a": 1, "b": None}, "map(varchar(1), integer)"),
    ({1: [ID], 2: []}, "map(integer, array(uuid))"),
    ({(1, "a"): dt.date(2020, 1, 1)}, "map(row(integer, varchar(1)), date)"),
    ((1,), "row(integer)"),
    (
        (1, "a", None, [(ID,)], {1: 2}),
        "row(integer, varchar(1), unknown, array(row(uuid)), map(integer, integer))",
    ),
]


@pytest.mark.parametrize(("value", "type_"), PARAMETERS, ids=[f"{t}-{v!r}"[:60] for v, t in PARAMETERS])
def test_a_parameter_comes_back(connection: sqe.Connection, value: Any, type_: str) -> None:
    cursor = connection.execute("SELECT ?, typeof(?)", (value, value))
    assert cursor.description is not None
    assert cursor.description[0].type_code == type_
    ((found, named),) = cursor.fetchall()
    assert (found, named) == (value, type_)
    assert type(found) is type(value)
    # Scales, zones and signs too; but elements of a list are brought to one type.
    assert repr(found) == repr(value) or isinstance(value, list)


@pytest.mark.parametrize(
    ("value", "type_", "back"),
    [
        (2**63, "decimal(38,0)", Decimal(2**63)),
        (Decimal("1E+3"), "decimal(4,0)", Decimal(1000)),
        (bytearray(b"a"), "varbinary", b"a"),
        # An address in its name would make it another test for each worker.
        pytest.param(memoryview(b"a"), "varbinary", b"a", id="memoryview"),
        (Colour.RED, "varchar(3)", "red"),
        (Size.LARGE, "integer", 3),
    ],
    ids=str,
)
def test_a_parameter_comes_back_as_its_like(
    connection: sqe.Connection, value: Any, type_: str, back: Any
) -> None:
    ((found, named),) = connection.execute("SELECT ?, typeof(?)", (value, value)).fetchall()
    assert (found, named) == (back, type_)
    assert type(found) is type(back)


def test_the_second_of_two_equal_clock_times(connection: sqe.Connection) -> None:
    again = dt.datetime(2020, 10, 25, 2, 30, fold=1, tzinfo=BERLIN)
    ((found,),) = connection.execute("SELECT ?", [again]).fetchall()
    assert repr(found) == repr(again)


def test_nan(connection: sqe.Connection) -> None:
    ((found,),) = connection.execute("SELECT ?", (math.nan,)).fetchall()
    assert math.isnan(found)


RESULTS: list[tuple[str, str, Any]] = [
    ("CAST(1 AS tinyint)", "tinyint", 1),
    ("CAST(1 AS smallint)", "smallint", 1),
    ("CAST(0.5 AS real)", "real", 0.5),
    ("CAST('ab' AS char(4))", "char(4)", "ab  "),
    ("ARRAY[CAST('ab' AS char(4))]", "array(char(4))", ["ab  "]),
    ("INTERVAL '14' MONTH", "interval year to month", "1-2"),
    ("INTERVAL '-1-2' YEAR TO MONTH", "interval year to month", "-1-2"),
    (
        "ROW(INTERVAL '1' YEAR, ARRAY[INTERVAL '1' MONTH])",
        "row(interval year to month, array(interval year to month))",
        ("1-0", ["0-1"]),
    ),
    ("INTERVAL '1.5' SECOND", "interval day to second", dt.timedelta(seconds=1.5)),
    ("TIME '10:11:12.5'", "time(1)", dt.time(10, 11, 12, 500000)),
    (
        "TIMESTAMP '2020-01-01 01:00:00 +01:00'",
        "timestamp(0) with time zone",
        dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
    ),
    ("CAST(ROW(1, 'x') AS row(a integer, b varchar))", "row(a integer, b varchar)", (1, "x")),
    ("TIME '01:02:03 +05:30'", "time(0) with time zone", "01:02:03+05:30"),
    (
        "ARRAY[TIMESTAMP '2020-01-01 01:00:00.1234567']",
        "array(timestamp(7))",
        ["2020-01-01 01:00:00.1234567"],
    ),
    (
        "TIMESTAMP '0001-01-01 01:00:00 Asia/Tokyo'",
        "timestamp(0) with time zone",
        "0001-01-01 01:00:00 Asia/Tokyo",
    ),
    ("CAST(NULL AS timestamp(12))", "timestamp(12)", None),
    ("CAST(NULL AS uuid)", "uuid", None),
    ("CAST(NULL AS row(a integer))", "row(a integer)", None),
    ("CAST(NULL AS map(varchar, uuid))", "map(varchar, uuid)", None),
]


@pytest.mark.parametrize(("sql", "type_", "value"), RESULTS, ids=[sql for sql, _, _ in RESULTS])
def test_a_result(connection: sqe.Connection, sql: str, type_: str, value: Any) -> None:
    cursor = connection.execute(f"SELECT {sql}")
    assert cursor.description is not None and cursor.description[0].type_code == type_
    ((found,),) = cursor.fetchall()
    assert found == value and type(found) is type(value)


# Columns, the values of two rows, and what they are called when they are read.
STORED: list[tuple[str, list[Any], str]] = [
    ("boolean", [True, False], "boolean"),
    ("integer", [1, -(2**31)], "integer"),
    ("bigint", [1, 2**62], "bigint"),
    ("double", [1, 1.5], "double"),
    ("decimal(12,3)", [Decimal("1.500"), Decimal("2")], "decimal(12,3)"),
    ("varchar", ["a", "'ä'"], "varchar"),
    ("varchar(3)", ["a", "abc"], "varchar"),
    ("varbinary", [b"\x00", b""], "varbinary"),
    ("date", [dt.date(1, 1, 1), dt.date(9999, 12, 31)], "date"),
    ("timestamp(6)", [dt.datetime(2020, 1, 1, 1, 2, 3, 4), dt.datetime(1900, 1, 1)], "timestamp(6)"),
    (
        "timestamp(6) with time zone",
        [dt.datetime(2020, 7, 1, tzinfo=BERLIN), dt.datetime(2020, 1, 1, tzinfo=dt.UTC)],
        "timestamp(6) with time zone",
    ),
    ("uuid", [ID, uuid.UUID(int=0)], "uuid"),
    ("array(integer)", [[1, 2], []], "array(integer)"),
    ("map(varchar, bigint)", [{"a": 1}, {}], "map(varchar, bigint)"),
    ("row(x integer, y array(varchar))", [(1, ["a"]), (None, None)], "row(x integer, y array(varchar))"),
]


@pytest.mark.parametrize(("type_", "values", "read"), STORED, ids=[type_ for type_, _, _ in STORED])
def test_through_a_table(schema: sqe.Connection, type_: str, values: list[Any], read: str) -> None:
    schema.execute(f"CREATE TABLE t (n integer, c {type_})")
    rows = [*enumerate(values), (len(values), None)]
    cursor = schema.executemany("INSERT INTO t VALUES (?, ?)", rows)
    assert cursor.rowcount == len(rows)
    cursor = schema.execute("SELECT n, c FROM t ORDER BY n")
    assert cursor.description is not None and cursor.description[1].type_code == read
    assert cursor.fetchall() == rows
    ((found,),) = schema.execute("SELECT n FROM t WHERE c = ? ORDER BY n LIMIT 1", [values[0]]).fetchall()
    assert found == 0


@pytest.mark.parametrize(
    ("value", "code", "says"),
    [
        pytest.param(object(), "INVALID_PARAMETER_USAGE", "a object cannot be a value of SQL", id="object"),
        (1j, "INVALID_PARAMETER_USAGE", "complex"),
        ({1, 2}, "INVALID_PARAMETER_USAGE", "set"),
        ([1, "a"], "TYPE_MISMATCH", "of one type"),
        ((), "INVALID_PARAMETER_USAGE", "at least one field"),
        ({None: 1}, "INVALID_FUNCTION_ARGUMENT", "not NULL"),
        (10**38, "NUMERIC_VALUE_OUT_OF_RANGE", "38 digits"),
        (Decimal("1E+38"), "NUMERIC_VALUE_OUT_OF_RANGE", "38 digits"),
        (Decimal("1E-39"), "NUMERIC_VALUE_OUT_OF_RANGE", "38 digits"),
        (Decimal("NaN"), "NUMERIC_VALUE_OUT_OF_RANGE", "NaN is no decimal"),
        (Decimal("-Infinity"), "NUMERIC_VALUE_OUT_OF_RANGE", "is no decimal"),
        (dt.timedelta(microseconds=1), "NUMERIC_VALUE_OUT_OF_RANGE", "milliseconds"),
        (dt.timedelta.max // 1000 * 1000, "NUMERIC_VALUE_OUT_OF_RANGE", "too long|milliseconds"),
        (
            dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))),
            "NUMERIC_VALUE_OUT_OF_RANGE",
            "years 1 to 9999",
        ),
    ],
    ids=repr,
)
def test_values_that_cannot_be_parameters(
    connection: sqe.Connection, value: Any, code: str, says: str
) -> None:
    with pytest.raises(sqe.DatabaseError, match=f"parameter 2: .*({says})") as caught:
        connection.execute("SELECT ?, ?", (1, value))
    assert caught.value.code == code


def test_a_time_with_a_zone_is_no_parameter_of_a_server(
    request: pytest.FixtureRequest, connection: sqe.Connection
) -> None:
    value = dt.time(1, tzinfo=dt.UTC)
    if request.node.callspec.params["connection"] == "embedded":
        cursor = connection.execute("SELECT ?, ARRAY[?]", (value, value))
        assert cursor.fetchall() == [("01:00:00.000000+00:00", ["01:00:00.000000+00:00"])]
        return
    for inside in (value, [value]):
        with pytest.raises(sqe.NotSupportedError, match=r"parameter 2: .*time zone"):
            connection.execute("SELECT ?, ?", (1, inside))


def test_a_list_in_itself(connection: sqe.Connection) -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(sqe.ProgrammingError, match="nested too deeply"):
        connection.execute("SELECT ?", [endless])


def test_pandas_moments() -> None:
    import pandas as pd

    assert expression_of(pd.Timestamp("2020-01-01 00:00:00.000001")) == expression_of(
        dt.datetime(2020, 1, 1, 0, 0, 0, 1)
    )
    for value in (pd.Timestamp("2020-01-01 00:00:00.000000001"), pd.NaT, pd.Timedelta(1, "ns")):
        with pytest.raises(sqe.DatabaseError):
            expression_of(value)
