"""What statistics prove unneeded is left out, and nothing else."""

from __future__ import annotations

from decimal import Decimal as Number

import pytest
from tests.engine.render.render_trees import Trees, compare, filtered, ref

from sqe.engine.duckdb.bounds import UNKNOWN, Bounds, Range
from sqe.engine.duckdb.elide_guards import elide_guards
from sqe.tree.expressions import AggregateCall, Call, walk
from sqe.tree.relations import Aggregate, Project, Scan
from sqe.tree.statements import Query
from sqe.types.sql_types import BIGINT, DOUBLE, INTEGER, Decimal, Type

ROWS = 1000


def functions(query: Query, **ranges: Range) -> set[str]:
    """The functions that a query calls once the bounds of its columns are known."""

    def of_scan(scan: Scan, column: str, kind: Type) -> Range:
        return ranges.get(column, UNKNOWN)

    bounds = Bounds(query, of_scan, lambda scan: ROWS)
    return {n.function for n in walk(elide_guards(query, bounds)) if isinstance(n, (Call, AggregateCall))}


def computed(op: str, left: Type, right: Type, result: Type) -> Query:
    trees = Trees()
    scan = trees.scan("t", ("a", "b"), types=[left, right])
    call = Call(result, op, tuple(ref(f) for f in scan.fields))
    return Query(Project((trees.field("x", result),), scan, (call,)))


def between(low: str | int, high: str | int) -> Range:
    return Range(Number(low), Number(high), False)


@pytest.mark.parametrize(
    ("divisor", "function"),
    [
        (between(1, 9), "$div_positive"),
        (between(0, 9), "$div"),
        # The smallest number divided by -1 overflows.
        (between(-9, -1), "$div"),
        (UNKNOWN, "$div"),
    ],
)
def test_division_without_a_test_for_zero(divisor: Range, function: str) -> None:
    assert functions(computed("$div", INTEGER, INTEGER, INTEGER), b=divisor) == {function}


@pytest.mark.parametrize(
    ("price", "function"),
    [
        (between(0, "104949.50"), "$mul_narrow"),
        (between("-9999999999.99", 0), "$mul"),
        (UNKNOWN, "$mul"),
    ],
)
def test_products_of_few_digits_are_narrow(price: Range, function: str) -> None:
    money = Decimal(15, 2)
    query = computed("$mul", money, money, Decimal(30, 4))
    assert functions(query, a=price, b=between(0, "1000000.00")) == {function}


def test_a_sum_of_decimals_needs_a_digit_more() -> None:
    query = computed("$add", Decimal(18, 2), Decimal(18, 2), Decimal(19, 2))
    most = between(0, "999999999999999.99")
    assert functions(query, a=most, b=most) == {"$add_narrow"}
    assert functions(query, a=most, b=between(0, "1000000000000000.00")) == {"$add"}


def test_comparisons_of_floats_without_nan() -> None:
    scan = Trees().scan("t", ("a", "b"), types=[DOUBLE, DOUBLE])
    query = Query(filtered(scan, compare("$gt", *scan.fields)))
    number = Range(nan=False)
    assert functions(query, a=number, b=number) == {"$gt_numbers"}
    assert functions(query, a=number) == {"$gt"}


def test_small_sums_of_bigints() -> None:
    trees = Trees()
    scan = trees.scan("t", ("a",), types=[BIGINT])
    total = AggregateCall(BIGINT, "sum", (ref(scan.fields[0]),))
    query = Query(Aggregate((trees.field("x", BIGINT),), scan, (), (total,)))
    largest = (1 << 63) // ROWS
    assert functions(query, a=between(-5, largest - 1)) == {"$sum_small"}
    assert functions(query, a=between(-5, largest + 1)) == {"sum"}
    assert functions(query) == {"sum"}
