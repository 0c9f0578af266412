"""A user's name in rendered SQL is the name and nothing else, whatever stands in it and around it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.engine.render.render_trees import (
    Trees,
    compare,
    count_rows,
    filtered,
    is_equal,
    joined,
    literal,
    plus,
    ref,
)

from sqe.engine.duckdb import render as fast
from sqe.engine.duckdb.sources import IcebergMetadata, Source
from sqe.engine.spark import render as spark
from sqe.tree.expressions import Call, Cast, Dereference, ScalarSubquery, walk
from sqe.tree.relations import Cte, CteRef, FileScan, Scan, With
from sqe.tree.statements import Query
from sqe.types.sql_types import INTEGER, VARCHAR, Row, RowField

NAMES = (
    "line\nbreak", "line\n  break", "\n", "\r\n", "tab\t", "\0", "\1{\2", "\x1a41\x1a", "\x1c\x1d\x1e",
    "two  spaces", " ", "'", "''", '"', "`", "\\", "a`b\"c'd\\", "{0}", "{}", "{over}", "{distinct}",
    "{args}", "${x}", "--", "/*", "*/", "/*1:2*/", "(", ")", "CAST(", "raise_error('SQE:X:y')", "a.b", "arg",
    "\u2028", "\u202e",
)  # fmt: skip


def tree(name: str) -> Query:
    """A column, a table and the field of a row of that name: in a template, a subquery and a CTE."""
    t = Trees()
    row = Row((RowField(name, INTEGER), RowField("other", VARCHAR)))
    scans = [
        replace(s, columns=(name, "r"), table=replace(s.table, name=name))
        for s in (t.scan("t", ("a", "r"), types=(INTEGER, row)) for _ in range(2))
    ]
    first, second = scans
    a, r = first.fields
    body = t.project(
        filtered(first, compare("$gt", a, literal(1))),
        Call(INTEGER, "coalesce", (Call(INTEGER, "$div", (ref(a), literal(3))), ref(a))),
        Dereference(INTEGER, ref(r), 0),
        Cast(Row((RowField("v", VARCHAR), RowField("w", VARCHAR))), ref(r)),
        names=("x", "y", "z"),
    )
    use = CteRef(tuple(t.field(f.name, f.type) for f in body.fields), 90, body.fields)
    most = t.aggregate(filtered(second, is_equal(second.fields[0], use.fields[0])), (), count_rows())
    both = joined("inner", use, use2 := t.scan("u", ("b",)), is_equal(use.fields[0], use2.fields[0]))
    query = t.project(both, plus(use.fields[0], use.fields[1]), use.fields[2], ScalarSubquery(INTEGER, most))
    return Query(With(query.fields, (Cte(90, "c", body),), query))


def on_spark(query: Query) -> str:
    return spark.render(query, session_zone="UTC").sql


def on_the_fast_lane(query: Query) -> str:
    sources: dict[Scan | FileScan, Source] = {
        n: IcebergMetadata("/x", None) for n in walk(query) if isinstance(n, Scan)
    }
    return fast.render(query, sources).sql


def words(sql: str, quote: str) -> list[str]:
    """Quoted names as they are, and what stands between them without its layout."""
    pieces = re.split(f"({quote}(?:{quote}{quote}|[^{quote}])*{quote})", sql)
    return [p if n % 2 else re.sub(r"\s+", "", p) for n, p in enumerate(pieces)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("render", "quote"), [(on_spark, "`"), (on_the_fast_lane, '"')])
def test_a_name_is_told_as_it_is(render: Callable[[Query], str], quote: str, name: str) -> None:
    plain, hostile = words(render(tree("plain")), quote), words(render(tree(name)), quote)
    quoted = quote + name.replace(quote, quote * 2) + quote
    assert plain.count(f"{quote}plain{quote}") > 5
    assert hostile == [quoted if word == f"{quote}plain{quote}" else word for word in plain]
