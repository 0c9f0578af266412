"""Times of day: read from text, taken from timestamps, and moved around midnight."""

from __future__ import annotations

from datetime import time, timedelta

import pytest

from sqe.api.connection import Connection
from sqe.errors import SqeError

pytestmark = pytest.mark.spark


def column(text: str) -> str:
    """A relation of one text, so that nothing is known before."""
    return f"(SELECT concat(x, '') AS x FROM (VALUES '{text}') AS t (x))"


def test_a_text_is_read_as_a_time(connection: Connection) -> None:
    read = {
        "12:34:56.789": time(12, 34, 56, 789000),
        "12:34:56 ": time(12, 34, 56),
        "12:34": time(12, 34),
        "1:2:3": time(1, 2, 3),
        "12:34:56.7895": time(12, 34, 56, 790000),
        "23:59:59.9999": time(0),
    }
    columns = ", ".join(
        f"{word}(max(x) FILTER (WHERE k = {i}) AS time(3))"
        for i in range(len(read))
        for word in ("CAST", "TRY_CAST")
    )
    rows = ", ".join(f"({i}, '{text}')" for i, text in enumerate(read))
    got = connection.execute(f"SELECT {columns} FROM (VALUES {rows}) AS t (k, x)").fetchall()[0]
    assert list(got) == [value for value in read.values() for _ in range(2)]
    sql = (
        "SELECT CAST(x AS time(6)), CAST(x AS time(0)), CAST(CAST(x AS time) AS varchar),"
        " CAST(ARRAY[x] AS array(time(0))), TRY(CAST(concat(x, 'x') AS time)), CAST(nullif(x, x) AS time)"
        f" FROM {column('23:59:59.1234567')}"
    )
    expected = (time(23, 59, 59, 123457), time(23, 59, 59), "23:59:59.123", [time(23, 59, 59)], None, None)
    assert connection.execute(sql).fetchall() == [expected]


BAD = [" 12:34:56", "24:00:00", "12:60:00", "12:34:60", "12", "12:34:56+01:00", "", "012:34:56", "12:34:56."]


def test_what_is_no_time(connection: Connection) -> None:
    tries = ", ".join(f"TRY_CAST(x || '{text}' AS time)" for text in BAD)
    assert set(connection.execute(f"SELECT {tries} FROM {column('')}").fetchall()[0]) == {None}
    for text in BAD[:3]:
        with pytest.raises(SqeError) as error:
            connection.execute(f"SELECT CAST(x AS time) FROM {column(text)}").fetchall()
        assert error.value.code == "INVALID_CAST_ARGUMENT"


@pytest.mark.parametrize(
    "expression", ["CAST(DATE '2020-01-01' AS time)", "TIME '10:00' + INTERVAL '1' MONTH"]
)
def test_what_has_no_time(connection: Connection, expression: str) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute(f"EXPLAIN SELECT {expression}")
    assert error.value.code == "TYPE_MISMATCH"


def test_the_time_of_a_timestamp(connection: Connection) -> None:
    sql = """
    SELECT CAST(m AS time), CAST(m AS time(1)), CAST(m AS time(0)), CAST(z AS time),
           CAST(nullif(m, m) AS time)
    FROM (SELECT CAST(x AS timestamp(3)) AS m, CAST(x AS timestamp(3)) AT TIME ZONE 'Europe/Vienna' AS z
          FROM (VALUES '2020-01-01 23:59:59.789') AS t (x))
    """
    expected = (time(23, 59, 59, 789000), time(23, 59, 59, 800000), time(0), time(0, 59, 59, 789000), None)
    assert connection.execute(sql).fetchall() == [expected]


def test_arithmetic_begins_anew_after_midnight(connection: Connection) -> None:
    moved = {
        "t + INTERVAL '1' HOUR": ("time(3)", time(0, 30)),
        "t - INTERVAL '1' DAY": ("time(3)", time(23, 30)),
        "INTERVAL '90' MINUTE + t": ("time(3)", time(1)),
        "TIME '00:30:00' - INTERVAL '1.5' SECOND": ("time(3)", time(0, 29, 58, 500000)),
        "t - TIME '12:00:00'": ("interval day to second", timedelta(hours=11, minutes=30)),
        "TIME '12:00:00' - t": ("interval day to second", -timedelta(hours=11, minutes=30)),
        "date_add('hour', 15, t)": ("time(0)", time(14, 30)),
        "date_add('second', -86401, t)": ("time(0)", time(23, 29, 59)),
        "date_add('millisecond', 500, t)": ("time(0)", time(23, 30, 1)),
        "date_diff('minute', t, TIME '10:00:00')": ("bigint", -810),
        "date_diff('second', TIME '12:00:00.9', TIME '12:00:01.8')": ("bigint", 0),
        "date_trunc('hour', t)": ("time(0)", time(23)),
        "extract(hour FROM t) * 100 + extract(minute FROM t)": ("bigint", 2330),
        "TRY(t + INTERVAL '1' HOUR)": ("time(3)", time(0, 30)),
    }
    cursor = connection.execute(
        f"SELECT {', '.join(moved)} FROM (SELECT CAST(x AS time(0)) AS t FROM {column('23:30')})"
    )
    assert [str(described[1]) for described in cursor.description or ()] == [t for t, _ in moved.values()]
    assert list(cursor.fetchall()[0]) == [value for _, value in moved.values()]


@pytest.mark.parametrize("call", ["date_add('day', 1, t)", "date_trunc('day', t)", "date_diff('week', t, t)"])
def test_a_time_has_no_days(connection: Connection, call: str) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute(f"EXPLAIN SELECT {call} FROM (VALUES TIME '10:00:00') AS v (t)")
    assert error.value.code == "INVALID_FUNCTION_ARGUMENT"
