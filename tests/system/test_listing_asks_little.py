"""A thousand tables in a schema: names are listed with a handful of calls, and one table's columns load
one table."""

from __future__ import annotations

import pytest
from tests.system.counting_catalog import Mounted, counting

from sqe.api.connection import Connection
from sqe.engine.spark.spark import Spark
from sqe.system.definitions import tables_in

TABLES = 1000


def crowded(connection: Connection) -> Connection:
    connection.execute("CREATE TABLE t (a bigint COMMENT 'x', b varchar)")
    connection.execute("CREATE VIEW v AS SELECT a FROM t")
    counting(connection).copy("t", TABLES)
    counting(connection).calls.clear()
    return connection


def test_show_loads_no_table(mounted: Mounted) -> None:
    connection = crowded(mounted())
    catalog = counting(connection)
    assert len(connection.execute("SHOW TABLES").fetchall()) == TABLES + 2
    assert catalog.loads == 0 and catalog.total <= 5
    catalog.calls.clear()
    assert connection.execute("SHOW TABLES LIKE 't_07_7'").fetchall() == [
        *((f"t_07{n}7",) for n in range(10))
    ]
    assert catalog.loads == 0 and catalog.total <= 5
    catalog.calls.clear()
    assert connection.execute("SHOW COLUMNS FROM t_0500").fetchall()[0][0] == "a"
    assert catalog.loads == 1 and catalog.total <= 5


@pytest.fixture
def many(mounted: Mounted, spark_lane: Spark) -> Connection:
    return crowded(mounted(spark=spark_lane))


COLUMNS = "FROM information_schema.columns"
# The query, how many rows it has, and how many tables it may load.
# With `t` and `v`, and those of the system.
LISTED = TABLES + 2 + len(tables_in("information_schema"))
QUERIES = [
    ("SELECT count(*) FROM information_schema.tables", LISTED, 0),
    ("SELECT table_name, table_type FROM information_schema.tables", LISTED, 0),
    ("SELECT table_name, table_comment FROM information_schema.tables WHERE table_name = 't'", 1, 1),
    ("SELECT * FROM information_schema.schemata", 2, 0),
    ("SELECT * FROM information_schema.views", 1, 1),
    (f"SELECT * {COLUMNS} WHERE table_name = 't_0500'", 2, 1),
    (f"SELECT * {COLUMNS} WHERE 't_0500' = table_name AND column_name LIKE 'a%'", 1, 1),
    (f"SELECT * {COLUMNS} WHERE table_name IN ('t_0500', 't_0501', 'nosuch')", 4, 2),
    (rf"SELECT * {COLUMNS} WHERE table_name LIKE 't\_050_' ESCAPE '\'", 20, 10),
    (rf"SELECT * {COLUMNS} WHERE table_name LIKE 't\_0500' ESCAPE '\'", 2, 1),
    (f"SELECT * {COLUMNS} WHERE table_schema = 'nosuch'", 0, 0),
    (f"SELECT * {COLUMNS} WHERE table_catalog = 'other'", 0, 0),
    (f"SELECT * {COLUMNS} WHERE table_name = 'v'", 1, 2),
    (f"SELECT * FROM (SELECT table_name AS n, column_name {COLUMNS}) WHERE n = 't_0500'", 2, 1),
    (f"WITH c AS (SELECT * {COLUMNS}) SELECT * FROM c WHERE table_name = 't_0500'", 2, 1),
    (f"SELECT table_name, count(*) {COLUMNS} GROUP BY 1 HAVING table_name = 't_0500'", 1, 1),
    (f"SELECT DISTINCT table_name {COLUMNS} WHERE table_name = 't_0500'", 1, 1),
    (f"SELECT * FROM (SELECT table_name {COLUMNS} UNION SELECT table_name FROM information_schema.views) "
     "WHERE table_name = 't_0500'", 1, 1),
    ("SELECT c.column_name FROM information_schema.tables t JOIN information_schema.columns c "
     "ON t.table_schema = c.table_schema AND t.table_name = c.table_name "
     "WHERE t.table_name = 't_0500'", 2, 1),
    ("SELECT c.column_name FROM information_schema.tables t LEFT JOIN information_schema.columns c "
     "USING (table_catalog, table_schema, table_name) WHERE table_name = 't_0500'", 2, 1),
    ("SELECT column_name FROM information_schema.columns c RIGHT JOIN (VALUES 't_0500', 'x') v(n) "
     "ON c.table_name = v.n AND c.table_name = 't_0500'", 3, 1),
    ("SELECT * FROM system.jdbc.tables WHERE table_cat = 'iceberg' AND table_schem LIKE 'default'",
     TABLES + 2, 0),
    ("SELECT * FROM system.jdbc.columns WHERE table_cat = 'iceberg' AND table_name LIKE 't_0500'", 2, 1),
    ("SELECT comment FROM system.metadata.table_comments WHERE catalog_name = 'iceberg' "
     "AND schema_name = 'default' AND table_name = 't_0500'", 1, 1),
]  # fmt: skip


@pytest.mark.spark
def test_system_tables_load_what_is_wanted_of_them(many: Connection) -> None:
    catalog = counting(many)
    for sql, rows, loads in QUERIES:
        catalog.calls.clear()
        assert len(many.execute(sql).fetchall()) == rows or "count(*)" in sql, sql
        assert catalog.loads == loads, (sql, catalog.calls)
        assert catalog.total - catalog.loads <= 10, (sql, catalog.calls)


@pytest.mark.spark
def test_without_a_condition_every_table_is_loaded_once(many: Connection) -> None:
    assert many.execute("SELECT count(*) FROM information_schema.columns").fetchall()[0][0] > 2 * TABLES
    assert counting(many).calls["find_table"] == TABLES + 1 + 1
