"""The metadata tables of a table say what Iceberg's own, in plain Spark, say of it."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import URL
from tests.plain_spark import run_plain as spark

from sqe.api.connection import Connection
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.errors import SqeError

pytestmark = pytest.mark.spark

_numbers = itertools.count(1)
Rows = list[tuple[Any, ...]]


def ours(connection: Connection, table: str, suffix: str, columns: Sequence[str]) -> Rows:
    listed = ", ".join(f'"{c}"' for c in columns)
    return comparable(connection.execute(f'SELECT {listed} FROM "{table}${suffix}"').fetchall())


def theirs(connection: Connection, table: str, suffix: str, columns: Sequence[str]) -> Rows:
    schema = connection.session.namespace[0]
    listed = ", ".join(f"`{c}`" for c in columns)
    return comparable(spark(connection, f"SELECT {listed} FROM iceberg.{schema}.{table}.{suffix}"))


def comparable(rows: Rows) -> Rows:
    return sorted((tuple(map(plain, row)) for row in rows), key=repr)


def plain(value: Any) -> Any:
    """Rows as tuples and maps as sorted pairs, however the two APIs return them."""
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return tuple(map(plain, value.values()))
    if isinstance(value, dict):
        return tuple(sorted(value.items()))
    if isinstance(value, list) and value and isinstance(value[0], tuple) and type(value[0][0]) is int:
        return tuple(sorted(value))
    if isinstance(value, (list, tuple)):
        return tuple(map(plain, value))
    return value


SNAPSHOTS = ("committed_at", "snapshot_id", "parent_id", "operation", "manifest_list")
HISTORY = ("made_current_at", "snapshot_id", "parent_id", "is_current_ancestor")
FILES = (
    *("content", "file_path", "file_format", "spec_id", "record_count", "file_size_in_bytes", "column_sizes"),
    *("value_counts", "null_value_counts", "nan_value_counts", "key_metadata", "split_offsets"),
    *("equality_ids", "sort_order_id"),
)
MANIFESTS = ("path", "length", "partition_spec_id", "added_snapshot_id")
COUNTS = ("added", "existing", "deleted")


def agree(connection: Connection, table: str) -> None:
    """Everything that both have."""
    for suffix, columns in (("snapshots", SNAPSHOTS), ("history", HISTORY), ("files", FILES)):
        assert ours(connection, table, suffix, columns) == theirs(connection, table, suffix, columns), suffix
    assert ours(connection, table, "refs", ("name", "type", "snapshot_id", "max_reference_age_in_ms",
                                            "min_snapshots_to_keep", "max_snapshot_age_in_ms")) == theirs(
        connection, table, "refs", ("name", "type", "snapshot_id", "max_reference_age_in_ms",
                                    "min_snapshots_to_keep", "max_snapshot_age_in_ms"))  # fmt: skip
    schema = connection.session.namespace[0]
    # Spark counts data and delete files of a manifest apart; a manifest has one kind.
    counted = ", ".join(f"{w}_data_files_count + {w}_delete_files_count" for w in COUNTS)
    kept = "path, length, partition_spec_id, added_snapshot_id"
    summed = f"SELECT {kept}, {counted}, partition_summaries FROM iceberg.{schema}.{table}.manifests"
    named = (*MANIFESTS, *(f"{w}_data_files_count" for w in COUNTS), "partition_summaries")
    assert ours(connection, table, "manifests", named) == comparable(spark(connection, summed))


def partitions(connection: Connection, table: str) -> Rows:
    return comparable(
        connection.execute(
            f'SELECT partition, record_count, file_count, total_size FROM "{table}$partitions"'
        ).fetchall()
    )


def sparks_partitions(connection: Connection, table: str) -> Rows:
    schema = connection.session.namespace[0]
    return comparable(
        spark(
            connection,
            "SELECT partition, sum(record_count), sum(file_count), sum(total_data_file_size_in_bytes) "
            f"FROM iceberg.{schema}.{table}.partitions WHERE file_count > 0 GROUP BY partition",
        )
    )


TRANSFORMS = [
    "name", "year(d)", "month(ts)", "day(tz)", "hour(tz)", "bucket(id, 4)", "truncate(name, 2)",
    "truncate(price, 100)", "id",
]  # fmt: skip
ROWS = """(1, 'Ann', DATE '2024-02-29', TIMESTAMP '2024-02-29 10:11:12.131415',
     TIMESTAMP '2024-02-29 23:30:00.000001 UTC', 12.34, true, 1.5, X'00ff'),
    (2, 'Bob', DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.999999',
     TIMESTAMP '1969-12-31 22:00:00 UTC', -0.01, false, nan(), X''),
    (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"""
COLUMNS = (
    "id bigint, name varchar, d date, ts timestamp(6), tz timestamp(6) with time zone, "
    "price decimal(9,2), ok boolean, ratio double, raw varbinary"
)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_partitioned_by_every_transform(schema: Connection, version: int) -> None:
    for number, group in enumerate((TRANSFORMS[:4], TRANSFORMS[4:])):
        listed = ", ".join(f"'{x}'" for x in group)
        schema.execute(
            f"CREATE TABLE t{number} ({COLUMNS}) "
            f"WITH (format_version = {version}, partitioning = ARRAY[{listed}])"
        )
        schema.execute(f"INSERT INTO t{number} VALUES {ROWS}")
        schema.execute(f"INSERT INTO t{number} VALUES {ROWS}")
        agree(schema, f"t{number}")
        assert partitions(schema, f"t{number}") == sparks_partitions(schema, f"t{number}")
        for suffix in ("files", "partitions"):
            assert ours(schema, f"t{number}", suffix, ["partition"])[0] != ((),)
        assert ours(schema, f"t{number}", "files", ["partition"]) == theirs(
            schema, f"t{number}", "files", ["partition"]
        )


def test_bounds_are_for_people(schema: Connection) -> None:
    schema.execute(f"CREATE TABLE t ({COLUMNS}, k uuid)")
    schema.execute(
        "INSERT INTO t SELECT id, name, d, ts, tz, price, ok, ratio, raw, "
        "UUID '12345678-9abc-def0-1234-56789abcdef0' FROM (VALUES "
        f"{ROWS}) v (id, name, d, ts, tz, price, ok, ratio, raw) WHERE id <> 2"
    )
    bounds: dict[int, set[str]] = {}
    for low, high in schema.execute('SELECT lower_bounds, upper_bounds FROM "t$files"').fetchall():
        for field, text in (*low.items(), *high.items()):
            bounds.setdefault(field, set()).add(text)
    assert bounds[1] == {"1", "3"}
    assert bounds[2] == {"Ann"}
    assert bounds[3] == {"2024-02-29"}
    assert bounds[4] == {"2024-02-29T10:11:12.131415"}
    assert bounds[5] == {"2024-02-29T23:30:00.000001+00:00"}
    assert bounds[6] == {"12.34"}
    assert bounds[7] == {"true"}
    assert bounds[8] == {"1.5"}
    assert bounds[9] == {"AP8="}
    assert bounds[10] == {"12345678-9abc-def0-1234-56789abcdef0"}
    chosen = "record_count, data.id, data.price.max, data.ratio.nan_count, data.name.null_count"
    sql = f'SELECT {chosen} FROM "t$partitions"'
    [(count, identity, price, nans, nulls)] = schema.execute(sql).fetchall()
    assert (count, tuple(identity)[:3], str(price), nans, nulls) == (2, (1, 3, 0), "12.34", 0, 1)


def test_a_spec_that_changed(schema: Connection) -> None:
    name = f"iceberg.{schema.session.namespace[0]}.t"
    schema.execute("CREATE TABLE t (id bigint, name varchar, d date) WITH (partitioning = ARRAY['month(d)'])")
    schema.execute("INSERT INTO t VALUES (1, 'a', DATE '2024-01-01'), (2, 'b', DATE '2024-02-01')")
    spark(schema, f"ALTER TABLE {name} ADD PARTITION FIELD bucket(2, id)")
    schema.execute("INSERT INTO t VALUES (3, 'c', DATE '2024-01-01')")
    spark(schema, f"ALTER TABLE {name} DROP PARTITION FIELD d_month")
    schema.execute("INSERT INTO t VALUES (4, 'd', DATE '2024-03-01')")
    spark(schema, f"ALTER TABLE {name} ADD PARTITION FIELD truncate(1, name) AS initial")
    schema.execute("INSERT INTO t VALUES (5, 'eee', NULL)")
    agree(schema, "t")
    assert ours(schema, "t", "files", ["partition"]) == theirs(schema, "t", "files", ["partition"])
    assert len(partitions(schema, "t")) == 5
    described = schema.execute('DESCRIBE "t$partitions"').fetchone()
    assert described is not None
    assert described[1] == "row(d_month integer, id_bucket_2 integer, initial varchar)"


@pytest.mark.parametrize("version", [2, 3])
def test_delete_files_and_deletion_vectors(schema: Connection, version: int) -> None:
    name = f"iceberg.{schema.session.namespace[0]}.t"
    schema.execute(
        f"CREATE TABLE t (id bigint, p varchar) WITH (format_version = {version}, partitioning = ARRAY['p'])"
    )
    spark(schema, f"ALTER TABLE {name} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    schema.execute("INSERT INTO t SELECT n, 'x' FROM UNNEST(sequence(1, 10)) u (n)")
    schema.execute("DELETE FROM t WHERE id < 4")
    agree(schema, "t")
    contents = {row[0] for row in ours(schema, "t", "files", ["content"])}
    assert contents == {0, 1}
    formats = {row for row in ours(schema, "t", "files", ["content", "file_format"])}
    assert (1, "PUFFIN" if version == 3 else "PARQUET") in formats
    assert sum(row[1] for row in partitions(schema, "t")) == 10, "rows of data files, deleted ones among them"
    assert schema.execute("SHOW STATS FOR t").fetchall()[-1][4] is None
    schema.execute("DELETE FROM t")
    agree(schema, "t")


def test_an_empty_table(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a bigint) WITH (partitioning = ARRAY['bucket(a, 2)'])")
    agree(schema, "t")
    for suffix in ("snapshots", "history", "refs", "files", "manifests", "partitions"):
        assert schema.execute(f'SELECT count(*) FROM "t${suffix}"').fetchall() == [(0,)], suffix


def test_nested_types(schema: Connection) -> None:
    schema.execute(
        "CREATE TABLE t (a array(row(x bigint, y varchar)), m map(varchar, double), "
        "r row(p row(q date), s real))"
    )
    schema.execute(
        "INSERT INTO t VALUES (ARRAY[ROW(1, 'a')], MAP(ARRAY['k'], ARRAY[1e0]), "
        "ROW(ROW(DATE '2024-01-01'), REAL '1.5')), (NULL, NULL, NULL)"
    )
    agree(schema, "t")
    assert "data" not in [row[0] for row in schema.execute('DESCRIBE "t$partitions"').fetchall()]
    assert schema.execute('SELECT record_count FROM "t$partitions"').fetchall() == [(2,)]


def test_columns_that_were_dropped_renamed_and_widened(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a integer, b varchar, c real)")
    schema.execute("INSERT INTO t VALUES (1, 'x', REAL '1.5')")
    schema.execute("ALTER TABLE t ALTER COLUMN a SET DATA TYPE bigint")
    schema.execute("ALTER TABLE t ALTER COLUMN c SET DATA TYPE double")
    schema.execute("ALTER TABLE t DROP COLUMN b")
    schema.execute("ALTER TABLE t RENAME COLUMN c TO d")
    schema.execute("ALTER TABLE t ADD COLUMN e bigint")
    schema.execute("INSERT INTO t VALUES (5000000000, DOUBLE '2.5', 7)")
    agree(schema, "t")
    [row] = schema.execute('SELECT data.a, data.d, data.e FROM "t$partitions"').fetchall()
    assert [tuple(column)[:2] for column in row] == [(1, 5000000000), (1.5, 2.5), (None, None)]
    stats = {row[0]: row[5:] for row in schema.execute("SHOW STATS FOR t").fetchall()}
    assert stats["a"] == ("1", "5000000000") and stats["e"] == (None, None)


def test_columns_that_no_engine_of_ours_reads(schema: Connection) -> None:
    catalog = schema.coordinator.catalogs.get("iceberg")
    assert isinstance(catalog, EmbeddedCatalog)
    uri = URL.create("sqlite", database=str(catalog.path / "sqe.db"), query={"timeout": "30"})
    with SqlCatalog("iceberg", uri=uri.render_as_string(), warehouse=f"file://{catalog.data}") as writer:
        columns = pa.schema([("a", pa.int64()), ("at", pa.time64("us"))])
        stored = writer.create_table((schema.session.namespace[0], "t"), columns)
        stored.append(pa.table({"a": [1, 2], "at": [dt.time(1, 2, 3), dt.time(4, 5, 6)]}, columns))
    [(count, data)] = schema.execute('SELECT record_count, data FROM "t$partitions"').fetchall()
    (first,) = data
    assert (count, first[:2]) == (2, (1, 2))
    [(bounds,)] = schema.execute('SELECT upper_bounds FROM "t$files"').fetchall()
    assert bounds == {1: "2", 2: "04:05:06"}
    stats = {row[0]: row[5:] for row in schema.execute("SHOW STATS FOR t").fetchall()}
    assert stats["at"] == ("01:02:03", "04:05:06")
    assert schema.execute("DESCRIBE t").fetchall()[1][:2] == ("at", "time(6)")


def test_a_partition_of_what_is_no_number(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a double, b bigint) WITH (partitioning = ARRAY['a'])")
    schema.execute("INSERT INTO t VALUES (nan(), 1), (1.0, 2)")
    schema.execute("INSERT INTO t VALUES (nan(), 3)")
    sql = 'SELECT is_nan(partition.a), record_count, data.b.min, data.b.max FROM "t$partitions" ORDER BY 2'
    assert schema.execute(sql).fetchall() == [(False, 1, 2, 2), (True, 2, 1, 3)]


def test_branches_and_tags(schema: Connection) -> None:
    name = f"iceberg.{schema.session.namespace[0]}.t"
    schema.execute("CREATE TABLE t (a bigint)")
    schema.execute("INSERT INTO t VALUES (1)")
    spark(
        schema,
        f"ALTER TABLE {name} CREATE BRANCH audit RETAIN 7 DAYS WITH SNAPSHOT RETENTION 2 SNAPSHOTS 3 DAYS",
    )
    spark(schema, f"ALTER TABLE {name} CREATE TAG eom RETAIN 30 DAYS")
    spark(schema, f"INSERT INTO {name}.branch_audit VALUES (2)")
    schema.execute("INSERT INTO t VALUES (3)")
    schema.execute("INSERT INTO t VALUES (4)")
    [(first, *_)] = schema.execute('SELECT snapshot_id FROM "t$snapshots" WHERE parent_id IS NULL').fetchall()
    spark(schema, f"CALL iceberg.system.rollback_to_snapshot('{schema.session.namespace[0]}.t', {first})")
    agree(schema, "t")
    assert [row[0] for row in ours(schema, "t", "refs", ["name", "type"])] == ["audit", "eom", "main"]
    ancestors = [row[0] for row in ours(schema, "t", "history", ["is_current_ancestor"])]
    assert ancestors.count(False) == 2


def test_properties_and_summaries(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a bigint) COMMENT 'x'")
    schema.execute("INSERT INTO t VALUES (1)")
    properties: dict[str, str] = dict(schema.execute('SELECT key, value FROM "t$properties"').fetchall())
    assert properties["comment"] == "x"
    sql = """SELECT summary['added-records'], element_at(summary, 'nosuch') FROM "t$snapshots" """
    assert schema.execute(sql).fetchall() == [("1", None)]


def test_they_stand_where_tables_stand(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a bigint)")
    schema.execute("INSERT INTO t VALUES (1)")
    schema.execute("INSERT INTO t VALUES (2)")
    sql = """SELECT count(*) FROM "t$snapshots" s JOIN "t$history" h ON s.snapshot_id = h.snapshot_id
        JOIN "t$manifests" m ON m.added_snapshot_id = s.snapshot_id"""
    assert schema.execute(sql).fetchall() == [(2,)]
    name = f'iceberg.{schema.session.namespace[0]}."T$Snapshots"'
    assert schema.execute(f"SELECT count(*) FROM {name} AS x").fetchall() == [(2,)]
    schema.execute('CREATE TABLE kept AS SELECT snapshot_id, committed_at FROM "t$snapshots"')
    assert schema.execute("SELECT count(*) FROM kept").fetchall() == [(2,)]
    schema.execute('CREATE VIEW sizes AS SELECT sum(file_size_in_bytes) AS size FROM "t$files"')
    assert schema.execute("SELECT size > 0 FROM sizes").fetchall() == [(True,)]


@pytest.mark.parametrize(("sql", "code"), [
    ('SELECT * FROM "t$nosuch"', "TABLE_NOT_FOUND"),
    ('SELECT * FROM "nosuch$files"', "TABLE_NOT_FOUND"),
    ('SELECT * FROM "v$files"', "NOT_SUPPORTED"),
    ('SELECT * FROM "t$files" FOR VERSION AS OF 1', "NOT_SUPPORTED"),
    ("SELECT * FROM \"t$files\" FOR TIMESTAMP AS OF TIMESTAMP '2024-01-01 00:00:00'", "NOT_SUPPORTED"),
    ('SELECT nosuch FROM "t$files"', "COLUMN_NOT_FOUND"),
    ('INSERT INTO "t$properties" VALUES (\'a\', \'b\')', "TABLE_NOT_FOUND"),
    ('DELETE FROM "t$snapshots"', "TABLE_NOT_FOUND"),
    ('DROP TABLE "t$files"', "TABLE_NOT_FOUND"),
])  # fmt: skip
def test_what_they_are_not(schema: Connection, sql: str, code: str) -> None:
    schema.execute("CREATE TABLE t (a bigint)")
    schema.execute("CREATE VIEW v AS SELECT a FROM t")
    with pytest.raises(SqeError) as error:
        schema.execute(sql)
    assert error.value.code == code
    assert error.value.position is not None
