"""GROUP BY, HAVING, DISTINCT and windows: what is computed before the groups, of them, and after them."""

from __future__ import annotations

import pytest
from tests.bind.binding import Binding

from sqe.tree.expressions import AggregateCall, walk
from sqe.tree.relations import Aggregate

SCAN = "Scan iceberg.default.t [a, b, c]"


@pytest.mark.parametrize(
    ("sql", "steps"),
    [
        (
            "SELECT b, count(*) FROM t GROUP BY b",
            ["Project b := b, _col1 := count", "Aggregate by [b] [count()]", SCAN],
        ),
        # A key that is an expression is computed first; equal expressions are that key.
        (
            "SELECT lower(b), count(*) FROM t GROUP BY lower(b)",
            [
                "Project _col0 := _key, _col1 := count",
                "Aggregate by [_key] [count()]",
                "Extend _key := lower(b)",
                SCAN,
            ],
        ),
        ("SELECT a + 1 FROM t GROUP BY a", ["Project _col0 := (a + 1)", "Aggregate by [a] []", SCAN]),
        # HAVING filters groups, and its aggregates are not of the answer.
        (
            "SELECT b, sum(a) + 1 FROM t GROUP BY 1 HAVING max(c) > 0",
            [
                "Project b := b, _col1 := (sum + 1)",
                "Filter (max > 0.0)",
                "Aggregate by [b] [sum(a), max(c)]",
                SCAN,
            ],
        ),
        # Without GROUP BY all rows are one group.
        (
            "SELECT count(*) FROM t HAVING count(*) > 1",
            ["Project _col0 := count", "Filter (count > 1)", "Aggregate by [] [count()]", SCAN],
        ),
        # An aggregate that is written twice is computed once.
        (
            "SELECT sum(a), sum(a) + 1 FROM t ORDER BY sum(a)",
            ["Sort _col0", "Project _col0 := sum, _col1 := (sum + 1)", "Aggregate by [] [sum(a)]", SCAN],
        ),
        (
            "SELECT count(DISTINCT a) FROM t",
            ["Project _col0 := count", "Aggregate by [] [count(DISTINCT a)]", SCAN],
        ),
        ("SELECT DISTINCT b FROM t", ["Aggregate by [b] []", "Project b := b", SCAN]),
        (
            "SELECT b, sum(a) FROM t GROUP BY ROLLUP (b)",
            ["Project b := b, _col1 := sum", "Aggregate by [b] sets ((0,), ()) [sum(a)]", SCAN],
        ),
        (
            "SELECT a, b, count(*) FROM t GROUP BY GROUPING SETS ((a), (a, b))",
            [
                "Project a := a, b := b, _col2 := count",
                "Aggregate by [a, b] sets ((0,), (0, 1)) [count()]",
                SCAN,
            ],
        ),
        # Windows are computed over the groups.
        (
            "SELECT rank() OVER (ORDER BY sum(a)) FROM t GROUP BY b",
            ["Project _col0 := rank", "Window rank() OVER (...)", "Aggregate by [b] [sum(a)]", SCAN],
        ),
        (
            "SELECT a FROM t ORDER BY a LIMIT 3 OFFSET 1",
            ["Limit 3 offset 1", "Sort a", "Project a := a", SCAN],
        ),
    ],
)
def test_the_steps_of_a_query(binding: Binding, sql: str, steps: list[str]) -> None:
    """From the answer down to the table."""
    assert [line.strip() for line in binding.words(sql).splitlines()] == ["Query", *steps]


@pytest.mark.parametrize(
    ("sql", "code", "place"),
    [
        ("SELECT a FROM t GROUP BY b", "EXPRESSION_NOT_AGGREGATE", "1:8"),
        ("SELECT a, count(*) FROM t", "EXPRESSION_NOT_AGGREGATE", "1:8"),
        ("SELECT b FROM t GROUP BY b ORDER BY c", "EXPRESSION_NOT_AGGREGATE", "1:37"),
        ("SELECT sum(sum(a)) FROM t", "NESTED_AGGREGATION", "1:8"),
        ("SELECT a FROM t WHERE sum(a) > 1", "EXPRESSION_NOT_SCALAR", "1:23"),
        ("SELECT a FROM t WHERE rank() OVER (ORDER BY a) = 1", "EXPRESSION_NOT_SCALAR", "1:23"),
        ("SELECT b FROM t JOIN u ON sum(c) > 0", "EXPRESSION_NOT_SCALAR", "1:27"),
        ("SELECT b FROM t HAVING c > 0", "EXPRESSION_NOT_AGGREGATE", "1:24"),
    ],
)
def test_what_belongs_to_no_group_is_refused(binding: Binding, sql: str, code: str, place: str) -> None:
    error = binding.error(sql)
    assert (error.code, str(error.position)) == (code, place)


def test_a_filter_belongs_to_its_aggregate(binding: Binding) -> None:
    tree = binding.tree("SELECT sum(a) FILTER (WHERE c > 0), sum(a) FROM t")
    (aggregate,) = [node for node in walk(tree) if isinstance(node, Aggregate)]
    filtered, plain = aggregate.calls
    assert isinstance(filtered, AggregateCall) and filtered.filter is not None
    assert plain.filter is None
