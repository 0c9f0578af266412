"""Zones: each value is shown in its own, and what depends on a zone is computed in it."""

from __future__ import annotations

import datetime as dt
import threading
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sqe.api.connection import Connection
from sqe.errors import SqeError

TOKYO, BERLIN, KOLKATA = ZoneInfo("Asia/Tokyo"), ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kolkata")


@pytest.fixture
def berlin(connection: Connection) -> Any:
    connection.execute("SET TIME ZONE 'Europe/Berlin'")
    yield connection
    connection.execute("SET TIME ZONE 'UTC'")


def one(connection: Connection, sql: str) -> Any:
    rows = connection.execute(sql).fetchall()
    assert len(rows) == 1 and len(rows[0]) == 1
    return rows[0][0]


def as_text(connection: Connection, expression: str) -> str:
    """As the engine prints it, from a row that it reads, so that nothing is known before."""
    return str(one(connection, f"SELECT CAST({expression} AS varchar) FROM (VALUES 1) AS t (one)"))


def test_a_literal_keeps_its_zone(connection: Connection) -> None:
    value = one(connection, "SELECT TIMESTAMP '2024-05-10 12:00:00 Asia/Tokyo'")
    assert value == dt.datetime(2024, 5, 10, 12, tzinfo=TOKYO)
    assert str(value.tzinfo) == "Asia/Tokyo"


@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        ("TIMESTAMP '2024-05-10 12:00:00 UTC' AT TIME ZONE 'Asia/Tokyo'", "2024-05-10 21:00:00 Asia/Tokyo"),
        ("TIMESTAMP '2024-05-10 12:00:00 UTC' AT TIME ZONE '+05:30'", "2024-05-10 17:30:00 +05:30"),
        ("at_timezone(TIMESTAMP '2024-05-10 12:00:00', 'Asia/Tokyo')", "2024-05-10 21:00:00 Asia/Tokyo"),
        ("with_timezone(TIMESTAMP '2024-05-10 12:00:00', 'Asia/Tokyo')", "2024-05-10 12:00:00 Asia/Tokyo"),
        ("from_unixtime(0, 'Asia/Kolkata')", "1970-01-01 05:30:00.000 Asia/Kolkata"),
        ("from_unixtime(0, 5, 30)", "1970-01-01 05:30:00.000 +05:30"),
        ("from_iso8601_timestamp('2024-05-10T01:02:03+02:00')", "2024-05-10 01:02:03.000 +02:00"),
        (
            "CAST('2024-05-10 12:00 Asia/Tokyo' AS timestamp(3) with time zone)",
            "2024-05-10 12:00:00.000 Asia/Tokyo",
        ),
        # In the spring gap the clock goes on; in the autumn overlap the earlier offset is meant.
        (
            "with_timezone(TIMESTAMP '2024-03-31 02:30:00', 'Europe/Berlin')",
            "2024-03-31 03:30:00 Europe/Berlin",
        ),
        (
            "with_timezone(TIMESTAMP '2024-10-27 02:30:00', 'Europe/Berlin') AT TIME ZONE 'UTC'",
            "2024-10-27 00:30:00 UTC",
        ),
    ],
)
def test_zones_are_changed_and_given(connection: Connection, expression: str, printed: str) -> None:
    assert as_text(connection, expression) == printed


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("hour(x)", 2),
        ("day(x)", 11),
        ("minute(x)", 15),
        ("day_of_week(x)", 6),
        ("CAST(x AS date)", dt.date(2024, 5, 11)),
        ("CAST(x AS timestamp)", dt.datetime(2024, 5, 11, 2, 15)),
        ("date_trunc('day', x)", dt.datetime(2024, 5, 11, tzinfo=KOLKATA)),
        ("date_trunc('hour', x)", dt.datetime(2024, 5, 11, 2, tzinfo=KOLKATA)),
        ("date_add('day', 1, x)", dt.datetime(2024, 5, 12, 2, 15, tzinfo=KOLKATA)),
        ("date_add('hour', 1, x)", dt.datetime(2024, 5, 11, 3, 15, tzinfo=KOLKATA)),
        ("x + INTERVAL '1' MONTH", dt.datetime(2024, 6, 11, 2, 15, tzinfo=KOLKATA)),
        ("x + INTERVAL '1' DAY", dt.datetime(2024, 5, 12, 2, 15, tzinfo=KOLKATA)),
        ("date_format(x, '%Y-%m-%d %H')", "2024-05-11 02"),
        ("format_datetime(x, 'yyyy-MM-dd HH')", "2024-05-11 02"),
        ("to_iso8601(x)", "2024-05-11T02:15:00+05:30"),
        ("timezone_hour(x) * 60 + timezone_minute(x)", 330),
        ("date_diff('day', x, TIMESTAMP '2024-05-11 20:00:00 UTC')", 0),
        ("date_diff('day', x, TIMESTAMP '2024-05-11 20:45:00 UTC')", 1),
        ("x = TIMESTAMP '2024-05-10 20:45:00 UTC'", True),
        ("x IN (TIMESTAMP '2024-05-10 20:45:00 UTC')", True),
        ("x - TIMESTAMP '2024-05-10 20:45:00 UTC'", dt.timedelta(0)),
        ("max(x)", dt.datetime(2024, 5, 11, 2, 15, tzinfo=KOLKATA)),
        ("element_at(array_agg(x), 1)", dt.datetime(2024, 5, 11, 2, 15, tzinfo=KOLKATA)),
    ],
)
def test_what_depends_on_a_zone_is_computed_in_it(
    connection: Connection, expression: str, expected: object
) -> None:
    moment = "TIMESTAMP '2024-05-10 20:45:00 UTC' AT TIME ZONE 'Asia/Kolkata'"
    value = one(connection, f"SELECT {expression} FROM (SELECT {moment} AS x FROM (VALUES 1) AS t (one))")
    assert value == expected
    if isinstance(expected, dt.datetime):
        assert value.tzinfo == expected.tzinfo


