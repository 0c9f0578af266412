"""What statements must do in every catalog, on both lanes. A test file supplies `lake`, a connection whose
current catalog has the schema `s`, which is the current one."""

from __future__ import annotations

from typing import ClassVar

import pytest
from tests.plain_spark import run_plain

from sqe.api.connection import Connection
from sqe.commands import query
from sqe.errors import NotSupported
from sqe.statement import Statement, plan


def on_both_lanes(lake: Connection, query: str) -> list[tuple[object, ...]]:
    answers = []
    for lane in ("fast", "spark"):
        lake.execute(f"SET SESSION lane = '{lane}'")
        answers.append(lake.execute(query).fetchall())
    lake.execute("RESET SESSION lane")
    assert answers[0] == answers[1]
    return answers[0]


class StatementConformance:
    def test_rows_are_written_and_read(self, lake: Connection) -> None:
        lake.execute(
            "CREATE TABLE t (id bigint NOT NULL, name varchar, day date) "
            "WITH (partitioning = ARRAY['bucket(id, 2)', 'month(day)'])"
        )
        lake.execute("INSERT INTO t VALUES (1, 'a', DATE '2024-02-29'), (2, NULL, NULL), (3, 'c', NULL)")
        assert on_both_lanes(lake, "SELECT id, name FROM t ORDER BY id") == [(1, "a"), (2, None), (3, "c")]
        lake.execute("UPDATE t SET name = 'b' WHERE id = 2")
        lake.execute("DELETE FROM t WHERE id = 1")
        lake.execute(
            "MERGE INTO t USING (VALUES (3, 'd'), (4, 'e')) AS n (id, name) ON t.id = n.id "
            "WHEN MATCHED THEN UPDATE SET name = n.name "
            "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (n.id, n.name)"
        )
        assert on_both_lanes(lake, "SELECT id, name FROM T ORDER BY id") == [(2, "b"), (3, "d"), (4, "e")]
        assert lake.execute("DELETE FROM t").rowcount == 3
        assert on_both_lanes(lake, "SELECT count(*) FROM t") == [(0,)]

    def test_a_changed_table_is_one_to_both_engines(self, lake: Connection) -> None:
        lake.execute("CREATE TABLE changing (a integer, b varchar)")
        lake.execute("INSERT INTO changing VALUES (1, 'x')")
        lake.execute("ALTER TABLE changing ADD COLUMN c date")
        lake.execute("ALTER TABLE changing RENAME COLUMN b TO label")
        lake.execute("ALTER TABLE changing ALTER COLUMN a SET DATA TYPE bigint")
        lake.execute("INSERT INTO changing VALUES (5000000000, 'y', DATE '2024-01-01')")
        query = "SELECT a, label, c IS NULL FROM changing ORDER BY a"
        assert on_both_lanes(lake, query) == [(1, "x", True), (5000000000, "y", False)]
        lake.execute("CREATE OR REPLACE TABLE changing (other varchar)")
        assert on_both_lanes(lake, "SELECT * FROM changing") == []
        lake.execute("INSERT INTO changing VALUES ('z')")
        assert on_both_lanes(lake, "SELECT * FROM changing") == [("z",)]

    def test_a_table_is_made_of_a_query(self, lake: Connection) -> None:
        lake.execute("CREATE TABLE made AS SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS v (n, s)")
        assert on_both_lanes(lake, "SELECT n, s FROM made ORDER BY n") == [(1, "x"), (2, "y")]
        lake.execute("CREATE OR REPLACE TABLE made AS SELECT 3 AS n")
        assert on_both_lanes(lake, "SELECT * FROM made") == [(3,)]
        lake.execute("DROP TABLE made")
        assert ("made",) not in lake.execute("SHOW TABLES").fetchall()
        lake.execute("CREATE TABLE made AS SELECT 4 AS n")
        assert on_both_lanes(lake, "SELECT * FROM made") == [(4,)]

    def test_a_nested_schema_has_tables(self, lake: Connection) -> None:
        lake.execute("CREATE SCHEMA s.inner_one")
        lake.execute("CREATE TABLE s.inner_one.t AS SELECT 1 AS n")
        lake.execute("INSERT INTO s.inner_one.t VALUES (2)")
        assert on_both_lanes(lake, "SELECT sum(n) FROM s.inner_one.t") == [(3,)]
        lake.execute("DROP SCHEMA s.inner_one CASCADE")

    def test_the_past_is_read(self, lake: Connection) -> None:
        lake.execute("CREATE TABLE old_one AS SELECT 1 AS n")
        lake.execute("INSERT INTO old_one VALUES (2)")
        ids = lake.execute('SELECT snapshot_id FROM "old_one$snapshots" ORDER BY committed_at').fetchall()
        past = f"SELECT count(*) FROM old_one FOR VERSION AS OF {ids[0][0]}"
        assert on_both_lanes(lake, past) == [(1,)]

    @pytest.mark.long
    def test_what_was_bound_is_read_a_hundred_times(self, lake: Connection) -> None:
        for number in range(100):
            check_swapped(lake, number, self.swaps)

    swaps: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("DROP TABLE {t}", "CREATE TABLE {t} AS SELECT 'other' AS note, -1 AS id"),
        ("CREATE OR REPLACE TABLE {t} AS SELECT 'other' AS note",),
        ("ALTER TABLE {t} ADD COLUMN more bigint", "INSERT INTO {t} VALUES (-1, 'later', 2)"),
        ("DELETE FROM {t}",),
    )


