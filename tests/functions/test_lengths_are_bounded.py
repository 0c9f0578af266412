"""A number in a call does not become a text or an array that fills the engine: one error on both lanes."""

from __future__ import annotations

import pytest

from sqe.api.connection import Connection
from sqe.errors import UserError

LONGEST = 1 << 20
REFUSED = (
    f"rpad(x, {LONGEST + 1}, 'ab')",
    f"lpad(x, {LONGEST + 1}, 'ab')",
    "rpad(x, 400000000, 'ab')",
    # Spark would fold a constant even where it is refused, and run out of memory.
    "lpad(x, 2147483647, 'ab')",
    f"format('%{LONGEST + 1}s', x)",
    "format('%400000000d', 1)",
    "format('%.400000000f', 1e0)",
    "repeat(x, 10001)",
    "repeat(x, 2147483647)",
    "sequence(1, 10001)",
    "sequence(1, 2000000000)",
    "sequence(1, 2000000000, 2)",
)
MADE = (
    f"length(rpad(x, {LONGEST}, 'ab'))",
    f"length(lpad(x, {LONGEST}, 'ab'))",
    "cardinality(repeat(x, 10000))",
    "cardinality(sequence(1, 10000))",
    "cardinality(sequence(1, 20000, 2))",
    "length(format('%1000d', 1))",
)


def test_beyond_the_bound_is_one_error(connection: Connection) -> None:
    for call in REFUSED:
        with pytest.raises(UserError) as refused:
            connection.execute(f"SELECT {call} FROM (VALUES 'a') AS t (x)").fetchall()
        assert refused.value.code == "INVALID_FUNCTION_ARGUMENT", (call, refused.value)


def test_at_the_bound_it_is_made(connection: Connection) -> None:
    rows = connection.execute(f"SELECT {', '.join(MADE)} FROM (VALUES 'a') AS t (x)").fetchall()
    assert rows == [(LONGEST, LONGEST, 10000, 10000, 10000, 1000)]


def test_of_no_number_nothing_is_made(connection: Connection) -> None:
    """Spark's least and greatest pass NULL over, and a bound is no number that was asked for."""
    calls = ("repeat(x, n)", "rpad(x, n, 'ab')", "lpad(x, n, 'ab')", "substr(x, n)", "split_part(x, ',', n)")
    rows = connection.execute(
        f"SELECT {', '.join(calls)}, levenshtein_distance(rpad(x, 3000, 'ab'), CAST(NULL AS varchar))"
        " FROM (VALUES ('a', CAST(NULL AS bigint)), ('b', NULL)) AS t (x, n)"
    ).fetchall()
    assert rows == [(None,) * (len(calls) + 1)] * 2
