"""An error of Spark's is told at the place in the user's statement."""

from __future__ import annotations

from tests.engine.render.render_trees import Trees, literal, ref

from sqe.engine.spark.render import position_of, render, strip_positions
from sqe.errors import Position
from sqe.tree.expressions import Call, Expression
from sqe.tree.statements import Query
from sqe.types.sql_types import INTEGER, VARCHAR


def _quotient(left: Expression, right: Expression, column: int) -> Call:
    return Call(INTEGER, "$div", (left, right), Position(1, column))


def test_the_smallest_expression_around_an_error_is_found() -> None:
    trees = Trees()
    scan = trees.scan()
    a, b = map(ref, scan.fields)
    inner = _quotient(a, b, 8)
    sql = render(Query(trees.project(scan, _quotient(inner, literal(0), 12))), session_zone="UTC").sql
    start = sql.index("`a` div `b`")
    assert position_of(sql, start, start + len("`a` div `b`") - 1) == Position(1, 8)
    whole = sql.index("CAST((`a`")
    assert position_of(sql, whole, sql.index("div 0") + 4) == Position(1, 12)
    assert position_of(sql, sql.index("FROM")) is None


def test_what_looks_like_a_place_in_a_text_is_none() -> None:
    trees = Trees()
    text = literal("/*9:9*/(x)", VARCHAR)
    scan = trees.scan("/*8:8*/", ("/*7:7*/",))
    query = trees.project(scan, text, _quotient(ref(scan.fields[0]), literal(2), 3))
    sql = render(Query(query), session_zone="UTC").sql
    assert position_of(sql, sql.index("(x)")) is None
    bare = strip_positions(sql)
    assert "'/*9:9*/(x)'" in bare and "`/*8:8*/`" in bare and "`/*7:7*/`" in bare
    assert "/*1:3*/" in sql and "/*1:3*/" not in bare


def test_what_cannot_fail_has_no_place() -> None:
    trees = Trees()
    scan = trees.scan()
    test = Call(INTEGER, "$is_null", (ref(scan.fields[0]),), Position(1, 1))
    assert "/*" not in render(Query(trees.project(scan, test)), session_zone="UTC").sql