def test_the_hour_that_autumn_repeats_is_not_lost(connection: Connection) -> None:
    second = "TIMESTAMP '2024-10-27 01:30:00 UTC' AT TIME ZONE 'Europe/Berlin'"
    assert (
        as_text(connection, f"date_trunc('hour', {second}) AT TIME ZONE 'UTC'") == "2024-10-27 01:00:00 UTC"
    )


def test_the_session_zone_reads_what_has_none(berlin: Connection) -> None:
    assert one(berlin, "SELECT current_timezone()") == "Europe/Berlin"
    expected = dt.datetime(2024, 7, 1, 12, tzinfo=BERLIN)
    for moment in ("TIMESTAMP '2024-07-01 12:00:00'", "x"):
        rows = "(VALUES TIMESTAMP '2024-07-01 12:00:00') AS t (x)"
        assert one(berlin, f"SELECT CAST({moment} AS timestamp with time zone) FROM {rows}") == expected
        assert one(berlin, f"SELECT {moment} = TIMESTAMP '2024-07-01 10:00:00 UTC' FROM {rows}") is True
    assert as_text(berlin, "from_unixtime(0)") == "1970-01-01 01:00:00.000 Europe/Berlin"


def test_seconds_of_what_has_no_zone_are_counted_in_utc(berlin: Connection) -> None:
    rows = "(VALUES (DATE '1970-01-02', TIMESTAMP '1970-01-01 00:00:01.5')) AS t (d, m)"
    for d, m in (("d", "m"), ("DATE '1970-01-02'", "TIMESTAMP '1970-01-01 00:00:01.5'")):
        found = berlin.execute(f"SELECT to_unixtime({d}), to_unixtime({m}) FROM {rows}").fetchall()
        assert found == [(86400.0, 1.5)]
    assert one(berlin, f"SELECT to_unixtime(CAST(m AS timestamp with time zone)) FROM {rows}") == -3598.5


def test_now_is_in_the_session_zone(berlin: Connection) -> None:
    value = one(berlin, "SELECT current_timestamp")
    assert str(value.tzinfo) == "Europe/Berlin"
    assert one(berlin, "SELECT hour(current_timestamp) = hour(localtimestamp)") is True


def test_tables_store_instants(berlin: Connection, schema: Connection) -> None:
    berlin.execute(
        "CREATE TABLE zoned AS SELECT TIMESTAMP '2024-07-01 12:00:00 Asia/Tokyo' AS x,"
        " TIMESTAMP '2024-07-01 12:00:00' AS y"
    )
    berlin.execute("INSERT INTO zoned (x) SELECT y FROM zoned")
    rows = [row for (row,) in berlin.execute("SELECT x FROM zoned ORDER BY x").fetchall()]
    assert rows == [
        dt.datetime(2024, 7, 1, 3, tzinfo=dt.UTC),
        dt.datetime(2024, 7, 1, 10, tzinfo=dt.UTC),
    ]
    assert {row.utcoffset() for row in rows} == {dt.timedelta(0)}


