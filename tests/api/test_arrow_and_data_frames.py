"""Results as Arrow, and as what is made of Arrow without Python values in between."""

from __future__ import annotations

import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sqe

pytestmark = pytest.mark.spark

THREE = "SELECT n, CAST(n AS varchar) AS s FROM (VALUES 1, 2, 3) AS t (n) ORDER BY n"
WANTED = {"n": [1, 2, 3], "s": ["1", "2", "3"]}
FAILS = "SELECT 1 / n FROM (VALUES 0) AS t (n)"


@pytest.fixture
def cursor(connection: sqe.Connection) -> sqe.Cursor:
    return connection.execute(THREE)


def test_a_table(cursor: sqe.Cursor) -> None:
    table = cursor.fetch_arrow_table()
    assert table.schema == pa.schema([("n", pa.int32()), ("s", pa.string())])
    assert table.to_pydict() == WANTED


def test_batches_as_they_arrive(connection: sqe.Connection) -> None:
    cursor = connection.execute("SELECT * FROM TABLE(sequence(1, 250000)) AS t (n)")
    reader = cursor.fetch_record_batches()
    assert reader.schema == pa.schema([("n", pa.int64())])
    sizes = [batch.num_rows for batch in reader]
    assert sum(sizes) == 250000 and len(sizes) > 1


def test_a_result_without_rows_has_its_schema(connection: sqe.Connection) -> None:
    table = connection.execute(THREE.replace("ORDER", "WHERE n > 3 ORDER")).fetch_arrow_table()
    assert table.num_rows == 0 and table.schema.names == ["n", "s"]


def test_arrow_has_all_rows_wherever_the_cursor_stands(cursor: sqe.Cursor) -> None:
    assert cursor.fetchone() == (1, "1")
    assert cursor.fetch_arrow_table().to_pydict() == WANTED
    assert pa.table(cursor).to_pydict() == WANTED
    assert cursor.fetchall() == [(2, "2"), (3, "3")]


def test_libraries_read_the_cursor_itself(cursor: sqe.Cursor) -> None:
    assert pa.table(cursor).to_pydict() == WANTED
    assert pa.RecordBatchReader.from_stream(cursor).read_all().to_pydict() == WANTED
    assert pl.DataFrame(cursor).to_dict(as_series=False) == WANTED
    assert pd.DataFrame.from_arrow(cursor).to_dict("list") == WANTED


def test_data_frames(cursor: sqe.Cursor) -> None:
    assert cursor.df().to_dict("list") == cursor.fetch_df().to_dict("list") == WANTED
    assert cursor.pl().to_dict(as_series=False) == WANTED
    assert isinstance(cursor.df(), pd.DataFrame) and isinstance(cursor.pl(), pl.DataFrame)


def test_a_failure_is_ours_whoever_reads(connection: sqe.Connection) -> None:
    for read in (
        sqe.Cursor.fetch_arrow_table,
        sqe.Cursor.df,
        sqe.Cursor.pl,
        pa.table,
        pl.DataFrame,
        lambda cursor: list(cursor.fetch_record_batches()),
    ):
        cursor = connection.cursor()
        with pytest.raises(sqe.DataError) as caught:
            read(cursor.execute(FAILS))
        assert (caught.value.code, caught.value.query_id) == ("DIVISION_BY_ZERO", cursor.query_id)


def test_without_polars(cursor: sqe.Cursor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(sqe.InterfaceError, match="pip install polars"):
        cursor.pl()


def test_pandas_reads_sql_over_the_connection(connection: sqe.Connection) -> None:
    with pytest.warns(UserWarning, match="SQLAlchemy"):
        frame = pd.read_sql("SELECT ? AS a, 'x' AS b", connection, params=[1])
    assert frame.to_dict("list") == {"a": [1], "b": ["x"]}
