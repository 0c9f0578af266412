"""executemany: one commit for an INSERT of values, whatever the values; once a row for the rest."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from typing import Any

import pytest

import sqe

pytestmark = pytest.mark.spark


def commits(connection: sqe.Connection) -> int:
    ((count,),) = connection.execute('SELECT count(*) FROM "t$snapshots"').fetchall()
    assert isinstance(count, int)
    return count


def test_an_insert_is_one_commit(schema: sqe.Connection) -> None:
    schema.execute("CREATE TABLE t (a integer, b varchar)")
    rows = [(n, f"row {n}") for n in range(50)]
    cursor = schema.executemany("INSERT INTO t (b, a) VALUES (?, ? + 1)", [(b, a) for a, b in rows])
    assert (cursor.rowcount, cursor.description, commits(schema)) == (50, None, 1)
    assert schema.execute("SELECT a, b FROM t ORDER BY a").fetchall() == [(a + 1, b) for a, b in rows]


def test_rows_of_different_types_meet_in_the_column(schema: sqe.Connection) -> None:
    schema.execute("CREATE TABLE t (a double, b timestamp(6), c varchar)")
    schema.executemany(
        "INSERT INTO t VALUES (?, ?, ?)",
        [
            (1, dt.date(2020, 1, 1), None),
            (2.5, dt.datetime(2020, 1, 2, 3), "abc"),
            (Decimal("3.5"), None, ""),
        ],
    )
    assert schema.execute("SELECT * FROM t ORDER BY a").fetchall() == [
        (1.0, dt.datetime(2020, 1, 1), None),
        (2.5, dt.datetime(2020, 1, 2, 3), "abc"),
        (3.5, None, ""),
    ]


@pytest.mark.parametrize("count", [2, pytest.param(150, marks=pytest.mark.long)])
def test_no_row_takes_the_type_of_another(schema: sqe.Connection, count: int) -> None:
    schema.execute("CREATE TABLE t (n integer, r real, d decimal(20,2))")
    # As doubles, all of the integers would be even.
    rows = [(n, 0.5 if n % 2 else 1, 1.239 if n % 2 else 2**53 + 1) for n in range(count)]
    schema.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    assert schema.execute("SELECT DISTINCT n % 2, r, d FROM t ORDER BY 1").fetchall() == [
        (0, 1.0, Decimal(2**53 + 1)),
        (1, 0.5, Decimal("1.24")),
    ]


def test_many_rows_of_every_kind_of_value(schema: sqe.Connection) -> None:
    schema.execute(
        "CREATE TABLE t (n integer, a boolean, b bigint, c double, d decimal(12,3), e varchar, f varbinary,"
        " g date, h timestamp(6), i timestamp(6) with time zone, j uuid, k array(varchar),"
        " l map(varchar, bigint), m row(x bigint, y array(integer)))"
    )

    def row(n: int) -> tuple[Any, ...]:
        if n % 7 == 0:
            return (n, *[None] * 13)
        moment = dt.datetime(2020, 1, 1) + dt.timedelta(seconds=n, microseconds=n)
        return (
            n,
            n % 2 == 0,
            n * 2**24,
            n / 3,
            Decimal(n) / 8,
            "ä'\\" * (n % 5),
            bytes([n % 256]),
            moment.date(),
            moment,
            moment.replace(tzinfo=dt.UTC),
            uuid.UUID(int=n),
            ["x" * (n % 4), None] if n % 3 else [],
            {str(n): n * 2**24} if n % 3 else {},
            (n * 2**24, [n, None]) if n % 3 else (None, None),
        )

    rows = [row(n) for n in range(1, 301)]
    cursor = schema.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 14)})", rows)
    assert (cursor.rowcount, commits(schema)) == (300, 1)
    assert schema.execute("SELECT * FROM t ORDER BY n").fetchall() == rows


@pytest.mark.parametrize("count", [2, pytest.param(150, marks=pytest.mark.long)])
def test_moments_of_different_zones_are_stored_as_instants(schema: sqe.Connection, count: int) -> None:
    schema.execute("CREATE TABLE t (n integer, at timestamp(6) with time zone)")
    hours = [dt.timezone(dt.timedelta(hours=n % 5)) for n in range(count)]
    rows = [(n, dt.datetime(2020, 1, 1, tzinfo=zone)) for n, zone in enumerate(hours)]
    schema.executemany("INSERT INTO t VALUES (?, ?)", rows)
    assert schema.execute("SELECT * FROM t ORDER BY n").fetchall() == rows


def test_many_rows_that_are_not_all_constants(schema: sqe.Connection) -> None:
    schema.execute("CREATE TABLE t (a integer)")
    cursor = schema.executemany("INSERT INTO t VALUES (abs(?))", [[-n] for n in range(101)])
    assert cursor.rowcount == 101
    assert schema.execute("SELECT sum(a) FROM t").fetchall() == [(5050,)]


def test_half_a_surrogate_pair_is_refused(schema: sqe.Connection) -> None:
    schema.execute("CREATE TABLE t (a varchar)")
    for count in (2, 200):
        with pytest.raises(sqe.ProgrammingError, match="surrogate"):
            schema.executemany("INSERT INTO t VALUES (?)", [["\ud800"]] * count)


def test_any_other_statement_runs_once_a_row(schema: sqe.Connection) -> None:
    schema.execute("CREATE TABLE t (a integer)")
    schema.executemany("INSERT INTO t VALUES (?)", [[n] for n in range(10)])
    cursor = schema.executemany("DELETE FROM t WHERE a = ? OR a = ?", [(0, 1), (2, 3), (3, 4)])
    assert cursor.rowcount == 5
    assert commits(schema) == 4
    cursor = schema.executemany("INSERT INTO t SELECT a + ? FROM t WHERE a = 9", [[10], [20]])
    assert cursor.rowcount == 2


def test_no_rows_do_nothing(schema: sqe.Connection) -> None:
    schema.execute("CREATE TABLE t (a integer)")
    cursor = schema.executemany("INSERT INTO t VALUES (?)", [])
    assert (cursor.rowcount, cursor.description, commits(schema)) == (-1, None, 0)


def test_rows_from_a_generator(schema: sqe.Connection) -> None:
    schema.execute("CREATE TABLE t (a integer)")
    assert schema.executemany("INSERT INTO t VALUES (?)", ((n,) for n in range(3))).rowcount == 3


def test_what_is_wrong_with_a_row_is_said(schema: sqe.Connection) -> None:
    schema.execute("CREATE TABLE t (a integer, b integer)")
    insert = "INSERT INTO t VALUES (?, ?)"
    with pytest.raises(sqe.ProgrammingError, match="row 2, parameter 1: a object"):
        schema.executemany(insert, [(1, 2), (object(), 3)])
    with pytest.raises(sqe.ProgrammingError, match="different lengths"):
        schema.executemany(insert, [(1, 2), (3,)])
    for rows in ([(1,), (2,)], [(1, 2, 3)], [(1, 2, 3), (4, 5, 6)]):
        with pytest.raises(sqe.ProgrammingError) as caught:
            schema.executemany(insert, rows)
        assert caught.value.code == "INVALID_PARAMETER_USAGE"
    with pytest.raises(sqe.ProgrammingError, match="line 1:1"):
        schema.executemany("INSRT INTO t VALUES (?, ?)", [(1, 2), (3, 4)])
    assert commits(schema) == 0


def test_queries_are_for_execute(schema: sqe.Connection) -> None:
    with pytest.raises(sqe.NotSupportedError):
        schema.executemany("SELECT ?", [[1], [2]])