@pytest.mark.parametrize(
    "expression",
    [
        "coalesce(a, b)",
        "IF(one = 1, a, b)",
        "greatest(a, b)",
        "ARRAY[a, b]",
        "lag(a, 1, b) OVER (ORDER BY one)",
        "CASE one WHEN 1 THEN a ELSE b END",
    ],
)
def test_zones_are_not_mixed(connection: Connection, expression: str) -> None:
    values = "TIMESTAMP '2024-05-10 12:00:00 Asia/Tokyo', TIMESTAMP '2024-05-10 12:00:00 UTC', 1"
    with pytest.raises(SqeError) as error:
        connection.execute(f"SELECT {expression} FROM (VALUES ({values})) AS t (a, b, one)")
    assert error.value.code == "NOT_SUPPORTED"
    assert "AT TIME ZONE" in str(error.value)


def test_union_does_not_mix_zones(connection: Connection) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute(
            "SELECT TIMESTAMP '2024-05-10 12:00:00 Asia/Tokyo' UNION ALL "
            "SELECT TIMESTAMP '2024-05-10 12:00:00 UTC'"
        )
    assert error.value.code == "NOT_SUPPORTED"


@pytest.mark.parametrize("text", ["2024-05-10 12:00 Asia/Tokyo", "2024-05-10 12:00 +09:00"])
def test_a_zone_that_only_a_row_knows_is_refused(connection: Connection, text: str) -> None:
    """Also where the cast is tried: NULL would be wrong."""
    rows = f"(VALUES '{text}', '2024-01-01 00:00') AS t (x)"
    for word in ("CAST", "TRY_CAST"):
        with pytest.raises(SqeError) as error:
            connection.execute(f"SELECT {word}(x AS timestamp(3) with time zone) FROM {rows}").fetchall()
        assert error.value.code == "NOT_SUPPORTED"


def test_the_session_zone_reads_texts_that_have_none(berlin: Connection) -> None:
    texts = [
        "2024-07-01 12:00",
        "2024-07-01",
        "2024-03-31 02:30:00",
        "2024-10-27 02:30:00",
        "2024-07-01 12:00:00.5",
    ]
    columns = ", ".join(f"{word}(x AS timestamp(0) with time zone)" for word in ("CAST", "TRY_CAST"))
    rows = ", ".join(f"({i}, '{text}')" for i, text in enumerate(texts))
    found = berlin.execute(f"SELECT {columns} FROM (VALUES {rows}) AS t (k, x) ORDER BY k").fetchall()
    expected = [
        dt.datetime(2024, 7, 1, 12, tzinfo=BERLIN),
        dt.datetime(2024, 7, 1, tzinfo=BERLIN),
        dt.datetime(2024, 3, 31, 3, 30, tzinfo=BERLIN),
        dt.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN),
        dt.datetime(2024, 7, 1, 12, 0, 1, tzinfo=BERLIN),
    ]
    assert found == [(value, value) for value in expected]
    printed = (
        "SELECT CAST(CAST(x AS timestamp(3) with time zone) AS varchar) FROM (VALUES '2024-07-01') AS t (x)"
    )
    assert one(berlin, printed) == "2024-07-01 00:00:00.000 Europe/Berlin"
    assert one(berlin, "SELECT TRY_CAST(x AS timestamp with time zone) FROM (VALUES 'x') AS t (x)") is None
    with pytest.raises(SqeError) as error:
        berlin.execute("SELECT CAST(x AS timestamp with time zone) FROM (VALUES 'x') AS t (x)").fetchall()
    assert error.value.code == "INVALID_CAST_ARGUMENT"


def test_a_text_with_a_zone_is_refused_in_a_session_with_another(berlin: Connection) -> None:
    for word in ("CAST", "TRY_CAST"):
        with pytest.raises(SqeError) as error:
            sql = (
                f"SELECT {word}(x AS timestamp with time zone) FROM (VALUES '2024-01-01 00:00 UTC') AS t (x)"
            )
            berlin.execute(sql).fetchall()
        assert error.value.code == "NOT_SUPPORTED"


