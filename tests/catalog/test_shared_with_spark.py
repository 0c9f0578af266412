"""One warehouse, three writers: ours, Spark's JdbcCatalog and plain PyIceberg."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import URL

from sqe.catalog.backends.embedded import EmbeddedCatalog

if TYPE_CHECKING:
    from sqe.api.connection import Connection

pytestmark = pytest.mark.spark

SCHEMA = "shared_with_spark"


@pytest.fixture
def catalog(connection: Connection) -> Iterator[EmbeddedCatalog]:
    catalog = connection.coordinator.catalogs.get("iceberg")
    assert isinstance(catalog, EmbeddedCatalog)
    catalog.create_namespace((SCHEMA, "nested"))
    yield catalog
    catalog.drop_namespace((SCHEMA,), cascade=True)


@pytest.fixture
def plain(catalog: EmbeddedCatalog) -> Iterator[SqlCatalog]:
    uri = URL.create("sqlite", database=str(catalog.path / "sqe.db"), query={"timeout": "30"})
    location = f"file://{catalog.data}"
    with SqlCatalog("iceberg", uri=uri.render_as_string(), warehouse=location) as plain:
        yield plain  # type: ignore[misc]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_our_table_is_written_by_spark_and_read_by_pyiceberg(
    connection: Connection, catalog: EmbeddedCatalog, plain: SqlCatalog, version: int
) -> None:
    table = f"{SCHEMA}.nested.t{version}"
    connection.execute(
        f"CREATE TABLE {table} (id bigint NOT NULL, name varchar, day date) "
        f"WITH (format_version = {version}, partitioning = ARRAY['bucket(id, 2)', 'month(day)'])"
    )
    connection.execute(f"INSERT INTO {table} VALUES (1, 'a', DATE '2024-02-29'), (2, NULL, NULL)")
    stored = plain.load_table((SCHEMA, "nested", f"t{version}"))
    assert sorted(stored.scan().to_arrow()["id"].to_pylist()) == [1, 2]

    connection.execute(f"CREATE OR REPLACE TABLE {table} (code varchar)")
    assert connection.execute(f"SELECT * FROM {table}").fetchall() == []
    connection.execute(f"INSERT INTO {table} VALUES ('x')")
    assert connection.execute(f"SELECT code FROM {table}").fetchall() == [("x",)]
    assert plain.load_table((SCHEMA, "nested", f"t{version}")).scan().to_arrow().to_pylist() == [
        {"code": "x"}
    ]


def test_pyicebergs_table_is_read_and_written_by_spark(
    connection: Connection, catalog: EmbeddedCatalog, plain: SqlCatalog
) -> None:
    stored = plain.create_table((SCHEMA, "theirs"), pa.schema([("n", pa.int64())]))
    stored.append(pa.table({"n": [1, 2]}))
    connection.execute(f"INSERT INTO {SCHEMA}.theirs VALUES (3)")
    assert connection.execute(f"SELECT sum(n) FROM {SCHEMA}.theirs").fetchall() == [(6,)]
    assert sorted(stored.refresh().scan().to_arrow()["n"].to_pylist()) == [1, 2, 3]


def test_sparks_table_lies_in_a_directory_of_its_own(
    connection: Connection, catalog: EmbeddedCatalog
) -> None:
    connection.execute(f"CREATE TABLE {SCHEMA}.made AS SELECT 1 AS n")
    table = catalog.find_table((SCHEMA,), "made")
    assert table.location.startswith(f"file://{catalog.data}/{SCHEMA}/made-")
    connection.execute(f'CREATE TABLE {SCHEMA}."../../up" AS SELECT 1 AS n')
    table = catalog.find_table((SCHEMA,), "../../up")
    assert f"{catalog.data}/{SCHEMA}/" in table.location
    assert connection.execute(f'SELECT n FROM {SCHEMA}."../../up"').fetchall() == [(1,)]


@pytest.mark.parametrize("version", [1, 2])
def test_spark_goes_on_after_all_rows_were_deleted_without_it(
    connection: Connection, catalog: EmbeddedCatalog, plain: SqlCatalog, version: int
) -> None:
    table = f"{SCHEMA}.emptied{version}"
    connection.execute(
        f"CREATE TABLE {table} (id bigint, day date, price decimal(9, 2)) WITH (format_version = {version}, "
        "partitioning = ARRAY['bucket(id, 2)', 'month(day)', 'price'])"
    )
    rows = "VALUES (1, DATE '2024-02-29', 1.5), (2, NULL, NULL), (3, DATE '0001-01-01', -0.01)"
    connection.execute(f"INSERT INTO {table} {rows}")
    connection.execute(f"INSERT INTO {table} {rows}")
    name = catalog.find_table((SCHEMA,), f"emptied{version}").name
    full = catalog.find_table(name.namespace, name.name).current_snapshot_id
    assert catalog.delete_all(name) == 6
    connection.execute("SET SESSION lane = 'spark'")
    try:
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchall() == [(0,)]
        past = f"SELECT count(*), sum(price) FROM {table} FOR VERSION AS OF {full}"
        assert [tuple(map(str, row)) for row in connection.execute(past).fetchall()] == [("6", "2.98")]
        connection.execute(f"INSERT INTO {table} {rows}")
        connection.execute(f"UPDATE {table} SET id = id + 1 WHERE day IS NULL")
        assert connection.execute(f"SELECT sum(id) FROM {table}").fetchall() == [(7,)]
    finally:
        connection.execute("RESET SESSION lane")
    assert sorted(plain.load_table((*name.namespace, name.name)).scan().to_arrow()["id"].to_pylist()) == [
        1,
        3,
        3,
    ]
    assert catalog.delete_all(name) == 3
