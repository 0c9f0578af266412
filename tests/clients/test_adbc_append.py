"""Bulk ingest into a table that exists: values as the columns have them, or an error that names it."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import adbc_driver_manager
import numpy as np
import pyarrow as pa
import pytest

COLUMNS = {
    "i": "integer",
    "l": "bigint",
    "r": "real",
    "d": "double",
    "n": "decimal(10, 2)",
    "w": "decimal(38, 30)",
    "s": "varchar",
    "t": "date",
    "m": "timestamp(6)",
    "a": "array(integer)",
    "k": "map(varchar, integer)",
    "o": "row(x integer, y decimal(5, 2))",
}
_MAP = pa.map_(pa.string(), pa.int64())
_ROW = pa.struct([("p", pa.int64()), ("q", pa.decimal128(20, 5))])
FITS: list[tuple[str, pa.Array, list[Any]]] = [
    ("i", pa.array([3, None, -(2**31)]), [3, None, -(2**31)]),
    ("i", pa.array([1.0, None]), [1, None]),
    ("i", pa.array([Decimal("7.00")]), [7]),
    ("i", pa.array([2**31 - 1], pa.uint64()), [2**31 - 1]),
    ("i", pa.array([7, None, 7]).dictionary_encode(), [7, None, 7]),
    ("l", pa.array([2**63 - 1], pa.uint64()), [2**63 - 1]),
    ("r", pa.array([0.1, math.inf, None]), [pa.scalar(0.1, pa.float32()).as_py(), math.inf, None]),
    ("r", pa.array([np.float16(1.5)], pa.float16()), [1.5]),
    ("d", pa.array([1, None], pa.int64()), [1.0, None]),
    ("n", pa.array([1, None, 99_999_999]), [Decimal("1.00"), None, Decimal("99999999.00")]),
    ("n", pa.array([1.5, 1e7, -0.01]), [Decimal("1.50"), Decimal("10000000.00"), Decimal("-0.01")]),
    ("n", pa.array([Decimal("1.5000")], pa.decimal128(38, 4)), [Decimal("1.50")]),
    ("n", pa.array([np.float16(0.5)], pa.float16()), [Decimal("0.50")]),
    ("w", pa.array([12345678]), [Decimal("12345678." + "0" * 30)]),
    ("m", pa.array([dt.date(2024, 1, 1)]), [dt.datetime(2024, 1, 1)]),
    ("a", pa.array([[1, None], None, []], pa.list_(pa.int64())), [[1, None], None, []]),
    ("a", pa.array([[None], None], pa.list_(pa.null())), [[None], None]),
    ("k", pa.array([[("a", 1)], None], _MAP), [[("a", 1)], None]),
    ("o", pa.array([{"p": 1, "q": Decimal("2.5")}, None], _ROW), [{"x": 1, "y": Decimal("2.50")}, None]),
]
MISFITS: list[tuple[str, pa.Array]] = [
    ("i", pa.array([1, 2**31])),
    ("i", pa.array([1.5])),
    ("i", pa.array([math.nan])),
    ("i", pa.array([2**40]).dictionary_encode()),
    ("r", pa.array([1e300])),
    ("n", pa.array([10**8])),
    ("n", pa.array([1.555])),
    ("n", pa.array([math.inf])),
    ("n", pa.array([Decimal("1.555")])),
    ("a", pa.array([[2**31]])),
    ("k", pa.array([[("a", 2**31)]], _MAP)),
]
OTHER_KINDS: list[tuple[str, pa.Array]] = [
    ("i", pa.array(["1"])),
    ("i", pa.array([True])),
    ("s", pa.array([1])),
    ("t", pa.array([dt.datetime(2024, 1, 1)])),
    ("a", pa.array([1])),
]


@pytest.fixture
def kept(cursor: Any) -> Iterator[Any]:
    cursor.execute(f"CREATE TABLE kept ({', '.join(map(' '.join, COLUMNS.items()))})")
    yield cursor
    cursor.execute("DROP TABLE kept")


def _rows(cursor: Any, column: str) -> list[Any]:
    cursor.execute(f"SELECT {column} FROM kept")
    found: list[Any] = cursor.fetch_arrow_table()[column].to_pylist()
    return found


@pytest.mark.parametrize("mode", ["append", "create_append"])
@pytest.mark.parametrize(
    ("column", "sent", "stored"), FITS, ids=lambda part: str(getattr(part, "type", ""))[:40]
)
def test_what_fits(kept: Any, column: str, sent: pa.Array, stored: list[Any], mode: str) -> None:
    assert kept.adbc_ingest("kept", pa.table({column.upper(): sent}), mode=mode) == len(sent)
    assert sorted(map(str, _rows(kept, column))) == sorted(map(str, stored))


@pytest.mark.parametrize(("column", "sent"), MISFITS, ids=lambda part: str(getattr(part, "type", part)))
def test_what_does_not_fit(kept: Any, column: str, sent: pa.Array) -> None:
    with pytest.raises(adbc_driver_manager.Error, match=f"column '{column}' is .*Arrow's type") as caught:
        kept.adbc_ingest("kept", pa.table({column: sent}), mode="append")
    assert "line" not in str(caught.value)
    assert _rows(kept, column) == []


@pytest.mark.parametrize(("column", "sent"), OTHER_KINDS, ids=lambda part: str(getattr(part, "type", part)))
def test_what_is_of_another_kind(kept: Any, column: str, sent: pa.Array) -> None:
    with pytest.raises(adbc_driver_manager.Error, match=f"column '{column}' is .*, the value is") as caught:
        kept.adbc_ingest("kept", pa.table({column: sent}), mode="append")
    assert "line" not in str(caught.value) and "CAST" not in str(caught.value)


def test_the_first_batch_may_fit_and_a_later_one_not(kept: Any) -> None:
    batches = [pa.record_batch({"i": pa.array([value])}) for value in (1, 2, 2**40)]
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    with pytest.raises(adbc_driver_manager.Error, match="column 'i' is integer"):
        kept.adbc_ingest("kept", reader, mode="append")
    assert _rows(kept, "i") == []


def test_columns_of_nulls_alone(kept: Any) -> None:
    assert kept.adbc_ingest("kept", pa.table({name: pa.nulls(2) for name in COLUMNS}), mode="append") == 2
    assert kept.adbc_ingest("kept", pa.table({"O": pa.nulls(1), "i": pa.array([1])}), mode="append") == 1
    kept.execute("SELECT * FROM kept ORDER BY i NULLS LAST")
    assert [[value for value in row if value is not None] for row in kept.fetchall()] == [[1], [], []]


def test_nulls_into_a_column_that_has_none(cursor: Any) -> None:
    cursor.execute("CREATE TABLE kept (i integer NOT NULL)")
    for nulls in (pa.nulls(1), pa.nulls(1, pa.int64())):
        with pytest.raises(adbc_driver_manager.Error):
            cursor.adbc_ingest("kept", pa.table({"i": nulls}), mode="append")
    assert _rows(cursor, "i") == []
    cursor.execute("DROP TABLE kept")


def test_a_new_table_keeps_what_is_sent(kept: Any) -> None:
    kept.adbc_ingest("kept", pa.table({"i": pa.array([2**40])}), mode="replace")
    assert _rows(kept, "i") == [2**40]
