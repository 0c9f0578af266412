"""Times that no engine has are constants: they are folded and shown, and nothing is computed with them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest

from sqe.api.connection import Connection, connect
from sqe.errors import SqeError

FINE = "TIMESTAMP '2001-08-22 03:04:05.123456789'"
ZONED = "TIME '01:02:03 +05:30'"
COLUMN = f"(VALUES ({FINE}, {ZONED})) AS t (fine, zoned)"


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with connect(memory=True) as connected:
        connected.execute("SET SESSION lane = 'fast'")
        connected.execute("CREATE TABLE known (s varchar, at timestamp(6))")
        yield connected


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE TABLE t AS SELECT {FINE} AS x",
        f"CREATE TABLE t AS SELECT ARRAY[{ZONED}] AS x",
        "CREATE TABLE t (x time(3) with time zone)",
        f"CREATE VIEW v AS SELECT {ZONED} AS x",
        f"INSERT INTO known (at) SELECT {FINE}",
        f"INSERT INTO known (at) VALUES {FINE}",
        f"UPDATE known SET at = {FINE}",
        f"SELECT * FROM known WHERE at < {FINE}",
        f"SELECT * FROM known WHERE at IN ({FINE})",
        f"SELECT coalesce(at, {FINE}) FROM known",
        f"SELECT at FROM known UNION ALL SELECT {FINE}",
        f"SELECT year({FINE})",
        f"SELECT {FINE} + INTERVAL '1' DAY",
        f"SELECT {FINE} AT TIME ZONE 'Asia/Tokyo'",
        f"SELECT {ZONED} || 'a'",
        f"SELECT {ZONED} IS DISTINCT FROM {ZONED}",
        f"SELECT format('%s', {ZONED})",
        f"SELECT ARRAY[{ZONED}][1]",
        f"SELECT contains(ARRAY[{ZONED}], {ZONED})",
        f"SELECT map_keys(MAP(ARRAY[{ZONED}], ARRAY[1]))",
        f"SELECT MAP(ARRAY[{ZONED}, NULL], ARRAY[1, 2])",
        f"SELECT MAP(ARRAY[zoned], ARRAY[1]) FROM {COLUMN}",
        f"SELECT CAST({ZONED} AS timestamp(3))",
        f"SELECT CAST({ZONED} AS json)",
        f"SELECT CAST(ARRAY[{ZONED}] AS array(varchar))",
        f"SELECT CAST(fine AS varchar) FROM {COLUMN}",
        "SELECT CAST(s AS time(3) with time zone) FROM known",
        f"SELECT zoned FROM {COLUMN} ORDER BY 1",
        f"SELECT DISTINCT zoned FROM {COLUMN}",
        f"SELECT zoned FROM {COLUMN} GROUP BY 1",
        f"SELECT zoned FROM {COLUMN} UNION SELECT {ZONED}",
        f"SELECT zoned FROM {COLUMN} INTERSECT ALL SELECT {ZONED}",
        f"SELECT zoned FROM {COLUMN} EXCEPT SELECT {ZONED}",
        f"SELECT max(fine) FROM {COLUMN}",
        f"SELECT count(DISTINCT fine) FROM {COLUMN}",
        f"SELECT array_agg(fine ORDER BY zoned) FROM {COLUMN}",
        f"SELECT row_number() OVER (ORDER BY fine) FROM {COLUMN}",
        f"SELECT row_number() OVER (PARTITION BY fine) FROM {COLUMN}",
        f"SELECT 1 FROM {COLUMN} JOIN (VALUES {ZONED}) AS u (zoned) USING (zoned)",
        f"SELECT zoned = ANY (SELECT {ZONED}) FROM {COLUMN}",
        f"SELECT zoned IN (SELECT {ZONED}) FROM {COLUMN}",
        f"SELECT CASE zoned WHEN {ZONED} THEN 1 END FROM {COLUMN}",
    ],
)
def test_it_is_refused(connection: Connection, statement: str) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute(statement)
    assert error.value.code == "NOT_SUPPORTED", error.value.message


def test_where_they_are_handed_on(connection: Connection) -> None:
    sql = f"""
        SELECT zoned, ARRAY[zoned, NULL], ROW(fine, 1), coalesce(NULL, zoned), zoned IS NULL, typeof(fine),
               CASE WHEN rand() < 2 THEN fine END, (SELECT {ZONED}),
               CAST(ROW(fine) AS row(a timestamp(9)))
        FROM {COLUMN} CROSS JOIN UNNEST(ARRAY[{ZONED}]) AS u (element)
    """
    time, stamp = "01:02:03+05:30", "2001-08-22 03:04:05.123456789"
    (row,) = connection.execute(sql).fetchall()
    assert row == (time, [time, None], (stamp, 1), time, False, "timestamp(9)", stamp, time, (stamp,))


def test_parameters(connection: Connection) -> None:
    offset = dt.timezone(dt.timedelta(hours=-5, minutes=-30))
    value = dt.time(16, 43, 22, 320000, offset)
    cursor = connection.execute("SELECT ?, typeof(?)", (value, value))
    assert cursor.fetchall() == [("16:43:22.320000-05:30", "time(6) with time zone")]
    connection.execute("PREPARE p FROM SELECT ?, ?")
    cursor = connection.execute(f"EXECUTE p USING {FINE}, ARRAY[{ZONED}]")
    assert cursor.fetchall() == [("2001-08-22 03:04:05.123456789", ["01:02:03+05:30"])]
    with pytest.raises(SqeError) as error:
        connection.execute("SELECT ?", (dt.time(1, tzinfo=dt.timezone(dt.timedelta(hours=15))),))
    assert error.value.code == "INVALID_PARAMETER_USAGE"


def test_the_session_has_a_zone(connection: Connection) -> None:
    connection.execute("SET TIME ZONE 'Asia/Kolkata'")
    try:
        cursor = connection.execute(
            f"""
            SELECT CAST('01:02:03' AS time(0) with time zone), CAST({FINE} AS timestamp(7) with time zone),
                   CAST('2001-08-22 03:04' AS timestamp(9) with time zone)
            """
        )
        assert cursor.fetchall() == [
            (
                "01:02:03+05:30",
                "2001-08-22 03:04:05.1234568 Asia/Kolkata",
                "2001-08-22 03:04:00.000000000 Asia/Kolkata",
            )
        ]
    finally:
        connection.execute("SET TIME ZONE 'UTC'")
