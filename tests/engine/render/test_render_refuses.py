"""What must not, or cannot, be said to Spark."""

from __future__ import annotations

import dataclasses

import pytest
from tests.engine.render.render_trees import (
    ONE_ROW,
    Trees,
    compare,
    filtered,
    is_equal,
    joined,
    literal,
    plus,
    ref,
)

from sqe.engine.spark.render import render
from sqe.errors import InternalError, NotSupported
from sqe.tree.expressions import (
    AggregateCall,
    Call,
    Exists,
    Expression,
    Frame,
    FrameBound,
    InSubquery,
    ScalarSubquery,
    SortKey,
    WindowCall,
)
from sqe.tree.relations import FileScan, Relation, TableName, Window
from sqe.tree.statements import Merge, MergeClause, Query, Target, Use
from sqe.types.sql_types import BIGINT, BOOLEAN, INTEGER, Array


def _sql(relation: Relation) -> str:
    return render(Query(relation), session_zone="UTC").sql


def test_an_unsecured_table_is_never_rendered() -> None:
    trees = Trees()
    scan = trees.scan(secured=False)
    hidden = filtered(trees.scan("u"), Exists(BOOLEAN, scan))
    for relation in (scan, hidden, FileScan((), "parquet", ("/x",), ())):
        with pytest.raises(InternalError, match="not secured"):
            _sql(relation)


def test_a_column_out_of_sight_is_our_mistake() -> None:
    trees = Trees()
    stranger = trees.field("stranger")
    with pytest.raises(InternalError, match="stranger"):
        _sql(filtered(trees.scan(), is_equal(stranger, literal(1))))


def test_statements_without_spark_are_not_rendered() -> None:
    with pytest.raises(InternalError):
        render(Use("cat", ("ns",)), session_zone="UTC")


def test_a_full_join_cannot_look_outside() -> None:
    trees = Trees()
    scan, x, y = trees.scan(), trees.scan("x"), trees.scan("y")
    outside = is_equal(x.fields[0], scan.fields[0])
    with pytest.raises(NotSupported, match="FULL JOIN"):
        _sql(filtered(scan, Exists(BOOLEAN, joined("full", x, y, outside))))


def test_a_subquery_over_both_sides_of_an_outer_join_is_refused() -> None:
    trees = Trees()
    x, y, z = trees.scan("x"), trees.scan("y"), trees.scan("z")
    both = is_equal(plus(x.fields[0], y.fields[0]), z.fields[0])
    with pytest.raises(NotSupported, match="LEFT JOIN"):
        _sql(joined("left", x, y, Exists(BOOLEAN, filtered(z, both))))


def test_merge_refuses_a_subquery_over_its_target() -> None:
    trees = Trees()
    x = trees.field("x")
    source, other = trees.scan("s", ("k",)), trees.scan("u", ("c",))
    known = Exists(BOOLEAN, filtered(other, is_equal(other.fields[0], x)))
    target = Target(TableName("cat", ("ns",), "t"), (x,), ("x",))
    merge = Merge(target, source, is_equal(x, source.fields[0]), (MergeClause(True, "delete", (), known),))
    with pytest.raises(NotSupported, match="MERGE"):
        render(merge, session_zone="UTC")


def test_a_frame_that_moves_with_the_row_is_refused() -> None:
    trees = Trees()
    scan = trees.scan()
    frame = Frame("rows", FrameBound("preceding", ref(scan.fields[1])), FrameBound("current_row"))
    call = WindowCall(BIGINT, "count", (), (), (SortKey(ref(scan.fields[0])),), frame)
    with pytest.raises(NotSupported, match="frame"):
        _sql(Window((*scan.fields, trees.field("n", BIGINT)), scan, (call,)))


def test_a_filter_that_a_window_cannot_take_is_refused() -> None:
    trees = Trees()
    scan = trees.scan()
    kept = compare("$gt", scan.fields[0], literal(0))
    call = WindowCall(Array(INTEGER), "array_agg", (ref(scan.fields[0]),), filter=kept)
    with pytest.raises(NotSupported, match="array_agg"):
        _sql(Window((*scan.fields, trees.field("n", Array(INTEGER))), scan, (call,)))


def test_subqueries_that_multiply_are_refused_in_time() -> None:
    trees = Trees()
    scan = trees.scan("t", ("a",))
    value: Expression = literal(True, BOOLEAN)
    for _ in range(30):
        other = trees.scan("u", ("c",))
        kept = filtered(other, Call(BOOLEAN, "$is_null", (value,)))
        value = InSubquery(BOOLEAN, (ref(scan.fields[0]),), kept)
    with pytest.raises(NotSupported, match="nested"):
        _sql(trees.project(scan, value))


def test_256_levels_are_rendered() -> None:
    trees = Trees()
    relation: Relation = trees.scan("t", ("a",))
    value: Expression = literal(1)
    for _ in range(256):
        inner = trees.project(relation, plus(relation.fields[0], literal(1)))
        relation = filtered(inner, compare("$gt", inner.fields[0], literal(0)))
        value = ScalarSubquery(INTEGER, trees.project(ONE_ROW, plus(value, literal(1))))
    assert _sql(relation).count("SELECT") == 257
    assert _sql(trees.project(ONE_ROW, value)).count("SELECT") == 257


def test_long_chains_need_no_stack() -> None:
    trees = Trees()
    scan = trees.scan("t", ("a",))
    total: Expression = ref(scan.fields[0])
    test: Expression = is_equal(scan.fields[0], literal(0))
    for number in range(3000):
        total = plus(total, literal(number))
        test = Call(BOOLEAN, "$or", (test, is_equal(scan.fields[0], literal(number))))
    assert _sql(trees.project(filtered(scan, test), total)).count(" OR ") == 3000


def test_the_same_tree_gives_the_same_text() -> None:
    trees = Trees()
    scan = trees.scan("t", ("a", "b", "c", "d"))
    total = AggregateCall(BIGINT, "sum", (ref(scan.fields[1]),))
    query = Query(trees.aggregate(scan, scan.fields[2:], total))
    assert render(query, session_zone="UTC") == render(dataclasses.replace(query), session_zone="UTC")
