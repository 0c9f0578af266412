"""Tables of every kind that Iceberg has, for whoever compares how they are read. Made by one Spark."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from tests.plain_spark import plain_session

from sqe.api.connection import Connection

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class TableKind:
    """`kind` is how the fast lane reads it: plain, iceberg or denied. Of the steps, those that begin with
    `spark:` are Spark's own SQL. `as_of` is what stands behind the table's name to read it."""

    name: str
    kind: str
    steps: tuple[str, ...]
    as_of: str = ""


COLUMNS = (
    "id bigint, i integer, x double, r real, dec decimal(12,2), ok boolean, s varchar, b varbinary, "
    "d date, ts timestamp(6), tz timestamp(6) with time zone"
)
ROWS = """INSERT INTO {t} VALUES
    (1, 1, 1.5, REAL '0.1', 12.34, true, 'Ann', X'00ff', DATE '2024-02-29',
     TIMESTAMP '2024-02-29 10:11:12.131415', TIMESTAMP '2024-02-29 23:30:00.000001 UTC'),
    (2, -7, -0.25, REAL '-2', -0.01, false, 'Bob', X'', DATE '1969-12-31',
     TIMESTAMP '1969-12-31 23:59:59.999999', TIMESTAMP '1969-12-31 22:00:00 UTC'),
    (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"""
MORE = """INSERT INTO {t} VALUES (4, 2147483647, 1e300, REAL '3', 9999999999.99, true, 'Zoë 😀', X'ff',
     DATE '2024-03-01', TIMESTAMP '2024-03-01 00:00:00', TIMESTAMP '2024-03-01 00:00:00 UTC')"""
TWO = (
    "CREATE TABLE {t} (a integer, b varchar, c bigint)",
    "INSERT INTO {t} VALUES (1, 'x', 10), (2, 'y', 20)",
)
NESTED = (
    "CREATE TABLE {t} (id bigint, p row(x integer, y varchar), l array(integer), m map(varchar, bigint), "
    "ls array(row(q bigint, w varchar)))",
    "INSERT INTO {t} VALUES (1, ROW(1, 'a'), ARRAY[1, NULL], MAP(ARRAY['k'], ARRAY[5]), ARRAY[ROW(1, 'z')]), "
    "(2, NULL, NULL, NULL, NULL), (3, ROW(NULL, NULL), ARRAY[], MAP(), ARRAY[NULL])",
)
MERGE_ON_READ = (
    "spark: ALTER TABLE {t} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read', "
    "'write.update.mode' = 'merge-on-read')"
)


def _partitioned(transform: str) -> TableKind:
    name = "partitioned_" + "".join(c if c.isalnum() else "_" for c in transform).strip("_")
    create = f"CREATE TABLE {{t}} ({COLUMNS}) WITH (partitioning = ARRAY['{transform}'])"
    return TableKind(name, "plain", (create, ROWS, MORE))


def _written_in(form: str) -> TableKind:
    create = (
        f"spark: CREATE TABLE {{t}} (a bigint) USING iceberg TBLPROPERTIES ('write.format.default'='{form}')"
    )
    return TableKind(f"{form}_files", "denied", (create, "spark: INSERT INTO {t} VALUES (1), (2)"))


KINDS: tuple[TableKind, ...] = (
    TableKind("unpartitioned", "plain", (f"CREATE TABLE {{t}} ({COLUMNS})", ROWS, MORE)),
    *(TableKind(f"version_{n}", "plain", (
        f"CREATE TABLE {{t}} ({COLUMNS}) WITH (format_version = {n})", ROWS, MORE,
    )) for n in (1, 3)),
    TableKind("empty", "plain", (f"CREATE TABLE {{t}} ({COLUMNS})",)),
    TableKind("emptied", "plain", (*TWO, "DELETE FROM {t}")),
    TableKind("rewritten_by_deletes", "plain", (*TWO, "DELETE FROM {t} WHERE a = 1")),
    *map(_partitioned, ("s", "d", "ok", "dec", "bucket(id, 4)", "bucket(s, 3)", "truncate(s, 2)",
                        "truncate(id, 10)", "year(d)", "month(ts)", "day(tz)", "hour(ts)")),
    TableKind("partitioning_changed", "plain", (
        f"CREATE TABLE {{t}} ({COLUMNS}) WITH (partitioning = ARRAY['month(d)'])", ROWS,
        "spark: ALTER TABLE {t} ADD PARTITION FIELD bucket(2, id)", MORE,
        "spark: ALTER TABLE {t} DROP PARTITION FIELD months(d)", ROWS,
    )),
    TableKind("column_added", "plain", (
        *TWO, "ALTER TABLE {t} ADD COLUMN e double", "INSERT INTO {t} VALUES (3, 'z', 30, 1.5)",
    )),
    TableKind("column_dropped", "plain", (
        *TWO, "ALTER TABLE {t} DROP COLUMN b", "INSERT INTO {t} VALUES (3, 30)",
    )),
    TableKind("column_dropped_and_added_again", "plain", (
        *TWO, "ALTER TABLE {t} DROP COLUMN b", "ALTER TABLE {t} ADD COLUMN b varchar",
        "INSERT INTO {t} VALUES (3, 30, 'new')",
    )),
    TableKind("column_renamed", "plain", (
        *TWO, "ALTER TABLE {t} RENAME COLUMN b TO name", "INSERT INTO {t} VALUES (3, 'z', 30)",
    )),
    TableKind("names_swapped", "plain", (
        *TWO, "ALTER TABLE {t} RENAME COLUMN a TO tmp", "ALTER TABLE {t} RENAME COLUMN c TO a",
        "ALTER TABLE {t} RENAME COLUMN tmp TO c", "INSERT INTO {t} VALUES (3, 'z', 30)",
    )),
    TableKind("columns_reordered", "plain", (
        *TWO, "spark: ALTER TABLE {t} ALTER COLUMN c FIRST", "INSERT INTO {t} VALUES (30, 3, 'z')",
    )),
    TableKind("integer_widened", "plain", (
        *TWO, "ALTER TABLE {t} ALTER COLUMN a SET DATA TYPE bigint",
        "INSERT INTO {t} VALUES (5000000000, 'z', 30)",
    )),
    TableKind("decimal_widened", "plain", (
        "CREATE TABLE {t} (a decimal(5,2), b decimal(18,2))", "INSERT INTO {t} VALUES (1.23, -4.56)",
        "ALTER TABLE {t} ALTER COLUMN a SET DATA TYPE decimal(20,2)",
        "ALTER TABLE {t} ALTER COLUMN b SET DATA TYPE decimal(38,2)",
        "INSERT INTO {t} VALUES (123456789012.34, 123456789012345678.90)",
    )),
    TableKind("nested", "plain", NESTED),
    TableKind("nested_column_renamed", "plain", (*NESTED, "ALTER TABLE {t} RENAME COLUMN p TO renamed")),
    TableKind("nested_column_added", "plain", (
        *TWO, "ALTER TABLE {t} ADD COLUMN p row(x bigint, y array(varchar))",
        "INSERT INTO {t} VALUES (3, 'z', 30, ROW(1, ARRAY['v']))",
    )),
    TableKind("odd_names", "plain", (
        'CREATE TABLE {t} ("we ird" integer, "q""x\'" integer, "a.b" integer, "Größe" integer, '
        '"file_row_number" integer, "filename" integer, "SELECT" integer)',
        "INSERT INTO {t} VALUES (1, 2, 3, 4, 5, 6, 7)",
    )),
    TableKind("earlier_snapshot", "plain", (
        *TWO, "ALTER TABLE {t} RENAME COLUMN b TO name", "INSERT INTO {t} VALUES (3, 'z', 30)",
    ), as_of="FOR VERSION AS OF {first}"),
    TableKind("tag", "plain", (
        *TWO, "spark: ALTER TABLE {t} CREATE TAG eom", "ALTER TABLE {t} ADD COLUMN e double",
        "INSERT INTO {t} VALUES (3, 'z', 30, 1.5)",
    ), as_of="FOR VERSION AS OF 'eom'"),
    TableKind("branch", "plain", (
        *TWO, "spark: ALTER TABLE {t} CREATE BRANCH audit",
        "spark: INSERT INTO {t}.branch_audit VALUES (3, 'z', 30)",
    ), as_of="FOR VERSION AS OF 'audit'"),
    TableKind("position_deletes", "iceberg", (
        "CREATE TABLE {t} (a integer, b varchar)", MERGE_ON_READ, "INSERT INTO {t} VALUES (-1, NULL)",
        "INSERT INTO {t} SELECT CAST(n AS integer), 'x' FROM UNNEST(sequence(1, 100)) u (n)",
        "DELETE FROM {t} WHERE a % 3 = 0",
    )),
    TableKind("deletion_vectors", "iceberg", (
        "CREATE TABLE {t} (a integer, b varchar) WITH (format_version = 3)", MERGE_ON_READ,
        "INSERT INTO {t} SELECT CAST(n AS integer), 'x' FROM UNNEST(sequence(1, 100)) u (n)",
        "DELETE FROM {t} WHERE a % 3 = 0",
    )),
    TableKind("partitioned_deletes", "iceberg", (
        "CREATE TABLE {t} (a integer, b varchar) WITH (partitioning = ARRAY['b'])", MERGE_ON_READ,
        "INSERT INTO {t} SELECT CAST(n AS integer), 'x' FROM UNNEST(sequence(1, 100)) u (n)",
        "INSERT INTO {t} VALUES (3, 'y')", "DELETE FROM {t} WHERE a = 1",
    )),
    TableKind("nested_field_added", "iceberg", (
        *NESTED, "ALTER TABLE {t} ADD COLUMN p.z bigint",
        "INSERT INTO {t} VALUES (4, ROW(4, 'd', 44), NULL, NULL, NULL)",
    )),
    TableKind("nested_field_renamed", "iceberg", (
        *NESTED, "ALTER TABLE {t} RENAME COLUMN p.x TO xx",
        "INSERT INTO {t} VALUES (4, ROW(4, 'd'), NULL, NULL, NULL)",
    )),
    TableKind("nested_field_dropped_and_added_again", "iceberg", (
        *NESTED, "ALTER TABLE {t} DROP COLUMN p.x", "ALTER TABLE {t} ADD COLUMN p.x integer",
        "INSERT INTO {t} VALUES (4, ROW('d', 4), NULL, NULL, NULL)",
    )),
    _written_in("orc"),
    _written_in("avro"),
    TableKind("real_widened", "denied", (
        "CREATE TABLE {t} (a real)", "INSERT INTO {t} VALUES (REAL '0.1')",
        "ALTER TABLE {t} ALTER COLUMN a SET DATA TYPE double", "INSERT INTO {t} VALUES (0.1)",
    )),
    TableKind("real_widened_in_a_row", "denied", (
        "CREATE TABLE {t} (id bigint, p row(x real))", "INSERT INTO {t} VALUES (1, ROW(REAL '0.1'))",
        "spark: ALTER TABLE {t} ALTER COLUMN p.x TYPE double", "INSERT INTO {t} VALUES (2, ROW(0.1))",
    )),
    TableKind("branch_with_other_columns", "denied", (
        *TWO, "spark: ALTER TABLE {t} CREATE BRANCH audit", "ALTER TABLE {t} ADD COLUMN e double",
    ), as_of="FOR VERSION AS OF 'audit'"),
    TableKind("names_differ_in_case", "denied", (
        "spark: CREATE TABLE {t} (a bigint, A bigint) USING iceberg", "spark: INSERT INTO {t} VALUES (1, 2)",
    )),
)  # fmt: skip


def build(connection: Connection, kind: TableKind) -> str:
    """Makes the table in the current schema, and says what to select from."""
    schema = connection.session.namespace[0]
    session = plain_session(connection)
    for step in kind.steps:
        if step.startswith("spark: "):
            sql = step.removeprefix("spark: ").replace("{t}", f"iceberg.{schema}.{kind.name}")
            for _ in session.run(sql, statement_id=f"kind-{next(_numbers)}"):
                pass
        else:
            connection.execute(step.replace("{t}", kind.name)).close()
    first = ""
    if "{first}" in kind.as_of:
        [(first,)] = connection.execute(
            f'SELECT snapshot_id FROM "{kind.name}$snapshots" WHERE parent_id IS NULL'
        ).fetchall()
    return f"{kind.name} {kind.as_of.replace('{first}', str(first))}".strip()
