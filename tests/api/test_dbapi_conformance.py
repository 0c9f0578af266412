"""PEP 249: the compliance suite that all drivers share, and the sentences that it does not test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import dbapi20
import pytest

import sqe
from sqe.api.base_connection import BaseConnection
from sqe.engine.spark.spark import Spark

pytestmark = pytest.mark.spark


class TestCompliance(dbapi20.DatabaseAPI20Test):  # type: ignore[misc]
    driver: ClassVar[Any] = sqe

    @pytest.fixture(autouse=True)
    def _warehouse(self, tmp_path: Path, spark_lane: Spark) -> None:
        self.connect_kw_args = {"warehouse": tmp_path, "spark": spark_lane}

    def test_non_idempotent_close(self) -> None:
        """Reasonable persons differ, says the suite; PEP 249 does not ask for an error."""
        connection = self._connect()
        connection.close()
        connection.close()
        assert connection.closed

    def test_nextset(self) -> None:
        """A statement has one result, and the method may then be missing."""
        assert not hasattr(sqe.Cursor, "nextset")

    def test_setoutputsize(self) -> None:
        """May do nothing."""
        connection = self._connect()
        cursor = connection.cursor()
        cursor.setoutputsize(1000, 1)
        assert cursor.execute("SELECT 'a' || 'b'").fetchall() == [("ab",)]
        connection.close()


@pytest.fixture
def cursor(schema: sqe.Connection) -> Iterator[sqe.Cursor]:
    with schema.cursor() as cursor:
        yield cursor


def test_description_has_seven_items_with_names(cursor: sqe.Cursor) -> None:
    cursor.execute(
        "SELECT 1.500 AS price, 'abc' AS name, ARRAY[1] AS many,"
        " TIMESTAMP '2020-01-01 00:00:00.123456 UTC' AS at"
    )
    assert cursor.description == [
        ("price", "decimal(4,3)", None, None, 4, 3, None),
        ("name", "varchar(3)", None, 3, None, None, None),
        ("many", "array(integer)", None, None, None, None, None),
        ("at", "timestamp(6) with time zone", None, None, 6, None, None),
    ]
    assert cursor.description[0].type_code == sqe.NUMBER
    assert cursor.description[1].type_code == sqe.STRING != cursor.description[0].type_code


def test_description_is_none_before_and_after_what_returns_no_rows(cursor: sqe.Cursor) -> None:
    assert (cursor.description, cursor.rowcount, cursor.arraysize) == (None, -1, 1)
    cursor.execute("CREATE TABLE t (a integer)")
    assert (cursor.description, cursor.rowcount, cursor.update_type) == (None, -1, "CREATE TABLE")
    cursor.execute("INSERT INTO t VALUES (1), (2)")
    assert (cursor.description, cursor.rowcount, cursor.update_type) == (None, 2, "INSERT")
    cursor.execute("UPDATE t SET a = a + ? WHERE a > ?", (10, 1))
    assert cursor.rowcount == 1
    cursor.execute("SELECT a FROM t")
    assert cursor.rowcount == -1


def test_rows_are_fetched_once_and_in_order(cursor: sqe.Cursor) -> None:
    cursor.execute("SELECT * FROM (VALUES 1, 2, 3, 4, 5, 6, 7) AS t (n) ORDER BY n")
    assert cursor.fetchone() == (1,)
    assert cursor.fetchmany(2) == [(2,), (3,)]
    cursor.arraysize = 3
    assert cursor.fetchmany() == [(4,), (5,), (6,)]
    assert list(cursor) == [(7,)]
    assert (cursor.fetchone(), cursor.fetchmany(), cursor.fetchall(), list(cursor)) == (None, [], [], [])


def test_a_number_of_rows_is_one(cursor: sqe.Cursor) -> None:
    cursor.execute("SHOW CATALOGS")
    for size in (-1, "x", 1.5):
        with pytest.raises(sqe.InterfaceError):
            cursor.fetchmany(size)  # type: ignore[arg-type]
    cursor.arraysize = -1
    with pytest.raises(sqe.InterfaceError):
        cursor.fetchmany()
    assert cursor.fetchmany(0) == []
    assert ("system",) in cursor.fetchall()


def test_results_larger_than_a_chunk(cursor: sqe.Cursor) -> None:
    cursor.execute("SELECT n FROM TABLE(sequence(1, 5000)) AS t (n) ORDER BY n")
    first = cursor.fetchmany(1500)
    assert [n for (n,) in first] == list(range(1, 1501))
    assert [n for (n,) in cursor] == list(range(1501, 5001))


def test_a_new_statement_forgets_the_rows_of_the_last(cursor: sqe.Cursor) -> None:
    cursor.execute("SELECT 1")
    cursor.execute("SELECT 2")
    assert cursor.fetchall() == [(2,)]
    with pytest.raises(sqe.ProgrammingError):
        cursor.execute("SELECT nothing")
    with pytest.raises(sqe.InterfaceError):
        cursor.fetchall()


def test_errors_carry_what_is_known(cursor: sqe.Cursor) -> None:
    with pytest.raises(sqe.ProgrammingError) as caught:
        cursor.execute("SELECT n,\n  m FROM (VALUES 1) AS t (n)")
    error = caught.value
    assert error.code == "COLUMN_NOT_FOUND"
    assert error.position is not None and (error.position.line, error.position.column) == (2, 3)
    assert error.query_id == cursor.query_id is not None
    assert isinstance(cursor.connection, BaseConnection)
    assert isinstance(error, cursor.connection.ProgrammingError)


def test_errors_of_running_carry_it_too(cursor: sqe.Cursor) -> None:
    with pytest.raises(sqe.DataError) as caught:
        cursor.execute("SELECT 1 / n FROM (VALUES 0) AS t (n)").fetchone()
    assert (caught.value.code, caught.value.query_id) == ("DIVISION_BY_ZERO", cursor.query_id)
    # And it is not forgotten: what failed has no last row, and over a server mostly no first one.
    with pytest.raises((sqe.DataError, sqe.InterfaceError)):
        cursor.fetchall()


def test_a_row_that_its_table_does_not_allow(cursor: sqe.Cursor) -> None:
    cursor.execute("CREATE TABLE t (a integer NOT NULL)")
    with pytest.raises(sqe.IntegrityError):
        cursor.execute("INSERT INTO t VALUES (?)", [None])
    with pytest.raises(sqe.IntegrityError):
        cursor.executemany("INSERT INTO t VALUES (?)", [[1], [None]])


def test_commit_does_nothing_and_rollback_does_not_pretend(schema: sqe.Connection) -> None:
    assert schema.autocommit
    schema.commit()
    with pytest.raises(sqe.NotSupportedError):
        schema.rollback()


def test_statements_see_what_other_cursors_committed(schema: sqe.Connection) -> None:
    one, other = schema.cursor(), schema.cursor()
    one.execute("CREATE TABLE t (a integer)")
    one.execute("INSERT INTO t VALUES (1)")
    assert other.execute("SELECT a FROM t").fetchall() == [(1,)]
    assert one.connection is other.connection is schema


def test_a_statement_says_how_it_ran(cursor: sqe.Cursor) -> None:
    cursor.execute("SELECT 1").fetchall()
    assert cursor.statement is not None
    assert cursor.statement.id == cursor.query_id
    assert (cursor.statement.lane, bool(cursor.statement.lane_reason)) == ("fast", True)
    assert {"parse", "bind", "secure", "route", "run"} <= cursor.statement.timings.keys()


def test_warnings_are_messages(cursor: sqe.Cursor) -> None:
    cursor.execute("SELECT 1")
    assert (cursor.warnings, cursor.messages) == ([], [])
    assert cursor.statement is not None and isinstance(cursor.statement.warnings, list)
    cursor.statement.warnings.append("mind the gap")
    ((kind, message),) = cursor.messages
    assert kind is sqe.Warning and str(message) == "mind the gap"


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("SELECT ?", []),
        ("SELECT ?", None),
        ("SELECT ?", [1, 2]),
        ("SELECT 1", [1]),
        ("SELECT ?", "a"),
        ("SELECT ?", {"a": 1}),
        ("SELECT ?", {1}),
        ("SELECT ?", [object()]),
    ],
)
def test_values_that_do_not_fit_the_statement(cursor: sqe.Cursor, sql: str, values: Any) -> None:
    with pytest.raises(sqe.ProgrammingError) as caught:
        cursor.execute(sql, values)
    assert caught.value.code == "INVALID_PARAMETER_USAGE"


def test_question_marks_elsewhere_are_not_parameters(cursor: sqe.Cursor) -> None:
    sql = 'SELECT \'?\', "a?" /* ? */ FROM (VALUES ?) AS t ("a?") -- ?'
    assert cursor.execute(sql, [1]).fetchall() == [("?", 1)]
