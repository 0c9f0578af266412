"""regexp_replace with a pattern that is a column: as Trino answers, or refused."""

from __future__ import annotations

import pytest

from sqe.api.connection import Connection
from sqe.errors import SqeError

pytestmark = pytest.mark.spark

# Text, pattern, replacement; without the matches, and with the replacement.
ANSWERS = [
    ("a1b22c", "[0-9]+", "<$0>", "abc", "a<1>b<22>c"),
    ("foo.bar", "\\.", "", "foobar", "foobar"),
    ("x", None, "", None, None),
    (None, "x", "", None, None),
    ("x", "x", None, "", None),
    ("ab", "(a)(b)", "$2$1", "", "ba"),
    ("ab", "(?<n>a)", "${n}x", "b", "axb"),
    ("ab", "x*", ".", "ab", ".a.b."),
    ("a😀", "x*|y", ".", "a😀", ".a.😀."),
    ("aéÉ1", "\\w", "w", "éÉ", "wéÉw"),
    ("ékK", "K", "x", "ék", "ékx"),
    ("kK", "(?i)K", "x", "", "xx"),
    ("a'b{c}", "['{]", "#", "abc}", "a#b#c}"),
    ("a\n", "a$", "!", "\n", "!\n"),
]


def _literal(text: str | None) -> str:
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


def test_the_pattern_may_be_a_column(connection: Connection) -> None:
    rows = ", ".join(f"({i}, {', '.join(map(_literal, row[:3]))})" for i, row in enumerate(ANSWERS))
    columns = "regexp_replace(x, p), regexp_replace(x, p, r)"
    sql = f"SELECT {columns} FROM (VALUES {rows}) AS t (k, x, p, r) ORDER BY k"
    assert connection.execute(sql).fetchall() == [row[3:] for row in ANSWERS]


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("(", "INVALID_FUNCTION_ARGUMENT"),
        ("*a", "INVALID_FUNCTION_ARGUMENT"),
        ("b)|(a", "INVALID_FUNCTION_ARGUMENT"),
        ("\\bx", "NOT_SUPPORTED"),
        ("[[:alpha:]]", "NOT_SUPPORTED"),
        ("\\p{L}", "NOT_SUPPORTED"),
        ("\\h", "NOT_SUPPORTED"),
        ("(?i)é", "NOT_SUPPORTED"),
    ],
)
def test_patterns_of_rows_that_fail(connection: Connection, pattern: str, code: str) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute(
            f"SELECT regexp_replace('ab😀', p) FROM (VALUES {_literal(pattern)}) AS t (p)"
        ).fetchall()
    assert error.value.code == code