def check_swapped(lake: Connection, number: int, swaps: tuple[tuple[str, ...], ...]) -> None:
    """Between bind and run others put something else in the place of a table: Spark reads what was bound."""
    table = f"swapped_{number}"
    lake.execute(f"CREATE TABLE {table} AS SELECT {number} AS id, 'bound' AS note")
    lake.execute("SET SESSION lane = 'spark'")
    statement = Statement(f"SELECT * FROM {table}", lake.session)
    planned = plan(statement, lake.coordinator)
    lake.execute("RESET SESSION lane")
    for other in swaps[number % len(swaps)]:
        lake.execute(other.format(t=table))
    query.execute(statement, planned, lake.coordinator)
    assert statement.result is not None and statement.lane == "spark"
    rows = [row for batch in statement.result.batches() for row in batch.to_pylist()]
    assert [tuple(row.values()) for row in rows] == [(number, "bound")], swaps[number % len(swaps)]


class ViewStatementConformance:
    swaps = (
        *StatementConformance.swaps,
        ("ALTER TABLE {t} RENAME TO {t}_away",),
        ("ALTER TABLE {t} RENAME TO {t}_away", "CREATE TABLE {t} AS SELECT -1 AS id, 'other' AS note"),
        ("ALTER TABLE {t} RENAME TO {t}_away", "CREATE VIEW {t} AS SELECT -1 AS id, 'view' AS note"),
    )

    def test_a_view_is_made_and_read(self, lake: Connection) -> None:
        lake.execute("CREATE TABLE viewed AS SELECT * FROM (VALUES 1, 2, 3) AS v (n)")
        lake.execute("CREATE VIEW big AS SELECT n FROM viewed WHERE n > 1")
        assert on_both_lanes(lake, "SELECT sum(n) FROM big") == [(5,)]
        lake.execute("CREATE OR REPLACE VIEW big AS SELECT n FROM viewed WHERE n > 2")
        lake.execute("COMMENT ON VIEW big IS 'large ones'")
        assert on_both_lanes(lake, "SELECT sum(n) FROM big") == [(3,)]
        lake.execute("ALTER VIEW big RENAME TO large")
        lake.execute("ALTER TABLE viewed RENAME TO renamed")
        assert ("renamed",) in lake.execute("SHOW TABLES").fetchall()
        lake.execute("DROP VIEW large")

    def test_a_view_is_one_to_spark_too(self, lake: Connection) -> None:
        lake.execute("CREATE VIEW v AS SELECT 1 AS a")
        catalog, schema = lake.session.catalog, ".".join(lake.session.namespace)
        assert run_plain(lake, f"SELECT a FROM {catalog}.{schema}.v") == [(1,)]


class NoViewStatements:
    # What is dropped is deleted there.
    swaps = StatementConformance.swaps[1:]

    def test_views_and_renaming_are_refused(self, lake: Connection) -> None:
        lake.execute("CREATE TABLE plain (a bigint)")
        for refused in (
            "CREATE VIEW v AS SELECT a FROM plain",
            "ALTER TABLE plain RENAME TO other",
            "ALTER SCHEMA s RENAME TO other",
            "CREATE TABLE elsewhere WITH (location = '/elsewhere') AS SELECT 1 AS a",
        ):
            with pytest.raises(NotSupported, match="of type hadoop"):
                lake.execute(refused)