@pytest.mark.parametrize("zone", ["Mars/Olympus", "+15:00", ""])
def test_unknown_zones_are_refused(connection: Connection, zone: str) -> None:
    for sql in (f"SET TIME ZONE '{zone}'", f"SELECT TIMESTAMP '2024-05-10 12:00:00' AT TIME ZONE '{zone}'"):
        with pytest.raises(SqeError):
            connection.execute(sql)


def test_casts_of_what_is_nested_keep_zones(connection: Connection) -> None:
    moment = "TIMESTAMP '2024-01-31 23:30:00 Europe/Berlin'"
    expected = dt.datetime(2024, 1, 31, 23, 30, tzinfo=BERLIN)
    rows = f"(VALUES {moment}) AS t (x)"
    ((row,),) = connection.execute(
        f"SELECT CAST(ROW(x) AS row(a timestamp(3) with time zone)) FROM {rows}"
    ).fetchall()
    ((mapped,),) = connection.execute(
        f"SELECT CAST(MAP(ARRAY['k'], ARRAY[x]) AS map(varchar, timestamp(3) with time zone)) FROM {rows}"
    ).fetchall()
    assert row == (expected,) and str(row[0].tzinfo) == "Europe/Berlin"
    assert mapped == {"k": expected} and str(mapped["k"].tzinfo) == "Europe/Berlin"


def test_a_difference_in_days_is_counted_in_the_first_zone(connection: Connection) -> None:
    utc, berlin = "TIMESTAMP '2024-03-30 12:00:00 UTC'", "TIMESTAMP '2024-03-31 13:00:00 Europe/Berlin'"
    # Berlin's 31 March 2024 has 23 hours.
    assert one(connection, f"SELECT date_diff('day', {utc}, {berlin})") == 0
    assert one(connection, f"SELECT date_diff('day', {utc} AT TIME ZONE 'Europe/Berlin', {berlin})") == 1


@pytest.mark.parametrize("expression", ["array_join(ARRAY[x], ',')", "CAST(ARRAY[x] AS array(varchar))"])
def test_what_would_print_a_zone_from_inside_is_refused(connection: Connection, expression: str) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute(
            f"SELECT {expression} FROM (VALUES TIMESTAMP '2024-01-31 23:30:00 Europe/Berlin') AS t (x)"
        )
    assert error.value.code == "NOT_SUPPORTED"


def test_a_text_without_a_zone_is_not_read_in_utc_in_another_session(berlin: Connection) -> None:
    with pytest.raises(SqeError) as error:
        berlin.execute("SELECT from_iso8601_timestamp(x) FROM (VALUES '2020-01-01T00:00:00') AS t (x)")
    assert error.value.code == "NOT_SUPPORTED"


@pytest.mark.parametrize("text", ["0001-01-01 00:00:00 Asia/Tokyo", "9999-12-31 23:30:00 America/New_York"])
def test_literals_outside_of_the_years_of_engines_are_only_shown(connection: Connection, text: str) -> None:
    assert one(connection, f"SELECT TIMESTAMP '{text}'") == text
    with pytest.raises(SqeError) as error:
        connection.execute(f"SELECT current_timestamp < x FROM (VALUES TIMESTAMP '{text}') AS t (x)")
    assert error.value.code == "NOT_SUPPORTED"


def test_a_waiting_statement_keeps_the_zone_that_it_was_bound_in(schema: Connection) -> None:
    schema.execute("CREATE TABLE zoned (x timestamp(6) with time zone)")
    table = ".".join((schema.session.catalog, *schema.session.namespace, "zoned"))
    insert = schema.cursor()
    with schema.coordinator.write_lock(table):
        writer = threading.Thread(
            target=insert.execute, args=("INSERT INTO zoned SELECT TIMESTAMP '2024-07-01 00:00:00'",)
        )
        writer.start()
        while insert.statement is None or "route" not in insert.statement.timings:
            writer.join(0.01)
        schema.execute("SET TIME ZONE 'Asia/Tokyo'")
    writer.join()
    schema.execute("SET TIME ZONE 'UTC'")
    assert one(schema, "SELECT x FROM zoned") == dt.datetime(2024, 7, 1, tzinfo=dt.UTC)
