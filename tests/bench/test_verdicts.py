from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from sqe.bench.compare import Row, difference
from sqe.bench.ordering import shape
from sqe.bench.verdict import judge


def never(sql: str) -> list[Row]:
    raise AssertionError(sql)


def test_a_bag_without_order() -> None:
    assert judge([(1,), (2,)], [(2,), (1,)], ["a"], "SELECT a FROM t", never).word == "PASS"
    assert judge([(1,), (1,)], [(2,), (1,)], ["a"], "SELECT a FROM t", never).word == "DIFF"
    assert judge([(1,)], [(1,), (1,)], ["a"], "SELECT a FROM t", never).word == "DIFF"


def test_no_rows_at_all_show_nothing() -> None:
    assert judge([], [], ["a"], "SELECT a FROM t", never).word == "VACUOUS"
    assert judge([], [(1,)], ["a"], "SELECT a FROM t", never).word == "DIFF"


@pytest.mark.parametrize("order", ["a", "1", "t.a DESC", "b % 2, a"])
def test_order_counts_where_its_columns_are_known(order: str) -> None:
    sql = f"SELECT a, b FROM t ORDER BY {order}"
    known = not order.startswith("b")
    swapped = judge([(1, 5), (2, 5)], [(2, 5), (1, 5)], ["a", "b"], sql, never)
    assert swapped.word == ("DIFF" if known else "PASS")


def test_rows_that_tie_may_change_places() -> None:
    sql = "SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*) DESC"
    assert judge([("x", 2), ("y", 2)], [("y", 2), ("x", 2)], ["a", "_col1"], sql, never).word == "PASS"


def test_rows_that_tie_at_the_limit_are_looked_up() -> None:
    sql = "SELECT a, count(*) AS c FROM t GROUP BY a ORDER BY c DESC LIMIT 2"
    asked = []

    def ask(question: str) -> list[Row]:
        asked.append(question)
        return [("y", 1)]

    names = ["a", "c"]
    assert judge([("x", 2), ("y", 1)], [("x", 2), ("z", 1)], names, sql, ask).word == "PASS"
    assert asked == [
        "SELECT * FROM (SELECT a, count(*) AS c FROM t GROUP BY a) AS w (c0, c1) WHERE (c0 = 'y' AND c1 = 1)"
    ]
    assert judge([("x", 2), ("w", 1)], [("x", 2), ("z", 1)], names, sql, ask).word == "DIFF"
    assert judge([("x", 2), ("y", 3)], [("x", 2), ("z", 1)], names, sql, never).word == "DIFF"


def test_a_limit_without_an_order() -> None:
    verdict = judge([(1,)], [(2,)], ["a"], "SELECT a FROM t LIMIT 1", lambda _: [(1,)])
    assert verdict.word == "PASS" and verdict.note is not None


@pytest.mark.parametrize(
    ("a", "b", "is_same"),
    [
        (1.0, 1.0 + 1e-12, True),
        (1.0, 1.0 + 1e-6, False),
        (float("nan"), float("nan"), True),
        (Decimal("1.10"), Decimal("1.1"), True),
        (Decimal("1.10"), Decimal("1.11"), False),
        (Decimal("1.33"), 1.3333333, True),
        (Decimal("1.33"), 1.35, False),
        (3, Decimal(3), True),
        (None, None, True),
        (None, 0, False),
        ("a", "a ", False),
        (datetime.date(2026, 1, 1), datetime.date(2026, 1, 2), False),
    ],
)
def test_values(a: object, b: object, is_same: bool) -> None:
    assert (difference([(a,)], [(b,)]) is None) is is_same


def test_decimals_within_a_step_where_asked() -> None:
    ours: list[Row] = [(Decimal("1.10"),)]
    assert difference(ours, [(Decimal("1.11"),)], decimal_steps=1) is None
    assert difference(ours, [(Decimal("1.12"),)], decimal_steps=1) is not None


def test_the_end_of_a_query() -> None:
    form = shape(
        "WITH x AS (SELECT a FROM t ORDER BY a LIMIT 5)\n"
        "SELECT a AS first, sum(b) OVER (ORDER BY a) total, 'LIMIT 1' -- LIMIT 2\n"
        "FROM x ORDER BY sum(b) OVER (ORDER BY a) DESC NULLS LAST, x.a OFFSET 3 LIMIT 10"
    )
    assert form.is_cut
    assert form.keys(["first", "total", "_col2"]) == [1]
    assert form.whole.endswith("FROM x")
