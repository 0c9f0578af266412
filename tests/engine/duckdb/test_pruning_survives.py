"""Our rendering of a predicate reads as few files as the query that one would write for Spark by hand.

Files are counted by Iceberg itself: the metrics of the scan that come with an answer.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from tests.plain_spark import plain_session

from sqe.api.connection import Connection
from sqe.statement import Statement, plan

pytestmark = pytest.mark.spark

# name -> columns' partitioning; `plain` has none, and eight files with their own bounds.
TABLES = {
    "plain": "",
    "by_i": "i",
    "by_s": "s",
    "by_dec": "dec",
    "by_d": "d",
    "bucket_id": "bucket(id, 4)",
    "bucket_s": "bucket(s, 4)",
    "bucket_d": "bucket(d, 4)",
    "truncate_s": "truncate(s, 1)",
    "truncate_id": "truncate(id, 10)",
    "year_ts": "year(ts)",
    "month_ts": "month(ts)",
    "day_ts": "day(ts)",
    "hour_ts": "hour(ts)",
    "year_tz": "year(tz)",
    "month_tz": "month(tz)",
    "day_tz": "day(tz)",
    "hour_tz": "hour(tz)",
    "year_d": "year(d)",
    "month_d": "month(d)",
    "day_d": "day(d)",
}
COLUMNS = """
id bigint, i integer, s varchar, dec decimal(10,2), r real, d date,
ts timestamp(6), tz timestamp(6) with time zone
"""
ROWS = """
SELECT x, CAST(x % 8 AS integer), chr(97 + CAST(x % 8 AS integer)) || CAST(x AS varchar),
  CAST(x % 8 AS decimal(10,2)), CAST(x AS real), date_add('day', x * 45, DATE '2023-01-01'),
  date_add('hour', x * 1081, TIMESTAMP '2023-01-01 00:30:00.000000'),
  date_add('hour', x * 1081, TIMESTAMP '2023-01-01 00:30:00.000000 UTC')
