"""Rendered SQL gives Trino's answers on a real Spark where Spark's own forms would not."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from tests.engine.render.render_trees import (
    ONE_ROW,
    Trees,
    compare,
    count_rows,
    filtered,
    is_equal,
    joined,
    limited,
    literal,
    ordered,
    plus,
    ref,
)

from sqe.engine.spark.render import render
from sqe.engine.spark.spark import SparkSession
from sqe.errors import SqeError
from sqe.tree.expressions import (
    AggregateCall,
    Call,
    Exists,
    Expression,
    InSubquery,
    Quantified,
    ScalarSubquery,
    SortKey,
    WindowCall,
)
from sqe.tree.relations import Aggregate, Cte, CteRef, Relation, SetOperation, Unnest, Values, Window, With
from sqe.tree.statements import Query
from sqe.types.sql_types import BIGINT, BOOLEAN, DOUBLE, INTEGER, VARCHAR, Array, Map, Row, RowField

pytestmark = pytest.mark.spark
_numbers = itertools.count()

# x, and the set it is compared with: without NULL, with NULL, empty.
SETS: dict[str, list[int | None]] = {"known": [1, 2], "unknown": [1, 2, None], "empty": []}


def answers(spark: SparkSession, relation: Relation) -> list[tuple[Any, ...]]:
    rendered = render(Query(relation), session_zone="UTC")
    stream = spark.run(rendered.sql, statement_id=f"render{next(_numbers)}", user="anyone")
    rows = [tuple(c[i] for c in columns) for columns, n in _columns(stream) for i in range(n)]
    return sorted(rows, key=repr)


def _columns(stream: Any) -> list[tuple[list[list[Any]], int]]:
    return [([c.to_pylist() for c in batch.columns], batch.num_rows) for batch in stream]


def set_of(trees: Trees, values: list[int | None]) -> Values:
    return trees.values(("y",), [(v,) for v in values])


def three_rows(trees: Trees) -> Values:
    return trees.values(("x",), [(1,), (3,), (None,)])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("known", {1: True, 3: False, None: None}),
        ("unknown", {1: True, 3: None, None: None}),
        ("empty", {1: False, 3: False, None: False}),
    ],
)
def test_in_is_three_valued_as_a_value_and_a_filter(
    spark: SparkSession, name: str, expected: dict[int | None, bool | None]
) -> None:
    trees = Trees()
    rows = three_rows(trees)
    x = ref(rows.fields[0])
    test = InSubquery(BOOLEAN, (x,), set_of(trees, SETS[name]))
    assert dict(answers(spark, trees.project(rows, x, test))) == expected
    kept = [v for v, result in expected.items() if result]
    assert answers(spark, filtered(rows, test)) == [(v,) for v in kept]
    refused = [v for v, result in expected.items() if result is False]
    negated = answers(spark, filtered(rows, Call(BOOLEAN, "$not", (test,))))
    assert negated == sorted(((v,) for v in refused), key=repr)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("op", ["$eq", "$ne", "$lt", "$ge"])
@pytest.mark.parametrize("every", [True, False])
def test_all_and_any_are_three_valued(spark: SparkSession, name: str, op: str, every: bool) -> None:
    trees = Trees()
    rows = three_rows(trees)
    x = ref(rows.fields[0])
    test = Quantified(BOOLEAN, x, op, every, set_of(trees, SETS[name]))
    expected = {v: _quantified(v, op, every, SETS[name]) for v in (1, 3, None)}
    assert dict(answers(spark, trees.project(rows, x, test))) == expected
    other = set_of(trees, SETS[name])
    same_x = filtered(other, Call(BOOLEAN, "$not", (Call(BOOLEAN, "$is_distinct", (x, x)),)))
    again = Quantified(BOOLEAN, x, op, every, same_x)
    assert dict(answers(spark, trees.project(rows, x, again))) == expected


def _quantified(x: int | None, op: str, every: bool, values: list[int | None]) -> bool | None:
    tests = {"$eq": int.__eq__, "$ne": int.__ne__, "$lt": int.__lt__, "$ge": int.__ge__}
    results = [None if x is None or y is None else tests[op](x, y) for y in values]
    decisive = not every
    return decisive if decisive in results else None if None in results else every


def test_nan_is_in_no_set(spark: SparkSession) -> None:
    trees = Trees()
    nan = float("nan")
    rows = trees.values(("x",), [(nan,), (1.0,)], DOUBLE)
    x = ref(rows.fields[0])
    test = InSubquery(BOOLEAN, (x,), trees.values(("y",), [(nan,), (1.0,)], DOUBLE))
    assert answers(spark, filtered(rows, test)) == [(1.0,)]
    smaller = Quantified(BOOLEAN, x, "$le", True, trees.values(("y",), [(nan,), (2.0,)], DOUBLE))
    assert answers(spark, trees.project(rows, smaller)) == [(False,), (False,)]


def test_a_subquery_sees_columns_of_every_query_around_it(spark: SparkSession) -> None:
    trees = Trees()
    rows, middle, inner = three_rows(trees), set_of(trees, [1, 3]), set_of(trees, [1, 2])
    x, y, z = rows.fields[0], middle.fields[0], inner.fields[0]
    deepest = Exists(BOOLEAN, filtered(inner, is_equal(z, x), is_equal(z, y)))
    assert answers(spark, filtered(rows, Exists(BOOLEAN, filtered(middle, deepest)))) == [(1,)]
    counted = trees.aggregate(filtered(middle, deepest), (), count_rows())
    value = ScalarSubquery(BIGINT, counted)
    assert answers(spark, trees.project(rows, x, value)) == [(1, 1), (3, 0), (None, 0)]


def test_an_aggregate_may_be_of_an_outer_column(spark: SparkSession) -> None:
    trees = Trees()
    rows, other = three_rows(trees), set_of(trees, [10, 20])
    call = AggregateCall(INTEGER, "max", (plus(other.fields[0], rows.fields[0]),))
    value = ScalarSubquery(INTEGER, trees.aggregate(other, (), call))
    assert answers(spark, trees.project(rows, value)) == [(21,), (23,), (None,)]


def test_a_correlated_subquery_may_stand_in_on_and_order_by(spark: SparkSession) -> None:
    trees = Trees()
    rows, other, third = three_rows(trees), set_of(trees, [1, 2]), trees.values(("k", "v"), [(1, 5), (3, 4)])
    x, y, (k, v) = rows.fields[0], other.fields[0], third.fields
    most = AggregateCall(INTEGER, "max", (ref(v),))
    value = ScalarSubquery(INTEGER, trees.aggregate(filtered(third, is_equal(k, x)), (), most))
    on = Call(BOOLEAN, "$and", (is_equal(x, y), compare("$gt", value, literal(4))))
    assert answers(spark, joined("left", rows, other, on)) == [(1, 1), (3, None), (None, None)]
    assert answers(spark, joined("inner", rows, other, on)) == [(1, 1)]
    by_value = ordered(rows, SortKey(value))
    rendered = render(Query(by_value), session_zone="UTC").sql
    batches = list(spark.run(rendered, statement_id="by_value", user="anyone"))
    assert [v for b in batches for v in b.column(0).to_pylist()] == [3, 1, None]


def test_each_row_has_a_limit_of_its_own(spark: SparkSession) -> None:
    trees = Trees()
    rows = trees.values(("x",), [(1,), (2,), (3,)])
    pairs = trees.values(("y", "z"), [(0, 1), (1, 6), (1, 4), (2, 3), (2, 9)])
    (x,), (y, z) = rows.fields, pairs.fields
    # Spark alone answers NULL for all: it takes the smallest z of all pairs, and then looks for x.
    fitting = filtered(pairs, is_equal(y, plus(x, literal(0))))
    for count, offset, expected in ((1, 0, {1: 4, 2: 3, 3: None}), (1, 1, {1: 6, 2: 9, 3: None})):
        some = limited(ordered(fitting, z), count, offset)
        value = ScalarSubquery(INTEGER, trees.project(some, z))
        assert dict(answers(spark, trees.project(rows, x, value))) == expected
    assert answers(spark, filtered(rows, Exists(BOOLEAN, limited(fitting, 1)))) == [(1,), (2,)]


def test_the_nullable_side_of_a_join_may_look_outside(spark: SparkSession) -> None:
    trees = Trees()
    rows, left, right = three_rows(trees), set_of(trees, [1, 3]), set_of(trees, [1, 3])
    x, y, z = rows.fields[0], left.fields[0], right.fields[0]
    hits = AggregateCall(BIGINT, "count", (ref(z),))
    inside = filtered(right, is_equal(z, x))
    for kind, first, second in (("left", left, inside), ("right", inside, left)):
        join = joined(kind, first, second, is_equal(y, z))
        value = ScalarSubquery(BIGINT, trees.aggregate(join, (), hits, count_rows()))
        one = ScalarSubquery(BIGINT, trees.project(value.relation, value.relation.fields[0]))
        assert answers(spark, trees.project(rows, x, one)) == [(1, 1), (3, 1), (None, 0)]


def test_a_grand_total_of_nothing_is_a_row(spark: SparkSession) -> None:
    trees = Trees()
    for values, expected in (
        ([], [(None, 0, 1)]),
        ([(7,), (None,)], [(7, 1, 0), (None, 1, 0), (None, 2, 1)]),
    ):
        rows = trees.values(("k",), values)
        fields = (trees.field("k"), trees.field("n", BIGINT), trees.field("g", BIGINT))
        sets = Aggregate(fields, rows, rows.fields, (count_rows(),), ((0,), ()), ((0,),))
        assert answers(spark, sets) == expected


def test_an_aggregate_of_nothing_is_a_row(spark: SparkSession) -> None:
    trees = Trees()
    rows = trees.values(("k",), [])
    assert answers(spark, trees.project(trees.aggregate(rows, ()), literal(1))) == [(1,)]
    assert (
        answers(spark, filtered(three_rows(trees), Exists(BOOLEAN, trees.aggregate(rows, (), count_rows()))))
        != []
    )


def _arrays(trees: Trees) -> Values:
    row = Row((RowField("p", INTEGER), RowField("q", VARCHAR)))
    types = (INTEGER, Array(INTEGER), Array(VARCHAR), Map(VARCHAR, INTEGER), Array(row))
    fields = tuple(trees.field(n, t) for n, t in zip(("id", "xs", "ys", "m", "rs"), types, strict=True))

    def array(t: Any, *items: Expression) -> Expression:
        return Call(Array(t), "$array", items)

    pair = Call(row, "$row", (literal(1), literal("a", VARCHAR)))
    entries = Call(types[3], "map", (array(VARCHAR, literal("k", VARCHAR)), array(INTEGER, literal(5))))
    strings = array(VARCHAR, literal("a", VARCHAR))
    full = (
        literal(1),
        array(INTEGER, literal(1), literal(2)),
        strings,
        entries,
        array(row, pair, literal(None, row)),
    )
    empty = (literal(2), array(INTEGER), *(literal(None, t) for t in types[2:]))
    return Values(fields, (full, empty))


def test_unnest_as_trino_does_it(spark: SparkSession) -> None:
    trees = Trees()
    rows = _arrays(trees)
    number, xs, ys, m, rs = rows.fields

    def unnested(
        expressions: tuple[Any, ...], made: tuple[Any, ...], **options: bool
    ) -> list[tuple[Any, ...]]:
        extra = (*made, trees.field("o", BIGINT)) if options.get("ordinality") else made
        unnest = Unnest((*rows.fields, *extra), rows, tuple(map(ref, expressions)), **options)
        return answers(spark, trees.project(unnest, number, *extra))

    x, y = trees.field("x"), trees.field("y", VARCHAR)
    assert unnested((xs,), (x,)) == [(1, 1), (1, 2)]
    assert unnested((xs,), (x,), outer=True) == [(1, 1), (1, 2), (2, None)]
    assert unnested((xs,), (x,), ordinality=True) == [(1, 1, 1), (1, 2, 2)]
    assert unnested((xs, ys), (x, y)) == [(1, 1, "a"), (1, 2, None)]
    assert unnested((xs, ys), (x, y), ordinality=True, outer=True) == [
        (1, 1, "a", 1),
        (1, 2, None, 2),
        (2, None, None, None),
    ]
    k, v = trees.field("k", VARCHAR), trees.field("v")
    assert unnested((m,), (k, v)) == [(1, "k", 5)]
    assert unnested((m, xs), (k, v, x), ordinality=True) == [(1, "k", 5, 1, 1), (1, None, None, 2, 2)]
    p, q = trees.field("p"), trees.field("q", VARCHAR)
    assert unnested((rs,), (p, q)) == [(1, 1, "a"), (1, None, None)]
    assert unnested((rs,), (p, q), ordinality=True) == [(1, 1, "a", 1), (1, None, None, 2)]
    assert unnested((rs, xs), (p, q, x)) == [(1, 1, "a", 1), (1, None, None, 2)]


def test_unnest_of_an_outer_array(spark: SparkSession) -> None:
    trees = Trees()
    rows = _arrays(trees)
    x = trees.field("x")
    most = AggregateCall(INTEGER, "max", (ref(x),))
    value = ScalarSubquery(INTEGER, trees.aggregate(Unnest((x,), ONE_ROW, (ref(rows.fields[1]),)), (), most))
    assert answers(spark, trees.project(rows, rows.fields[0], value)) == [(1, 2), (2, None)]
    two = filtered(Unnest((x,), ONE_ROW, (ref(rows.fields[1]),)), is_equal(x, literal(2)))
    assert answers(spark, trees.project(filtered(rows, Exists(BOOLEAN, two)), rows.fields[0])) == [(1,)]


def _counting(trees: Trees, last: int) -> Relation:
    anchor = trees.project(ONE_ROW, literal(1), names=("n",))
    again = CteRef((trees.field("n"),), 900, anchor.fields)
    more = filtered(again, compare("$lt", again.fields[0], literal(last)))
    step = trees.project(more, plus(again.fields[0], literal(1)))
    union = SetOperation(anchor.fields, "union", False, anchor, step)
    use = CteRef((trees.field("n"),), 900, anchor.fields)
    most = trees.aggregate(use, (), AggregateCall(INTEGER, "max", (ref(use.fields[0]),)))
    return With(most.fields, (Cte(900, "r", union, recursive=True),), most)


def test_recursion_ends_after_ten_steps(spark: SparkSession) -> None:
    assert answers(spark, _counting(Trees(), 11)) == [(11,)]
    with pytest.raises(SqeError):
        answers(spark, _counting(Trees(), 12))


def test_a_filter_in_a_window(spark: SparkSession) -> None:
    trees = Trees()
    rows = three_rows(trees)
    (x,) = rows.fields
    some = WindowCall(BIGINT, "count", (), filter=compare("$gt", x, literal(1)))
    number = WindowCall(BIGINT, "rank", ())
    fields = (trees.field("n", BIGINT), trees.field("r", BIGINT))
    window = Window((x, *fields), rows, (some, number))
    assert answers(spark, trees.project(window, *fields)) == [(1, 1)] * 3


def test_every_character_survives(spark: SparkSession) -> None:
    trees = Trees()
    text = (
        "".join(map(chr, range(0x250))) + "\u2028\ufeff\U0001d11e{over}{0}${x} /*1:2*/ -- \\% \\_ \\u0041 ''"
    )
    assert answers(spark, trees.project(ONE_ROW, literal(text, VARCHAR))) == [(text,)]


def test_values_with_subqueries(spark: SparkSession) -> None:
    trees = Trees()
    rows = three_rows(trees)
    (x,) = rows.fields
    again = ScalarSubquery(INTEGER, trees.project(ONE_ROW, ref(x)))
    inner = Values((trees.field("v"),), ((ref(x),), (literal(2),), (again,)))
    most = AggregateCall(INTEGER, "max", (ref(inner.fields[0]),))
    value = ScalarSubquery(INTEGER, trees.aggregate(inner, (), most))
    assert answers(spark, trees.project(rows, x, value)) == [(1, 2), (3, 3), (None, 2)]
