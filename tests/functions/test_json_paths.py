"""json_exists, json_value and json_query: what is known before a statement runs, and columns on both lanes.

What paths find is in tests/parity/values.json, as a Trino answered it.
"""

from __future__ import annotations

import pytest

from sqe.api.connection import Connection, connect
from sqe.errors import SqeError
from sqe.functions.bodies.json_path_syntax import PathError, parse

# A call, the error's code, and the column where it is.
WRONG = [
    ("json_value(x, '$.a')", "SYNTAX_ERROR", 23),
    ("json_value(x, 'lax $.a +')", "SYNTAX_ERROR", 32),
    ("json_value(x, 'lax $.\"it''s\" ]')", "SYNTAX_ERROR", 37),
    ("json_value(x, 'lax $.datetime()')", "NOT_SUPPORTED", 22),
    ("json_value(x, 'lax $?(@ like_regex \"a\")')", "NOT_SUPPORTED", 22),
    ("json_value(x, 'lax $[$?(exists(-\"a\"))]')", "INVALID_PATH", 22),
    ("json_value(x, 'lax $?(@.type().abs() > 1)')", "INVALID_PATH", 22),
    ("json_value(x, 'lax $v' PASSING 1 AS v)", "INVALID_PATH", 22),
    ("json_value(x, 'lax $V' PASSING 1 AS v, 2 AS V)", "DUPLICATE_PARAMETER_NAME", 52),
    ("json_value(x, 'lax $V' PASSING DATE '2020-01-01' AS v)", "NOT_SUPPORTED", 39),
    ("json_value(x, 'lax $' RETURNING array(bigint))", "TYPE_MISMATCH", 8),
    ("json_value(x, 'lax $' RETURNING timestamp(3))", "NOT_SUPPORTED", 8),
    ("json_value(x, 'lax $' DEFAULT 5 ON ERROR)", "TYPE_MISMATCH", 38),
    ("json_value(x, 'lax $' NULL ON ERROR NULL ON EMPTY)", "SYNTAX_ERROR", 49),
    ("json_value(x, x)", "SYNTAX_ERROR", 22),
    ("json_value(5, 'lax $')", "TYPE_MISMATCH", 19),
    ("json_query(x, 'lax $' RETURNING bigint)", "TYPE_MISMATCH", 8),
    ("json_query(x, 'lax $' WITH WRAPPER OMIT QUOTES)", "INVALID_FUNCTION_ARGUMENT", 8),
    ("json_exists(x, 'lax $' NULL ON ERROR)", "SYNTAX_ERROR", 36),
]


def test_what_is_wrong_is_said_with_its_place_before_anything_runs() -> None:
    with connect(memory=True) as connection:
        for call, code, column in WRONG:
            with pytest.raises(SqeError) as error:
                connection.execute(f"SELECT {call} FROM (VALUES '1') AS t (x)")
            position = error.value.position
            assert position is not None, call
            assert (error.value.code, position.column) == (code, column), (call, str(error.value))


@pytest.mark.parametrize(
    "nested", ["(" * 100, "-" * 500 + "$", "$" + ".a" * 300, "$?(" * 100, "$[" * 100, "$?(" + "(" * 100]
)
def test_a_path_has_an_end(nested: str) -> None:
    """Neither the stack nor the time of the parser depends on what a user writes."""
    with pytest.raises(PathError):
        parse(f"lax {nested}")


@pytest.mark.spark
def test_columns(connection: Connection) -> None:
    sql = """
        SELECT k, json_exists(x, 'lax $.a?(@ > $V)' PASSING k AS v),
            json_value(x, 'lax $.a' RETURNING integer DEFAULT -k ON EMPTY),
            json_query(x, 'lax $.a' WITH WRAPPER),
            TRY(json_value(x, 'strict $.a' ERROR ON ERROR))
        FROM (VALUES (1, '{"a":7}'), (2, '{}'), (3, '{'), (4, NULL), (5, '{"a":[1,"é"]}')) AS t (k, x)
        ORDER BY k"""
    assert connection.execute(sql).fetchall() == [
        (1, True, 7, "[7]", "7"),
        (2, False, -2, None, None),
        (3, False, None, None, None),
        (4, None, None, None, None),
        (5, False, None, '[[1,"é"]]', None),
    ]


@pytest.mark.spark
def test_an_error_does_not_tell_the_value(connection: Connection) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute(
            "SELECT json_value(x, 'lax $' RETURNING bigint ERROR ON ERROR) FROM (VALUES '\"secret\"') t (x)"
        ).fetchall()
    assert error.value.code == "JSON_VALUE_RESULT_ERROR"
    assert "secret" not in str(error.value)


@pytest.mark.spark
def test_a_table_of_json_is_joined_to_each_row(connection: Connection) -> None:
    sql = """
        SELECT t.k, j.n, j.x, j.y
        FROM (VALUES (1, '[{"x":1,"y":[5,6]},{"x":2}]'), (2, '[]'), (3, NULL), (4, '[')) AS t (k, d)
        LEFT JOIN JSON_TABLE(t.d, 'lax $[*]' COLUMNS (
            n FOR ORDINALITY, x integer PATH 'lax $.x', NESTED 'lax $.y[*]' COLUMNS (y integer PATH 'lax $')
        )) AS j ON true
        ORDER BY 1, 2, 3, 4"""
    assert connection.execute(sql).fetchall() == [
        (1, 1, 1, 5),
        (1, 1, 1, 6),
        (1, 2, 2, None),
        (2, None, None, None),
        (3, None, None, None),
        (4, None, None, None),
    ]


TABLES = [
    ("JSON_TABLE('1', 'lax $' COLUMNS (x integer PATH 'lax +'))", "SYNTAX_ERROR", 69),
    ("JSON_TABLE('1', 'lax $' COLUMNS (x integer PATH 'lax $V'))", "INVALID_PATH", 63),
    ("JSON_TABLE('1', 'lax $' COLUMNS (x integer, x integer))", "DUPLICATE_COLUMN_OR_PATH_NAME", 59),
    ("JSON_TABLE('1', 'lax $' COLUMNS (x integer)) AS t (a, b)", "MISMATCHED_COLUMN_ALIASES", 15),
    ("(VALUES 1) t (k) LEFT JOIN JSON_TABLE('1', 'lax $' COLUMNS (x integer)) ON k = 1", "NOT_SUPPORTED", 90),
]


def test_what_is_wrong_in_a_table_of_json_is_said_with_its_place() -> None:
    with connect(memory=True) as connection:
        for table, code, column in TABLES:
            with pytest.raises(SqeError) as error:
                connection.execute(f"SELECT * FROM {table}")
            position = error.value.position
            assert position is not None, table
            assert (error.value.code, position.column) == (code, column), (table, str(error.value))