FROM UNNEST(sequence({first}, {last})) AS u(x)
"""
NULLS = "INSERT INTO {table} VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"

NUMBERS = ("plain", "bucket_id", "truncate_id")
TEXTS = ("plain", "by_s", "bucket_s", "truncate_s")
DATES = ("plain", "by_d", "bucket_d", "year_d", "month_d", "day_d")
STAMPS = ("plain", "year_ts", "month_ts", "day_ts", "hour_ts")
ZONED = ("plain", "year_tz", "month_tz", "day_tz", "hour_tz")
T0, T1 = "TIMESTAMP '2023-03-02 01:30:00'", "TIMESTAMP '2023-07-01 00:00:00'"
N0, N1 = "TIMESTAMP_NTZ '2023-03-02 01:30:00'", "TIMESTAMP_NTZ '2023-07-01 00:00:00'"
Z0, Z1 = "TIMESTAMP '2023-03-02 01:30:00 UTC'", "TIMESTAMP '2023-07-01 00:00:00 UTC'"
L0, L1 = "TIMESTAMP_LTZ '2023-03-02 01:30:00 UTC'", "TIMESTAMP_LTZ '2023-07-01 00:00:00 UTC'"

# tables, ours, Spark's
PREDICATES: list[tuple[tuple[str, ...], str, str]] = [
    (NUMBERS, "id = 12", "id = 12L"),
    (NUMBERS, "id < 5", "id < 5L"),
    (NUMBERS, "5 > id", "id < 5L"),
    (NUMBERS, "id BETWEEN 3 AND 9", "id BETWEEN 3L AND 9L"),
    (NUMBERS, "id IN (3, 12)", "id IN (3L, 12L)"),
    (NUMBERS, "id IS NULL", "id IS NULL"),
    (NUMBERS, "id IS NOT NULL AND id <= 2", "id <= 2L"),
    (NUMBERS, "id IS NOT DISTINCT FROM 12", "id <=> 12L"),
    (NUMBERS, "id = 12 OR id = 3", "id IN (3L, 12L)"),
    (NUMBERS, "NOT id >= 5", "id < 5L"),
    (NUMBERS, "id = DECIMAL '12'", "id = 12L"),
    (NUMBERS, "id = 12e0", "id = 12L"),
    (("plain", "by_i"), "i = 3", "i = 3"),
    (("plain", "by_i"), "i < 2", "i < 2"),
    (("plain", "by_i"), "i = BIGINT '3'", "i = 3"),
    (("plain", "by_i"), "i IN (1, 2)", "i IN (1, 2)"),
    (("plain", "by_i"), "i IS NULL", "i IS NULL"),
    (("plain", "by_dec"), "dec = 3", "dec = 3.00BD"),
    (("plain", "by_dec"), "dec < 2.5", "dec < 2.50BD"),
    (("plain", "by_dec"), "dec BETWEEN 1 AND 2", "dec BETWEEN 1.00BD AND 2.00BD"),
    (("plain", "by_dec"), "dec IN (1, 2.5)", "dec IN (1.00BD, 2.50BD)"),
    (("plain",), "r < REAL '5'", "r < 5F"),
    (("plain",), "r BETWEEN REAL '3' AND REAL '9'", "r BETWEEN 3F AND 9F"),
    (TEXTS, "s = 'e12'", "s = 'e12'"),
    (TEXTS, "s < 'c'", "s < 'c'"),
    (TEXTS, "s BETWEEN 'b' AND 'c'", "s BETWEEN 'b' AND 'c'"),
    (TEXTS, "s IN ('e12', 'd3')", "s IN ('e12', 'd3')"),
    (TEXTS, "s IS NULL", "s IS NULL"),
    (TEXTS, "s LIKE 'e%'", "s LIKE 'e%'"),
    (TEXTS, "s LIKE 'e12'", "s = 'e12'"),
    (TEXTS, "s LIKE 'e1%' ESCAPE '\\'", "s LIKE 'e1%'"),
    (TEXTS, "starts_with(s, 'e')", "startswith(s, 'e')"),
    (DATES, "d = DATE '2023-02-15'", "d = DATE '2023-02-15'"),
    (DATES, "d < DATE '2023-03-01'", "d < DATE '2023-03-01'"),
    (
        DATES,
        "d BETWEEN DATE '2023-03-01' AND DATE '2023-05-31'",
        "d BETWEEN DATE '2023-03-01' AND DATE '2023-05-31'",
    ),
    (DATES, "d IN (DATE '2023-02-15', DATE '2024-01-01')", "d IN (DATE '2023-02-15', DATE '2024-01-01')"),
    (DATES, "d IS NULL", "d IS NULL"),
    (DATES, "d < TIMESTAMP '2023-03-01 00:00:00'", "d < DATE '2023-03-01'"),
    (DATES, "year(d) = 2024", "d >= DATE '2024-01-01' AND d < DATE '2025-01-01'"),
    (DATES, "date_trunc('month', d) = DATE '2023-04-01'", "d >= DATE '2023-04-01' AND d < DATE '2023-05-01'"),
    (DATES, "date_trunc('year', d) >= DATE '2025-01-01'", "d >= DATE '2025-01-01'"),
    (STAMPS, f"ts = {T0}", f"ts = {N0}"),
    (STAMPS, f"ts < {T0}", f"ts < {N0}"),
    (STAMPS, f"ts BETWEEN {T0} AND {T1}", f"ts BETWEEN {N0} AND {N1}"),
    (STAMPS, f"ts IN ({T0}, {T1})", f"ts IN ({N0}, {N1})"),
    (STAMPS, "ts IS NULL", "ts IS NULL"),
    (STAMPS, "ts < DATE '2023-03-01'", "ts < TIMESTAMP_NTZ '2023-03-01 00:00:00'"),
    (STAMPS, "CAST(ts AS date) = DATE '2023-03-02'", "CAST(ts AS date) = DATE '2023-03-02'"),
    (STAMPS, "CAST(ts AS date) < DATE '2023-03-02'", "ts < TIMESTAMP_NTZ '2023-03-02 00:00:00'"),
    (
        STAMPS,
        "CAST(ts AS date) BETWEEN DATE '2023-03-02' AND DATE '2023-03-31'",
        "ts >= TIMESTAMP_NTZ '2023-03-02 00:00:00' AND ts < TIMESTAMP_NTZ '2023-04-01 00:00:00'",
    ),
    (
        STAMPS,
        "year(ts) = 2024",
        "ts >= TIMESTAMP_NTZ '2024-01-01 00:00:00' AND ts < TIMESTAMP_NTZ '2025-01-01 00:00:00'",
    ),
    (
        STAMPS,
        "year(ts) IN (2023, 2025) AND id > 0",
        "id > 0L AND (ts < TIMESTAMP_NTZ '2024-01-01 00:00:00' OR ts >= TIMESTAMP_NTZ '2025-01-01 00:00:00')",
    ),
    (STAMPS, "year(ts) > 2024", "ts >= TIMESTAMP_NTZ '2025-01-01 00:00:00'"),
    (
        STAMPS,
        "date_trunc('month', ts) = TIMESTAMP '2023-04-01 00:00:00'",
        "ts >= TIMESTAMP_NTZ '2023-04-01 00:00:00' AND ts < TIMESTAMP_NTZ '2023-05-01 00:00:00'",
    ),
    (
        STAMPS,
        "date_trunc('hour', ts) = TIMESTAMP '2023-03-02 01:00:00'",
        "ts >= TIMESTAMP_NTZ '2023-03-02 01:00:00' AND ts < TIMESTAMP_NTZ '2023-03-02 02:00:00'",
    ),
    (
        STAMPS,
        "date_trunc('day', ts) <= TIMESTAMP '2023-04-01 00:00:00'",
        "ts < TIMESTAMP_NTZ '2023-04-02 00:00:00'",
    ),
    (ZONED, f"tz = {Z0}", f"tz = {L0}"),
    (ZONED, f"tz < {Z0}", f"tz < {L0}"),
    (ZONED, f"tz BETWEEN {Z0} AND {Z1}", f"tz BETWEEN {L0} AND {L1}"),
    (ZONED, f"tz IN ({Z0}, {Z1})", f"tz IN ({L0}, {L1})"),
    (ZONED, "tz IS NULL", "tz IS NULL"),
    (
        ZONED,
        "CAST(tz AS date) = DATE '2023-03-02'",
        "tz >= TIMESTAMP_LTZ '2023-03-02 00:00:00 UTC' AND tz < TIMESTAMP_LTZ '2023-03-03 00:00:00 UTC'",
    ),
    (
        ZONED,
        "year(tz) = 2024",
        "tz >= TIMESTAMP_LTZ '2024-01-01 00:00:00 UTC' AND tz < TIMESTAMP_LTZ '2025-01-01 00:00:00 UTC'",
    ),
    (
        ZONED,
        "date_trunc('month', tz) = TIMESTAMP '2023-04-01 00:00:00 UTC'",
        "tz >= TIMESTAMP_LTZ '2023-04-01 00:00:00 UTC' AND tz < TIMESTAMP_LTZ '2023-05-01 00:00:00 UTC'",
    ),
]


@pytest.fixture(scope="module")
def lake(connect: Callable[..., Connection]) -> Connection:
    connection = connect(memory=True)
    connection.execute("SET SESSION lane = 'spark'")
    connection.execute("CREATE SCHEMA pruned")
    connection.execute("USE pruned")
    for name, transform in TABLES.items():
        options = f" WITH (partitioning = ARRAY['{transform}'])" if transform else ""
        connection.execute(f"CREATE TABLE {name} ({COLUMNS}){options}")
        step = 24 if transform else 3
        for first in range(1, 25, step):
            connection.execute(f"INSERT INTO {name} " + ROWS.format(first=first, last=first + step - 1))
        connection.execute(NULLS.format(table=name))
    return connection


def files_read(connection: Connection, sql: str) -> int:
    """How many data files the scans of a Spark statement planned to read."""
    from pyspark.sql.connect import proto

    session = plain_session(connection)
    plan = proto.Plan(root=proto.Relation(sql=proto.SQL(query=sql)))
    answers = session.connected()[1]._execute(plan, tag=f"count-{uuid.uuid4()}", deadline=None, sql=sql)
    scans: list[Any] = [node for answer in answers for node in answer.metrics.metrics]
    counted = [
        n.execution_metrics["resultDataFiles"].value
        for n in scans
        if "resultDataFiles" in n.execution_metrics
    ]
    # A scan that Spark found to be empty before it ran is no scan.
    return sum(counted)


def rendered(connection: Connection, sql: str) -> str:
    made = plan(Statement(sql, connection.session), connection.coordinator).rendered
    assert made is not None
    return made.sql


def test_the_count_is_of_files(lake: Connection) -> None:
    assert files_read(lake, "SELECT * FROM iceberg.pruned.plain") == 9
    assert files_read(lake, "SELECT * FROM iceberg.pruned.by_i") == 9
    assert files_read(lake, "SELECT * FROM iceberg.pruned.bucket_id") == 5


@pytest.mark.parametrize(("tables", "ours", "by_hand"), PREDICATES, ids=[ours for _, ours, _ in PREDICATES])
def test_as_few_files_as_by_hand(lake: Connection, tables: tuple[str, ...], ours: str, by_hand: str) -> None:
    counts = {}
    for table in tables:
        sql = rendered(lake, f"SELECT id FROM {table} WHERE {ours}")
        expected = files_read(lake, f"SELECT id FROM iceberg.pruned.{table} WHERE {by_hand}")
        got = files_read(lake, sql)
        if got != expected:
            counts[table] = f"{got} files instead of {expected}: {sql}"
    assert not counts
