"""Values of every type for the `?` of a statement, and what a prepared statement says of itself."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import adbc_driver_manager
import pyarrow as pa
import pytest
from tests.clients.sql_values import VALUES, Value

MOMENT = dt.datetime(2024, 2, 29, 12, 34, 56, 789012)
# What a client may send, and what `SELECT ?` answers.
SENT: list[tuple[pa.DataType, Any, pa.DataType]] = [
    (pa.bool_(), False, pa.bool_()),
    (pa.int8(), -128, pa.int8()),
    (pa.int16(), 32767, pa.int16()),
    (pa.int32(), -(2**31), pa.int32()),
    (pa.int64(), 2**63 - 1, pa.int64()),
    (pa.uint8(), 255, pa.int16()),
    (pa.uint16(), 65535, pa.int32()),
    (pa.uint32(), 2**32 - 1, pa.int64()),
    (pa.uint64(), 2**64 - 1, pa.decimal128(20, 0)),
    (pa.float16(), 1.5, pa.float64()),
    (pa.float32(), 0.5, pa.float32()),
    (pa.float64(), -1e300, pa.float64()),
    (pa.float64(), math.inf, pa.float64()),
    (pa.decimal32(5, 2), Decimal("999.99"), pa.decimal128(5, 2)),
    (pa.decimal64(18, 0), Decimal(10**17), pa.decimal128(18, 0)),
    (pa.decimal128(38, 10), Decimal("-1.0000000001"), pa.decimal128(38, 10)),
    (pa.decimal256(38, 38), Decimal("0." + "9" * 38), pa.decimal128(38, 38)),
    (pa.string(), "東京 ' \\ 🙂", pa.string()),
    (pa.string(), "", pa.string()),
    (pa.large_string(), "x" * 100_000, pa.string()),
    (pa.string_view(), "seen from afar", pa.string()),
    (pa.dictionary(pa.int8(), pa.string()), "a", pa.string()),
    (pa.binary(), b"\x00\xff", pa.binary()),
    (pa.large_binary(), b"", pa.binary()),
    (pa.binary_view(), b"longer than twelve bytes", pa.binary()),
    (pa.binary(4), b"\x01\x02\x03\x04", pa.binary()),
    (pa.date32(), dt.date(9999, 12, 31), pa.date32()),
    (pa.date64(), dt.date(1, 1, 1), pa.date32()),
    (pa.time32("s"), dt.time(1, 2, 3), pa.time64("us")),
    (pa.time32("ms"), dt.time(1, 2, 3, 4000), pa.time64("us")),
    (pa.time64("us"), dt.time(23, 59, 59, 999999), pa.time64("us")),
    (pa.time64("ns"), dt.time(1, 2, 3, 4), pa.time64("us")),
    (pa.timestamp("s"), MOMENT.replace(microsecond=0), pa.timestamp("us")),
    (pa.timestamp("ms"), MOMENT.replace(microsecond=1000), pa.timestamp("us")),
    (pa.timestamp("us"), MOMENT, pa.timestamp("us")),
    (pa.timestamp("ns"), MOMENT, pa.timestamp("us")),
    (pa.timestamp("us", "UTC"), MOMENT.replace(tzinfo=dt.UTC), pa.timestamp("us", "UTC")),
    (pa.duration("ms"), dt.timedelta(days=1, milliseconds=5), pa.duration("us")),
    (pa.list_(pa.int32()), [1, None, 3], pa.list_(pa.field("element", pa.int32()))),
    (pa.large_list(pa.string()), ["a"], pa.list_(pa.field("element", pa.string()))),
    (pa.list_(pa.bool_(), 2), [True, None], pa.list_(pa.field("element", pa.bool_()))),
    (pa.map_(pa.string(), pa.int32()), [("a", 1)], pa.map_(pa.string(), pa.int32())),
    (pa.struct([("x", pa.int32()), ("y", pa.string())]), {"x": 1, "y": "b"}, None),
]
# A map cannot be compared in SQL, nor an array of them.
COMPARED = [value for value in VALUES if value.name not in ("map", "nested", "document")]


def _bound(kind: pa.DataType, *values: Any) -> pa.RecordBatch:
    if pa.types.is_dictionary(kind):
        return pa.record_batch({"p": pa.array(values, kind.value_type).dictionary_encode()})
    if pa.types.is_float16(kind):
        import numpy as np

        return pa.record_batch({"p": pa.array([np.float16(value) for value in values], kind)})
    return pa.record_batch({"p": pa.array(values, kind)})


@pytest.mark.parametrize(("kind", "value", "answer"), SENT, ids=lambda part: str(part)[:30])
def test_a_value_comes_back(cursor: Any, kind: pa.DataType, value: Any, answer: pa.DataType | None) -> None:
    cursor.execute("SELECT ? AS v", parameters=_bound(kind, value))
    table = cursor.fetch_arrow_table()
    [found] = table.column("v").to_pylist()
    assert (tuple(found.values()) if answer is None else found) == (
        tuple(value.values()) if answer is None else value
    )
    if answer is not None:
        assert table.schema.field("v").type == answer


def test_not_a_number(cursor: Any) -> None:
    cursor.execute("SELECT ?, ?", (math.nan, -math.inf))
    [(nan, low)] = cursor.fetchall()
    assert math.isnan(nan) and low == -math.inf


@pytest.mark.parametrize("kind", [kind for kind, _, _ in SENT if not pa.types.is_float16(kind)], ids=str)
def test_null_of_every_type(cursor: Any, kind: pa.DataType) -> None:
    cursor.execute("SELECT ? IS NULL", parameters=_bound(kind, None))
    assert cursor.fetchall() == [(True,)]


@pytest.mark.parametrize("value", COMPARED, ids=lambda value: value.name)
def test_a_parameter_may_have_the_type_that_is_asked_for(cursor: Any, value: Value) -> None:
    sql = f"SELECT {value.typed} IS NOT DISTINCT FROM ?"
    asked = cursor.adbc_prepare(sql)
    coarse = {"clock": pa.time32("ms"), "local": pa.timestamp("ms"), "instant": pa.timestamp("ms", "UTC")}
    assert asked.types == [coarse.get(value.name, value.arrow)]
    cursor.execute(sql, parameters=pa.table({"p": pa.array([value.python], value.arrow)}))
    assert cursor.fetchall() == [(True,)]


@pytest.mark.parametrize(
    ("sql", "asked", "value", "answer"),
    [
        ("SELECT ? * 2", pa.int32(), 3, 6),
        ("SELECT ? + ?", pa.float64(), 1.5, 3.0),
        ("SELECT abs(?)", pa.float64(), -3, 3),
        ("SELECT -?", pa.float64(), 3, -3),
        ("SELECT sum(?)", pa.float64(), 3, 3),
        ("SELECT ?", pa.string(), 3, 3),
    ],
)
def test_the_value_decides_where_many_types_would_do(
    cursor: Any, sql: str, asked: pa.DataType, value: Any, answer: Any
) -> None:
    """What is asked for is only what is best sent."""
    kinds = cursor.adbc_prepare(sql).types
    assert set(kinds) == {asked}
    cursor.execute(sql, [value] * len(kinds))
    [[found]] = cursor.fetchall()
    assert (found, type(found)) == (answer, type(answer))


def test_values_finer_than_microseconds_are_refused(cursor: Any) -> None:
    fine = pa.record_batch({"p": pa.array([1], pa.timestamp("ns"))})
    with pytest.raises(adbc_driver_manager.ProgrammingError, match=r"parameter 1.*microseconds"):
        cursor.execute("SELECT ?", parameters=fine)


@pytest.mark.parametrize("given", [(), (1,), (1, 2, 3)])
def test_too_few_and_too_many_are_refused(cursor: Any, given: tuple[int, ...]) -> None:
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="2 parameters"):
        cursor.execute("SELECT ? + ?", given)


def test_a_statement_is_prepared_once_and_run_often(cursor: Any) -> None:
    for n in range(3):
        cursor.execute("SELECT ? * 2 AS twice", (n,))
        assert cursor.fetchall() == [(2 * n,)]


def test_parameters_in_conditions_and_limits(cursor: Any) -> None:
    cursor.execute(
        "SELECT n FROM UNNEST(sequence(1, 100)) AS t(n) WHERE n BETWEEN ? AND ? AND n NOT IN (?) LIMIT ?",
        (10, 20, 15, 3),
    )
    assert len(cursor.fetchall()) == 3


def test_rows_of_parameters_are_for_inserts(cursor: Any) -> None:
    cursor.execute("CREATE TABLE one_by_one (a bigint)")
    for sql in ("DELETE FROM one_by_one WHERE a = ?", "INSERT INTO one_by_one SELECT ?"):
        with pytest.raises(adbc_driver_manager.NotSupportedError, match="only INSERT"):
            cursor.executemany(sql, [(1,), (2,)])
    cursor.execute("DROP TABLE one_by_one")


def test_every_type_into_a_table(cursor: Any) -> None:
    cursor.execute(
        "CREATE TABLE kept (b boolean, i integer, l bigint, f real, d double, n decimal(38, 2), s varchar,"
        " x varbinary, t date, m timestamp(6), z timestamp(6) with time zone, u uuid, a array(bigint),"
        " k map(varchar, bigint), r row(x bigint, y varchar))"
    )
    rows = pa.table(
        {
            "b": pa.array([True, None]),
            "i": pa.array([1, None], pa.int32()),
            "l": pa.array([2, None], pa.int64()),
            "f": pa.array([1.5, None], pa.float32()),
            "d": pa.array([math.inf, None]),
            "n": pa.array([Decimal("9" * 36 + ".99"), None], pa.decimal128(38, 2)),
            "s": pa.array(["a", None]),
            "x": pa.array([b"\x01", None]),
            "t": pa.array([dt.date(2024, 1, 1), None]),
            "m": pa.array([MOMENT, None]),
            "z": pa.array([MOMENT, None], pa.timestamp("us", "UTC")),
            "u": pa.array(["12151fd2-7586-11e9-8f9e-2a86e4085a59", None]),
            "a": pa.array([[1, None], None], pa.list_(pa.int64())),
            "k": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64())),
            "r": pa.array([{"x": 1, "y": "b"}, None], pa.struct([("x", pa.int64()), ("y", pa.string())])),
        }
    )
    marks = ", ".join("?" for _ in rows.column_names)
    cursor.executemany(f"INSERT INTO kept VALUES ({marks})", rows)
    assert cursor.rowcount == 2
    cursor.execute("SELECT * FROM kept ORDER BY i NULLS LAST")
    assert cursor.fetch_arrow_table().to_pylist() == rows.to_pylist()
    cursor.execute('SELECT count(*) FROM "kept$snapshots"')
    assert cursor.fetchall() == [(1,)]
    cursor.execute("DROP TABLE kept")


def test_a_thousand_rows_are_one_snapshot(cursor: Any) -> None:
    cursor.execute("CREATE TABLE many (a bigint, b varchar)")
    cursor.executemany("INSERT INTO many VALUES (?, ?)", [(n, f"row {n}") for n in range(1000)])
    assert cursor.rowcount == 1000
    cursor.execute('SELECT count(*), sum(a), (SELECT count(*) FROM "many$snapshots") FROM many')
    assert cursor.fetchall() == [(1000, 499500, 1)]
    cursor.execute("DROP TABLE many")


def test_updates_say_how_many_rows(cursor: Any) -> None:
    cursor.execute("CREATE TABLE counted (a bigint, b varchar)")
    for sql, given, rows in [
        ("INSERT INTO counted VALUES (1, 'a'), (2, 'b'), (3, NULL)", (), 3),
        ("INSERT INTO counted SELECT a + ?, b FROM counted", (10,), 3),
        ("UPDATE counted SET b = ? WHERE a > ?", ("new", 10), 3),
        ("DELETE FROM counted WHERE b IS NULL", (), 1),
        ("DELETE FROM counted WHERE a = ?", (99,), 0),
        (
            "MERGE INTO counted t USING (VALUES (?, 'm')) AS s(a, b) ON t.a = s.a"
            " WHEN MATCHED THEN UPDATE SET b = s.b WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b)",
            (1,),
            1,
        ),
    ]:
        cursor.execute(sql, given)
        assert cursor.rowcount == rows, sql
    cursor.execute("CREATE TABLE counted_too AS SELECT * FROM counted")
    assert cursor.rowcount == 5
    for table in ("counted", "counted_too"):
        cursor.execute(f"DROP TABLE {table}")


_ROW = pa.struct([("x", pa.int64()), ("y", pa.list_(pa.struct([("z", pa.string())])))])
# What is sent, and which type it is of, with a value and without.
NAMED: list[tuple[pa.DataType, Any, str]] = [
    (pa.int64(), 1, "bigint"),
    (pa.float32(), 1.5, "real"),
    (pa.decimal128(12, 3), Decimal(1), "decimal(12,3)"),
    (pa.decimal128(5, -3), Decimal("1E+3"), "decimal(8,0)"),
    (pa.decimal256(50, 2), Decimal("1.5"), "decimal(38,2)"),
    (pa.timestamp("s", "+05:30"), MOMENT, "timestamp(6) with time zone"),
    (pa.uuid(), b"\x00" * 16, "uuid"),
    (pa.list_(pa.int64()), [1], "array(bigint)"),
    (pa.list_(pa.int64()), [], "array(bigint)"),
    (pa.list_(pa.float32()), [1.5, None], "array(real)"),
    (pa.list_(pa.string()), ["a", "bcd"], "array(varchar)"),
    (pa.list_view(pa.int16()), [1, None], "array(smallint)"),
    (pa.list_(pa.decimal128(12, 3)), [Decimal("1.5")], "array(decimal(12,3))"),
    (pa.list_(pa.list_(pa.date32())), [[], None], "array(array(date))"),
    (pa.list_(pa.time64("ns")), [1000], "array(time(6))"),
    (pa.map_(pa.string(), pa.int64()), [("a", 1)], "map(varchar, bigint)"),
    (pa.map_(pa.int32(), pa.float64()), [], "map(integer, double)"),
    (_ROW, {"x": 1, "y": [{"z": "q"}, None]}, "row(x bigint, y array(row(z varchar)))"),
    (_ROW, {"x": None, "y": None}, "row(x bigint, y array(row(z varchar)))"),
]


@pytest.mark.parametrize(("kind", "value", "name"), NAMED, ids=lambda part: str(part)[:30])
def test_the_type_is_that_of_arrow_and_not_of_the_value(
    cursor: Any, kind: pa.DataType, value: Any, name: str
) -> None:
    stored = kind.storage_type if isinstance(kind, pa.UuidType) else kind
    for given in (value, None):
        sent = pa.array([given], stored).cast(kind)
        cursor.execute("SELECT ? AS v, typeof(?) AS t", parameters=pa.table([sent, sent], ["v", "t"]))
        found = cursor.fetch_arrow_table()
        assert found["t"].to_pylist() == [name]
        if not isinstance(kind, pa.UuidType):
            assert found["v"].to_pylist() == sent.to_pylist()


def test_a_row_keeps_the_names_of_its_fields(cursor: Any) -> None:
    sent = pa.array([{"x": 1, "y": [{"z": "q"}]}], _ROW)
    cursor.execute("SELECT ? AS v", parameters=pa.table({"p": sent}))
    assert cursor.fetch_arrow_table().to_pylist() == [{"v": sent[0].as_py()}]


@pytest.mark.parametrize(
    ("interval", "moment"),
    [
        ((1, 0, 0), dt.datetime(2024, 2, 29)),
        ((-13, 0, 0), dt.datetime(2022, 12, 31)),
        ((0, 2, 3_000_000), dt.datetime(2024, 2, 2, 0, 0, 0, 3000)),
        ((0, 0, -(10**9)), dt.datetime(2024, 1, 30, 23, 59, 59)),
        ((0, 0, 0), dt.datetime(2024, 1, 31)),
    ],
)
def test_an_interval_of_months_or_of_time(
    cursor: Any, interval: tuple[int, int, int], moment: dt.datetime
) -> None:
    sent = pa.table({"p": pa.array([interval], pa.month_day_nano_interval())})
    cursor.execute("SELECT TIMESTAMP '2024-01-31 00:00:00' + ?", parameters=sent)
    assert cursor.fetchall() == [(moment,)]


@pytest.mark.parametrize(
    ("interval", "why"),
    [
        ((1, 2, 0), "not of both"),
        ((1, 0, 1), "not of both"),
        ((0, 0, 1), "finer"),
        ((0, 0, 1000), "milliseconds"),
    ],
)
def test_an_interval_that_sql_has_not_is_refused(
    cursor: Any, interval: tuple[int, int, int], why: str
) -> None:
    sent = pa.array([interval], pa.month_day_nano_interval())
    with pytest.raises(adbc_driver_manager.ProgrammingError, match=f"parameter 1.*{why}"):
        cursor.execute("SELECT ?", parameters=pa.table({"p": sent}))
    with pytest.raises(adbc_driver_manager.ProgrammingError, match=r"parameter 1.*Arrow's type list"):
        inside = pa.ListArray.from_arrays([0, 1], sent)
        cursor.execute("SELECT ?", parameters=pa.table({"p": inside}))


@pytest.mark.parametrize("kind", [pa.timestamp("ns"), pa.time64("ns"), pa.duration("ns")], ids=str)
def test_finer_values_inside_others_are_refused(cursor: Any, kind: pa.DataType) -> None:
    for whole in (pa.list_(kind), pa.map_(pa.string(), kind), pa.struct([("x", kind)])):
        value = {"x": 1} if pa.types.is_struct(whole) else [("a", 1)] if pa.types.is_map(whole) else [1]
        with pytest.raises(adbc_driver_manager.ProgrammingError, match=r"parameter 1.*microseconds"):
            cursor.execute("SELECT ?", parameters=pa.table({"p": pa.array([value], whole)}))


def test_a_key_that_a_map_has_twice_is_refused(cursor: Any) -> None:
    twice = pa.array([[("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int64()))
    with pytest.raises(adbc_driver_manager.ProgrammingError, match=r"parameter 1.*each key once"):
        cursor.execute("SELECT ?", parameters=pa.table({"p": twice}))
