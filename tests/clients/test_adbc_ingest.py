"""Bulk ingest with ADBC's driver: every mode, and every type of Arrow's."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import adbc_driver_manager
import numpy as np
import pyarrow as pa
import pytest

MOMENT = dt.datetime(2024, 2, 29, 12, 34, 56, 789012)
_STRUCT = pa.struct([("x", pa.int16()), ("y", pa.dictionary(pa.int32(), pa.string()))])
# What is sent, and what a table keeps of it.
KEPT: dict[str, tuple[pa.Array, pa.DataType]] = {
    "bool": (pa.array([True, None]), pa.bool_()),
    "int8": (pa.array([-128, None], pa.int8()), pa.int32()),
    "int16": (pa.array([-32768, None], pa.int16()), pa.int32()),
    "int32": (pa.array([2**31 - 1, None], pa.int32()), pa.int32()),
    "int64": (pa.array([-(2**63), None], pa.int64()), pa.int64()),
    "uint8": (pa.array([255, None], pa.uint8()), pa.int32()),
    "uint16": (pa.array([65535, None], pa.uint16()), pa.int32()),
    "uint32": (pa.array([2**32 - 1, None], pa.uint32()), pa.int64()),
    "uint64": (pa.array([2**64 - 1, None], pa.uint64()), pa.decimal128(20, 0)),
    "float16": (pa.array([np.float16(1.5), None], pa.float16()), pa.float32()),
    "float32": (pa.array([float("inf"), None], pa.float32()), pa.float32()),
    "float64": (pa.array([5e-324, None]), pa.float64()),
    "decimal32": (pa.array([Decimal("1.25"), None], pa.decimal32(5, 2)), pa.decimal128(5, 2)),
    "decimal64": (pa.array([Decimal(10**17), None], pa.decimal64(18, 0)), pa.decimal128(18, 0)),
    "decimal128": (pa.array([Decimal("9" * 38), None], pa.decimal128(38, 0)), pa.decimal128(38, 0)),
    "decimal256": (pa.array([Decimal("-0.01"), None], pa.decimal256(38, 2)), pa.decimal128(38, 2)),
    "string": (pa.array(["東京 🙂", None]), pa.string()),
    "large_string": (pa.array(["", None], pa.large_string()), pa.string()),
    "string_view": (pa.array(["longer than twelve bytes", None], pa.string_view()), pa.string()),
    "dictionary": (pa.array(["a", None]).dictionary_encode(), pa.string()),
    "numbers": (pa.array([7, None]).dictionary_encode(), pa.int64()),
    "binary": (pa.array([b"\x00\xff", None]), pa.binary()),
    "large_binary": (pa.array([b"", None], pa.large_binary()), pa.binary()),
    "binary_view": (pa.array([b"longer than twelve bytes", None], pa.binary_view()), pa.binary()),
    "fixed": (pa.array([b"abcd", None], pa.binary(4)), pa.binary()),
    "date32": (pa.array([dt.date(1, 1, 1), None]), pa.date32()),
    "date64": (pa.array([dt.date(9999, 12, 31), None], pa.date64()), pa.date32()),
    "seconds": (pa.array([MOMENT.replace(microsecond=0), None], pa.timestamp("s")), pa.timestamp("us")),
    "micros": (pa.array([MOMENT, None], pa.timestamp("us")), pa.timestamp("us")),
    "nanos": (pa.array([MOMENT, None], pa.timestamp("ns")), pa.timestamp("us")),
    "zoned": (pa.array([MOMENT, None], pa.timestamp("us", "Asia/Tokyo")), pa.timestamp("us", "UTC")),
    "list": (pa.array([[1, None], None], pa.list_(pa.int32())), pa.list_(pa.int32())),
    "large_list": (pa.array([["a"], None], pa.large_list(pa.string())), pa.list_(pa.string())),
    "fixed_list": (pa.array([[1.5, 2.5], None], pa.list_(pa.float32(), 2)), pa.list_(pa.float32())),
    "list_of_uint8": (pa.array([[255], None], pa.list_(pa.uint8())), pa.list_(pa.int32())),
    "map": (
        pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64())),
        pa.map_(pa.string(), pa.int64()),
    ),
    "struct": (
        pa.array([{"x": 1, "y": "b"}, None], pa.struct([("x", pa.int16()), ("y", pa.large_string())])),
        pa.struct([("x", pa.int32()), ("y", pa.string())]),
    ),
    "list_of_structs": (
        pa.array([[{"x": 1, "y": "b"}, None], None], pa.list_(_STRUCT)),
        pa.list_(pa.struct([("x", pa.int32()), ("y", pa.string())])),
    ),
}
REFUSED = {
    "time": pa.array([dt.time(1)]),
    "duration": pa.array([dt.timedelta(1)]),
    "month_day_nano": pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
    "null": pa.nulls(1),
    "too_wide": pa.array([Decimal("9" * 40)], pa.decimal256(40, 0)),
    "union": pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1]), pa.array(["a"])]),
}


@pytest.fixture
def sent(cursor: Any) -> Iterator[Any]:
    yield cursor
    cursor.execute("DROP TABLE IF EXISTS sent")


def test_every_type(sent: Any) -> None:
    rows = pa.table({name: array for name, (array, _) in KEPT.items()})
    assert sent.adbc_ingest("sent", rows, mode="create") == 2
    sent.execute('SELECT * FROM sent ORDER BY "bool" NULLS LAST')
    found = sent.fetch_arrow_table()
    assert found.to_pylist() == rows.to_pylist()
    kinds = {field.name: field.type for field in found.schema}
    for name, (_, kind) in KEPT.items():
        # The names of elements are nobody's business.
        assert pa.array([], kinds[name]).cast(kind).type == kind, name
        assert kinds[name].id == kind.id, name


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_table_cannot_keep_is_refused_by_name(sent: Any, name: str) -> None:
    with pytest.raises(adbc_driver_manager.NotSupportedError, match=name):
        sent.adbc_ingest("sent", pa.table({name: REFUSED[name]}), mode="create")
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="NOT_FOUND"):
        sent.execute("SELECT * FROM sent")


def test_modes(sent: Any) -> None:
    rows = pa.table({"a": [1, 2, 3]})
    with pytest.raises(adbc_driver_manager.Error, match="does not exist"):
        sent.adbc_ingest("sent", rows, mode="append")
    assert sent.adbc_ingest("sent", rows, mode="create") == 3
    with pytest.raises(adbc_driver_manager.Error, match="already exists"):
        sent.adbc_ingest("sent", rows, mode="create")
    assert sent.adbc_ingest("sent", rows, mode="append") == 3
    assert sent.adbc_ingest("sent", rows, mode="create_append") == 3
    sent.execute('SELECT count(*), (SELECT count(*) FROM "sent$snapshots") FROM sent')
    assert sent.fetchall() == [(9, 3)]
    assert sent.adbc_ingest("sent", pa.table({"b": ["x"]}), mode="replace") == 1
    sent.execute("SELECT * FROM sent")
    assert sent.fetch_arrow_table().to_pylist() == [{"b": "x"}]


def test_replace_and_create_append_make_tables(sent: Any) -> None:
    for mode in ("replace", "create_append"):
        assert sent.adbc_ingest("sent", pa.table({"a": [1]}), mode=mode) == 1
        sent.execute("DROP TABLE sent")


def test_columns_go_by_their_names(sent: Any) -> None:
    sent.adbc_ingest("sent", pa.table({"a": [1], "b": ["x"]}), mode="create")
    sent.adbc_ingest("sent", pa.table({"B": ["y"], "A": [2]}), mode="append")
    sent.execute("SELECT a, b FROM sent ORDER BY a")
    assert sent.fetchall() == [(1, "x"), (2, "y")]
    with pytest.raises(adbc_driver_manager.Error, match="'c'"):
        sent.adbc_ingest("sent", pa.table({"c": [1]}), mode="append")


def test_no_rows_are_a_table(sent: Any) -> None:
    # Of a table without batches the driver sends not even the schema.
    batch = pa.record_batch({"a": pa.array([], pa.int64())})
    assert sent.adbc_ingest("sent", batch, mode="create") == 0
    sent.execute("SELECT * FROM sent")
    assert sent.fetch_arrow_table().schema == pa.schema([("a", pa.int64())])


def test_batches_with_dictionaries_that_change(sent: Any) -> None:
    kind = pa.dictionary(pa.int8(), pa.string())
    batches = [
        pa.record_batch({"d": pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.int8()), names)})
        for names in (["a", "b"], ["c", "d"], ["c", "d", "e"])
    ]
    reader = pa.RecordBatchReader.from_batches(pa.schema([("d", kind)]), batches)
    assert sent.adbc_ingest("sent", reader, mode="create") == 9
    sent.execute("SELECT d, count(*) FROM sent GROUP BY d ORDER BY d NULLS LAST")
    assert sent.fetchall() == [("a", 1), ("b", 1), ("c", 2), ("d", 2), (None, 3)]


def test_into_another_schema(sent: Any) -> None:
    sent.execute("CREATE SCHEMA elsewhere")
    rows = pa.table({"a": [1]})
    assert sent.adbc_ingest("t", rows, mode="create", catalog_name="lake", db_schema_name="elsewhere") == 1
    sent.execute("SELECT a FROM lake.elsewhere.t")
    assert sent.fetchall() == [(1,)]
    with pytest.raises(adbc_driver_manager.Error, match="nowhere"):
        sent.adbc_ingest("t", rows, mode="create", db_schema_name="nowhere")
    with pytest.raises(adbc_driver_manager.NotSupportedError, match="temporary"):
        sent.adbc_ingest("t", rows, mode="create", temporary=True)
    sent.execute("DROP SCHEMA elsewhere CASCADE")


@pytest.mark.parametrize("columns", [["a", "A"], ["a", "a"]])
def test_two_columns_of_one_name_are_refused(sent: Any, columns: list[str]) -> None:
    rows = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=columns)
    with pytest.raises(adbc_driver_manager.Error, match="two columns"):
        sent.adbc_ingest("sent", rows, mode="create")


def test_a_value_that_does_not_fit_writes_nothing(sent: Any) -> None:
    fine = pa.table({"a": pa.array([1], pa.timestamp("ns"))})
    with pytest.raises(adbc_driver_manager.Error, match="'a'"):
        sent.adbc_ingest("sent", fine, mode="create")
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="NOT_FOUND"):
        sent.execute("SELECT * FROM sent")


def test_a_stream_that_breaks_off_writes_nothing(sent: Any) -> None:
    def some() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"a": pa.array([1])})
        raise OSError("the source is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), some())
    with pytest.raises(adbc_driver_manager.Error, match="gone"):
        sent.adbc_ingest("sent", reader, mode="create")
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="NOT_FOUND"):
        sent.execute("SELECT * FROM sent")


def test_large_rows_in_many_batches(sent: Any) -> None:
    batch = pa.record_batch({"n": pa.array(range(1000)), "s": pa.array(["x" * 2000] * 1000)})
    reader = pa.RecordBatchReader.from_batches(batch.schema, [batch] * 40)
    assert sent.adbc_ingest("sent", reader, mode="create") == 40_000
    sent.execute('SELECT count(*), sum(length(s)), (SELECT count(*) FROM "sent$snapshots") FROM sent')
    assert sent.fetchall() == [(40_000, 80_000_000, 1)]
